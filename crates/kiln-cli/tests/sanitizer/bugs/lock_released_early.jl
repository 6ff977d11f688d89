# A lock is given back before the value that it guards is written.
using CUDA

function add!(total, lock, x)
    i = blockIdx().x
    if threadIdx().x == 1
        while CUDA.atomic_cas!(pointer(lock), Int32(0), Int32(1)) != 0
        end
        threadfence()
        v = total[1] + x[i] #: race
        threadfence()
        CUDA.atomic_xchg!(pointer(lock), Int32(0))
        total[1] = v #: race
    end
    return
end

total, lock, x = CUDA.zeros(Float32, 1), CUDA.zeros(Int32, 1), CUDA.ones(Float32, 8)
@cuda threads=32 blocks=8 add!(total, lock, x)
synchronize()
