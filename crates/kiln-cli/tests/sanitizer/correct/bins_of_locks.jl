# Each bin has a lock, which guards two plain values.
using CUDA, Test

function stats!(n, total, locks, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    k = mod1(i, 4)
    done = false
    while !done
        if CUDA.atomic_cas!(pointer(locks, k), Int32(0), Int32(1)) == 0
            threadfence()
            n[k] += Int32(1)
            total[k] += x[i]
            threadfence()
            CUDA.atomic_xchg!(pointer(locks, k), Int32(0))
            done = true
        end
    end
    return
end

x = CuArray(Int32.(1:64))
n, total, locks = CUDA.zeros(Int32, 4), CUDA.zeros(Int32, 4), CUDA.zeros(Int32, 4)
@cuda threads=32 blocks=2 stats!(n, total, locks, x)
@test Array(n) == fill(16, 4) && sum(Array(total)) == sum(1:64)
