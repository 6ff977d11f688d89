# The thinnest whole path: a CUDA kernel from file to checked result.
using CUDA, Test

function saxpy!(y, a, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        @inbounds y[i] += a * x[i]
    end
    return
end

x, y = CUDA.ones(Float32, 1000), CUDA.fill(2.0f0, 1000)
@cuda threads=256 blocks=cld(1000, 256) saxpy!(y, 3.0f0, x)
@test all(Array(y) .== 5.0f0)
