# An offset in bytes where elements are meant: pointers of four-byte elements, eight times too far.
using CUDA

function copy!(p, q)
    i = threadIdx().x
    v = unsafe_load(q, 8 * (i - 1) + 1) #: out-of-bounds
    unsafe_store!(p, v, i)
    return
end

x, y = CUDA.ones(Float32, 16), CUDA.zeros(Float32, 16)
@cuda threads=3 copy!(pointer(y), pointer(x))
synchronize()
