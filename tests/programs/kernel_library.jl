# The library in kernels: what reductions, functions of integers and neighbours of floats give there is what they give here.
using CUDA, Test

# MISSION G: reductions are loops in kernels. Drivers may add floats of a loop in an order of theirs.
function reduces(out, a)
    out[1] = sum(a)
    out[2] = maximum(a)
    out[3] = mapreduce(x -> x * x, +, a)
    out[4] = foldl(-, a)
    low, high = extrema(a)
    out[5] = high - low
    out[6] = count(x -> x > 1, a)
    out[7] = any(x -> x > 8, a) + 2 * all(x -> x < 3, a)
    out[8] = prod(x -> 1 + x / 1000, a)
    out[9] = sum((a[1], a[2], a[3])) + maximum((a[2], a[3]))
    out[10] = sum(2:7) + sum(i * i for i in 1:9)
    out[11] = reduce(+, a; init = 2)
    return
end
@testset "reductions of $n elements" for n in (3, 1024, 1025, 5000, 70001), T in (Float32, Float64)
    a = T[sin(i) * (1 + i % 7) for i in 1:n]
    out = CuArray(zeros(T, 11))
    expected = zeros(T, 11)
    reduces(expected, a)
    @cuda reduces(out, CuArray(a))
    @test isapprox(Array(out), expected; rtol = n * eps(T))
end

# MISSION G: the halves of a pairwise reduction are the host's: this operation tells every order from every other.
combine(x, y) = 3x - 7y
reduces_ordered(out, a) = (out[1] = mapreduce(x -> 2x + 1, combine, a); return)
@testset "the order of $n elements" for n in (1, 2, 1023, 1024, 1025, 2048, 2049, 4097, 33333, 70001)
    a, out, expected = [i * i % 1009 for i in 1:n], CuArray([0]), [0]
    reduces_ordered(expected, a)
    @cuda reduces_ordered(out, CuArray(a))
    @test Array(out) == expected
end

# MISSION G: no integers of 128 bits on the way.
function counts(out, a)
    x, y, m = a[1], a[2], a[3]
    out[1] = isqrt(abs(x))
    out[2] = powermod(x, 77, m)
    out[3] = powermod(y, 3, -m)
    out[4] = gcd(x, y)
    out[5] = lcm(Int32(6), Int32(4))
    out[6] = div(x, m, RoundNearest)
    out[7] = rem(x, m, RoundNearest)
    out[8] = reinterpret(Int64, nextfloat(reinterpret(Float64, y), 3))
    out[9] = reinterpret(Int32, prevfloat(1.0f0)) + reinterpret(Int32, nextfloat(-0.0f0)) % Int32(7)
    out[10] = widemul(Int32(x % 1000000), Int32(y % 1000000))
    out[11] = rem(Float64(y) * 1024.0, Int64)
    out[12] = invmod(abs(m), 7919)
    return
end
@testset "integers" for (x, y, m) in ((12345678901234567, -987654321098765, 1000003), (5, 3, 7),
        (typemax(Int64), typemin(Int64) + 1, typemax(Int64) - 24), (-4611686018427387905, 13, 4611686018427387905))
    out = CuArray(zeros(Int64, 12))
    expected = zeros(Int64, 12)
    counts(expected, [x, y, m])
    @cuda counts(out, CuArray([x, y, m]))
    @test Array(out) == expected
end
@testset "neighbours and roots" begin
    @test nextfloat(1.0, typemax(Int)) == Inf && nextfloat(Inf, typemin(Int)) === -floatmin(Float64)
    @test nextfloat(-5.0e-324) === -0.0 && prevfloat(5.0e-324) === 0.0 && nextfloat(0.0) == 5.0e-324
    @test nextfloat(-Inf, 3) == -prevfloat(floatmax(Float64), 2) && nextfloat(Float16(1), 0x03) == Float16(1.00293)
    @test isqrt(typemax(Int64)) == 3037000499 && isqrt(typemax(UInt64)) == 0xffffffff && isqrt(Int8(127)) === Int8(11)
    @test map(isqrt, (0, 1, 2, 3, 4, 8, 9, 15, 16)) == (0, 1, 1, 1, 2, 2, 3, 3, 4)
    @test div(7, 2, RoundNearest) == 4 && div(5, 2, RoundNearest) == 2 && div(-7, 2, RoundNearestTiesAway) == -4
    @test log(2, 8.0f0) === 3.0f0 && hypot(3.0f0, 4) === 5.0f0
    @test cbrt(floatmax(Float64)) == 5.643803094122362e102 && cbrt(-1.0e303) == -1.0e101
end

# MISSION G: functions of floats within two units in the last place.
const FUNCTIONS = (sin, cos, tan, x -> sinpi(x), cospi, atan, sinh, cosh, tanh, asinh, exp, exp2, exp10, expm1, cbrt,
    x -> log(abs(x)), x -> log2(abs(x)), x -> log10(abs(x)), x -> log1p(abs(x)), x -> asin(x / 100), x -> acos(x / 100),
    x -> acosh(1 + abs(x)), x -> atanh(x / 100), x -> abs(x)^oftype(x, 1.25), x -> x^5, x -> hypot(x, 3), x -> atan(x, oftype(x, -2)),
    x -> mod2pi(x), x -> rem2pi(x, RoundNearest), x -> sincos(x)[2], x -> x^-3)
function computes(f, out, a)
    i = threadIdx().x
    out[i] = f(a[i])
    return
end
bits(x::Float32) = Int64(reinterpret(Int32, x))
bits(x::Float64) = reinterpret(Int64, x)
rank(x) = (b = bits(x); b < 0 ? (typeof(x) === Float32 ? -Int64(0x80000000) : typemin(Int64)) - b : b)
near(x, y) = isequal(x, y) || abs(rank(x) - rank(y)) <= 2
@testset "functions of $T" for T in (Float32, Float64)
    a = T[-17.25, -3.5, -1, -0.3, -1.0e-6, -0.0, 0, 1.0e-12, 0.1, 0.75, 1, 2, 3.1415927, 20.5, 65.0]
    for f in FUNCTIONS
        out = CuArray(zeros(T, length(a)))
        @cuda threads = length(a) computes(f, out, CuArray(a))
        @test all(map(near, Array(out), map(f, a)))
    end
end

# MISSION R: an argument outside of a function's domain is an error, for every implementation of the function.
@test_throws DomainError (@cuda computes(log, CuArray([1.0f0]), CuArray([-1.0f0])); synchronize())
@test_throws DomainError (@cuda computes(sin, CuArray([1.0]), CuArray([Inf])); synchronize())
@test_throws DomainError (@cuda computes(acosh, CuArray([1.0f0]), CuArray([0.5f0])); synchronize())
