# A chained scan that raises its flag before the value behind it is there.
using CUDA

function scan!(sums, flags, x)
    b = blockIdx().x
    if threadIdx().x == 1
        before = Int32(0)
        if b > 1
            while CUDA.atomic_or!(pointer(flags, b - 1), Int32(0)) == 0
            end
            threadfence()
            before = sums[b - 1] #: race
        end
        threadfence()
        CUDA.atomic_xchg!(pointer(flags, b), Int32(1))
        sums[b] = before + x[b] #: race
    end
    return
end

sums, flags, x = CUDA.zeros(Int32, 8), CUDA.zeros(Int32, 8), CUDA.ones(Int32, 8)
@cuda threads=32 blocks=8 scan!(sums, flags, x)
synchronize()
