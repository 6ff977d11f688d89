# Seven patterns of GPU programs that the eight kernels lack, in the style of CUDA.jl: shuffles, scan, atomics on shared memory,
# sorting, convolution, transposes, sparse matrices. `patterns.cl` has the same in OpenCL C.
using CUDA

include("data.jl")

# The sum of each group of 256: a shuffle tree in each warp, then one over the warps' sums.
function warp_reduce!(out, x)
    l, g = threadIdx().x, blockIdx().x
    sums = CuStaticSharedArray(Float32, 32)
    @inbounds v = x[(g - 1) * blockDim().x + l]
    d = warpsize() ÷ 2
    while d > 0
        v += shfl_down_sync(0xffffffff, v, d)
        d >>= 1
    end
    if laneid() == 1
        @inbounds sums[(l - 1) ÷ warpsize() + 1] = v
    end
    sync_threads()
    if l == 1
        s = 0f0
        for w in 1:(blockDim().x ÷ warpsize())
            @inbounds s += sums[w]
        end
        @inbounds out[g] = s
    end
    return
end

# Inclusive prefix sums in each group of 256, by doubling distances between two buffers.
function scan!(out, x)
    l = threadIdx().x
    i = (blockIdx().x - 1) * blockDim().x + l
    s = CuStaticSharedArray(Float32, (256, 2))
    from, to = 1, 2
    @inbounds s[l, from] = x[i]
    sync_threads()
    d = 1
    while d < 256
        @inbounds s[l, to] = l > d ? s[l, from] + s[l - d, from] : s[l, from]
        from, to = to, from
        sync_threads()
        d <<= 1
    end
    @inbounds out[i] = s[l, from]
    return
end

# 256 bins: counted in shared memory by each group over its stride of the grid, then added to the bins of all.
function histogram!(bins, x)
    l = threadIdx().x
    counts = CuStaticSharedArray(Int32, 256)
    @inbounds counts[l] = Int32(0)
    sync_threads()
    i = (blockIdx().x - 1) * blockDim().x + l
    while i <= length(x)
        @inbounds b = unsafe_trunc(Int32, x[i] * 256f0) + Int32(1)
        @inbounds CUDA.@atomic counts[b] += Int32(1)
        i += gridDim().x * blockDim().x
    end
    sync_threads()
    @inbounds CUDA.@atomic bins[l] += counts[l]
    return
end

# Sorts each run of 512 by a bitonic network in shared memory, an item for every pair.
function bitonic_sort!(out, x)
    l = threadIdx().x - 1
    first = (blockIdx().x - 1) * 512
    s = CuStaticSharedArray(Float32, 512)
    @inbounds s[l + 1] = x[first + l + 1]
    @inbounds s[l + 257] = x[first + l + 257]
    sync_threads()
    size = 2
    while size <= 512
        d = size >> 1
        while d > 0
            i = 2l - (l & (d - 1))
            @inbounds a, b = s[i + 1], s[i + d + 1]
            if (a > b) == ((i & size) == 0)
                @inbounds s[i + 1] = b
                @inbounds s[i + d + 1] = a
            end
            sync_threads()
            d >>= 1
        end
        size <<= 1
    end
    @inbounds out[first + l + 1] = s[l + 1]
    @inbounds out[first + l + 257] = s[l + 257]
    return
end

# A 5 x 5 filter; the border repeats.
function convolution!(o, g, f)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    j = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    n = size(g, 1)
    s = 0f0
    for q in -2:2, p in -2:2
        @inbounds s += f[p + 3, q + 3] * g[clamp(i + p, 1, n), clamp(j + q, 1, n)]
    end
    @inbounds o[i, j] = s
    return
end

function transpose!(o, g)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    j = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    @inbounds o[j, i] = g[i, j]
    return
end

# Through tiles of 32 x 32 in shared memory, by groups of 32 x 8; a column more keeps banks apart.
function transpose_tiled!(o, g)
    i, j = threadIdx().x, threadIdx().y
    x, y = (blockIdx().x - 1) * 32, (blockIdx().y - 1) * 32
    tile = CuStaticSharedArray(Float32, (33, 32))
    for r in 0:8:24
        @inbounds tile[i, j + r] = g[x + i, y + j + r]
    end
    sync_threads()
    for r in 0:8:24
        @inbounds o[y + i, x + j + r] = tile[j + r, i]
    end
    return
end

# A sparse matrix in rows, an item for each; rows and columns are counted from zero.
function spmv!(y, rows, columns, values, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    i <= length(y) || return
    s = 0f0
    @inbounds for k in (rows[i] + 1):rows[i + 1]
        s += values[k] * x[columns[k] + 1]
    end
    @inbounds y[i] = s
    return
end

# Rows of 8 to 23 elements at random columns.
function sparse_input(n)
    rows = zeros(Int32, n + 1)
    for i in 1:n
        rows[i + 1] = rows[i] + Int32(8) + unsafe_trunc(Int32, 16f0 * uniform(1, i - 1))
    end
    count = Int(rows[n + 1])
    columns = Array{Int32}(undef, count)
    for k in 1:count
        columns[k] = unsafe_trunc(Int32, Float32(n) * uniform(2, k - 1))
    end
    return rows, columns, input(3, count), input(4, n)
end

main(Dict(
    "warp_reduce" => () -> begin
        n = 16 * 2^20
        x, o = CuArray(input(1, n)), CUDA.zeros(n ÷ 256)
        measured(() -> CUDA.@sync(@cuda threads=256 blocks=n÷256 warp_reduce!(o, x)), o)
    end,
    "scan" => () -> begin
        n = 4 * 2^20
        x, o = CuArray(input(1, n)), CUDA.zeros(n)
        measured(() -> CUDA.@sync(@cuda threads=256 blocks=n÷256 scan!(o, x)), o)
    end,
    "histogram" => () -> begin
        n = 16 * 2^20
        x, bins = CuArray(input(1, n)), CUDA.zeros(Int32, 256)
        measured(bins) do
            fill!(bins, Int32(0))
            CUDA.@sync @cuda threads=256 blocks=256 histogram!(bins, x)
        end
    end,
    "bitonic_sort" => () -> begin
        n = 2^20
        x, o = CuArray(input(1, n)), CUDA.zeros(n)
        measured(() -> CUDA.@sync(@cuda threads=256 blocks=n÷512 bitonic_sort!(o, x)), o)
    end,
    "convolution" => () -> begin
        n = 2048
        g, f, o = CuArray(input(1, n, n)), CuArray(input(2, 5, 5)), CUDA.zeros(n, n)
        measured(() -> CUDA.@sync(@cuda threads=256 blocks=(n÷256, n) convolution!(o, g, f)), o)
    end,
    "transpose" => () -> begin
        n = 4096
        g, o = CuArray(input(1, n, n)), CUDA.zeros(n, n)
        measured(() -> CUDA.@sync(@cuda threads=(32, 8) blocks=(n÷32, n÷8) transpose!(o, g)), o)
    end,
    "transpose_tiled" => () -> begin
        n = 4096
        g, o = CuArray(input(1, n, n)), CUDA.zeros(n, n)
        measured(() -> CUDA.@sync(@cuda threads=(32, 8) blocks=(n÷32, n÷32) transpose_tiled!(o, g)), o)
    end,
    "spmv" => () -> begin
        n = 2^18
        rows, columns, values, x = map(CuArray, sparse_input(n))
        y = CUDA.zeros(n)
        measured(() -> CUDA.@sync(@cuda threads=256 blocks=n÷256 spmv!(y, rows, columns, values, x)), y)
    end,
))
