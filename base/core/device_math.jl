# Elementary functions of `Float32` that compute in `Float32`: on GPUs `Float64` is slow, or missing. Errors are below 2 units in
# the last place (docs/accuracy.md). Coefficients are minimax fits, rounded one after the other.
module DeviceMath

import Base: fma, evalpoly, two_over_pi_bits, product_high

@inline whole(x::Float32) = Core.Intrinsics.fptosi(Int32, x)
# x * y rounded to a whole number below 2^21: as an integer, which is the last bits of a sum, and as a float. A NaN gives some integer.
@inline function nearest(x::Float32, y::Float32)
    t = fma(x, y, 12582912.0f0)
    return reinterpret(Int32, t) - 0x4b400000 % Int32, t - 12582912.0f0
end
# 2^n of a normal number.
@inline pow2(n::Int32) = reinterpret(Float32, (n + Int32(127)) << 23)
# x * 2^n in two steps: the result may be subnormal, or overflow.
@inline function times_pow2(x::Float32, n::Int32)
    a = n >> 1
    return x * pow2(a) * pow2(n - a)
end
# The sum of two numbers, the first of which is the greater one, and what rounding took.
@inline function quick_sum(a::Float32, b::Float32)
    s = a + b
    return s, (a - s) + b
end
@inline is_odd(y::Float32) = (abs(y) < 16777216.0f0) & (trunc(y) == y) && whole(ifelse(abs(y) < 16777216.0f0, y, 0.0f0)) & Int32(1) == Int32(1)

# Exponentials: e^x = 2^n * (1 + m).
const EXP = (0.5f0, 0.166666672f0, 0.0416665152f0, 0.00833319686f0, 0.00139304053f0, 0.000199541653f0)
const EXP2 = (0.693147182f0, 0.240226507f0, 0.0555039868f0, 0.00961808953f0, 0.00133458886f0, 0.000154496563f0, 1.21051216f-5)
@inline function exp_parts(x::Float32)
    k, n = nearest(x, 1.442695f0)
    r = fma(n, -1.42860677f-6, fma(n, -0.693145752f0, x))
    return k, fma(r * r, evalpoly(r, EXP), r)
end
# The number, or the limit that it is beyond; functions are constant there. A NaN stays one.
@inline within(x::Float32, least::Float32, most::Float32) = ifelse(x < least, least, ifelse(x > most, most, x))

@inline function exp(x::Float32)
    n, m = exp_parts(within(x, -104.0f0, 89.0f0))
    return times_pow2(1.0f0 + m, n)
end
@inline function exp2(x::Float32)
    y = within(x, -151.0f0, 129.0f0)
    k, n = nearest(y, 1.0f0)
    r = y - n
    return times_pow2(fma(r, evalpoly(r, EXP2), 1.0f0), k)
end
@inline function exp10(x::Float32)
    y = within(x, -45.5f0, 38.75f0)
    k, n = nearest(y, 3.32192802f0)
    r = fma(n, -4.60503907f-6, fma(n, -0.301025391f0, y))
    t = r * 2.30258512f0
    l = fma(r, -3.19754356f-8, fma(r, 2.30258512f0, -t))
    m = fma(t * t, evalpoly(t, EXP), fma(l, t, l)) + t
    return times_pow2(1.0f0 + m, k)
end
@inline function expm1(x::Float32)
    n, m = exp_parts(within(x, -18.0f0, 89.0f0))
    s = pow2(min(n, Int32(126)))
    y = ifelse(n > Int32(60), times_pow2(1.0f0 + m, n), fma(m, s, s - 1.0f0))
    return ifelse(x == 0.0f0, x, y)
end

# Hyperbolic functions.
const SINH = (0.166666672f0, 0.00833325461f0, 0.00019859687f0, 2.66661982f-6)
const TANH = (-0.333333343f0, 0.133334517f0, -0.0539907403f0, 0.0220073815f0, -0.00908821076f0, 0.00311016454f0)
# Half of e^x, for x >= 0.
@inline function half_exp(x::Float32)
    n, m = exp_parts(within(x, 0.0f0, 91.0f0))
    return times_pow2(1.0f0 + m, n - Int32(1))
end
@inline function sinh(x::Float32)
    a = abs(x)
    z = a * a
    t = half_exp(a)
    return copysign(ifelse(a < 1.0f0, fma(a * z, evalpoly(z, SINH), a), t - 0.25f0 / t), x)
end
@inline function cosh(x::Float32)
    t = half_exp(abs(x))
    return t + 0.25f0 / t
end
@inline function tanh(x::Float32)
    a = abs(x)
    z = a * a
    small = fma(a * z, evalpoly(z, TANH), a)
    n, m = exp_parts(2.0f0 * within(a, 0.0f0, 10.0f0))
    great = 1.0f0 - 2.0f0 / (times_pow2(1.0f0 + m, n) + 1.0f0)
    return copysign(ifelse(a < 0.6f0, small, great), x)
end

# Logarithms: x = 2^e * (1 + f), and log(1 + f) = f + rest.
const LOG1P = (0.333333313f0, -0.249999806f0, 0.200006798f0, -0.16669181f0, 0.142513603f0, -0.123962954f0, 0.116327628f0,
    -0.116614245f0, 0.073382549f0)
@inline function log_parts(x::Float32)
    is_small = x < 1.17549435f-38
    bits = reinterpret(UInt32, ifelse(is_small, x * 8388608.0f0, x)) - 0x3f3504f3
    e = (reinterpret(Int32, bits) >> 23) - ifelse(is_small, Int32(23), Int32(0))
    return e, reinterpret(Float32, (bits & 0x007fffff) + 0x3f3504f3) - 1.0f0
end
@inline function log1p_rest(f::Float32)
    z = f * f
    return fma(z * f, evalpoly(f, LOG1P), -0.5f0 * z)
end
# `y` of positive numbers.
@inline positive(x::Float32, y::Float32) =
    ifelse(x == 0.0f0, -Inf32, ifelse(x < 0.0f0, NaN32, ifelse(x < Inf32, y, x)))
@inline log_of(e::Float32, f::Float32) = fma(e, 0.693145752f0, f + fma(e, 1.42860677f-6, log1p_rest(f)))
@inline function log(x::Float32)
    e, f = log_parts(x)
    return positive(x, log_of(Float32(e), f))
end
# log(1 + f) times a constant in two parts, plus another number, in two parts, too, the greater one or 0.
@inline function scaled_log(f::Float32, h::Float32, l::Float32, e::Float32, el::Float32)
    a, b = quick_sum(f, log1p_rest(f))
    r = a * h
    rl = fma(a, h, -r) + fma(a, l, b * h)
    s, sl = quick_sum(e, r)
    return s + (sl + (rl + el))
end
@inline function log2(x::Float32)
    e, f = log_parts(x)
    return positive(x, scaled_log(f, 1.44269502f0, 1.92596303f-8, Float32(e), 0.0f0))
end
@inline function log10(x::Float32)
    e, f = log_parts(x)
    n = Float32(e)
    return positive(x, scaled_log(f, 0.434294492f0, -1.010305f-8, n * 0.301025391f0, n * 4.60503907f-6))
end
@inline function log1p(x::Float32)
    u = 1.0f0 + x
    e, f = log_parts(u)
    s = pow2(-min(max(e, Int32(-30)), Int32(30)))
    f = ifelse(e < Int32(30), fma(s, x, s - 1.0f0), f)
    return ifelse(x == 0.0f0, x, positive(u, log_of(Float32(e), f)))
end
@inline function asinh(x::Float32)
    a = abs(x)
    z = a * a
    is_great = a > 1.0f9
    y = log1p(ifelse(is_great, a, a + z / (1.0f0 + sqrt(1.0f0 + z))))
    return copysign(ifelse(is_great, y + 0.693147182f0, y), x)
end
@inline function acosh(x::Float32)
    t = x - 1.0f0
    is_great = x > 1.0f9
    y = log1p(ifelse(is_great, t, t + sqrt(fma(t, t, 2.0f0 * t))))
    return ifelse(is_great, y + 0.693147182f0, y)
end
@inline function atanh(x::Float32)
    a = abs(x)
    return copysign(0.5f0 * log1p(2.0f0 * a / (1.0f0 - a)), x)
end

# Circular functions: what is left of x after so many quarters of a turn, in two parts.
const SIN = (-0.166666672f0, 0.00833346788f0, -0.000198962109f0, 3.31346678f-6)
const COS = (0.0416666679f0, -0.00138892268f0, 2.49406548f-5, -4.19925669f-7)
const TAN = (0.333333343f0, 0.133332044f0, 0.0539988615f0, 0.0215922501f0, 0.0100507597f0, 0.00105797872f0, 0.00391235435f0)
@inline function reduce(x::Float32)
    abs(x) < 32768.0f0 || return reduce_great(x)
    k, n = nearest(x, 0.636619747f0)
    a = fma(n, -1.57079637f0, x)
    p = n * 4.37113883f-8
    # Either may be the greater one.
    s = a + p
    b = s - a
    l = (a - (s - b)) + (p - b)
    r, rl = quick_sum(s, l + fma(n, 1.71512451f-15, fma(n, 4.37113883f-8, -p)))
    return k, r, rl
end
# The bits of 2/pi that matter times the significand, modulo 4 quarters: a turn is 2^64 parts.
@noinline function reduce_great(x::Float32)
    isfinite(x) || return Int32(0), NaN32, NaN32
    bits = reinterpret(UInt32, x) & 0x7fffffff
    e = Int(bits >> 23)
    m = UInt64((bits & 0x007fffff) | 0x00800000)
    part = m * two_over_pi_bits(e - 152) + product_high(m, two_over_pi_bits(e - 88))
    part = ifelse(signbit(x), -part, part)
    n = (part + 0x2000000000000000) >> 62
    left = reinterpret(Int64, part - (n << 62))
    h = Float32(left)
    l = Float32(left - Core.Intrinsics.fptosi(Int64, h))
    r = h * 3.40612167f-19
    return n % Int32, r, fma(h, 3.40612167f-19, -r) + fma(l, 3.40612167f-19, h * -9.47839643f-27)
end
@inline function sin_rest(r::Float32, l::Float32)
    z = r * r
    return r + fma(z * r, evalpoly(z, SIN), l)
end
@inline function cos_rest(r::Float32, l::Float32)
    z = r * r
    w, wl = quick_sum(1.0f0, -0.5f0 * z)
    return w + (wl + fma(z * z, evalpoly(z, COS), -r * l))
end
@inline turned(n::Int32, s::Float32, c::Float32) =
    ifelse(n & Int32(2) == Int32(0), 1.0f0, -1.0f0) * ifelse(n & Int32(1) == Int32(0), s, c)
@inline function sincos(x::Float32)
    n, r, l = reduce(x)
    s, c = sin_rest(r, l), cos_rest(r, l)
    return ifelse(x == 0.0f0, x, turned(n, s, c)), turned(n + Int32(1), s, c)
end
@inline sin(x::Float32) = sincos(x)[1]
@inline cos(x::Float32) = sincos(x)[2]
@inline function tan_after(n::Int32, r::Float32, l::Float32)
    z = r * r
    t, tl = quick_sum(r, fma(z * r, evalpoly(z, TAN), fma(l, z, l)))
    q = -1.0f0 / t
    q = fma(q, fma(q, t, 1.0f0) + q * tl, q)
    return ifelse(n & Int32(1) == Int32(0), t + tl, q)
end
@inline function tan(x::Float32)
    n, r, l = reduce(x)
    return ifelse(x == 0.0f0, x, tan_after(n, r, l))
end
const SINPI = (-5.16771269f0, 2.55013895f0, -0.598217189f0, 0.0706889853f0)
const COSPI = (-4.93480206f0, 4.05864191f0, -1.32981265f0, 0.0982340872f0, 1.05851948f0)
# Quarters of a turn in `x`, and the rest, if 2 is a turn. A great `x` is a whole number of turns.
@inline function reduce_halves(x::Float32)
    y = ifelse(abs(x) < 16777216.0f0, x, 0.0f0)
    n = Core.Intrinsics.rint_llvm(2.0f0 * y)
    return whole(n), fma(n, -0.5f0, y)
end
@inline function times_pi(r::Float32)
    h = r * 3.14159274f0
    return h, fma(r, -8.74227766f-8, fma(r, 3.14159274f0, -h))
end
@inline function sincospi(x::Float32)
    k, r = reduce_halves(x)
    z = r * r
    h, l = times_pi(r)
    s = h + fma(z * r, evalpoly(z, SINPI), l)
    c = fma(z, evalpoly(z, COSPI), 1.0f0)
    sine, cosine = turned(k, s, c), turned(k + Int32(1), s, c)
    sine = ifelse(trunc(x) == x, copysign(0.0f0, x), sine)
    return ifelse(isfinite(x), sine, NaN32), ifelse(isfinite(x), ifelse(cosine == 0.0f0, 0.0f0, cosine), NaN32)
end
@inline sinpi(x::Float32) = sincospi(x)[1]
@inline cospi(x::Float32) = sincospi(x)[2]
@inline function tanpi(x::Float32)
    k, r = reduce_halves(x)
    h, l = times_pi(r)
    s, c = sincospi(x)
    return ifelse((r == 0.0f0) | !isfinite(x), s / c, tan_after(k, h, l))
end

# Inverse circular functions.
const ASIN = (0.166666657f0, 0.0750020966f0, 0.044567477f0, 0.031425301f0, 0.0157631543f0, 0.0357990526f0)
const ATAN = (-0.333333313f0, 0.199997082f0, -0.142781422f0, 0.110313736f0, -0.0865002871f0, 0.0623926558f0, -0.0357745178f0,
    0.0134628993f0, -0.00237867888f0)
# asin of sqrt((1 - a) / 2), for a in [1/2, 1]: the root, and what is left.
@inline function asin_of_half(a::Float32)
    z = 0.5f0 * (1.0f0 - a)
    s = sqrt(z)
    l = ifelse(z > 0.0f0, fma(-s, s, z) / (2.0f0 * s), 0.0f0)
    return s, fma(s * z, evalpoly(z, ASIN), l)
end
@inline function asin(x::Float32)
    a = abs(x)
    z = a * a
    s, l = asin_of_half(ifelse(a > 0.5f0, a, 1.0f0))
    t, tl = quick_sum(1.57079637f0, -2.0f0 * s)
    return copysign(ifelse(a > 0.5f0, t + (tl + fma(-2.0f0, l, -4.37113883f-8)), fma(a * z, evalpoly(z, ASIN), a)), x)
end
@inline function acos(x::Float32)
    a = abs(x)
    z = a * a
    s, l = asin_of_half(ifelse(a > 0.5f0, a, 1.0f0))
    t, tl = quick_sum(3.14159274f0, -2.0f0 * s)
    outer = ifelse(x > 0.0f0, 2.0f0 * (s + l), t + (tl + fma(-2.0f0, l, -8.74227766f-8)))
    t, tl = quick_sum(1.57079637f0, -x)
    return ifelse(a > 0.5f0, outer, t + (tl + (-4.37113883f-8 - x * z * evalpoly(z, ASIN))))
end
# atan(q + l), for q in [0, 1], without q itself.
@inline function atan_rest(q::Float32, l::Float32)
    z = q * q
    return fma(q * z, evalpoly(z, ATAN), l * fma(-0.5f0, z, 1.0f0))
end
@inline function atan(x::Float32)
    a = abs(x)
    is_great = a > 1.0f0
    q = ifelse(is_great, 1.0f0 / a, a)
    l = ifelse(is_great & (a < 1.0f30), fma(-q, a, 1.0f0) * q, 0.0f0)
    v = atan_rest(q, l)
    t, tl = quick_sum(1.57079637f0, -q)
    return copysign(ifelse(is_great, t + (tl + (-4.37113883f-8 - v)), q + v), x)
end
@inline function atan(y::Float32, x::Float32)
    a, b = abs(x), abs(y)
    most, least = max(a, b), min(a, b)
    q = ifelse(most == least, ifelse(most == 0.0f0, 0.0f0, 1.0f0), least / most)
    l = ifelse((1.0f-30 < least) & (most < 1.0f30), fma(-q, most, least) / most, 0.0f0)
    is_steep, is_left = b > a, signbit(x)
    turn = ifelse(is_steep != is_left, -1.0f0, 1.0f0)
    v = turn * atan_rest(q, l)
    h = ifelse(is_steep, 1.57079637f0, ifelse(is_left, 3.14159274f0, 0.0f0))
    low = ifelse(is_steep, -4.37113883f-8, ifelse(is_left, -8.74227766f-8, 0.0f0))
    t, tl = quick_sum(h, turn * q)
    return ifelse(isnan(x) | isnan(y), x + y, copysign(t + (tl + (low + v)), y))
end

# Roots and powers.
@inline function cbrt(x::Float32)
    a = abs(x)
    is_small, is_great = a < 1.0f-30, a > 1.0f30
    a *= ifelse(is_small, 2.81474977f14, ifelse(is_great, 3.55271368f-15, 1.0f0))
    t = reinterpret(Float32, div(reinterpret(UInt32, a), 0x00000003) + 0x2a512ce3)
    r = t * t * t
    t = t * (fma(2.0f0, a, r) / fma(2.0f0, r, a))
    # By Newton's rule, with what is missing to the cube exactly.
    s = t * t
    missing = fma(-s, t, a) - fma(t, t, -s) * t
    t = fma(missing, 1.0f0 / (3.0f0 * s), t)
    t *= ifelse(is_small, 1.52587891f-5, ifelse(is_great, 65536.0f0, 1.0f0))
    return ifelse((x == 0.0f0) | !isfinite(x), x, copysign(t, x))
end
@inline function hypot(x::Float32, y::Float32)
    a, b = abs(x), abs(y)
    most, least = max(a, b), min(a, b)
    is_small, is_great = most < 1.0f-15, most > 1.0f15
    up = ifelse(is_great, 8.27180613f-25, ifelse(is_small, 1.26765060f30, 1.0f0))
    down = ifelse(is_great, 1.20892582f24, ifelse(is_small, 7.88860905f-31, 1.0f0))
    most, least = most * up, least * up
    h = sqrt(fma(most, most, least * least)) * down
    return ifelse(isinf(x) | isinf(y), Inf32, ifelse(isnan(x) | isnan(y), NaN32, h))
end
# log2 of a positive number, in two parts of 2^-33 relative: by way of log(m) = 2 (s + s^3/3 + ...), s = (m - 1) / (m + 1).
@inline function log2_parts(x::Float32)
    n, f = log_parts(x)
    b = f + 2.0f0
    bl = f - (b - 2.0f0)
    q = f / b
    ql = (fma(-q, b, f) - q * bl) / b
    z = q * q
    zl = fma(q, q, -z) + 2.0f0 * q * ql
    p, pl = quick_sum(0.666666687f0, z * evalpoly(z, (0.400000155f0, 0.285621464f0, 0.230511114f0)))
    pl += -1.98682155f-8
    u = z * p
    ul = fma(z, p, -u) + fma(z, pl, zl * p)
    v = q * u
    vl = fma(q, u, -v) + fma(q, ul, ql * u)
    h, l = quick_sum(2.0f0 * q, v)
    l += fma(2.0f0, ql, vl)
    g = h * 1.44269502f0
    gl = fma(h, 1.44269502f0, -g) + fma(h, 1.92596303f-8, l * 1.44269502f0)
    s, sl = quick_sum(Float32(n), g)
    return quick_sum(s, sl + gl)
end
@inline function pow(x::Float32, y::Float32)
    a = abs(x)
    h, l = log2_parts(a)
    p = y * h
    p = ifelse(abs(p) < 200.0f0, p, ifelse(p > 0.0f0, 200.0f0, -200.0f0))
    pl = ifelse(abs(p) < 200.0f0, fma(y, h, -p) + y * l, 0.0f0)
    k, n = nearest(p, 1.0f0)
    r = (p - n) + pl
    t = times_pow2(fma(r, evalpoly(r, EXP2), 1.0f0), k)
    grows = (a > 1.0f0) == (y > 0.0f0)
    t = ifelse((a == 0.0f0) | isinf(a) | isinf(y), ifelse(grows, Inf32, 0.0f0), t)
    t = ifelse(a == 1.0f0, 1.0f0, t)
    t = ifelse(signbit(x) & is_odd(y), -t, t)
    t = ifelse(isnan(x) | isnan(y) | ((x < 0.0f0) & isfinite(x) & isfinite(y) & (trunc(y) != y)), NaN32, t)
    return ifelse((x == 1.0f0) | (y == 0.0f0), 1.0f0, t)
end

end
