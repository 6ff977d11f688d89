# The lanes of a warp pass values by shared memory, and meet in between.
using CUDA, Test

function rotate!(y, x)
    t = threadIdx().x
    s = CuStaticSharedArray(Int32, 32)
    s[t] = x[t]
    sync_warp()
    v = s[mod1(t + 1, 32)]
    sync_warp()
    s[t] = 2v
    sync_warp()
    y[t] = s[mod1(t + 1, 32)]
    return
end

x, y = CuArray(Int32.(1:32)), CUDA.zeros(Int32, 32)
@cuda threads=32 rotate!(y, x)
@test Array(y) == [2 * mod1(t + 2, 32) for t in 1:32]
