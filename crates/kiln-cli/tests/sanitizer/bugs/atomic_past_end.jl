# An atomic operation past the end.
using CUDA
function count!(bins, x)
    t = threadIdx().x
    CUDA.atomic_add!(pointer(bins, x[t]), Int32(1)) #: out-of-bounds
    return
end
@cuda threads=9 count!(CUDA.zeros(Int32, 8), CuArray(1:9))
