# The group that finishes last adds up what the others have left.
using CUDA, Test
function total!(out, parts, ticket, x)
    t, b = threadIdx().x, blockIdx().x
    s = CuStaticSharedArray(Float32, 64)
    is_last = CuStaticSharedArray(Bool, 1)
    s[t] = x[(b - 1) * blockDim().x + t]
    sync_threads()
    step = 32
    while step > 0
        if t <= step
            s[t] += s[t + step]
        end
        sync_threads()
        step ÷= 2
    end
    if t == 1
        parts[b] = s[1]
        threadfence()
        is_last[1] = CUDA.atomic_add!(pointer(ticket), Int32(1)) == gridDim().x - 1
    end
    sync_threads()
    if is_last[1]
        sum = 0f0
        for k in t:blockDim().x:gridDim().x
            sum += parts[k]
        end
        CUDA.@atomic out[1] += sum
        t == 1 && (ticket[1] = 0)
    end
    return
end
out, ticket = CUDA.zeros(1), CUDA.zeros(Int32, 1)
@cuda threads=64 blocks=100 total!(out, CUDA.zeros(100), ticket, CUDA.ones(6400))
@test Array(out) == [6400] && Array(ticket) == [0]

# Every item has its fence before the barrier; one item takes the ticket for all of them.
function gather!(out, parts, ticket)
    t, b = threadIdx().x, blockIdx().x
    is_last = CuStaticSharedArray(Bool, 1)
    parts[(b - 1) * 16 + t] = t
    threadfence()
    sync_threads()
    if t == 1
        is_last[1] = CUDA.atomic_inc!(pointer(ticket), Int32(gridDim().x)) == gridDim().x - 1
    end
    sync_threads()
    if is_last[1] && t == 1
        sum = 0f0
        for k in 1:length(parts)
            sum += parts[k]
        end
        out[1] = sum
    end
    return
end
out = CUDA.zeros(1)
@cuda threads=16 blocks=8 gather!(out, CUDA.zeros(128), CUDA.zeros(Int32, 1))
@test Array(out) == [8 * 136]
