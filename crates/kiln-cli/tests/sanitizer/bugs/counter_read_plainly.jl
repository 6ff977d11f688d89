# A counter is added to by atomic operations, and read without one while others may add.
using CUDA

function tickets!(y, n)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    CUDA.@atomic n[1] += Int32(1) #: race
    y[i] = n[1] #: race
    return
end

y, n = CUDA.zeros(Int32, 64), CUDA.zeros(Int32, 1)
@cuda threads=32 blocks=2 tickets!(y, n)
synchronize()
