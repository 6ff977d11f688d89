# Four items write the four bytes of a word.
using CUDA, Test

function classes!(y, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(x)
        y[i] = x[i] > 0.5f0 ? 0x01 : 0x00
    end
    return
end

x, y = CuArray(Float32[mod(i, 3) / 2 for i in 1:1000]), CUDA.zeros(UInt8, 1000)
@cuda threads=128 blocks=8 classes!(y, x)
@test Array(y) == [mod(i, 3) == 2 for i in 1:1000]
