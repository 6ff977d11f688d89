# Shared bins are counted up from nothing.
using CUDA
function histogram!(out, x)
    t = threadIdx().x
    s = CuStaticSharedArray(Int32, 8)
    CUDA.@atomic s[x[t] % 8 + 1] += Int32(1) #: uninitialized-read
    sync_threads()
    t <= 8 && (out[t] = s[t])
    return
end
@cuda threads=32 histogram!(CUDA.zeros(Int32, 8), CuArray(Int32.(1:32)))
