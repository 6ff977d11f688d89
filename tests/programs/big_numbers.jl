# Integers and floats of any size: values that other arithmetic confirms, conversions that must be exact, refusals.
using Test

@testset "integers" begin
    p = big(2)^127 - 1
    @test p == typemax(Int128) && Int128(p) === typemax(Int128) && string(p) == string(typemax(Int128))
    @test_throws InexactError Int128(p + 1)
    @test_throws InexactError UInt8(big(-1))
    @test (p + 1) % UInt128 === UInt128(1) << 127 && -big(1) % UInt8 === 0xff
    for x in (17, -17, typemin(Int)), y in (5, -5, typemax(Int))
        X, Y = big(x), big(y)
        @test divrem(X, Y) == divrem(x, y) && fld(X, y) == fld(x, y) && mod(x, Y) == mod(x, y) && cld(X, Y) == cld(x, y)
        @test X & y == x & y && x | Y == x | y && xor(X, Y) == xor(x, y) && ~X == ~x && gcd(X, Y) == gcd(x, y)
        @test div(X, Y, RoundNearest) == div(Int128(x), Int128(y), RoundNearest)
    end
    @test_throws DivideError big(1) ÷ 0
    a, b = big(10)^40 + 7, big(3)^50
    g, s, t = gcdx(a, b)
    @test g == gcd(a, b) == s * a + t * b && mod(invmod(b, a) * b, a) == 1
    @test powermod(big(3), 1000, a) == mod(big(3)^1000, a) && powermod(big(3), -5, a) == invmod(big(3)^5, a)
    @test isqrt(a)^2 <= a < (isqrt(a) + 1)^2
    @test (a << 70) >> 70 == a && -a >> 200 == -1 && a << -3 == a >> 3
    @test factorial(big(25)) == prod(big.(1:25)) && binomial(big(60), 30) == 118264581564861424
    @test trailing_zeros(big(40)) == 3 && count_ones(big(2)^100 - 1) == 100 && ndigits(big(10)^50) == 51
    @test parse(BigInt, "-ff", base = 16) == -255 && tryparse(BigInt, "12x") === nothing
    @test string(-big(5), base = 2, pad = 5) == "-00101" && digits(big(10)^20 + 2)[[1, 2, 21]] == [2, 0, 1]
    @test typeof(1 + big(1)) == BigInt && typeof(0x01 * big(1)) == BigInt && typeof([1, big(2)]) == Vector{BigInt}
    @test big"1_000_000" == 10^6 && 1000000000000000000000000000000000000000000 == big(10)^42
    @test sum(big.(1:100)) == 5050 && collect(big(1):3) == [1, 2, 3] && big(3) // 6 == 1 // 2
    @test big(2)^53 + 1 > 2.0^53 && big(2)^1100 > floatmax() && !(big(1) < NaN) && big(2)^70 == 2.0^70
    @test Float64(big(2)^53 + 1) == 2.0^53 && Float32(big(2)^200) === Inf32
    @test hash(big(7)) == hash(7) && hash(big(2)^80) == hash(2.0^80) == hash(Int128(2)^80)
    @test_throws OutOfMemoryError big(1) << typemax(Int)
    n = -2
    @test_throws DomainError big(2)^n
    @test big(2)^-2 == 0.25
end

@testset "floats" begin
    third = BigFloat(1) / 3
    @test precision(third) == 256 && abs(3third - 1) < big"1e-76"
    @test string(big"0.1") == "0.1000000000000000000000000000000000000000000000000000000000000000000000000000002"
    @test string.([big(1e10), big(123456.0), big(0.5), -big(2.0)^-10]) == ["1.0e+10", "123456.0", "0.5", "-0.0009765625"]
    @test setprecision(() -> BigFloat(1) / 3, 53) == 1 / 3 && precision(BigFloat) == 256
    @test setprecision(BigFloat, 24) do
        setrounding(BigFloat, RoundUp) do
            Float32(BigFloat(1) / 3) == nextfloat(Float32(1 / 3), 1) - (1f0 / 3 > 1 / 3 ? eps(1f0 / 3) : 0)
        end
    end
    down = setrounding(() -> exp(big(1.0)), BigFloat, RoundDown)
    up = setrounding(() -> exp(big(1.0)), BigFloat, RoundUp)
    @test up == nextfloat(down) && down < exp(big(1)) + eps(up) && Float64(down) == exp(1.0)
    for f in (exp, log, sin, cos, tan, atan, sqrt, cbrt, sinh, tanh, log2, exp2), x in (0.3, 1.7, 12.0)
        @test Float64(f(big(x))) ≈ f(x)
    end
    @test sin(big(pi)) < 1e-76 && exp(log(big(10))) ≈ 10 && big(2.25)^1.5 == 3.375 && big(2.0)^-2 == 0.25
    @test isnan(big(NaN)) && isinf(-big(Inf)) && signbit(-big(0.0)) && 1 / -big(0.0) == -Inf && isnan(big(0.0) / 0)
    @test_throws DomainError sqrt(big(-1.0))
    @test_throws DomainError log(big(-1.0))
    @test round(Int, big"2.5") == 2 && floor(BigInt, -big"2.5") == -3 && ceil(big"1.2") == 2 && trunc(big(-0.5)) === trunc(big(-0.5)) ||
        signbit(trunc(big(-0.5)))
    @test_throws InexactError Int(big"1.5")
    @test_throws InexactError round(Int, big"1e30")
    @test rem(big"7.5", 2) == 1.5 && mod(-big"7.5", 2) == 0.5 && fma(big"2.0", 3, 4) == 10
    @test big(0.1) == 0.1 && big"0.1" != 0.1 && big(2.0)^100 == big(2)^100 && big(1.0) < big(2) && big(0.5) == 1 // 2
    @test Float64(big"1e-330") == 0 && Float64(big"1e400") == Inf && Float64(big"5e-324") == nextfloat(0.0)
    @test ldexp(big(1.0), 5) == 32 && frexp(big(6.0)) == (0.75, 3) && exponent(big(6.0)) == 2 && significand(big(6.0)) == 1.5
    @test nextfloat(big(1.0)) - 1 == eps(BigFloat) && prevfloat(nextfloat(big(0.0))) == 0
    @test hash(big(0.5)) == hash(0.5) && isequal(big(NaN), big(NaN)) && typeof(1 + big(1.0)) == BigFloat
    @test parse(BigFloat, "1.5e3") == 1500 && tryparse(BigFloat, "1.5x") === nothing && BigFloat("0x1p-2") == 0.25
    @test widen(1.0) isa BigFloat && widen(typemax(Int128)) + 1 == big(2)^127 && float(big(3)) isa BigFloat
end
