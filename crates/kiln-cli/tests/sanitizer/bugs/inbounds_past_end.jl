# `@inbounds` and one element too many: checked all the same.
using CUDA
function shift!(y, x)
    i = threadIdx().x
    @inbounds y[i] = x[i + 1] #: BoundsError
    return
end
@cuda threads=32 shift!(CUDA.zeros(32), CUDA.ones(32))
