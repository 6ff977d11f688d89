# A pointer before the start of an array.
using CUDA
function load!(y, p)
    t = threadIdx().x
    y[t] = unsafe_load(p, t - 1) #: out-of-bounds
    return
end
x = CUDA.ones(32)
@cuda threads=32 load!(CUDA.zeros(32), pointer(x))
