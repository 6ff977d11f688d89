# A scan with decoupled look-back: a group adds up the sums of those before it until one knows all of them.
using CUDA, Test

const SUM, PREFIX = Int32(1), Int32(2)

function scan!(out, x, sums, prefixes, flags)
    i = threadIdx().x
    b = blockIdx().x
    partial = CuStaticSharedArray(Int, 1)
    if i == 1
        first, n = (b - 1) * blockDim().x, blockDim().x
        sum = 0
        for k in 1:n
            sum += x[first + k]
        end
        sums[b] = sum
        threadfence()
        CUDA.atomic_xchg!(pointer(flags, b), SUM)
        before, k = 0, b - 1
        while k >= 1
            state = CUDA.atomic_or!(pointer(flags, k), Int32(0))
            state == Int32(0) && continue
            threadfence()
            if state == PREFIX
                before += prefixes[k]
                break
            end
            before += sums[k]
            k -= 1
        end
        prefixes[b] = before + sum
        threadfence()
        CUDA.atomic_xchg!(pointer(flags, b), PREFIX)
        partial[1] = before
    end
    sync_threads()
    sum = partial[1]
    for k in 1:i
        sum += x[(b - 1) * blockDim().x + k]
    end
    out[(b - 1) * blockDim().x + i] = sum
    return
end

n, blocks = 32 * 1000, 1000
x = [i * i % 23 - 11 for i in 1:n]
out, sums, prefixes = CUDA.zeros(Int, n), CUDA.zeros(Int, blocks), CUDA.zeros(Int, blocks)
flags = CUDA.zeros(Int32, blocks)
@cuda threads=32 blocks=blocks scan!(out, CuArray(x), sums, prefixes, flags)
@test Array(out) == cumsum(x)
