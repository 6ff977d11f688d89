# Reductions, scans and histograms give the same bits as the operations in their order on the host.
using CUDA, Test

# Sums of warps by shuffles, then of a group by its first warp.
function warp_sum(x)
    offset = 16
    while offset > 0
        x += shfl_down_sync(FULL_MASK, x, offset)
        offset ÷= 2
    end
    return x
end
function sum_by_shuffles!(out, x)
    partial = CuStaticSharedArray(Float32, 32)
    i = threadIdx().x
    at = (blockIdx().x - 1) * blockDim().x + i
    sum = warp_sum(at <= length(x) ? x[at] : 0.0f0)
    laneid() == 1 && (partial[(i - 1) ÷ 32 + 1] = sum)
    sync_threads()
    if i <= 32
        sum = warp_sum(i <= blockDim().x ÷ 32 ? partial[i] : 0.0f0)
        i == 1 && (out[blockIdx().x] = sum)
    end
    return
end
# A lane adds the value `offset` after it, if there is one, else its own: that of the first lane is the sum.
function host_warp_sum(x)
    x = copy(x)
    offset = 16
    while offset > 0
        x = [x[i] + (i + offset <= 32 ? x[i + offset] : x[i]) for i in 1:32]
        offset ÷= 2
    end
    return x[1]
end
function host_sums(x, threads, blocks)
    padded = [x; zeros(Float32, threads * blocks - length(x))]
    return map(1:blocks) do b
        partial = [host_warp_sum(padded[(b - 1) * threads + 32w + 1:(b - 1) * threads + 32w + 32]) for w in 0:threads ÷ 32 - 1]
        host_warp_sum([partial; zeros(Float32, 32 - length(partial))])
    end
end
x = Float32[sin(i) * (i % 13) for i in 1:5000]
for threads in (32, 128, 256)
    blocks = cld(length(x), threads)
    out = CUDA.zeros(Float32, blocks)
    @cuda threads blocks sum_by_shuffles!(out, CuArray(x))
    @test Array(out) == host_sums(x, threads, blocks)
end
println("sums by shuffles agree exactly")

# A tree in shared memory.
function sum_by_tree!(out, x)
    tile = CuStaticSharedArray(Float32, 256)
    i = threadIdx().x
    at = (blockIdx().x - 1) * blockDim().x + i
    tile[i] = at <= length(x) ? x[at] : 0.0f0
    sync_threads()
    stride = 128
    while stride > 0
        i <= stride && i + stride <= blockDim().x && (tile[i] += tile[i + stride])
        sync_threads()
        stride >>= 1
    end
    i == 1 && (out[blockIdx().x] = tile[1])
    return
end
function host_tree(x, threads, blocks)
    sums = Float32[]
    for b in 1:blocks
        tile = Float32[(b - 1) * threads + i <= length(x) ? x[(b - 1) * threads + i] : 0.0f0 for i in 1:threads]
        for stride in (128, 64, 32, 16, 8, 4, 2, 1), i in 1:min(stride, threads - stride)
            tile[i] += tile[i + stride]
        end
        push!(sums, tile[1])
    end
    return sums
end
for threads in (256, 100, 33, 1)
    blocks = cld(1000, threads)
    out = CUDA.zeros(Float32, blocks)
    @cuda threads blocks sum_by_tree!(out, CuArray(x[1:1000]))
    @test Array(out) == host_tree(x[1:1000], threads, blocks)
end
println("sums by a tree agree exactly")

# Inclusive scan: each step adds what is a power of two before it.
function scan!(out, x)
    tile = CuStaticSharedArray(Float64, (256, 2))
    i = threadIdx().x
    at = (blockIdx().x - 1) * blockDim().x + i
    from, to = 1, 2
    tile[i, from] = x[at]
    sync_threads()
    step = 1
    while step < blockDim().x
        tile[i, to] = i > step ? tile[i, from] + tile[i - step, from] : tile[i, from]
        from, to = to, from
        sync_threads()
        step *= 2
    end
    out[at] = tile[i, from]
    return
end
function host_scan(x)
    step = 1
    while step < length(x)
        x = [i > step ? x[i] + x[i - step] : x[i] for i in eachindex(x)]
        step *= 2
    end
    return x
end
y = Float64[cos(i) * i for i in 1:1280]
for threads in (256, 64, 5)
    blocks = 1280 ÷ threads
    out = CUDA.zeros(Float64, 1280)
    @cuda threads blocks scan!(out, CuArray(y))
    @test Array(out) == reduce(vcat, [host_scan(y[threads * (b - 1) + 1:threads * b]) for b in 1:blocks])
end
println("scans agree exactly")

# A histogram of each group by atomics in shared memory, and of all by atomics in global memory.
function histogram!(bins, x)
    mine = CuStaticSharedArray(Int32, 64)
    i = threadIdx().x
    k = i
    while k <= 64
        mine[k] = 0
        k += blockDim().x
    end
    sync_threads()
    at = (blockIdx().x - 1) * blockDim().x + i
    while at <= length(x)
        bin = Int(x[at] & 0x3f) + 1
        CUDA.@atomic mine[bin] += Int32(1)
        at += blockDim().x * gridDim().x
    end
    sync_threads()
    k = i
    while k <= 64
        mine[k] > 0 && CUDA.@atomic bins[k] += mine[k]
        k += blockDim().x
    end
    return
end
z = UInt8[(i * i * 31 + i ÷ 3) % 256 for i in 1:10_000]
counts = [count(==(k), z .& 0x3f) for k in 0:63]
for (threads, blocks) in ((64, 4), (256, 3), (33, 5))
    bins = CUDA.zeros(Int32, 64)
    @cuda threads blocks histogram!(bins, CuArray(z))
    @test Array(bins) == counts
end
println("histograms agree exactly")
