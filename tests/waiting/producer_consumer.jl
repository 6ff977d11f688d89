# Half of the items of a group wait for values that the other half makes.
using CUDA, Test

function handed!(out, slots, flags)
    i, half = threadIdx().x, blockDim().x ÷ 2
    first = (blockIdx().x - 1) * half
    if i <= half
        slots[first + i] = 10 * (first + i)
        threadfence()
        CUDA.atomic_xchg!(pointer(flags, first + i), Int32(1))
    else
        from = first + i - half
        while CUDA.atomic_or!(pointer(flags, from), Int32(0)) == Int32(0)
        end
        threadfence()
        out[from] = slots[from] + 1
    end
    return
end

for (threads, blocks) in ((2, 1), (32, 2), (64, 5), (256, 3))
    n = threads ÷ 2 * blocks
    out, slots, flags = CUDA.zeros(Int, n), CUDA.zeros(Int, n), CUDA.zeros(Int32, n)
    @cuda threads blocks handed!(out, slots, flags)
    @test Array(out) == 10 .* (1:n) .+ 1
end
