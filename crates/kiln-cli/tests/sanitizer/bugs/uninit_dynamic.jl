# Half of the dynamic shared memory is written.
using CUDA
function copy!(y)
    t = threadIdx().x
    s = CuDynamicSharedArray(Float32, 32)
    t <= 16 && (s[t] = t)
    sync_threads()
    y[t] = s[t] #: uninitialized-read
    return
end
@cuda threads=32 shmem=128 copy!(CUDA.zeros(32))
