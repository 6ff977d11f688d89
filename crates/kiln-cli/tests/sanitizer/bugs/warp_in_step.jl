# The last steps of a reduction trust that the lanes of a warp run in step.
using CUDA

function reduce!(y, x)
    t = threadIdx().x
    s = CuStaticSharedArray(Float32, 32)
    s[t] = x[t]
    sync_threads()
    if t <= 16
        s[t] += s[t + 16] #: race
        s[t] += s[t + 8] #: race
    end
    sync_threads()
    if t == 1
        v = 0f0
        for k in 1:8
            v += s[k]
        end
        y[1] = v
    end
    return
end

x, y = CUDA.ones(Float32, 32), CUDA.zeros(Float32, 1)
@cuda threads=32 reduce!(y, x)
synchronize()
