# A tile is loaded anew while slower items still read the old one.
using CUDA

function tiles!(y, x)
    t = threadIdx().x
    s = CuStaticSharedArray(Float32, 32)
    v = 0f0
    for k in 0:3
        s[t] = x[32k + t] #: race
        sync_threads()
        for q in 1:32
            v += s[q] #: race
        end
    end
    y[t] = v
    return
end

x, y = CUDA.ones(Float32, 128), CUDA.zeros(Float32, 32)
@cuda threads=32 tiles!(y, x)
synchronize()
