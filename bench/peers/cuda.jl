# The eight kernels in the style of CUDA.jl: the work of `kernels.jl`.
using CUDA

include("data.jl")
include("black_scholes.jl")

function triad!(a, b, c, s)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(a)
        @inbounds a[i] = b[i] + s * c[i]
    end
    return
end

function nbody!(ax, ay, az, x, y, z, m)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    @inbounds X, Y, Z = x[i], y[i], z[i]
    a = b = c = 0f0
    for j in eachindex(x)
        @inbounds dx = x[j] - X
        @inbounds dy = y[j] - Y
        @inbounds dz = z[j] - Z
        r = dx * dx + dy * dy + dz * dz + 0.01f0
        inv = 1f0 / sqrt(r)
        @inbounds w = m[j] * inv * inv * inv
        a += dx * w
        b += dy * w
        c += dz * w
    end
    @inbounds ax[i] = a
    @inbounds ay[i] = b
    @inbounds az[i] = c
    return
end

function black_scholes!(call, put, S, X, T, R, V)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    i <= length(call) || return
    @inbounds begin
        root = sqrt(T[i])
        d1 = (log(S[i] / X[i]) + (R + 0.5f0 * V * V) * T[i]) / (V * root)
        d2 = d1 - V * root
        c1 = cnd(d1)
        c2 = cnd(d2)
        e = exp(-R * T[i])
        call[i] = S[i] * c1 - X[i] * e * c2
        put[i] = X[i] * e * (1f0 - c2) - S[i] * (1f0 - c1)
    end
    return
end

function matmul!(C, A, B)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    j = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    s = 0f0
    for k in 1:size(A, 2)
        @inbounds s += A[i, k] * B[k, j]
    end
    @inbounds C[i, j] = s
    return
end

const TILE = 16

function matmul_tiled!(C, A, B)
    i, j = threadIdx().x, threadIdx().y
    I = (blockIdx().x - 1) * TILE + i
    J = (blockIdx().y - 1) * TILE + j
    a = CuStaticSharedArray(Float32, (TILE, TILE))
    b = CuStaticSharedArray(Float32, (TILE, TILE))
    s = 0f0
    for t in 0:(size(A, 2) ÷ TILE - 1)
        @inbounds a[i, j] = A[I, t * TILE + j]
        @inbounds b[i, j] = B[t * TILE + i, J]
        sync_threads()
        for k in 1:TILE
            @inbounds s += a[i, k] * b[k, j]
        end
        sync_threads()
    end
    @inbounds C[I, J] = s
    return
end

function stencil!(o, g)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    j = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    n = size(g, 1)
    if 1 < i < n && 1 < j < n
        @inbounds o[i, j] = 0.5f0 * g[i, j] + 0.125f0 * (g[i - 1, j] + g[i + 1, j] + g[i, j - 1] + g[i, j + 1])
    end
    return
end

function reduce!(out, x)
    l, g = threadIdx().x, blockIdx().x
    s = CuStaticSharedArray(Float32, 256)
    @inbounds s[l] = x[(g - 1) * blockDim().x + l]
    sync_threads()
    d = 128
    while d > 0
        if l <= d
            @inbounds s[l] += s[l + d]
        end
        sync_threads()
        d >>= 1
    end
    if l == 1
        @inbounds out[g] = s[1]
    end
    return
end

function mandelbrot!(o, iterations)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    j = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    n = size(o, 1)
    cx = -2f0 + 2.6f0 * Float32(i - 1) / Float32(n)
    cy = -1.3f0 + 2.6f0 * Float32(j - 1) / Float32(n)
    zx = zy = 0f0
    k = Int32(0)
    while k < iterations
        x2 = zx * zx
        y2 = zy * zy
        x2 + y2 > 4f0 && break
        zy = 2f0 * zx * zy + cy
        zx = x2 - y2 + cx
        k += Int32(1)
    end
    @inbounds o[i, j] = k
    return
end

main(Dict(
    "triad" => () -> begin
        n = 16 * 2^20
        a, b, c = CUDA.zeros(n), CuArray(input(1, n)), CuArray(input(2, n))
        measured(() -> CUDA.@sync(@cuda threads=1024 blocks=cld(n, 1024) triad!(a, b, c, 3f0)), a)
    end,
    "nbody" => () -> begin
        n = 4096
        x, y, z, m = (CuArray(input(seed, n)) for seed in 1:4)
        a, b, c = CUDA.zeros(n), CUDA.zeros(n), CUDA.zeros(n)
        measured(() -> CUDA.@sync(@cuda threads=256 blocks=n÷256 nbody!(a, b, c, x, y, z, m)), a, b, c)
    end,
    "black_scholes" => () -> begin
        n = 2^20
        S, X, T = map(CuArray, options(n))
        call, put = CUDA.zeros(n), CUDA.zeros(n)
        measured(call, put) do
            CUDA.@sync @cuda threads=256 blocks=cld(n, 256) black_scholes!(call, put, S, X, T, 0.02f0, 0.3f0)
        end
    end,
    "matmul" => () -> begin
        n = 512
        A, B, C = CuArray(input(1, n, n)), CuArray(input(2, n, n)), CUDA.zeros(n, n)
        measured(() -> CUDA.@sync(@cuda threads=(64, 4) blocks=(n÷64, n÷4) matmul!(C, A, B)), C)
    end,
    "matmul_tiled" => () -> begin
        n = 512
        A, B, C = CuArray(input(1, n, n)), CuArray(input(2, n, n)), CUDA.zeros(n, n)
        measured(() -> CUDA.@sync(@cuda threads=(TILE, TILE) blocks=(n÷TILE, n÷TILE) matmul_tiled!(C, A, B)), C)
    end,
    "stencil" => () -> begin
        n = 2048
        g, o = CuArray(input(1, n, n)), CUDA.zeros(n, n)
        measured(o) do
            for _ in 1:10
                @cuda threads=256 blocks=(n÷256, n) stencil!(o, g)
            end
            synchronize()
        end
    end,
    "reduce" => () -> begin
        n = 16 * 2^20
        x, o = CuArray(input(1, n)), CUDA.zeros(n ÷ 256)
        measured(() -> CUDA.@sync(@cuda threads=256 blocks=n÷256 reduce!(o, x)), o)
    end,
    "mandelbrot" => () -> begin
        n = 1024
        o = CUDA.zeros(Int32, n, n)
        measured(() -> CUDA.@sync(@cuda threads=256 blocks=(n÷256, n) mandelbrot!(o, Int32(200))), o)
    end,
))
