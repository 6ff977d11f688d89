# A global that may change has no type.
using CUDA
factor = 2
function kernel!(a)
    a[1] = factor
    return
end
@cuda kernel!(CUDA.zeros(Int, 1))
