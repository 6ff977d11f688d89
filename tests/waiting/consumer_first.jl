# Items wait for items after them in their group.
using CUDA, Test

function handed!(out, slots, flags)
    i, half = threadIdx().x, blockDim().x ÷ 2
    first = (blockIdx().x - 1) * half
    if i > half
        at = first + i - half
        slots[at] = 10 * at
        threadfence()
        CUDA.atomic_xchg!(pointer(flags, at), Int32(1))
    else
        at = first + i
        while CUDA.atomic_or!(pointer(flags, at), Int32(0)) == Int32(0)
        end
        threadfence()
        out[at] = slots[at] + 1
    end
    return
end

# The same in a kernel with barriers.
function handed_over!(out, slots, flags)
    i, half = threadIdx().x, blockDim().x ÷ 2
    i <= half && (flags[i] = Int32(0))
    sync_threads()
    handed!(out, slots, flags)
    sync_threads()
    i <= half && (out[i] += 1000)
    return
end

for threads in (2, 32, 64)
    n = threads ÷ 2
    out, slots, flags = CUDA.zeros(Int, n), CUDA.zeros(Int, n), CUDA.zeros(Int32, n)
    @cuda threads handed!(out, slots, flags)
    @test Array(out) == 10 .* (1:n) .+ 1
    out, slots, flags = CUDA.zeros(Int, n), CUDA.zeros(Int, n), CUDA.zeros(Int32, n)
    @cuda threads handed_over!(out, slots, flags)
    @test Array(out) == 10 .* (1:n) .+ 1001
end
