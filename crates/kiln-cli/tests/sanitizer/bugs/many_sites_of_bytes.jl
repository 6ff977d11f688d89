# More sites than slots of the screen, of bytes: the half of the shared memory that is read is not the one that is written.
using CUDA
function k!(y, x)
    t = threadIdx().x
    s = CuStaticSharedArray(UInt8, 128)
    i = (blockIdx().x - 1) * blockDim().x + t
    a = zero(UInt8)
    s[t] = UInt8(t)
    a ⊻= x[i + 0]
    a ⊻= x[i + 1]
    a ⊻= x[i + 2]
    a ⊻= x[i + 3]
    a ⊻= x[i + 4]
    a ⊻= x[i + 5]
    a ⊻= x[i + 6]
    a ⊻= x[i + 7]
    a ⊻= x[i + 8]
    a ⊻= x[i + 9]
    a ⊻= x[i + 10]
    a ⊻= x[i + 11]
    a ⊻= x[i + 12]
    a ⊻= x[i + 13]
    a ⊻= x[i + 14]
    a ⊻= x[i + 15]
    a ⊻= x[i + 16]
    a ⊻= x[i + 17]
    a ⊻= x[i + 18]
    a ⊻= x[i + 19]
    sync_threads()
    y[i] = a + s[t + 64] #: uninitialized-read
    return
end
y, x = CUDA.zeros(UInt8, 256), CUDA.ones(UInt8, 400)
@cuda threads=64 blocks=4 k!(y, x)
