# A scan in one pass: each of 1,000 groups waits for the sum of those before it.
using CUDA, Test

function scan!(out, x, sums, flags)
    tile = CuStaticSharedArray(Int, 64)
    before = CuStaticSharedArray(Int, 1)
    i, b = threadIdx().x, blockIdx().x
    at = (b - 1) * blockDim().x + i
    tile[i] = x[at]
    sync_threads()
    step = 1
    while step < blockDim().x
        left = i > step ? tile[i - step] : 0
        sync_threads()
        tile[i] += left
        sync_threads()
        step *= 2
    end
    if i == 1
        sum = 0
        if b > 1
            while CUDA.atomic_or!(pointer(flags, b - 1), Int32(0)) == Int32(0)
            end
            threadfence()
            sum = sums[b - 1]
        end
        before[1] = sum
        sums[b] = sum + tile[blockDim().x]
        threadfence()
        CUDA.atomic_xchg!(pointer(flags, b), Int32(1))
    end
    sync_threads()
    out[at] = before[1] + tile[i]
    return
end

for (threads, blocks) in ((64, 1000), (33, 50), (1, 100))
    n = threads * blocks
    x = [i * i % 17 for i in 1:n]
    out, sums, flags = CUDA.zeros(Int, n), CUDA.zeros(Int, blocks), CUDA.zeros(Int32, blocks)
    @cuda threads blocks scan!(out, CuArray(x), sums, flags)
    @test Array(out) == cumsum(x)
end
