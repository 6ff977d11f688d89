# BFloat16s: numbers of 16 bits that compute in `Float32` (MISSION L), on the host and in kernels.
using BFloat16s, CUDA, Test

@testset "conversions" begin
    @test Float32(BFloat16(1.5)) === 1.5f0 && BFloat16(3) == 3 && Int(BFloat16(-7)) === -7
    @test reinterpret(UInt16, BFloat16(1)) === 0x3f80
    # To the nearest, ties to even.
    one = reinterpret(UInt32, 1.0f0)
    @test BFloat16(reinterpret(Float32, one + 0x00008000)) == 1
    @test BFloat16(reinterpret(Float32, one + 0x00008001)) == nextfloat(BFloat16(1))
    @test BFloat16(reinterpret(Float32, one + 0x00018000)) == nextfloat(nextfloat(BFloat16(1)))
    # A double is rounded once: this one is a little above the middle, and its nearest `Float32` is the middle.
    @test BFloat16(1 + 2.0^-8 + 2.0^-40) == nextfloat(BFloat16(1)) && BFloat16(1 + 2.0^-8) == 1
    @test isnan(BFloat16(NaN)) && isinf(BFloat16(Inf)) && BFloat16(1e39) == InfB16 && BFloat16(-1e39) == -InfB16
    @test all(n -> (x = reinterpret(BFloat16, n); isnan(x) || BFloat16(Float32(x)) === x), 0x0000:0xffff)
end

@testset "arithmetic" begin
    x, y = BFloat16(1.5), BFloat16(0.25)
    @test x + y == 1.75 && x - y == 1.25 && x * y == 0.375 && x / y == 6 && -x == -1.5 && abs(-x) == x
    @test x + 1 isa BFloat16 && x + 1.0f0 isa Float32 && x < 2 && !(x < y) && x == 1.5
    @test sqrt(BFloat16(4)) == 2 && fma(x, y, y) == 0.625 && isless(y, x) && hash(x) == hash(1.5f0)
    @test eps(BFloat16) == nextfloat(one(BFloat16)) - 1 && floatmax(BFloat16) < Inf && nextfloat(floatmax(BFloat16)) == Inf
    @test sum(BFloat16[1, 2, 3]) == 6 && BFloat16(1) ≈ BFloat16(1.004) && 0 <= rand(BFloat16) < 1
end

@testset "kernels" begin
    scale(y, x, a) = (i = threadIdx().x; @inbounds y[i] = a * x[i] + y[i]; return)
    x, y = BFloat16.(1:32), BFloat16.(rand(0:7, 32))
    on_device = CuArray(y)
    @cuda threads = 32 scale(on_device, CuArray(x), BFloat16(0.5))
    @test Array(on_device) == BFloat16(0.5) .* x .+ y
end
