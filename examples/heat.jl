# The heat equation on a square, by broadcasts over views; checked by the decay of its slowest mode.
using AMDGPU, Test

function step!(new, u, c)
    @views new[2:end-1, 2:end-1] .= u[2:end-1, 2:end-1] .+ c .* (
        u[1:end-2, 2:end-1] .+ u[3:end, 2:end-1] .+ u[2:end-1, 1:end-2] .+ u[2:end-1, 3:end] .-
        4 .* u[2:end-1, 2:end-1])
    return new
end

function simulate(u, c, steps)
    u, new = copy(u), copy(u)
    for _ in 1:steps
        step!(new, u, c)
        u, new = new, u
    end
    return u
end

n, steps = 257, 400
h = 1 / (n - 1)
c = 0.2                             # of diffusion * dt / h^2, stable below 0.25
x = ROCArray(range(0.0, 1.0; length = n))
u0 = sinpi.(x) .* sinpi.(x') .+ 0.25 .* sinpi.(3 .* x) .* sinpi.(2 .* x')
u = simulate(u0, c, steps)

# What one step multiplies the mode (p, q) by.
factor(p, q) = 1 - 4c * (sinpi(p * h / 2)^2 + sinpi(q * h / 2)^2)
expected = factor(1, 1)^steps .* sinpi.(x) .* sinpi.(x') .+
    0.25 * factor(3, 2)^steps .* sinpi.(3 .* x) .* sinpi.(2 .* x')
difference = maximum(abs.(u .- expected))
@test difference < 1e-12
@test all(iszero, u[1, :]) && all(u[:, end] .== u0[:, end])
@test sum(u) < sum(u0)
println("heat: ", sum(u0) * h^2, " -> ", sum(u) * h^2, ", hottest ", maximum(u), " at ", Tuple(argmax(u)))
