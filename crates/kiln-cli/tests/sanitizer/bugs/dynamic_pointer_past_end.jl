# A pointer past the shared memory that the launch gave.
using CUDA
function fill2!(y)
    t = threadIdx().x
    s = CuDynamicSharedArray(Float32, 16)
    unsafe_store!(pointer(s), 1f0, t) #: out-of-bounds
    return
end
@cuda threads=17 shmem=64 fill2!(CUDA.zeros(16))
