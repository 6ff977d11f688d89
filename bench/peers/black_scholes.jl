# The parts of the Black-Scholes kernel that both styles share.

function cnd(d)
    k = 1f0 / (1f0 + 0.2316419f0 * abs(d))
    c = 0.39894228040143267794f0 * exp(-0.5f0 * d * d) *
        (k * (0.31938153f0 + k * (-0.356563782f0 + k * (1.781477937f0 + k * (-1.821255978f0 + k * 1.330274429f0)))))
    return d > 0 ? 1f0 - c : c
end

# Spot prices, strike prices and times of n options.
options(n) = (5f0 .+ 25f0 .* input(1, n), 1f0 .+ 99f0 .* input(2, n), 0.25f0 .+ 9.75f0 .* input(3, n))
