# What the first compilation of a process for a target pays for all: nothing here is measured.
using CUDA

function warm_up!(y, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        y[i] = x[i] + threadIdx().y
    end
    return
end
