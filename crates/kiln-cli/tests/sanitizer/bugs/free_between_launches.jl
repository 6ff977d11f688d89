# An array is freed although the next launch still reads it.
using CUDA

function add!(y, x)
    i = threadIdx().x
    y[i] += x[i] #: use-after-free
    return
end

x, y = CUDA.ones(Float32, 32), CUDA.zeros(Float32, 32)
@cuda threads=32 add!(y, x)
CUDA.unsafe_free!(x)
@cuda threads=32 add!(y, x)
synchronize()
