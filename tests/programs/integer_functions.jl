# Integers of two types, divisors, digits and powers; rationals against floats. Each is checked by another computation.
using Test

@testset "arithmetic of two integer types" begin
    @test UInt64(5) + (-1) === UInt64(4) && UInt8(3) - Int8(4) === 0xff && UInt64(2) * -1 === typemax(UInt64) - 1
    @test 0xff & Int8(-1) === 0xff && Int8(-1) | 0x01 === 0xff && xor(0x0f, Int8(-1)) === 0xf0
    @test typemax(Int) < 2.0^63 && !(2.0^63 <= typemax(Int))
    @test fld(-7, UInt(2)) == -4 && cld(UInt(7), 2) == 4 && fld(true, true) && Base.checked_add(true) === 1
    for x in Int8(-5):Int8(5), y in UInt8[1, 2, 3]
        @test fld(x, y) == fld(Int(x), Int(y)) && cld(x, y) == cld(Int(x), Int(y)) && mod(x, y) == mod(Int(x), Int(y))
    end
end

@testset "divisors and inverses" begin
    @test gcd(typemin(Int), 6) == 2 && gcd(UInt8(6), -4) == 2 && gcd(Int[]) == 0 && lcm([2, 3, 4]) == 12
    @test_throws OverflowError gcd(typemin(Int8), typemin(Int8))
    for a in -20:7:40, b in -9:4:30
        d, s, t = gcdx(a, b)
        @test d == gcd(a, b) && d == s * a + t * b
    end
    @test all(mod(invmod(n, 97) * n, 97) == 1 for n in 1:96) && invmod(0x03) * 0x03 == 0x01
    @test_throws DomainError invmod(4, 6)
    @test powermod(3, -2, 7) == mod(invmod(3, 7)^2, 7) && powermod(2, 200, Int128(10)^30) == mod(big(2)^200, big(10)^30)
    @test all(isqrt(n^2) == n && isqrt(n^2 - 1) == n - 1 for n in (2, 3, 94906267, 3037000499))
    @test factorial(Int8(5)) === 120 && factorial(Int128(33)) isa Int128
    @test_throws OverflowError factorial(21)
    @test_throws OverflowError binomial(70, 35)
    @test binomial(-5, 3) == -35 && nextpow(3, 28) == 81 && prevpow(3, 80) == 27 && nextpow(2, 1) == 1
end

@testset "digits" begin
    for base in (2, 3, 10, 16, 60, -2, -10), x in (0, 1, 7, 255, 123456, -98765)
        (base > 0 && x < 0) && continue
        d = digits(x; base = base)
        @test sum(d[i] * big(base)^(i - 1) for i in eachindex(d)) == x && length(d) == ndigits(x; base = base)
    end
    @test digits(Int8, 300; base = 16) isa Vector{Int8} && digits(-12) == [-2, -1]
    @test string(-255; base = 16, pad = 5) == "-000ff" && string(61; base = 62) == "z" && string(36; base = 37) == "a"
    @test_throws DomainError ndigits(5; base = 1)
end

@testset "rationals" begin
    @test 0.1 != 1 // 10 && 1 // 10 < 0.1 && 0.5 == 1 // 2 && 1 // 3 > 0.3333 && !(1 // 3 < NaN) && 1 // 0 == Inf
    @test (1 // 3 < Float64(1 // 3)) == (big(1) // 3 < Rational{BigInt}(1 / 3)) && !(1 // 2 < floatmin())
    @test rationalize(0.1) == 1 // 10 && rationalize(1 / 3) == 1 // 3 && Rational(0.75) == 3 // 4
    @test 7 // 2 ÷ 2 == 1 && rem(-7 // 2, 1) == -1 // 2 && round(Int, 5 // 2) == 2 && 1 // 2 + 1 == 3 // 2
    @test gcd(1 // 2, 3 // 4) == 1 // 4 && lcm(1 // 2, 3 // 4) == 3 // 2 && (2 // 3)^-2 == 9 // 4
    @test_throws OverflowError typemin(Int) // 1 * -1
    @test_throws ArgumentError 0 // 0
    @test hash(1 // 2) == hash(0.5) && hash(3 // 1) == hash(3)
end
