# Items go around the loop a different number of times.
using CUDA
function turns!(x)
    t = threadIdx().x
    for k in 1:t
        x[t] += k
        sync_threads() #: divergent-barrier
    end
    return
end
@cuda threads=4 turns!(CUDA.zeros(4))
