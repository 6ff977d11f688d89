# Barriers: in a data-dependent loop, in an inlined and in a @noinline callee, and where other items have returned.
using CUDA, Test

# Items of a group pass a token around until the group's own count is used up.
function rotate!(out, rounds)
    shared = CuStaticSharedArray(Int, 32)
    t = Int(threadIdx().x)
    n = Int(blockDim().x)
    shared[t] = t
    sync_threads()
    for _ in 1:rounds[blockIdx().x]
        next = shared[t == n ? 1 : t + 1]
        sync_threads()
        shared[t] = next
        sync_threads()
    end
    out[t, blockIdx().x] = shared[t]
    return
end

rounds = CuArray([0, 1, 5, 33])
out = CUDA.zeros(Int, 32, 4)
@cuda threads=32 blocks=4 rotate!(out, rounds)
@test Array(out) == [mod1(t + r, 32) for t in 1:32, r in [0, 1, 5, 33]]

@inline function inlined_sum(shared, t, n)
    s = n ÷ 2
    while s > 0
        if t <= s
            shared[t] += shared[t + s]
        end
        sync_threads()
        s ÷= 2
    end
    return shared[1]
end

@noinline function called_sum(shared, t, n)
    s = n ÷ 2
    while s > 0
        if t <= s
            shared[t] += shared[t + s]
        end
        sync_threads()
        s ÷= 2
    end
    return shared[1]
end

function reduce!(out, x, sum)
    shared = CuDynamicSharedArray(Float64, 64)
    t = Int(threadIdx().x)
    i = (Int(blockIdx().x) - 1) * 64 + t
    shared[t] = x[i]
    sync_threads()
    total = sum(shared, t, 64)
    if t == 1
        out[blockIdx().x] = total
    end
    return
end

x = CuArray(collect(1.0:256.0))
expected = [sum(64(b - 1) + 1.0:64b) for b in 1:4]
for f in (inlined_sum, called_sum)
    sums = CUDA.zeros(Float64, 4)
    @cuda threads=64 blocks=4 shmem=64*8 reduce!(sums, x, f)
    @test Array(sums) == expected
end

# Barriers that count: each use has memory of its own, and sees all items of the group.
function counting!(a, out)
    i = threadIdx().x
    ones = sync_threads_count(a[i])
    zeros = sync_threads_count(a[i] == 0)
    out[i] = 10ones + zeros
    sync_threads_or(a[i]) || (out[i] = -1)
    sync_threads_and(a[i]) && (out[i] = -2)
    return
end
out = CUDA.zeros(Int32, 5)
@cuda threads=5 counting!(CuArray(Int32[1, 1, 0, 1, 0]), out)
@test Array(out) == fill(32, 5)

# The packages that CUDA.jl came from and falls into find it under their names.
import CUDACore, CUDAnative
old_names!(a) = (CUDACore.@atomic a[1] += Int32(1); a[2] = CUDAnative.isinf(Inf32); return)
a = CUDA.zeros(Int32, 2)
@cuda threads=4 old_names!(a)
@test Array(a) == [4, 1]
