# Functions of numbers under CUDA's names, and Base's of angles, in kernels.
using CUDA, Test

function on_device(f, ::Type{R}, args...) where {R}
    out = CuArray{R}(undef, 1)
    @cuda run!(out, f, args...)
    return Array(out)[1]
end
run!(out, f, args...) = (out[1] = f(args...); return)

@testset "bits" begin
    for x in (Int32(0), Int32(12), typemin(Int32), 0x00f0_0000, 0x0123456789abcdef, Int64(-2))
        @test on_device(CUDA.clz, Int32, x) == leading_zeros(x) && on_device(CUDA.popc, Int32, x) == count_ones(x)
        @test on_device(CUDA.ffs, Int32, x) == (x == 0 ? 0 : trailing_zeros(x) + 1)
        @test on_device(CUDA.brev, typeof(unsigned(x)), x) == bitreverse(unsigned(x))
    end
    @test on_device(CUDA.byte_perm, Int32, 0x01020304, 0x05060708, 0x3210) == 0x01020304
    @test on_device(CUDA.byte_perm, Int32, 0x01020304, 0x05060708, 0x7654) == 0x05060708
    @test on_device(CUDA.byte_perm, Int32, 0x01028304, 0x05060708, 0x0194) % UInt32 == 0x04_83_ff_08
end
@testset "whole numbers" begin
    for (x, y) in ((typemax(Int32), Int32(-7)), (Int32(123456789), Int32(987654321)), (0xfedcba98, 0x12345678))
        T = typeof(x)
        @test on_device(CUDA.mulhi, T, x, y) == (widemul(x, y) >> 32) % T
        @test on_device(CUDA.hadd, T, x, y) == fld(widen(x) + widen(y), 2) && on_device(CUDA.rhadd, T, x, y) == cld(widen(x) + widen(y), 2)
        @test on_device(CUDA.sad, T, x, y, T(3)) == (abs(widen(x) - widen(y)) + 3) % T
    end
    for (x, y) in ((typemax(Int64), -7), (-123456789012345, 987654321098765), (typemin(Int64), typemin(Int64)))
        @test on_device(CUDA.mul64hi, Int64, x, y) == (widemul(x, y) >> 64) % Int64
        @test on_device(CUDA.mul64hi, UInt64, x % UInt64, y % UInt64) == (widemul(x % UInt64, y % UInt64) >> 64) % UInt64
    end
    @test on_device(CUDA.mul24, Int32, Int32(-3), Int32(1000)) == -3000
    @test on_device(CUDA.dp4a, Int32, 0x01fe03fc % Int32, 0x05060708 % Int32, Int32(10)) == 10 + 5 - 12 + 21 - 32
    @test on_device(CUDA.dp4a, UInt32, 0x01fe03fc, 0x05060708, 0x0000000a) == 10 + 5 + 254 * 6 + 21 + 252 * 8
    @test on_device(CUDA.dp4a, Int32, 0x01fe03fc % Int32, 0x05060788, Int32(0)) == 5 - 12 + 21 - 4 * 0x88
end
@testset "floats" begin
    @test on_device(CUDA.rsqrt, Float32, 4.0f0) == 0.5f0 && on_device(CUDA.rcbrt, Float64, 8.0) ≈ 0.5
    @test [on_device(CUDA.saturate, Float32, x) for x in (-1.0f0, 0.25f0, 3.0f0, NaN32)] == [0, 0.25, 1, 0]
    @test on_device(CUDA.fma_rn, Float32, 0.1f0, 3.0f0, 1.0f0) == fma(0.1f0, 3.0f0, 1.0f0) && on_device(CUDA.sub_rn, Float64, 1.0, 0.1) == 0.9
    @test on_device(CUDA.dim, Float32, 3.0f0, 1.0f0) == 2 && on_device(CUDA.dim, Float32, 1.0f0, 3.0f0) == 0
    @test on_device(CUDA.nextafter, Float32, 1.0f0, 2.0f0) == nextfloat(1.0f0) && on_device(CUDA.scalbn, Float64, 3.0, Int32(4)) == 48
    @test on_device(CUDA.norm3df, Float32, 1.0f0, 2.0f0, 2.0f0) ≈ 3 && on_device(CUDA.powi, Float64, 2.0, Int32(5)) == 32
    # Towards zero there is an instruction on NVIDIA's GPUs alone.
    rounded = try on_device(CUDA.fma_rz, Float32, 0.1f0, 3.0f0, 1.0f0) catch e; sprint(showerror, e) end
    exact = 0.1f0 * 3.0 + 1.0
    @test rounded isa Float32 ? rounded <= exact < nextfloat(rounded) : occursin("not to the nearest", rounded)
end
@testset "angles" begin
    for T in (Float32, Float64)
        @test on_device(tanpi, T, T(0.25)) ≈ 1 && on_device(tanpi, T, T(0.5)) == T(Inf)
        @test on_device(secd, T, T(60)) ≈ 2 && on_device(cotd, T, T(45)) ≈ 1 && on_device(acoth, T, T(2)) ≈ atanh(0.5)
        @test on_device(x -> sum(sincosd(x)), T, T(30)) ≈ 0.5 + sqrt(3) / 2
        @test on_device(cosc, T, T(0.2)) ≈ cosc(0.2) && on_device(cosc, T, T(0.5)) ≈ cosc(0.5)
    end
end
@testset "the host" begin
    @test tanpi(1.5) === -Inf && tanpi(1.0) === -0.0 && tanpi(2.0) === 0.0 && tanpi(-1.0) === 0.0 && tanpi(3) === -0.0
    @test tanpi(0.1f0) === Float32(tan(pi * Float64(0.1f0))) && tanpi(Float16(0.25)) === Float16(1)
    direct(x) = (cospi(x) - sinc(x)) / x
    @test cosc(0.0) === -0.0 && cosc(0.5) == direct(0.5) && cosc(0.2999) ≈ direct(0.2999) && cosc(1e-9) ≈ -pi^2 * 1e-9 / 3
    @test cosc(0.1f0) isa Float32 && cosc(Inf) === 0.0 && cosc(1) ≈ -1
    @test cscd(30) == 2 && asecd(2) ≈ 60 && acscd(2) ≈ 30 && acotd(1) ≈ 45 && asech(0.5) ≈ acosh(2) && acsch(2) ≈ asinh(0.5)
    @test size(reshape(zeros(6), 2, :)) == (2, 3) && size(reshape(1:6, (3, :))) == (3, 2)
    @test_throws DimensionMismatch reshape(zeros(6), 4, :)
    @test_throws DimensionMismatch reshape(zeros(6), :, :)
end
@testset "shapes in kernels" begin
    @test on_device(a -> (b = reshape(a, 2, :); b[2, 3] + size(b, 2)), Int, cudaconvert(CuArray([1, 2, 3, 4, 5, 6]))) == 9
end
