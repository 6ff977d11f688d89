# Prices of options by simulation: a European call by broadcasts, an Asian one by a kernel; beside the formula of Black and Scholes.
using CUDA, Statistics, Test

# An asset that follows a geometric Brownian motion, and a call on it.
const SPOT, STRIKE, RATE, VOLATILITY, YEARS = 100.0f0, 105.0f0, 0.03f0, 0.2f0, 1.0f0

# The normal distribution function, by the formula 26.2.17 of Abramowitz and Stegun.
function normal_cdf(x)
    x < 0 && return 1 - normal_cdf(-x)
    t = 1 / (1 + 0.2316419x)
    s = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    return 1 - exp(-x^2 / 2) / sqrt(2pi) * s
end

function black_scholes(spot, strike, rate, volatility, years)
    d = (log(spot / strike) + (rate + volatility^2 / 2) * years) / (volatility * sqrt(years))
    return spot * normal_cdf(d) - strike * exp(-rate * years) * normal_cdf(d - volatility * sqrt(years))
end

# Each path is drawn with its mirror image, which has the same distribution.
function european(paths)
    z = CUDA.randn(Float32, paths)
    drift, σ = (RATE - VOLATILITY^2 / 2) * YEARS, VOLATILITY * sqrt(YEARS)
    payoff(z) = max(SPOT * exp(drift + σ * z) - STRIKE, 0.0f0)
    values = exp(-RATE * YEARS) .* (payoff.(z) .+ payoff.(-z)) ./ 2
    return mean(values), std(values) / sqrt(paths)
end

function asian!(payoffs, z, dt)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(payoffs)
        drift, σ = (RATE - VOLATILITY^2 / 2) * dt, VOLATILITY * sqrt(dt)
        price, total = SPOT, 0.0f0
        for step in axes(z, 2)
            @inbounds price *= exp(drift + σ * z[i, step])
            total += price
        end
        @inbounds payoffs[i] = max(total / size(z, 2) - STRIKE, 0.0f0)
    end
    return
end

function asian(paths, steps)
    z = CUDA.randn(Float32, paths, steps)
    payoffs = CUDA.zeros(Float32, paths)
    @cuda threads=256 blocks=cld(paths, 256) asian!(payoffs, z, YEARS / steps)
    return exp(-RATE * YEARS) * mean(payoffs)
end

CUDA.seed!(7)
exact = black_scholes(SPOT, STRIKE, RATE, VOLATILITY, YEARS)
price, deviation = european(2^20)
@test abs(price - exact) < 5 * deviation
average = asian(2^16, 32)
@test 0.4 * exact < average < 0.6 * exact           # an average varies less than the price at the end
println("options: exact ", exact, ", simulated ", price, ", on the average ", average)
