# Exchanges of AMD's instructions with fixed sources, pauses and clocks (MISSION L): what a processor computes is what the instructions are
# documented to do. `tests/device/lanes.jl` asks for the instructions.
using AMDGPU, Test
import AMDGPU.Device: mov_dpp, ds_swizzle, s_sleep, clock64, wall_clock64

function collect_lanes(f, ::Type{T}) where {T}
    out = ROCArray(zeros(T, 32))
    kernel(out, f) = (i = Int(workitemIdx().x); @inbounds out[i] = f(i - 1); return)
    @roc groupsize = 32 kernel(out, f)
    return Array(out)
end
rows(f) = [(i & ~15) + f(i & 15) for i in 0:31]

@testset "DPP" begin
    @test collect_lanes(i -> mov_dpp(Int32(i), Val(0x1b)), Int32) == [(i & ~3) + 3 - (i & 3) for i in 0:31]
    @test collect_lanes(i -> mov_dpp(Int32(i), Val(0x101)), Int32) == rows(i -> min(i + 1, 15))
    @test collect_lanes(i -> mov_dpp(Int32(i), Val(0x10f)), Int32) == rows(i -> i == 0 ? 15 : i)
    @test collect_lanes(i -> mov_dpp(Int32(i), Val(0x112)), Int32) == rows(i -> i < 2 ? i : i - 2)
    @test collect_lanes(i -> mov_dpp(Int32(i), Val(0x123)), Int32) == rows(i -> (i - 3) & 15)
    @test collect_lanes(i -> mov_dpp(Int32(i), Val(0x140)), Int32) == rows(i -> 15 - i)
    @test collect_lanes(i -> mov_dpp(Int32(i), Val(0x141)), Int32) == rows(i -> i < 8 ? 7 - i : 23 - i)
    # Values of several words, and lanes that are not here.
    @test collect_lanes(i -> mov_dpp((i, 2.0i), Val(0x111))[2], Float64) == 2 .* rows(i -> max(i - 1, 0))
    @test collect_lanes(i -> i < 8 ? mov_dpp(Int32(i), Val(0x104)) : Int32(-1), Int32) == [4:7; 4:7; fill(-1, 24)]
    wrong(out) = (out[1] = mov_dpp(Int32(1), Val(0x130)); return)
    @test_throws "a control of DPP that every AMD GPU has" @roc wrong(ROCArray(Int32[0]))
end

@testset "swizzles" begin
    @test collect_lanes(i -> ds_swizzle(Int32(i), Val(0x041f)), Int32) == [i ⊻ 1 for i in 0:31]
    @test collect_lanes(i -> ds_swizzle(Float32(i), Val(0x0070)), Float32) == [(i & 16) | 3 for i in 0:31]
    @test collect_lanes(i -> ds_swizzle(UInt32(i), Val(0x7c1f)), UInt32) == 31:-1:0
    @test collect_lanes(i -> ds_swizzle(Int32(i), Val(0x801b)), Int32) == [(i & ~3) + 3 - (i & 3) for i in 0:31]
    @test collect_lanes(i -> i < 31 ? ds_swizzle(Int32(i + 5), Val(0x041f)) : Int32(-1), Int32) == [[(i ⊻ 1) + 5 for i in 0:29]; 0; -1]
    wrong(out) = (out[1] = ds_swizzle(Int32(1), Val(0xe000)); return)
    @test_throws "a pattern of ds_swizzle" @roc wrong(ROCArray(Int32[0]))
end

@testset "pauses and clocks" begin
    timed(out) = begin
        a, b = clock64(), wall_clock64()
        s_sleep(Val(10))
        out[1], out[2] = clock64() - a, wall_clock64() - b
        return
    end
    out = ROCArray(zeros(UInt64, 2))
    @roc timed(out)
    @test all(Array(out) .< 10^9)
end
