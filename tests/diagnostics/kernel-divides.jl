# A division that has no result says where in the kernel, and which work-item it was.
using CUDA

@noinline part(i) = 12 ÷ (i - 3)
function kernel!(a)
    a[threadIdx().x] = part(Int(threadIdx().x))
    return
end

@cuda threads=4 kernel!(CUDA.zeros(Int, 4))
