# The count is read before the others have counted.
using CUDA
function count!(out)
    t = threadIdx().x
    s = CuStaticSharedArray(Int32, 1)
    t == 1 && (s[1] = 0)
    sync_threads()
    CUDA.@atomic s[1] += Int32(1) #: race
    out[t] = s[1] #: race
    return
end
@cuda threads=32 count!(CUDA.zeros(Int32, 32))
