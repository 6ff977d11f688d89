# Dynamic shared memory holds floats first, and behind a barrier integers.
using CUDA, Test

function both!(y, z, x)
    t = threadIdx().x
    a = CuDynamicSharedArray(Float32, 32)
    a[t] = x[t]
    sync_threads()
    y[t] = a[33 - t]
    sync_threads()
    b = CuDynamicSharedArray(Int32, 32)
    b[33 - t] = Int32(t)
    sync_threads()
    z[t] = b[t]
    return
end

x, y, z = CuArray(Float32.(1:32)), CUDA.zeros(Float32, 32), CUDA.zeros(Int32, 32)
@cuda threads=32 shmem=128 both!(y, z, x)
@test Array(y) == 32:-1:1 && Array(z) == 32:-1:1
