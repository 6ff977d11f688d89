# Items that draw random numbers, of which the library keeps track in shared memory.
using CUDA, Test
function draw!(y)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    y[i] = rand(Float32) + rand(Float32)
    return
end
y = CUDA.zeros(256)
@cuda threads=64 blocks=4 draw!(y)
@test 0 < sum(Array(y)) < 512 && length(unique(Array(y))) > 200
