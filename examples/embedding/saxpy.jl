# `y += a * x`, for `examples/embedding` and `examples/prebuilt`.
using CUDA

function saxpy!(y, a, x)
    i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
    i <= length(y) && (y[i] += a * x[i])
    return
end

function halve!(y)
    i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
    i <= length(y) && (y[i] /= 2)
    return
end
