# A scan in one pass: each group waits for the sum of the groups before it.
using CUDA, Test
const WAITING, PART, WHOLE = Int32(0), Int32(1), Int32(2)
function scan!(y, x, state, parts, wholes)
    t, b = threadIdx().x, blockIdx().x
    s = CuStaticSharedArray(Int, 32)
    before = CuStaticSharedArray(Int, 1)
    i = (b - 1) * 32 + t
    s[t] = x[i]
    sync_threads()
    step = 1
    while step < 32
        v = t > step ? s[t - step] : 0
        sync_threads()
        s[t] += v
        sync_threads()
        step *= 2
    end
    if t == 1
        parts[b] = s[32]
        threadfence()
        CUDA.atomic_xchg!(pointer(state, b), PART)
        sum, k = 0, b - 1
        while k >= 1
            seen = CUDA.atomic_add!(pointer(state, k), Int32(0))
            seen == WAITING && continue
            threadfence()
            if seen == WHOLE
                sum += wholes[k]
                break
            end
            sum += parts[k]
            k -= 1
        end
        wholes[b] = sum + s[32]
        threadfence()
        CUDA.atomic_xchg!(pointer(state, b), WHOLE)
        before[1] = sum
    end
    sync_threads()
    y[i] = before[1] + s[t]
    return
end
n = 300
y = CUDA.zeros(Int, 32n)
@cuda threads=32 blocks=n scan!(y, CUDA.ones(Int, 32n), CUDA.zeros(Int32, n), CUDA.zeros(Int, n), CUDA.zeros(Int, n))
@test Array(y) == 1:32n
