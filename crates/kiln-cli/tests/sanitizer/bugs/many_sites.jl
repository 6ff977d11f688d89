# As many sites between a write and a read as the screen has slots for words:
# the half of the shared memory that is read is not the one that is written.
using CUDA
function k!(y, x)
    t = threadIdx().x
    s = CuStaticSharedArray(Float32, 128)
    i = (blockIdx().x - 1) * blockDim().x + t
    a = zero(Float32)
    s[t] = Float32(t)
    Base.Cartesian.@nexprs 63 k -> (a += x[i + k - 1])
    sync_threads()
    y[i] = a + s[t + 64] #: uninitialized-read
    return
end
y, x = CUDA.zeros(Float32, 256), CUDA.ones(Float32, 400)
@cuda threads=64 blocks=4 k!(y, x)
