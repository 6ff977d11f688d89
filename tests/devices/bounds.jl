# The 9th item of the third group is beyond the end: who, what and where are told, whatever runs the kernel.
using CUDA
beyond!(a, i) = a[i + 2] = 1.0f0
function fill_beyond!(a)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    i == 41 && beyond!(a, i)
    return
end
a = CUDA.zeros(Float32, 42)
CUDA.@sync @cuda threads=16 blocks=3 fill_beyond!(a)
