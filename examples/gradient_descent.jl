# Gradient descent with ForwardDiff: derivatives in a broadcast, of a loss over arrays of the device, and within a kernel.
using CUDA, ForwardDiff, StaticArrays, Test

# The derivative at each element.
f(x) = sin(x) * exp(-x^2 / 4)
x = CuArray(range(-3.0f0, 3.0f0; length = 10_000))
df = ForwardDiff.derivative.(f, x)
@test df isa CuArray{Float32,1}
@test Array(df) ≈ [(cos(x) - x / 2 * sin(x)) * exp(-x^2 / 4) for x in Array(x)]

# A curve with three parameters, fitted to points: the numbers of the broadcast are dual.
curve(θ, x) = θ[1] * exp(-θ[2] * x^2) + θ[3] * x
loss(θ, x, y) = sum(abs2, curve.(Ref(θ), x) .- y) / length(x)

function descend(θ, x, y; rate, momentum, steps)
    velocity = zero(θ)
    for _ in 1:steps
        velocity = momentum * velocity - rate * ForwardDiff.gradient(θ -> loss(θ, x, y), θ)
        θ += velocity
    end
    return θ
end

truth = SVector(1.5f0, 0.8f0, 0.3f0)
y = curve.(Ref(truth), x)
θ = descend(SVector(1.0f0, 1.0f0, 0.0f0), x, y; rate = 0.05f0, momentum = 0.9f0, steps = 100)
@test isapprox(θ, truth; rtol = 1e-2)

# Many starting points at once, each descending within its item.
rosenbrock(p) = (1 - p[1])^2 + 10 * (p[2] - p[1]^2)^2

function descend!(points, f, rate, steps)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(points)
        @inbounds p = points[i]
        for _ in 1:steps
            p -= rate * ForwardDiff.gradient(f, p)
        end
        @inbounds points[i] = p
    end
    return
end

points = CuArray([SVector(Float32(a), Float32(b)) for a in -1:0.1:1.5, b in -1:0.1:1.5][:])
@cuda threads=64 blocks=cld(length(points), 64) descend!(points, rosenbrock, 0.005f0, 5000)
farthest = maximum(p -> sqrt(sum(abs2, p .- 1)), points)
@test farthest < 1e-2
println("gradient descent: slopes ", sum(abs2, df) / length(x), ", fitted ", θ, ", farthest ", farthest)
