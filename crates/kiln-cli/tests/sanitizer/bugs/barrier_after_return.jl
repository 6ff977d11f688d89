# Items out of range return before the barrier.
using CUDA
function guarded!(x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    i > length(x) && return
    x[i] = 1
    sync_threads() #: divergent-barrier
    x[i] += 1
    return
end
@cuda threads=32 blocks=2 guarded!(CUDA.zeros(50))
