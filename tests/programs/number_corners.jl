# Numbers where types and special values meet: constants, complex rationals, hashes, NaN, and functions of one argument.
using Test

Base.@irrational thirdpi 1.0471975511965979 big(pi) / 3
@testset "constants lie between floats" begin
    @test Float64(pi) < pi < nextfloat(Float64(pi)) && prevfloat(Float32(pi)) < pi < Float32(pi)
    @test 223//71 < pi < 22//7 && prevfloat(big(ℯ)) < ℯ && ℯ < nextfloat(big(ℯ))
    @test typemin(pi) === pi === typemax(pi) && ℯ^(1//2) ≈ sqrt(ℯ)
    @test Float64(thirdpi) === 1.0471975511965979 && 3 * big(thirdpi) ≈ big(pi)
    @test_throws AssertionError @eval Base.@irrational wrongpi 1.5 big(pi) / 2
end

@testset "rationals" begin
    @test Rational{Integer}(0x03) === Rational{Integer}(0x03, 0x01) && Rational{Integer}(0x02, -4) === Rational{Integer}(-1, 2)
    z = complex(6, 4)
    @test numerator(z // 4) === complex(3, 2) && denominator(z // 4) === 2
    @test rationalize(0.25 + 0.75im) == 1//4 + 3//4 * im
    io = IOBuffer()
    write(io, 3//7)
    @test read(seekstart(io), Rational{Int}) === 3//7
end

@testset "NaN" begin
    @test rem2pi(-NaN32, RoundDown) === -NaN32 && signbit(BigFloat(-NaN)) && signbit(Float64(-big(NaN)))
    @test extrema([1.0, NaN, -1.0]) === (NaN, NaN) && invoke(isfinite, Tuple{Number}, Inf) == false
end

@testset "hashes" begin
    for x in (0.1, -0.0, 3, 7//16, 5//3, 2.0f0, big(2)^70, big"0.1", NaN, Inf)
        @test hash(x, UInt(3)) == invoke(hash, Tuple{Real, UInt}, x, UInt(3))
    end
    p, q = Ptr{Int8}(8), Ptr{Int16}(8)
    @test p == q && !isequal(p, q) && hash(p) != hash(q)
    @test_throws MethodError isless(p, q)
end

@testset "functions" begin
    @test max(3) === 3 && minmax(2.0) === (2.0, 2.0) && cmp(isless, NaN, 1) == 1 && cmp(>, 1, 2) == 1
    @test nextprod([2, 7], 15) == 16 && nextprod((3, 5), 10) == 15
    @test_throws ArgumentError nextprod([2, 3], big(2)^64)
    @test powermod(5, 0, big(1)) == 0 && gcdx(big(-20), big(-8)) == gcdx(-20, -8) == (4, -1, 2)
    @test_throws DivideError powermod(4, -1, big(6))
    @test prevfloat(1.0, 0x02) === prevfloat(1.0, 2) && prevfloat(0.0, typemax(UInt64)) === -Inf
    @test widemul(true, 0x7f) === 0x7f && widemul(3, 0x0000000000000004) === Int128(12)
    @test bswap(bswap(1.5)) === 1.5 && bswap(true) === true && get(4.0, 2, 9) == 9 && get(() -> 8, 4.0, ()) === 4.0
    @test Base.fma_emulated(floatmax(), 2.0, -floatmax()) === floatmax() && Base.fma_emulated(0.1, 10.0, -1.0) === fma(0.1, 10.0, -1.0)
    @test precision(Float64, base = 10) == 15 && Core.bitcast(UInt64, 1.0) === 0x3ff0000000000000
end

@testset "quotients and turns" begin
    for x in Int8[-128, -127, -1, 0, 1, 126, 127], y in Int8[-128, -3, 1, 2, 127]
        @test (fld1(x, y) - 1) * y + mod1(x, y) == x % Int8
    end
    @test fld1(0xff, 0xfe) === 0x02 && fld1(0.4, 0.9) == fld1(nextfloat(0.4), 0.9) == 1.0
    @test tanpi(big"0.5") == tanpi(0.5) && tanpi(big"-0.5") == tanpi(-0.5) && tanpi(big"1.5") == tanpi(1.5)
    @test tanpi(big"0.25") ≈ 1
end

@testset "division by a known divisor" begin
    for d in Int8[-128, -7, -1, 1, 3, 10, 127], n in Int8[-127, -100, -1, 0, 5, 127]
        @test div(n, Base.multiplicativeinverse(d)) === div(n, d)
    end
    for d in UInt16[1, 2, 7, 641, 0xffff], n in UInt16[0, 1, 640, 0xffff]
        @test divrem(n, Base.multiplicativeinverse(d)) === divrem(n, d)
    end
    @test div(typemax(Int), Base.multiplicativeinverse(-7)) === div(typemax(Int), -7)
end

@testset "promotion that changes nothing" begin
    @test promote(1, 2.0, 3//1) === (1.0, 2.0, 3.0) && promote("a", "b") === ("a", "b")
    @test_throws ErrorException promote([1], [1 2])
    @test 0.37^-2 === 0.37^-2.0 && 1.7f0^9 === 1.7f0^9.0f0 && big(Complex{Int}) === Complex{BigInt}
end
