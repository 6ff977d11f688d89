# The second tile is loaded while the first is still read.
using CUDA
function sums!(out, x)
    t = threadIdx().x
    s = CuStaticSharedArray(Float32, 32)
    total = 0f0
    for tile in 0:1
        s[t] = x[32tile + t] #: race
        sync_threads()
        for k in 1:32
            total += s[k] #: race
        end
    end
    out[t] = total
    return
end
@cuda threads=32 sums!(CUDA.zeros(32), CUDA.ones(64))
