# A helper with a barrier is called by the items that have work only.
using CUDA

function total!(s, t)
    d = 16
    while d > 0
        if t <= d
            s[t] += s[t + d]
        end
        sync_threads() #: divergent-barrier
        d >>= 1
    end
    return s[1]
end

function sums!(y, x, n)
    t = threadIdx().x
    s = CuStaticSharedArray(Float32, 64)
    s[t] = t <= n ? x[t] : 0f0
    sync_threads()
    if t <= n
        y[t] = total!(s, t)
    end
    return
end

x, y = CUDA.ones(Float32, 32), CUDA.zeros(Float32, 32)
@cuda threads=32 sums!(y, x, 32)
synchronize()
@cuda threads=32 sums!(y, x, 24)
synchronize()
