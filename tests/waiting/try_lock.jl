# An item that does not get the lock tries again; one that does releases it inside the same loop.
using CUDA, Test

function tried!(count, tries, lock)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    done, mine = false, 0
    while !done
        mine += 1
        if CUDA.atomic_cas!(pointer(lock), Int32(0), Int32(1)) == Int32(0)
            threadfence()
            count[1] += 1
            threadfence()
            CUDA.atomic_xchg!(pointer(lock), Int32(0))
            done = true
        end
    end
    tries[i] = mine
    return
end

# Of several locks each item wants its own, then the next; it leaves by `break`.
function pairs!(counts, locks)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    n = length(locks)
    first = mod(i, n) + 1
    second = mod(i + 1, n) + 1
    low, high = minmax(first, second)
    while true
        CUDA.atomic_cas!(pointer(locks, low), Int32(0), Int32(1)) == Int32(0) || continue
        if CUDA.atomic_cas!(pointer(locks, high), Int32(0), Int32(1)) != Int32(0)
            CUDA.atomic_xchg!(pointer(locks, low), Int32(0))
            continue
        end
        threadfence()
        counts[low] += 1
        counts[high] += 1
        threadfence()
        CUDA.atomic_xchg!(pointer(locks, high), Int32(0))
        CUDA.atomic_xchg!(pointer(locks, low), Int32(0))
        break
    end
    return
end

for (threads, blocks) in ((1, 1), (32, 1), (33, 3), (64, 20))
    count, lock, tries = CUDA.zeros(Int, 1), CUDA.zeros(Int32, 1), CUDA.zeros(Int, threads * blocks)
    @cuda threads blocks tried!(count, tries, lock)
    @test Array(count) == [threads * blocks] && all(Array(tries) .>= 1)
end

counts, locks = CUDA.zeros(Int, 5), CUDA.zeros(Int32, 5)
@cuda threads=64 blocks=10 pairs!(counts, locks)
want = zeros(Int, 5)
for i in 1:640, k in (mod(i, 5) + 1, mod(i + 1, 5) + 1)
    want[k] += 1
end
@test Array(counts) == want && all(iszero, Array(locks))
