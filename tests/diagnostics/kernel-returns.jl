# The last expression is the result of a function, also of a kernel.
using CUDA
function kernel!(a)
    a[1] = 1
    a[1] + 1
end
@cuda kernel!(CUDA.zeros(Int, 1))
