# A scan with one barrier in each step: items write what others of the same step still read.
using CUDA

function scan!(y, x)
    t = threadIdx().x
    s = CuStaticSharedArray(Int32, 64)
    s[t] = x[t]
    sync_threads()
    d = 1
    while d < 64
        if t > d
            s[t] += s[t - d] #: race
        end
        sync_threads()
        d *= 2
    end
    y[t] = s[t]
    return
end

x, y = CuArray(Int32.(1:64)), CUDA.zeros(Int32, 64)
@cuda threads=64 scan!(y, x)
synchronize()
