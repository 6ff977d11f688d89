# One item an element, and no test of the index: an item beyond the end fails, and says where.
using CUDA

function axpy!(y, a, x)
    i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
    y[i] = a * x[i] + y[i]
    return
end
