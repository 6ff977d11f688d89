# Atomic operations on memory of the device and of the group, on 32 bits and fewer.
using CUDA
include(joinpath(@__DIR__, "support", "launches.jl"))
launch(f, groups, items, args...; bytes = 0) =
    launched(f, groups, items, args...; convert = CuArray, bytes) do f, there...
        @cuda threads = items blocks = groups shmem = bytes f(there...)
        synchronize()
    end

histogram!(h, x) = (i = threadIdx().x; CUDA.@atomic h[x[i]] += Int32(1); return)
launch(histogram!, 1, 64, zeros(Int32, 8), Int32[1 + (7i % 8) for i in 1:64])

function all!(out)
    i = UInt32(threadIdx().x)
    CUDA.atomic_add!(pointer(out, 1), i)
    CUDA.atomic_sub!(pointer(out, 2), i)
    CUDA.atomic_or!(pointer(out, 3), UInt32(1) << (i % 32))
    CUDA.atomic_and!(pointer(out, 4), ~(UInt32(1) << (i % 16)))
    CUDA.atomic_xor!(pointer(out, 5), i)
    CUDA.atomic_max!(pointer(out, 6), i)
    CUDA.atomic_min!(pointer(out, 7), i)
    return
end
launch(all!, 1, 100, UInt32[0, 0, 0, 0xffffffff, 7, 5, 1000])

signed!(out) = (i = Int32(threadIdx().x) - Int32(50); CUDA.atomic_max!(pointer(out, 1), i); CUDA.atomic_min!(pointer(out, 2), i); return)
launch(signed!, 1, 100, Int32[0, 0])

floats!(out) = (CUDA.@atomic out[1] += 0.5f0; CUDA.@atomic out[2] *= 1.5f0; return)
launch(floats!, 2, 8, Float32[0, 1])

function in_group!(out)
    s = CuStaticSharedArray(Float32, 1)
    n = CuStaticSharedArray(Int32, 1)
    threadIdx().x == 1 && (s[1] = 0.0f0; n[1] = Int32(0))
    sync_threads()
    CUDA.@atomic s[1] += 0.25f0
    CUDA.@atomic n[1] += Int32(3)
    sync_threads()
    threadIdx().x == 1 && (out[1] = s[1]; out[2] = n[1])
    return
end
launch(in_group!, 1, 40, zeros(Float32, 2))

narrow!(out) = (Base.Device.atomic_modify!(pointer(out, 1 + threadIdx().x % 4), +, 0x01); return)
launch(narrow!, 1, 64, zeros(UInt8, 4))

swapped!(x) = (old = CUDA.atomic_cas!(pointer(x, 1), Int32(3), Int32(4)); x[2] = old; x[3] = CUDA.atomic_cas!(pointer(x, 1), Int32(3), Int32(5)); return)
launch(swapped!, 1, 1, Int32[3, 0, 0])

ordered!(x) = (Base.Device.atomic_store!(pointer(x, 1), Int32(5), :release); x[2] = Base.Device.atomic_load(pointer(x, 1), :acquire);
    threadfence(); Base.Device.atomic_modify!(pointer(x, 3), +, Int32(2), :sequentially_consistent); return)
launch(ordered!, 1, 1, Int32[0, 0, 1])
