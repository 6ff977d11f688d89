# A spin lock: an exchange takes it, fences keep what it guards inside.
using CUDA, Test
function add!(total, lock)
    if threadIdx().x == 1
        while CUDA.atomic_cas!(pointer(lock), Int32(0), Int32(1)) != 0
        end
        threadfence()
        total[1] += blockIdx().x
        threadfence()
        CUDA.atomic_xchg!(pointer(lock), Int32(0))
    end
    return
end
total = CUDA.zeros(Int, 1)
@cuda threads=32 blocks=20 add!(total, CUDA.zeros(Int32, 1))
@test Array(total) == [210]

# All items of a group take it in turn.
function each!(total, lock)
    done = false
    while !done
        if CUDA.atomic_cas!(pointer(lock), Int32(0), Int32(1)) == 0
            threadfence()
            total[1] += 1
            threadfence()
            CUDA.atomic_xchg!(pointer(lock), Int32(0))
            done = true
        end
    end
    return
end
total = CUDA.zeros(Int, 1)
@cuda threads=64 blocks=3 each!(total, CUDA.zeros(Int32, 1))
@test Array(total) == [192]
