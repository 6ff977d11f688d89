# Code that relies on the items of a warp being in step.
using CUDA
function total!(out, x)
    t = threadIdx().x
    s = CuStaticSharedArray(Float32, 32)
    s[t] = x[t]
    sync_warp()
    if t <= 16
        s[t] += s[t + 16] #: race
        s[t] += s[t + 8] #: race
    end
    sync_warp()
    t == 1 && (out[1] = s[1])
    return
end
@cuda threads=32 total!(CUDA.zeros(1), CUDA.ones(32))
