# All-pairs gravity on the device, leap-frog steps; checked by conservation of energy and momentum.
using CUDA, Test

const SOFTENING = 1.0f-3

function accelerate!(ax, ay, az, x, y, z, m)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    n = length(x)
    if i <= n
        @inbounds begin
            xi, yi, zi = x[i], y[i], z[i]
            sx = sy = sz = 0.0f0
            for j in 1:n
                dx, dy, dz = x[j] - xi, y[j] - yi, z[j] - zi
                r2 = dx * dx + dy * dy + dz * dz + SOFTENING
                inv_r = 1.0f0 / sqrt(r2)
                s = m[j] * inv_r * inv_r * inv_r
                sx += dx * s
                sy += dy * s
                sz += dz * s
            end
            ax[i], ay[i], az[i] = sx, sy, sz
        end
    end
    return
end

function drift!(x, v, dt)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(x)
        @inbounds x[i] += dt * v[i]
    end
    return
end

function energy(x, y, z, vx, vy, vz, m)
    e = 0.0
    for i in eachindex(x)
        e += 0.5 * m[i] * (vx[i]^2 + vy[i]^2 + vz[i]^2)
        for j in 1:i-1
            r2 = (x[i] - x[j])^2 + (y[i] - y[j])^2 + (z[i] - z[j])^2 + SOFTENING
            e -= m[i] * m[j] / sqrt(Float64(r2))
        end
    end
    return e
end

# Bodies on a spiral: no random numbers, so that every run is the same.
n = 256
angle = Float32[2.4f0 * i for i in 1:n]
radius = Float32[sqrt(i / n) for i in 1:n]
x, y, z = radius .* cos.(angle), radius .* sin.(angle), 0.1f0 .* sin.(3 .* angle)
vx, vy, vz = -0.5f0 .* y, 0.5f0 .* x, zeros(Float32, n)
m = fill(1.0f0 / n, n)
momentum = sum(vx .* m)
before = energy(x, y, z, vx, vy, vz, m)
momentum = sum(vx .* m)

dx, dy, dz = CuArray(x), CuArray(y), CuArray(z)
dvx, dvy, dvz = CuArray(vx), CuArray(vy), CuArray(vz)
dax, day, daz = CUDA.zeros(Float32, n), CUDA.zeros(Float32, n), CUDA.zeros(Float32, n)
dm = CuArray(m)
threads, blocks = 64, cld(n, 64)
dt = 1.0f-3
for step in 1:20
    @cuda threads=threads blocks=blocks accelerate!(dax, day, daz, dx, dy, dz, dm)
    for (v, a) in ((dvx, dax), (dvy, day), (dvz, daz))
        @cuda threads=threads blocks=blocks drift!(v, a, dt)
    end
    for (p, v) in ((dx, dvx), (dy, dvy), (dz, dvz))
        @cuda threads=threads blocks=blocks drift!(p, v, dt)
    end
end

after = energy(Array(dx), Array(dy), Array(dz), Array(dvx), Array(dvy), Array(dvz), m)
@test isapprox(before, after; rtol = 1e-2)
@test isapprox(sum(Array(dvx) .* m), momentum; atol = 1e-5)
println("n-body: energy ", before, " -> ", after)
