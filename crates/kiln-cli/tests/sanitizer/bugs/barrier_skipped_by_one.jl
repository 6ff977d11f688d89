# One item takes the long way, past another barrier.
using CUDA
function apart!(x)
    t = threadIdx().x
    if t == 1
        sync_threads() #: divergent-barrier
        x[t] = 1
    end
    sync_threads() #: divergent-barrier
    return
end
@cuda threads=8 apart!(CUDA.zeros(8))
