# Reductions by a tree in shared memory, by shuffles, and by both.
using CUDA, Test
function tree!(out, x)
    t = threadIdx().x
    s = CuStaticSharedArray(Float32, 256)
    s[t] = x[(blockIdx().x - 1) * 256 + t]
    sync_threads()
    step = 128
    while step > 0
        if t <= step
            s[t] += s[t + step]
        end
        sync_threads()
        step ÷= 2
    end
    t == 1 && CUDA.@atomic out[1] += s[1]
    return
end
out = CUDA.zeros(1)
@cuda threads=256 blocks=4 tree!(out, CUDA.ones(1024))
@test Array(out) == [1024]

function shuffled!(out, x)
    t = threadIdx().x
    v = x[t]
    offset = 16
    while offset > 0
        v += shfl_down_sync(0xffffffff, v, offset)
        offset ÷= 2
    end
    s = CuStaticSharedArray(Float32, 32)
    laneid() == 1 && (s[cld(t, 32)] = v)
    sync_threads()
    if t == 1
        total = 0f0
        for k in 1:blockDim().x ÷ 32
            total += s[k]
        end
        out[1] = total
    end
    return
end
out = CUDA.zeros(1)
@cuda threads=128 shuffled!(out, CUDA.ones(128))
@test Array(out) == [128]

# The last warp reduces by itself, with its own barriers.
function warp!(out, x)
    t = threadIdx().x
    s = CuStaticSharedArray(Float32, 64)
    s[t] = x[t]
    sync_threads()
    if t <= 32
        for step in (32, 16, 8, 4, 2, 1)
            v = t <= step ? s[t] + s[t + step] : 0f0
            sync_warp()
            t <= step && (s[t] = v)
            sync_warp()
        end
        t == 1 && (out[1] = s[1])
    end
    return
end
out = CUDA.zeros(1)
@cuda threads=64 warp!(out, CUDA.ones(64))
@test Array(out) == [64]
