using CUDA
f(x, y::Integer) = 1
f(x::Integer, y) = 2
kernel!(y) = (y[1] = f(1, 2); return)
@cuda kernel!(CUDA.zeros(Int, 1))
