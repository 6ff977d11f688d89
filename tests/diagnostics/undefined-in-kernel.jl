# A misspelt name in a kernel is no global variable.
using CUDA
function kernel!(a)
    a[1] = sqtr(Float32(4))
    return
end
@cuda kernel!(CUDA.zeros(Float32, 1))
