# The second array in dynamic shared memory begins too early, by half of the first.
using CUDA

function both!(y, x)
    t = threadIdx().x
    a = CuDynamicSharedArray(Float32, 32)
    b = CuDynamicSharedArray(Float32, 32, 64)
    a[t] = x[t] #: race
    b[t] = 2f0 * x[t] #: race
    sync_threads()
    y[t] = a[33 - t] + b[33 - t]
    return
end

x, y = CUDA.rand(Float32, 32), CUDA.zeros(Float32, 32)
@cuda threads=32 shmem=192 both!(y, x)
synchronize()
