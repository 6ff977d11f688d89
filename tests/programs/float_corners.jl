# Floats and complex numbers at the corners: remainders, comparison by value, rounding, cuts and quotients.
using Test

@testset "remainders" begin
    @test rem(1.0, 3e-310) == 3.5074317610433e-311
    @test rem(5.0f0, 3.0f0, RoundNearest) === -1.0f0
    @test rem(7.5, 5.0, RoundNearest) === -2.5
    @test rem(2.5, 5.0, RoundNearest) === 2.5
    @test rem(-6.0, 3.0) === -0.0
    @test rem(floatmax(), 5e-324) === 0.0
    @test isnan(rem(1.0, 0.0)) && isnan(rem(Inf, 2.0)) && rem(3.0, Inf) === 3.0
    @test (div(7.0, -2.0), fld(7.0, -2.0), cld(7.0, -2.0)) == (-3.0, -4.0, -3.0)
    @test mod(0x0001, Int8(-2)) === Int16(-1)
end
@testset "comparison by value" begin
    @test typemax(Int) < 2.0^63 && !(2.0^63 <= typemax(Int))
    @test typemin(Int) == -2.0^63
    @test -Inf16 < typemin(Int) && typemax(UInt16) < Inf16
    @test 16777217 > 1.6777216f7
    @test false + -0.0 === -0.0 && big(1.0) + true == 2 && signbit(false + big(-0.0))
end
@testset "rounding" begin
    @test_throws InexactError round(Int64, -Inf16)
    @test_throws InexactError Int(Inf16)
    @test floor(Float32, 0xffffffff) === 4.294967f9
    @test round(-0.3, RoundNearestTiesUp) === -0.0
    @test Float32(0.1, RoundDown) === 0.099999994f0
    @test round(1e-310, sigdigits = 2) ≈ 1e-310
    @test ceil(5.0, digits = -400) === Inf && floor(5.0, digits = -400) === 0.0
end
@testset "angles" begin
    @test sin(5.0f7) === Float32(sin(5.0e7)) && cos(146528.6f0) === Float32(cos(Float64(146528.6f0)))
    @test all(isnan, sincos(NaN32))
    @test sind(150) === 0.5 && cosd(90) === 0.0 && tand(45) === 1.0 && sind(-180.0) === -0.0
    @test sin(pi) === 0.0 && tan(pi) === -0.0
    @test_throws ArgumentError mod2pi(2^60 - 1)
    @test hypot(floatmax(), floatmax()) === Inf && hypot(NaN, -Inf) === Inf && hypot(5e-324, 0.0) === 5e-324
    @test sum(0x01:0xff) == 32640
end
@testset "complex quotients" begin
    @test (2.0^1023 + 2.0^-1023 * im) / (2.0^677 + 2.0^-677 * im) === 2.0^346 - 2.0^-1008 * im
    @test (1e308 + 1e308im) / (1e308 + 1e308im) === 1.0 + 0.0im
    @test 1.0 / complex(2.0, 0.0) === 0.5 - 0.0im
    @test (1.0 + 1.0im) / complex(Inf, -Inf) === 0.0 + 0.0im
end
@testset "large angles" begin
    @test all(x -> abs(sin(x) - Float32(sin(big(x)))) <= eps(sin(x)), Float32(1.3f7):Float32(3.1f5):Float32(1.0f8))
    @test all(x -> abs(cos(x) - Float32(cos(big(x)))) <= eps(cos(x)), Float32(1.3f7):Float32(3.1f5):Float32(1.0f8))
end
@testset "cuts" begin
    @test asin(2.0 + 0.0im) === conj(asin(2.0 - 0.0im))
    @test imag(acos(complex(-2.0, -0.0))) > 0 && imag(acos(complex(-2.0, 0.0))) < 0
    @test acosh(complex(-Inf, -0.0)) === complex(Inf, -Float64(pi))
    @test atanh(complex(Inf, 1.0)) === complex(0.0, pi / 2)
    @test log(complex(NaN, -Inf)) |> real === Inf
    @test tanh(complex(Inf, Inf)) === complex(1.0, 0.0)
    @test (-4.0 + 0.0im)^1.5 === 0.0 - 8.0im
    @test exp10(1.0 + 0.0im) === 10.0 + 0.0im
end
