# Wavefronts of 32 lanes: shuffles, votes, reductions and scans of those who come together.
using AMDGPU, Test
using AMDGPU: Device

function collect_kernel!(out, f)
    i = workitemIdx().x
    out[i] = f(Int(i))
    return
end
function lanes(f, T = Int; items = 32)
    out = ROCArray{T}(undef, items)
    @roc groupsize = items collect_kernel!(out, f)
    return Array(out)
end

neighbours(::Type{T}) where {T} = lanes(i -> Device.shfl_xor(T(i % 2), Int32(1)), T)

@testset "lanes" begin
    @test lanes(i -> Int(Device.activelane()); items = 70) == [(i - 1) % 32 for i in 1:70]
    @test lanes(i -> Int(Device.wavefrontsize())) == fill(32, 32)
    @test lanes(i -> Int(Device.readfirstlane(i)); items = 64) == [fill(1, 32); fill(33, 32)]
end

@testset "shuffles" begin
    @test lanes(i -> Device.shfl(10i, Int32(4))) == fill(50, 32)
    @test lanes(i -> Device.shfl(i, Int32(i), UInt32(4)))[1:8] == [2, 3, 4, 1, 6, 7, 8, 5]
    @test lanes(i -> Device.shfl_down(i, Int32(4))) == [i + 4 <= 32 ? i + 4 : i for i in 1:32]
    @test lanes(i -> Device.shfl_up(i, Int32(1), UInt32(16))) == [i in (1, 17) ? i : i - 1 for i in 1:32]
    @test lanes(i -> Device.shfl_xor(i, Int32(1))) == [isodd(i) ? i + 1 : i - 1 for i in 1:32]
    @test lanes(i -> Device.shfl_down_sync(typemax(UInt64), i, 1); items = 20) == [2:20; 20]
    for T in (UInt8, Int16, Float16, Float32, Float64, Bool, ComplexF32)
        @test neighbours(T) == [T((i + 1) % 2) for i in 1:32]
    end
    # Four bytes a lane.
    @test lanes(i -> Int(Device.bpermute(Int32(4 * (i % 8)), Int32(i))); items = 8) == [2:8; 1]
    @test lanes(i -> Int(Device.permute(4 * (i % 8), Int32(i))); items = 8) == [8; 1:7]
end

@testset "votes" begin
    @test lanes(i -> Device.ballot(i % 4 == 1), UInt64) == fill(0x0000000011111111, 32)
    @test lanes(i -> Device.activemask(), UInt64; items = 40) == [fill(0x00000000ffffffff, 32); fill(0x00000000000000ff, 8)]
    @test lanes(i -> Device.wfany(Int32(i == 40)), Bool; items = 64) == [falses(32); trues(32)]
    @test lanes(i -> Device.wfall(Int32(i > 32)), Bool; items = 64) == [falses(32); trues(32)]
    @test lanes(i -> Device.wfsame(Int32(i > 32)), Bool; items = 64) == trues(64)
    @test lanes(i -> Device.any_sync(typemax(UInt64), i == 3), Bool) == trues(32)
end

@testset "reductions and scans" begin
    for (op, T) in ((+, Int32), (max, UInt64), (min, Float32), (&, UInt32), (|, Int64), (xor, UInt32), (+, Float64))
        x = T[(37i) % 101 for i in 1:32]
        a = rocconvert(ROCArray(x))
        @test lanes(i -> Device.wfred(op, a[i]), T) == fill(reduce(op, x), 32)
        @test lanes(i -> Device.wfscan(op, a[i], true), T) == accumulate(op, x)
        @test lanes(i -> Device.wfscan(op, a[i], false), T)[2:32] == accumulate(op, x)[1:31]
    end
    @test lanes(i -> Device.wfscan(+, i, false))[1] == 0
    @test lanes(i -> Device.wfred(+, i); items = 20) == fill(210, 20)
end
