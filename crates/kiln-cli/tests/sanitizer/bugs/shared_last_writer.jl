# Every item of the group writes its number to one place.
using CUDA
function winner!(out)
    t = threadIdx().x
    s = CuStaticSharedArray(Int32, 1)
    s[1] = t #: race
    sync_threads()
    t == 1 && (out[1] = s[1])
    return
end
@cuda threads=32 winner!(CUDA.zeros(Int32, 1))
