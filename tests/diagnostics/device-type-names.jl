# Types of device arrays have the names that the dialect in use gives them, candidates included.
using CUDA
of_vector(x::CuDeviceVector{Int}) = 1
of_vector(x::CuDeviceArray{T,N}, y::T) where {T<:Integer,N} = 2
kernel!(o, p) = (o[1] = of_vector(o) + of_vector(view(p, 1:2, 1)); return)
@cuda kernel!(CUDA.zeros(1), CUDA.zeros(2, 2))
