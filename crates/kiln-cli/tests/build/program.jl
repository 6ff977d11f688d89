# Kernels and functions that `tests/build.rs` builds for programs in C.
using CUDA, KernelAbstractions

function saxpy!(y, a, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    i <= length(y) && (y[i] += a * x[i])
    return
end

function sum_groups!(out, x)
    tile = CuDynamicSharedArray(Float64, blockDim().x)
    i = threadIdx().x
    g = (blockIdx().x - 1) * blockDim().x + i
    tile[i] = g <= length(x) ? x[g] : 0.0
    sync_threads()
    half = blockDim().x >> 1
    while half > 0
        i <= half && (tile[i] += tile[i + half])
        sync_threads()
        half >>= 1
    end
    i == 1 && (out[blockIdx().x] = tile[1])
    return
end

const TILE = 8

function matmul!(c, a, b)
    tile_a = CuStaticSharedArray(Float32, (TILE, TILE))
    tile_b = CuStaticSharedArray(Float32, (TILE, TILE))
    tx, ty = threadIdx().x, threadIdx().y
    i = (blockIdx().x - 1) * TILE + tx
    j = (blockIdx().y - 1) * TILE + ty
    total = 0.0f0
    for t in 0:cld(size(a, 2), TILE) - 1
        k, l = t * TILE + ty, t * TILE + tx
        tile_a[tx, ty] = i <= size(a, 1) && k <= size(a, 2) ? a[i, k] : 0.0f0
        tile_b[tx, ty] = l <= size(b, 1) && j <= size(b, 2) ? b[l, j] : 0.0f0
        sync_threads()
        for s in 1:TILE
            total += tile_a[tx, s] * tile_b[s, ty]
        end
        sync_threads()
    end
    i <= size(c, 1) && j <= size(c, 2) && (c[i, j] = total)
    return
end

@kernel function fill_index!(y)
    i, j = @index(Global, NTuple)
    y[i, j] = 10i + j
end

function rotate!(y)
    mine = y[threadIdx().x]
    lane = (threadIdx().x % Int32(32)) + Int32(1)
    y[threadIdx().x] = shfl_sync(0xffffffff, mine, lane)
    return
end

root(x::Float64, n::Int32) = n > 0 ? sqrt(x) / n : throw(DomainError(n))

struct Polar
    radius::Float32
    angle::Float64
end
polar(z::NTuple{2,Float64}, wide::Bool) = Polar(hypot(z[1], z[2]) * (wide ? 2 : 1), atan(z[2], z[1]))
radius(p::Polar) = p.radius
answer() = Int8(42)
