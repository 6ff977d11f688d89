# No method of `*` takes a number and a string.
using CUDA
function kernel!(a)
    a[1] = a[1] * "2"
    return
end
@cuda kernel!(CUDA.zeros(Int, 1))
