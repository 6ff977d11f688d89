# A tile is read before all of it is written.
using CUDA
function reverse!(y, x)
    t = threadIdx().x
    s = CuStaticSharedArray(Float32, 64)
    s[t] = x[t] #: race
    y[t] = s[65 - t] #: race, uninitialized-read
    return
end
@cuda threads=64 reverse!(CUDA.zeros(64), CUDA.ones(64))
