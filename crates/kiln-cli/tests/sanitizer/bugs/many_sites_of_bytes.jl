# As many sites between a write and a read as the screen has slots for bytes:
# the half of the shared memory that is read is not the one that is written.
using CUDA
function k!(y, x)
    t = threadIdx().x
    s = CuStaticSharedArray(UInt8, 128)
    i = (blockIdx().x - 1) * blockDim().x + t
    a = zero(UInt8)
    s[t] = UInt8(t)
    Base.Cartesian.@nexprs 15 k -> (a ⊻= x[i + k - 1])
    sync_threads()
    y[i] = a + s[t + 64] #: uninitialized-read
    return
end
y, x = CUDA.zeros(UInt8, 256), CUDA.ones(UInt8, 400)
@cuda threads=64 blocks=4 k!(y, x)
