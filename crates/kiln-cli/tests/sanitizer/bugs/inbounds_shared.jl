# `@inbounds` past the end of shared memory.
using CUDA
function fill2!(y)
    t = threadIdx().x
    s = CuStaticSharedArray(Float32, 32)
    @inbounds s[2t] = t #: BoundsError
    return
end
@cuda threads=32 fill2!(CUDA.zeros(32))
