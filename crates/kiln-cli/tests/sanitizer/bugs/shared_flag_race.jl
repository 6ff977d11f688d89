# A flag of the group that one item writes and the others read at once.
using CUDA
function announce!(out)
    t = threadIdx().x
    s = CuStaticSharedArray(Int32, 1)
    t == 1 && (s[1] = 7) #: race
    out[t] = s[1] #: race
    return
end
@cuda threads=16 announce!(CUDA.zeros(Int32, 16))
