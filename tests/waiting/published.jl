# Plain memory that another item writes, and publishes by a fence or an atomic operation beside it.
using CUDA, Test

# An item looks for a flag that is set, around and around; the first one sets the first flag without looking.
function poll!(out, flags, n)
    l = threadIdx().x
    if l != 1
        k = l
        while true
            k = k % n + Int32(1)
            threadfence()
            @inbounds flags[k] == Int32(1) && break
        end
        @inbounds out[l] = k
    end
    threadfence()
    @inbounds flags[l] = Int32(1)
    return
end

# The same with atomic operations in place of fences.
function poll_counting!(out, flags, turns, n)
    l = threadIdx().x
    if l != 1
        k = l
        while true
            k = k % n + Int32(1)
            CUDA.atomic_add!(pointer(turns), Int32(1))
            @inbounds flags[k] == Int32(1) && break
        end
        @inbounds out[l] = k
    end
    threadfence()
    @inbounds flags[l] = Int32(1)
    return
end

# An item goes through all flags, again and again.
function scan!(out, flags)
    l = threadIdx().x
    if l != 1
        found = Int32(0)
        while found == Int32(0)
            for k in 1:length(flags)
                threadfence()
                if @inbounds flags[k] == Int32(1)
                    found = Int32(k)
                    break
                end
            end
        end
        @inbounds out[l] = found
    end
    threadfence()
    @inbounds flags[l] = Int32(1)
    return
end

# All items but one look at one flag.
function together!(out)
    l = threadIdx().x
    s = CuStaticSharedArray(Int32, 2)
    l <= 2 && (s[l] = Int32(0))
    sync_threads()
    if l != 1
        while true
            threadfence_block()
            @inbounds(s[1]) == Int32(0) || break
        end
    end
    CUDA.atomic_add!(pointer(s, 2), Int32(1))
    threadfence_block()
    l == 1 && (s[1] = Int32(1))
    sync_threads()
    out[l] = s[2]
    return
end

# An exchange keeps in memory whether the item got the lock.
function kept!(out, scratch)
    l = threadIdx().x
    s = CuStaticSharedArray(Int32, 2)
    l <= 2 && (s[l] = Int32(0))
    sync_threads()
    k = Int32(0)
    while true
        k += Int32(1)
        i = (k & Int32(1)) * Int32(64) + l
        CUDA.atomic_xchg!(pointer(scratch, i), CUDA.atomic_cas!(pointer(s, 1), Int32(0), Int32(1)))
        if @inbounds scratch[i] == Int32(0)
            CUDA.atomic_add!(pointer(s, 2), Int32(1))
            CUDA.atomic_xchg!(pointer(s, 1), Int32(0))
            break
        end
    end
    sync_threads()
    l == 1 && (out[1] = s[2])
    return
end

@testset "published" begin
    flags, out = CUDA.zeros(Int32, 64), CUDA.zeros(Int32, 64)
    @cuda threads=64 poll!(out, flags, Int32(64))
    @test all(==(1), Array(flags)) && all(>(0), Array(out)[2:end])
    flags, turns = CUDA.zeros(Int32, 64), CUDA.zeros(Int32, 1)
    @cuda threads=64 poll_counting!(out, flags, turns, Int32(64))
    @test all(==(1), Array(flags)) && Array(turns)[1] >= 63
    flags, out = CUDA.zeros(Int32, 64), CUDA.zeros(Int32, 64)
    @cuda threads=64 scan!(out, flags)
    @test all(==(1), Array(flags)) && all(>(0), Array(out)[2:end])
    for _ in 1:3
        @cuda threads=64 together!(out)
        @test all(==(64), Array(out))
        count = CUDA.zeros(Int32, 1)
        @cuda threads=64 kept!(count, CUDA.zeros(Int32, 128))
        @test Array(count) == [64]
    end
end
