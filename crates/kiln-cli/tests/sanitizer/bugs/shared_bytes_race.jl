# Neighbours of one byte: items write a byte that the next item reads.
using CUDA
function shift!(out)
    t = threadIdx().x
    s = CuStaticSharedArray(UInt8, 32)
    s[t] = UInt8(t) #: race
    out[t] = s[t % 32 + 1] #: race, uninitialized-read
    return
end
@cuda threads=32 shift!(CUDA.zeros(UInt8, 32))
