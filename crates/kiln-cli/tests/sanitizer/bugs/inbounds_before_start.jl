# `@inbounds` and the element before the first.
using CUDA
function shift!(y, x)
    i = threadIdx().x
    @inbounds y[i - 1] = x[i] #: BoundsError
    return
end
@cuda threads=32 shift!(CUDA.zeros(32), CUDA.ones(32))
