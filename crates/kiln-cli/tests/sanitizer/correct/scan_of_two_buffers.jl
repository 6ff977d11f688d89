# A scan with two buffers that take turns: one barrier in each step is enough.
using CUDA, Test

function scan!(y, x)
    t = threadIdx().x
    s = CuStaticSharedArray(Int32, (64, 2))
    from, to = 1, 2
    s[t, from] = x[t]
    sync_threads()
    d = 1
    while d < 64
        s[t, to] = t > d ? s[t, from] + s[t - d, from] : s[t, from]
        sync_threads()
        from, to = to, from
        d *= 2
    end
    y[t] = s[t, from]
    return
end

x, y = CuArray(Int32.(1:64)), CUDA.zeros(Int32, 64)
@cuda threads=64 scan!(y, x)
@test Array(y) == cumsum(1:64)
