# Items that write neighbouring bytes, and parts of one word.
using CUDA, Test
function bytes!(x, y)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    x[i] = i % 2 == 0
    y[i] = UInt16(i)
    return
end
x, y = CuArray(fill(true, 64)), CuArray(zeros(UInt16, 64))
@cuda threads=16 blocks=4 bytes!(x, y)
@test Array(x) == iseven.(1:64) && Array(y) == 1:64
