# Items that return before a barrier. OpenCL defines nothing for it, so this is for the processor and for CUDA.
using CUDA, Test

# Odd items are gone before the barrier: a returned item counts as arrived.
function survivors!(out)
    shared = CuStaticSharedArray(Int, 16)
    t = Int(threadIdx().x)
    if isodd(t)
        return
    end
    shared[t] = t
    sync_threads()
    total = 0
    for j in 2:2:16
        total += shared[j]
    end
    out[t] = total
    return
end

out = CUDA.zeros(Int, 16)
@cuda threads=16 survivors!(out)
@test Array(out) == [iseven(t) ? 72 : 0 for t in 1:16]
