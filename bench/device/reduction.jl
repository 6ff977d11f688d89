# A reduction of each block through shared memory: barriers in a loop.
using CUDA

function reduce!(out, x)
    shared = CuStaticSharedArray(Float32, 256)
    t = threadIdx().x
    shared[t] = x[(blockIdx().x - 1) * 256 + t]
    sync_threads()
    s = 128
    while s > 0
        if t <= s
            shared[t] += shared[t + s]
        end
        sync_threads()
        s ÷= 2
    end
    if t == 1
        out[blockIdx().x] = shared[1]
    end
    return
end
