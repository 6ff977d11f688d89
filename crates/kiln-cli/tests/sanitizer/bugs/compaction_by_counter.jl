# Items that are kept take their place from a counter that is no atomic one.
using CUDA

function compact!(out, n, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(x) && x[i] > 0
        k = n[1] + 1 #: race
        n[1] = k #: race
        out[k] = x[i]
    end
    return
end

x = CuArray(Int32[isodd(i) ? i : -i for i in 1:100])
out, n = CUDA.zeros(Int32, 100), CUDA.zeros(Int32, 1)
@cuda threads=32 blocks=4 compact!(out, n, x)
synchronize()
