# The block that comes last, which an atomic counter says, sums what all have left.
using CUDA, Test

function total!(out, parts, done, x)
    t, b = threadIdx().x, blockIdx().x
    s = CuStaticSharedArray(Float32, 64)
    is_last = CuStaticSharedArray(Bool, 1)
    s[t] = x[(b - 1) * 64 + t]
    sync_threads()
    d = 32
    while d > 0
        if t <= d
            s[t] += s[t + d]
        end
        sync_threads()
        d >>= 1
    end
    if t == 1
        parts[b] = s[1]
        threadfence()
        is_last[1] = CUDA.atomic_add!(pointer(done), Int32(1)) == gridDim().x - 1
    end
    sync_threads()
    if is_last[1] && t == 1
        v = 0f0
        for k in 1:gridDim().x
            v += parts[k]
        end
        out[1] = v
    end
    return
end

x, out, parts = CUDA.ones(Float32, 64 * 20), CUDA.zeros(Float32, 1), CUDA.zeros(Float32, 20)
done = CUDA.zeros(Int32, 1)
@cuda threads=64 blocks=20 total!(out, parts, done, x)
@test Array(out) == [64 * 20]
