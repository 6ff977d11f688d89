# A million pendulums: the method of Runge and Kutta, in a kernel that takes the equation as an argument, and as a broadcast.
using CUDA, Test

function rk4(f, u, dt)
    k1 = f(u)
    k2 = f(u .+ dt / 2 .* k1)
    k3 = f(u .+ dt / 2 .* k2)
    k4 = f(u .+ dt .* k3)
    return u .+ dt / 6 .* (k1 .+ 2 .* k2 .+ 2 .* k3 .+ k4)
end

function integrate!(angle, speed, f::F, dt, steps) where {F}
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(angle)
        @inbounds u = (angle[i], speed[i])
        for _ in 1:steps
            u = rk4(f, u, dt)
        end
        @inbounds angle[i], speed[i] = u
    end
    return
end

pendulum((angle, speed)) = (speed, -sin(angle))
oscillator((x, v)) = (v, -x)
energy(angle, speed) = speed^2 / 2 - cos(angle)

n, dt, steps = 1_000_000, 0.05f0, 40
start = CuArray(range(-3.0f0, 3.0f0; length = n))

# The energy of each pendulum stays what it was.
angle, speed = copy(start), CUDA.zeros(Float32, n)
@cuda threads=256 blocks=cld(n, 256) integrate!(angle, speed, pendulum, dt, steps)
drift = maximum(abs.(energy.(angle, speed) .- energy.(start, 0.0f0)))
@test drift < 1e-4

# Oscillators have a solution in closed form: tuples as elements, one step a broadcast.
u = tuple.(start, 0.0f0)
for _ in 1:steps
    u .= rk4.(oscillator, u, dt)
end
t = dt * steps
difference = maximum(abs.(first.(u) .- start .* cos(t)))
@test difference < 1e-4
println("runge-kutta: ", n, " pendulums, mean square of angles ", sum(abs2, angle) / n, ", of speeds ", sum(abs2, speed) / n)
println("oscillators: ", sum(abs2, first.(u)) / n, " for ", 3 * cos(t)^2)
