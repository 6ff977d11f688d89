# CUDA: a pointer to a constant array is written.
using CUDA
function scale!(a)
    x = CUDA.Const(a)
    i = threadIdx().x
    unsafe_store!(pointer(x), 2f0, i) #: constant-write
    return
end
@cuda threads=8 scale!(CUDA.ones(8))
