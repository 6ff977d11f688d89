# Warps of 32 lanes: shuffles, votes, masks, partial and diverged warps.
using CUDA, Test

# Runs `f(i)` for the items of one block and collects what they return.
function collect_kernel!(out, f)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    out[i] = f(Int(i))
    return
end
function lanes(f, T = Int; threads = 32, blocks = 1)
    out = CuArray{T}(undef, threads * blocks)
    @cuda threads blocks collect_kernel!(out, f)
    return Array(out)
end

@test lanes(i -> Int(laneid()); threads = 70) == [mod1(i, 32) for i in 1:70]
@test lanes(i -> Int(warpsize())) == fill(32, 32)

# Shuffles; a source that is not there gives one's own value.
@test lanes(i -> shfl_sync(FULL_MASK, 10i, 5)) == fill(50, 32)
@test lanes(i -> shfl_sync(FULL_MASK, 10i, 3, 8)) == [10 * (8 * ((i - 1) ÷ 8) + 3) for i in 1:32]
@test lanes(i -> shfl_down_sync(FULL_MASK, i, 4)) == [i + 4 <= 32 ? i + 4 : i for i in 1:32]
@test lanes(i -> shfl_up_sync(FULL_MASK, i, 1, 16)) == [i in (1, 17) ? i : i - 1 for i in 1:32]
@test lanes(i -> shfl_xor_sync(FULL_MASK, i, 1)) == [isodd(i) ? i + 1 : i - 1 for i in 1:32]
# What a lane gets that there is not, is not defined: on NVIDIA GPUs 0.
@test lanes(i -> shfl_down_sync(FULL_MASK, i, 4); threads = 20)[1:16] == 5:20
neighbours(::Type{T}) where {T} = lanes(i -> shfl_xor_sync(FULL_MASK, T(i % 2), 1), T)
for T in (UInt8, Int16, Float32, Float64, Int128, Bool, ComplexF32)
    @test neighbours(T) == [T((i + 1) % 2) for i in 1:32]
end

# A reduction and a scan, in several warps of several blocks.
function warp_sum(x)
    offset = warpsize() ÷ 2
    while offset > 0
        x += shfl_down_sync(FULL_MASK, x, offset)
        offset ÷= 2
    end
    return x
end
sums = lanes(i -> warp_sum(Float64(i)), Float64; threads = 96, blocks = 3)
@test sums[1:32:end] == [sum(Float64, 32k+1:32k+32) for k in 0:8]
function warp_scan(x)
    for k in 0:4
        y = shfl_up_sync(0xffffffff, x, 1 << k)
        laneid() > (1 << k) && (x += y)
    end
    return x
end
@test lanes(i -> warp_scan(i); threads = 64) == [cumsum(1:32); cumsum(33:64)]

# A block sums by warps and shared memory.
function block_sum!(out, x)
    partial = CuStaticSharedArray(Float32, 32)
    i = threadIdx().x
    s = warp_sum(x[i])
    laneid() == 1 && (partial[cld(i, 32)] = s)
    sync_threads()
    if i <= 32
        s = warp_sum(i <= cld(blockDim().x, 32) ? partial[i] : 0.0f0)
        i == 1 && (out[1] = s)
    end
    return
end
x = CuArray(Float32.(1:256))
out = CUDA.zeros(Float32, 1)
@cuda threads=256 block_sum!(out, x)
@test Array(out) == [256 * 257 / 2]

# Votes.
@test lanes(i -> vote_ballot_sync(FULL_MASK, i % 4 == 1), UInt32) == fill(0x11111111, 32)
@test lanes(i -> vote_ballot_sync(FULL_MASK, true), UInt32; threads = 40) == [fill(0xffffffff, 32); fill(0x000000ff, 8)]
@test lanes(i -> vote_any_sync(FULL_MASK, i == 40), Bool; threads = 64) == [falses(32); trues(32)]
@test lanes(i -> vote_all_sync(FULL_MASK, i > 32), Bool; threads = 64) == [falses(32); trues(32)]
@test lanes(i -> vote_uni_sync(FULL_MASK, i > 32), Bool; threads = 64) == trues(64)

# Masks: halves that go different ways meet by themselves, then all meet again.
function halves(i)
    mine = i <= 16 ? shfl_sync(0x0000ffff, i, 2) : shfl_sync(0xffff0000, i, 20)
    sync_warp()
    return mine + 100 * shfl_sync(FULL_MASK, i, 32)
end
@test lanes(halves) == [i <= 16 ? 3202 : 3220 for i in 1:32]
@test lanes(i -> lanemask(<), UInt32) == [UInt32(2)^(i - 1) - 0x1 for i in 1:32]
@test lanes(i -> lanemask(>=), UInt32) == [~(UInt32(2)^(i - 1) - 0x1) for i in 1:32]

# One atomic operation for those who have come together.
function count_third!(total, places)
    i = threadIdx().x
    if i % 3 == 0
        mask = active_mask()
        leader = trailing_zeros(mask) + 1
        base = Int32(0)
        laneid() == leader && (base = CUDA.atomic_add!(pointer(total), Int32(count_ones(mask))))
        base = shfl_sync(mask, base, leader)
        places[i] = base + count_ones(mask & lanemask(<)) + 1
    end
    return
end
total, places = CUDA.zeros(Int32, 1), CUDA.zeros(Int32, 64)
@cuda threads=64 count_third!(total, places)
@test Array(total) == [21]
@test sort(Array(places)[3:3:64]) == 1:21

# Items that have returned are not waited for.
function early!(out)
    i = threadIdx().x
    i > 20 && return
    out[i] = shfl_sync(FULL_MASK, i, 20)
    return
end
out = CUDA.zeros(Int32, 32)
@cuda threads=32 early!(out)
@test Array(out) == [fill(20, 20); fill(0, 12)]

@test all(lanes(i -> (t = clock(UInt64); sync_warp(); clock(UInt64) >= t), Bool))
@test CUDA.warpsize(device()) == 32 && CUDA.attribute(device(), CUDA.DEVICE_ATTRIBUTE_WARP_SIZE) == 32
@test nextwarp(device(), 33) == 64 && prevwarp(device(), 33) == 32

# A wait is near its time, of which CUDA promises no more than twice.
waits(o, t) = (nanosleep(t); o[1] = 1; return)
@testset "waiting" begin
    o = CUDA.zeros(Int, 1)
    @cuda waits(o, 0x00000001)
    CUDA.synchronize()
    @test (@elapsed CUDA.@sync @cuda waits(o, UInt32(40_000_000))) >= 0.02 && Array(o) == [1]
end
