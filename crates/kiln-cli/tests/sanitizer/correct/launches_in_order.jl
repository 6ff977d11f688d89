# Launches are ordered: what one has written the next may read and write.
using CUDA, Test
add!(x, k) = (i = (blockIdx().x - 1) * blockDim().x + threadIdx().x; x[i] += k; return)
turn!(y, x) = (i = (blockIdx().x - 1) * blockDim().x + threadIdx().x; y[length(y) + 1 - i] = x[i]; return)
x, y = CUDA.zeros(64), CUDA.zeros(64)
for k in 1:5
    @cuda threads=16 blocks=4 add!(x, k)
    @cuda threads=16 blocks=4 turn!(y, x)
    @cuda threads=16 blocks=4 turn!(x, y)
end
@test all(==(15), Array(x))
