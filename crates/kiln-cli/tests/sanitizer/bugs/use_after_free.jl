# An array is freed, and its pointer used.
using CUDA
function load!(y, p)
    t = threadIdx().x
    y[t] = unsafe_load(p, t) #: use-after-free
    return
end
x = CUDA.ones(32)
p = pointer(x)
CUDA.unsafe_free!(x)
@cuda threads=32 load!(CUDA.zeros(32), p)
