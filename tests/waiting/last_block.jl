# The group that ends last adds up the sums of all: which one it is, an atomic counter tells.
using CUDA, Test

function total!(out, partial, x, ended)
    tile = CuStaticSharedArray(Float64, 128)
    is_last = CuStaticSharedArray(Bool, 1)
    i, n = threadIdx().x, blockDim().x
    sum = 0.0
    at = (blockIdx().x - 1) * n + i
    while at <= length(x)
        sum += x[at]
        at += n * gridDim().x
    end
    tile[i] = sum
    sync_threads()
    stride = 64
    while stride > 0
        i <= stride && i + stride <= n && (tile[i] += tile[i + stride])
        sync_threads()
        stride ÷= 2
    end
    if i == 1
        partial[blockIdx().x] = tile[1]
        threadfence()
        is_last[1] = CUDA.atomic_inc!(pointer(ended), (gridDim().x - 1) % Int32) == gridDim().x - 1
    end
    sync_threads()
    is_last[1] || return
    if i == 1
        sum = 0.0
        for k in 1:gridDim().x
            sum += partial[k]
        end
        out[1] = sum
    end
    return
end

for (threads, blocks) in ((128, 100), (33, 7), (1, 5))
    x = [(i * 37 % 1001) / 8 for i in 1:20_000]
    out, partial, ended = CUDA.zeros(Float64, 1), CUDA.zeros(Float64, blocks), CUDA.zeros(Int32, 1)
    for launch in 1:3
        @cuda threads blocks total!(out, partial, CuArray(x), ended)
        @test Array(out) == [sum(x)] && Array(ended) == [0]
    end
end
