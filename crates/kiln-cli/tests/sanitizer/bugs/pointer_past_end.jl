# A pointer past the end of an array.
using CUDA
function store!(y)
    t = threadIdx().x
    unsafe_store!(pointer(y), 1f0, t + 1) #: out-of-bounds
    return
end
@cuda threads=32 store!(CUDA.zeros(32))
