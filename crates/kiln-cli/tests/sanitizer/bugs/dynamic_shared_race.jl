# The same in memory whose size the launch gives.
using CUDA
function reverse!(y)
    t = threadIdx().x
    s = CuDynamicSharedArray(Int32, 32)
    s[t] = t #: race
    y[t] = s[33 - t] #: race, uninitialized-read
    return
end
@cuda threads=32 shmem=128 reverse!(CUDA.zeros(Int32, 32))
