# A pointer past a block of shared memory, which another follows.
using CUDA
function fill2!(y)
    t = threadIdx().x
    a = CuStaticSharedArray(Float32, 16)
    b = CuStaticSharedArray(Float32, 16)
    a[t] = t
    b[t] = t
    unsafe_store!(pointer(a), 1f0, t + 16) #: out-of-bounds
    sync_threads()
    y[t] = b[t]
    return
end
@cuda threads=9 fill2!(CUDA.zeros(16))
