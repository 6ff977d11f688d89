# Atomic operations on shared memory. Where one thread runs a group they need no lock, and loops that have them are vectors if they
# end whatever other items do. Loops that wait for other items go on to be run so that these come to their turn.
using CUDA, Test

function histogram!(bins, x)
    l = threadIdx().x
    counts = CuStaticSharedArray(Int32, 16)
    l <= 16 && (counts[l] = Int32(0))
    sync_threads()
    i = (blockIdx().x - 1) * blockDim().x + l
    while i <= length(x)
        b = x[i] % Int32(16) + Int32(1)
        CUDA.@atomic counts[b] += Int32(1)
        i += gridDim().x * blockDim().x
    end
    sync_threads()
    l <= 16 && CUDA.@atomic bins[l] += counts[l]
    return
end

# Items leave the loop at different times, and what an operation returned is used.
function tickets!(out, lengths)
    l = threadIdx().x
    next = CuStaticSharedArray(Int32, 1)
    l == 1 && (next[1] = Int32(0))
    sync_threads()
    sum = Int32(0)
    for k in 1:lengths[l]
        sum += CUDA.atomic_add!(pointer(next), Int32(1))
    end
    out[l] = sum
    sync_threads()
    l == 1 && (out[blockDim().x + 1] = next[1])
    return
end

function each_operation!(ints, floats, x)
    l = threadIdx().x
    s = CuStaticSharedArray(UInt32, 8)
    f = CuStaticSharedArray(Float32, 2)
    if l == 1
        for k in 1:8
            s[k] = k == 3 || k == 5 ? typemax(UInt32) : UInt32(0)
        end
        f[1] = f[2] = 0f0
    end
    sync_threads()
    for k in 1:(l & 7)
        v = x[l] + UInt32(k)
        CUDA.atomic_add!(pointer(s, 1), v)
        CUDA.atomic_sub!(pointer(s, 2), v)
        CUDA.atomic_min!(pointer(s, 3), v)
        CUDA.atomic_max!(pointer(s, 4), v)
        CUDA.atomic_and!(pointer(s, 5), v | 0xffff0000)
        CUDA.atomic_or!(pointer(s, 6), v)
        CUDA.atomic_xor!(pointer(s, 7), v)
        CUDA.@atomic f[1] += Float32(v)
        CUDA.@atomic f[2] = max(f[2], Float32(v))
    end
    # The last value that any item exchanged is one that some item brought.
    CUDA.atomic_xchg!(pointer(s, 8), x[l])
    sync_threads()
    l <= 8 && (ints[l] = s[l])
    l <= 2 && (floats[l] = f[l])
    return
end

# An item that has the lock gives it back before it leaves the loop.
function spin!(out)
    l = threadIdx().x
    s = CuStaticSharedArray(Int32, 2)
    l <= 2 && (s[l] = Int32(0))
    sync_threads()
    done = false
    while !done
        if CUDA.atomic_cas!(pointer(s, 1), Int32(0), Int32(1)) == Int32(0)
            threadfence_block()
            s[2] += Int32(1)
            threadfence_block()
            CUDA.atomic_xchg!(pointer(s, 1), Int32(0))
            done = true
        end
    end
    sync_threads()
    l == 1 && (out[blockIdx().x] = s[2])
    return
end

# The same, with a number of attempts that a counter bounds.
function attempts!(out)
    l = threadIdx().x
    s = CuStaticSharedArray(Int32, 2)
    l <= 2 && (s[l] = Int32(0))
    sync_threads()
    for attempt in 1:1_000_000
        if CUDA.atomic_cas!(pointer(s, 1), Int32(0), Int32(1)) == Int32(0)
            threadfence_block()
            s[2] += Int32(1)
            threadfence_block()
            CUDA.atomic_xchg!(pointer(s, 1), Int32(0))
            break
        end
    end
    sync_threads()
    l == 1 && (out[blockIdx().x] = s[2])
    return
end

# What an item got is kept in an array, and decides when it leaves.
function kept!(out, scratch)
    l = threadIdx().x
    s = CuStaticSharedArray(Int32, 2)
    l <= 2 && (s[l] = Int32(0))
    sync_threads()
    scratch[l] = Int32(1)
    while scratch[l] != Int32(0)
        scratch[l] = CUDA.atomic_cas!(pointer(s, 1), Int32(0), Int32(1))
        if scratch[l] == Int32(0)
            threadfence_block()
            s[2] += Int32(1)
            threadfence_block()
            CUDA.atomic_xchg!(pointer(s, 1), Int32(0))
        end
    end
    sync_threads()
    l == 1 && (out[1] = s[2])
    return
end

@testset "atomic operations of a group" begin
    x = Int32[7k % 1013 for k in 1:5000]
    expected = [count(==(b), x .% 16 .+ 1) for b in 1:16]
    for threads in (64, 100, 256)
        bins = CUDA.zeros(Int32, 16)
        for _ in 1:20
            fill!(bins, 0)
            @cuda threads=threads blocks=3 histogram!(bins, CuArray(x))
        end
        @test Array(bins) == expected
    end

    lengths = Int32[k % 13 for k in 1:96]
    total = sum(lengths)
    out = CUDA.zeros(Int32, 97)
    for _ in 1:20
        @cuda threads=96 tickets!(out, CuArray(lengths))
    end
    @test Array(out)[97] == total
    @test sum(Array(out)[1:96]) == total * (total - 1) ÷ 2

    x = UInt32[1000k % 7919 for k in 1:128]
    given = [x[l] + UInt32(k) for l in 1:128 for k in 1:(l & 7)]
    ints, floats = CUDA.zeros(UInt32, 8), CUDA.zeros(Float32, 2)
    for _ in 1:20
        @cuda threads=128 each_operation!(ints, floats, CuArray(x))
    end
    got = Array(ints)
    @test got[1] == reduce(+, given) && got[2] == zero(UInt32) - reduce(+, given)
    @test got[3] == minimum(given) && got[4] == maximum(given)
    @test got[5] == reduce(&, given .| 0xffff0000) && got[6] == reduce(|, given) && got[7] == reduce(xor, given)
    @test got[8] in x
    @test Array(floats) == Float32[sum(given), maximum(given)]

    for kernel in (spin!, attempts!)
        out = CUDA.zeros(Int32, 4)
        for _ in 1:10
            @cuda threads=64 blocks=4 kernel(out)
        end
        @test all(==(64), Array(out))
    end
    out = CUDA.zeros(Int32, 1)
    for _ in 1:10
        @cuda threads=64 kept!(out, CUDA.zeros(Int32, 64))
    end
    @test Array(out) == [64]
end
