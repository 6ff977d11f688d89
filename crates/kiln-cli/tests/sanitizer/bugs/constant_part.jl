# The end of an array is promised not to be written, and is, by another argument.
using CUDA
function k!(y, x0)
    x = CUDA.Const(x0)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    y[i] = 1f0 #: constant-write
    return
end
a = CUDA.zeros(Float32, 8192)
@cuda threads=64 blocks=128 k!(a, view(a, 8177:8192))
