# Loops whose items take different numbers of turns, and loops over other items: mandelbrot and n-body.
using CUDA, Test

function escape(c, most)
    z, n = c, 0
    while abs2(z) <= 4 && n < most
        z = z * z + c
        n += 1
    end
    return n
end
function mandelbrot!(out, most)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    j = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    i <= size(out, 1) && j <= size(out, 2) || return
    out[i, j] = escape(ComplexF32(-2.2f0 + 0.05f0 * i, -1.2f0 + 0.06f0 * j), most)
    return
end
for (threads, most) in (((16, 4), 80), ((33, 1), 200), ((7, 5), 3))
    out = CUDA.zeros(Int32, 60, 40)
    @cuda threads blocks=(cld(60, threads[1]), cld(40, threads[2])) mandelbrot!(out, most)
    @test Array(out) == [escape(ComplexF32(-2.2f0 + 0.05f0 * i, -1.2f0 + 0.06f0 * j), most) for i in 1:60, j in 1:40]
end
println("escapes agree exactly")

function acceleration(x, y, z, xs, ys, zs, masses)
    ax = ay = az = 0.0f0
    for k in eachindex(xs)
        dx, dy, dz = xs[k] - x, ys[k] - y, zs[k] - z
        inverse = 1.0f0 / sqrt(dx * dx + dy * dy + dz * dz + 0.01f0)
        force = masses[k] * inverse * inverse * inverse
        ax += dx * force
        ay += dy * force
        az += dz * force
    end
    return ax, ay, az
end
function moved!(out, xs, ys, zs, masses)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    i <= length(xs) || return
    ax, ay, az = acceleration(xs[i], ys[i], zs[i], xs, ys, zs, masses)
    out[1, i], out[2, i], out[3, i] = ax, ay, az
    return
end
# By tiles of shared memory; the last one is not full.
function moved_by_tiles!(out, xs, ys, zs, masses)
    tile = CuStaticSharedArray(NTuple{4, Float32}, 64)
    l, n = threadIdx().x, length(xs)
    i = (blockIdx().x - 1) * blockDim().x + l
    x, y, z = i <= n ? (xs[i], ys[i], zs[i]) : (0.0f0, 0.0f0, 0.0f0)
    ax = ay = az = 0.0f0
    first = 0
    while first < n
        k = first + l
        k <= n && (tile[l] = (xs[k], ys[k], zs[k], masses[k]))
        sync_threads()
        for k in 1:min(blockDim().x, n - first)
            other = tile[k]
            dx, dy, dz = other[1] - x, other[2] - y, other[3] - z
            inverse = 1.0f0 / sqrt(dx * dx + dy * dy + dz * dz + 0.01f0)
            force = other[4] * inverse * inverse * inverse
            ax += dx * force
            ay += dy * force
            az += dz * force
        end
        sync_threads()
        first += blockDim().x
    end
    i <= n && (out[1, i] = ax; out[2, i] = ay; out[3, i] = az)
    return
end
bodies = 150
xs, ys, zs = ([Float32(f(3k)) for k in 1:bodies] for f in (sin, cos, k -> sin(k) * cos(2k)))
masses = Float32[1 + k % 3 for k in 1:bodies]
want = reduce(hcat, [collect(acceleration(xs[i], ys[i], zs[i], xs, ys, zs, masses)) for i in 1:bodies])
for kernel in (moved!, moved_by_tiles!), threads in (64, 33)
    out = CUDA.zeros(Float32, 3, bodies)
    @cuda threads blocks=cld(bodies, threads) kernel(out, CuArray(xs), CuArray(ys), CuArray(zs), CuArray(masses))
    @test Array(out) == want
end
println("bodies agree exactly")
