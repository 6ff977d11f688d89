# Two items of different groups write one element.
using CUDA
function halve!(x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    x[cld(i, 3)] = i #: race
    return
end
@cuda threads=16 blocks=4 halve!(CUDA.zeros(64))
