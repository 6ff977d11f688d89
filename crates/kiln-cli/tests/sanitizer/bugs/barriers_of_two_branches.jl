# Both branches wait, at different places.
using CUDA
function both!(x)
    t = threadIdx().x
    if t <= 16
        x[t] = 1
        sync_threads() #: divergent-barrier
    else
        x[t] = 2
        sync_threads() #: divergent-barrier
    end
    return
end
@cuda threads=32 both!(CUDA.zeros(32))
