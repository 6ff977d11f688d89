# Half of the items wait; the others are gone.
using CUDA
function half!(x)
    t = threadIdx().x
    if t <= 16
        x[t] = 1
        sync_threads() #: divergent-barrier
    end
    return
end
@cuda threads=32 half!(CUDA.zeros(32))
