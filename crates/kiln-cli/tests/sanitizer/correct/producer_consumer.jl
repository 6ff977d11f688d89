# Items of one group that wait for each other without a barrier.
using CUDA, Test
function handed_over!(out)
    t = threadIdx().x
    value, full = CuStaticSharedArray(Int, 1), CuStaticSharedArray(Int32, 1)
    t == 1 && (full[1] = 0)
    sync_threads()
    if t == 1
        while CUDA.atomic_add!(pointer(full), Int32(0)) == 0
        end
        threadfence_block()
        out[1] = value[1]
    elseif t == 40
        value[1] = 42
        threadfence_block()
        CUDA.atomic_xchg!(pointer(full), Int32(1))
    end
    return
end
out = CUDA.zeros(Int, 1)
@cuda threads=64 handed_over!(out)
@test Array(out) == [42]
