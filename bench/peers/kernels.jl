# The eight kernels in the style of KernelAbstractions.jl; `cuda.jl` has them in that of CUDA.jl.
using KernelAbstractions

include("data.jl")
include("black_scholes.jl")

@kernel function triad!(a, @Const(b), @Const(c), s)
    i = @index(Global)
    a[i] = b[i] + s * c[i]
end

@kernel function nbody!(ax, ay, az, @Const(x), @Const(y), @Const(z), @Const(m))
    i = @index(Global)
    X = x[i]
    Y = y[i]
    Z = z[i]
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
    ax[i] = a
    ay[i] = b
    az[i] = c
end

@kernel function black_scholes!(call, put, @Const(S), @Const(X), @Const(T), R, V)
    i = @index(Global)
    root = sqrt(T[i])
    d1 = (log(S[i] / X[i]) + (R + 0.5f0 * V * V) * T[i]) / (V * root)
    d2 = d1 - V * root
    c1 = cnd(d1)
    c2 = cnd(d2)
    e = exp(-R * T[i])
    call[i] = S[i] * c1 - X[i] * e * c2
    put[i] = X[i] * e * (1f0 - c2) - S[i] * (1f0 - c1)
end

@kernel function matmul!(C, @Const(A), @Const(B))
    i, j = @index(Global, NTuple)
    s = 0f0
    for k in 1:size(A, 2)
        @inbounds s += A[i, k] * B[k, j]
    end
    C[i, j] = s
end

const TILE = 16

@kernel function matmul_tiled!(C, @Const(A), @Const(B))
    i, j = @index(Local, NTuple)
    I, J = @index(Global, NTuple)
    a = @localmem Float32 (TILE, TILE)
    b = @localmem Float32 (TILE, TILE)
    s = @private Float32 1
    @inbounds s[1] = 0f0
    for t in 0:(size(A, 2) ÷ TILE - 1)
        @inbounds a[i, j] = A[I, t * TILE + j]
        @inbounds b[i, j] = B[t * TILE + i, J]
        @synchronize
        for k in 1:TILE
            @inbounds s[1] += a[i, k] * b[k, j]
        end
        @synchronize
    end
    @inbounds C[I, J] = s[1]
end

@kernel function stencil!(o, @Const(g))
    i, j = @index(Global, NTuple)
    n = size(g, 1)
    if 1 < i < n && 1 < j < n
        @inbounds o[i, j] = 0.5f0 * g[i, j] + 0.125f0 * (g[i - 1, j] + g[i + 1, j] + g[i, j - 1] + g[i, j + 1])
    end
end

@kernel function reduce!(out, @Const(x))
    l = @index(Local)
    g = @index(Group)
    i = @index(Global)
    s = @localmem Float32 (256,)
    @inbounds s[l] = x[i]
    @synchronize
    d = 128
    while d > 0
        if l <= d
            @inbounds s[l] += s[l + d]
        end
        @synchronize
        d >>= 1
    end
    if l == 1
        @inbounds out[g] = s[1]
    end
end

@kernel function mandelbrot!(o, iterations)
    i, j = @index(Global, NTuple)
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
end

const backend = CPU()

# Launches a kernel and waits for it.
function launched(kernel, arguments...; ndrange)
    kernel(arguments...; ndrange = ndrange)
    KernelAbstractions.synchronize(backend)
end

main(Dict(
    "triad" => () -> begin
        n = 16 * 2^20
        a, b, c, k = zeros(Float32, n), input(1, n), input(2, n), triad!(backend, 1024)
        measured(() -> launched(k, a, b, c, 3f0; ndrange = n), a)
    end,
    "nbody" => () -> begin
        n = 4096
        x, y, z, m, k = input(1, n), input(2, n), input(3, n), input(4, n), nbody!(backend, 256)
        a, b, c = zeros(Float32, n), zeros(Float32, n), zeros(Float32, n)
        measured(() -> launched(k, a, b, c, x, y, z, m; ndrange = n), a, b, c)
    end,
    "black_scholes" => () -> begin
        n = 2^20
        S, X, T = options(n)
        call, put, k = zeros(Float32, n), zeros(Float32, n), black_scholes!(backend, 256)
        measured(() -> launched(k, call, put, S, X, T, 0.02f0, 0.3f0; ndrange = n), call, put)
    end,
    "matmul" => () -> begin
        n = 512
        A, B, C, k = input(1, n, n), input(2, n, n), zeros(Float32, n, n), matmul!(backend, (64, 4))
        measured(() -> launched(k, C, A, B; ndrange = size(C)), C)
    end,
    "matmul_tiled" => () -> begin
        n = 512
        A, B, C, k = input(1, n, n), input(2, n, n), zeros(Float32, n, n), matmul_tiled!(backend, (TILE, TILE))
        measured(() -> launched(k, C, A, B; ndrange = size(C)), C)
    end,
    "stencil" => () -> begin
        n = 2048
        g, o, k = input(1, n, n), zeros(Float32, n, n), stencil!(backend, (256, 1))
        measured(o) do
            for _ in 1:10
                k(o, g; ndrange = size(g))
            end
            KernelAbstractions.synchronize(backend)
        end
    end,
    "reduce" => () -> begin
        n = 16 * 2^20
        x, o, k = input(1, n), zeros(Float32, n ÷ 256), reduce!(backend, 256)
        measured(() -> launched(k, o, x; ndrange = n), o)
    end,
    "mandelbrot" => () -> begin
        o, k = zeros(Int32, 1024, 1024), mandelbrot!(backend, (256, 1))
        measured(() -> launched(k, o, Int32(200); ndrange = size(o)), o)
    end,
))
