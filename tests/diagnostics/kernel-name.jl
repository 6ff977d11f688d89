# The name that a launch gives its kernel is in the trace of its failure.
using CUDA
function kernel!(a)
    i = threadIdx().x
    a[i + 9] = 1
    return
end
@cuda name="scatter" kernel!(CUDA.zeros(Int, 2))
