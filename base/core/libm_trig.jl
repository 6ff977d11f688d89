# Sine, cosine, tangent and their inverses.

# Multiples of pi/2 are taken away in four parts; each part has 30 bits, so its product with `n` is exact.
# Gives the quadrant, and what is left as a pair.
@inline function reduce_medium(x::Float64)
    n, k = nearest_whole(x * 0.6366197723675814)
    a = muladd(n, -1.570796325802803, x)
    h, l = full_sum(a, n * -9.920935791635221e-10)
    h, l2 = full_sum(h, n * -5.17018297889025e-19)
    h, l = quick_sum(h, muladd(n, -2.903855972970775e-28, l + l2))
    (k, h, l)
end
# The bits of 2/pi after the point, in words of 64.
function two_over_pi_word(i::Int)
    i < 0 ? 0x0000000000000000 :
    i == 0 ? 0xa2f9836e4e441529 : i == 1 ? 0xfc2757d1f534ddc0 : i == 2 ? 0xdb6295993c439041 :
    i == 3 ? 0xfe5163abdebbc561 : i == 4 ? 0xb7246e3a424dd2e0 : i == 5 ? 0x06492eea09d1921c :
    i == 6 ? 0xfe1deb1cb129a73e : i == 7 ? 0xe88235f52ebb4484 : i == 8 ? 0xe99c7026b45f7e41 :
    i == 9 ? 0x3991d639835339f4 : i == 10 ? 0x9c845f8bbdf9283b : i == 11 ? 0x1ff897ffde05980f :
    i == 12 ? 0xef2f118b5a0a6d1f : i == 13 ? 0x6d367ecf27cb09b7 : i == 14 ? 0x4f463f669e5fea2d :
    i == 15 ? 0x7527bac7ebe5f17b : i == 16 ? 0x3d0739f78a5292ea : i == 17 ? 0x6bfb5fb11f8d5d08 :
    i == 18 ? 0x56033046fc7b6bab : 0xf0cfbc209af4361d
end
function two_over_pi_bits(from::Int)
    i = from >> 6
    s = from & 63
    a = two_over_pi_word(i)
    s == 0 ? a : (a << s) | (two_over_pi_word(i + 1) >> (64 - s))
end
# The upper half of a product; devices have no wider integers.
@inline function product_high(a::UInt64, b::UInt64)
    a0, a1 = a & 0xffff_ffff, a >> 32
    b0, b1 = b & 0xffff_ffff, b >> 32
    mid = a1 * b0 + (a0 * b0) >> 32
    return a1 * b1 + mid >> 32 + (a0 * b1 + mid & 0xffff_ffff) >> 32
end
# For great `x`: of the product with 2/pi only the two bits before the point and those after it matter, and only
# some 190 bits of 2/pi, beginning where the exponent of `x` says, bear on them.
@noinline function reduce_great(x::Float64)
    bits = reinterpret(UInt64, x)
    e = ((bits >> 52) & 0x7ff) % Int - 1075
    m = (bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000
    w0 = two_over_pi_bits(e - 2)
    w1 = two_over_pi_bits(e + 62)
    w2 = two_over_pi_bits(e + 126)
    r2 = m * w2
    carried = product_high(m, w2)
    r1 = m * w1 + carried
    r0 = product_high(m, w1) + (r1 < carried) + m * w0
    k = (r0 >> 62) % Int64
    f0 = (r0 << 2) | (r1 >> 62)
    f1 = (r1 << 2) | (r2 >> 62)
    below = f0 >> 63 != 0
    k = ifelse(below, k + 1, k)
    if below
        f1 = -f1
        f0 = ~f0 + (f1 == 0)
    end
    z = f0 == 0 ? 64 + leading_zeros(f1) : leading_zeros(f0)
    z == 128 && return (k, 0.0, 0.0)
    # Shifts by a negative number go the other way.
    f0, f1 = (f0 << z) | (f1 >> (64 - z)), f1 << z
    h = Float64(f0 >> 11) * normal_pow2(Float64, -53 - z)
    l = Float64(((f0 << 42) | (f1 >> 22)) & 0x001f_ffff_ffff_ffff) * normal_pow2(Float64, -106 - z)
    y, yl = full_product(h, 1.5707963267948966)
    yl += muladd(h, 6.123233995736766e-17, l * 1.5707963267948966)
    below && ((y, yl) = (-y, -yl))
    signbit(x) ? (-k, -y, -yl) : (k, y, yl)
end
@inline reduce_angle(x::Float64) = abs(x) < 1.0e6 ? reduce_medium(x) : reduce_great(x)

# On [-pi/4, pi/4], of `y + t` with a small `t`; `pair` forms give the rounding error too.
@inline function sin_rest(y::Float64, t::Float64)
    z = y * y
    p = evalpoly(z, (-0.16666666666666666, 0.008333333333333331, -0.00019841269841265003, 2.7557319219291695e-6,
        -2.5052106215978872e-8, 1.6058529011960858e-10, -7.586543634101903e-13))
    muladd(z * y, p, muladd(-0.5 * z, t, t))
end
@inline function cos_pair(y::Float64, t::Float64)
    z, zl = full_product(y, y)
    p = evalpoly(z, (0.041666666666666664, -0.0013888888888888887, 2.480158730158461e-5, -2.7557319221376434e-7,
        2.08767557819242e-9, -1.1470459438155826e-11, 4.7457865678652127e-14))
    w = 1.0 - 0.5 * z
    quick_sum(w, ((1.0 - w) - 0.5 * z) + (z * z * p - muladd(0.5, zl, y * t)))
end
@inline sin_near_zero(y::Float64, t::Float64) = y + sin_rest(y, t)
@inline function cos_near_zero(y::Float64, t::Float64)
    c, e = cos_pair(y, t)
    c + e
end
@inline sin_of_quadrant(k, y, t) =
    (s = iseven(k) ? sin_near_zero(y, t) : cos_near_zero(y, t); k & 2 == 0 ? s : -s)

function sin(x::Float64)
    abs(x) < 0.7853981633974483 && return abs(x) < 1.0e-9 ? x : sin_near_zero(x, 0.0)
    isfinite(x) || (isnan(x) ? (return x) : throw_infinite_domain(:sin, x))
    k, y, t = reduce_angle(x)
    sin_of_quadrant(k, y, t)
end
function cos(x::Float64)
    abs(x) < 0.7853981633974483 && return cos_near_zero(x, 0.0)
    isfinite(x) || (isnan(x) ? (return x) : throw_infinite_domain(:cos, x))
    k, y, t = reduce_angle(x)
    sin_of_quadrant(k + 1, y, t)
end
function sincos(x::Float64)
    isfinite(x) || (isnan(x) ? (return (x, x)) : throw_infinite_domain(:sincos, x))
    abs(x) < 1.0e-9 && return (x, 1.0)
    k, y, t = reduce_angle(x)
    (sin_of_quadrant(k, y, t), sin_of_quadrant(k + 1, y, t))
end
function tan(x::Float64)
    abs(x) < 1.0e-9 && return x
    isfinite(x) || (isnan(x) ? (return x) : throw_infinite_domain(:tan, x))
    k, y, t = reduce_angle(x)
    tan_of_quadrant(k, y, t)
end
function tan_of_quadrant(k, y, t)
    s, sl = quick_sum(y, sin_rest(y, t))
    c, cl = cos_pair(y, t)
    q, ql = iseven(k) ? full_quotient(s, sl, c, cl) : full_quotient(-c, -cl, s, sl)
    q + ql
end

# `Float32`: the angle is reduced in `Float64`, where short polynomials leave no error to speak of.
@inline function sincos_of_quadrant32(y::Float64)
    z = y * y
    s = muladd(z * y, evalpoly(z, (-0.16666666663826582, 0.008333331863560767, -0.00019840080719912243,
        2.724914679681317e-6)), y)
    c = muladd(z, muladd(z, evalpoly(z, (0.04166666666429725, -0.0013888887662711772,
        2.4800595356594502e-5, -2.730030902052222e-7)), -0.5), 1.0)
    (s, c)
end
@inline function reduce_angle32(x::Float32)
    d = Float64(x)
    # Up to 2^23 quarter turns the product with the first part of pi/2 is exact. NaN stays NaN.
    abs(d) >= 1.3e7 && return reduce_great32(d)
    n, k = nearest_whole(d * 0.6366197723675814)
    (k, muladd(n, -5.17018297889025e-19, muladd(n, -9.920935791635221e-10, muladd(n, -1.570796325802803, d))))
end
@noinline reduce_great32(d::Float64) = ((k, y, t) = reduce_great(d); (k, y))
@inline function sin(x::Float32)
    isinf(x) && throw_infinite_domain(:sin, x)
    k, y = reduce_angle32(x)
    s, c = sincos_of_quadrant32(y)
    r = ifelse(k & 1 == 0, s, c)
    r = Float32(ifelse(k & 2 == 0, r, -r))
    ifelse(abs(x) < 1.0f-4, x, r)
end
@inline function cos(x::Float32)
    isinf(x) && throw_infinite_domain(:cos, x)
    k, y = reduce_angle32(x)
    s, c = sincos_of_quadrant32(y)
    r = ifelse(k & 1 == 0, c, s)
    Float32(ifelse((k + 1) & 2 == 0, r, -r))
end
@inline function sincos(x::Float32)
    isinf(x) && throw_infinite_domain(:sincos, x)
    k, y = reduce_angle32(x)
    s, c = sincos_of_quadrant32(y)
    a = ifelse(k & 1 == 0, s, c)
    b = ifelse(k & 1 == 0, c, s)
    (ifelse(abs(x) < 1.0f-4, x, Float32(ifelse(k & 2 == 0, a, -a))), Float32(ifelse((k + 1) & 2 == 0, b, -b)))
end
sincos(x::Float16) = map(Float16, sincos(Float32(x)))
sincos(x::Real) = sincos_float(float(x))
sincos_float(x::AbstractFloat) = sincos(x)
sincos_float(x) = (sin(x), cos(x))
sincos(x::AbstractFloat) = (sin(x), cos(x))

# The angle whose tangent is `a / b`, both at least zero: the quotient is brought below tan(pi/8).
@inline function atan_of_ratio(a::Float64, b::Float64)
    low = a <= 0.41421356237309503 * b
    high = a > 2.414213562373095 * b
    n, nl = full_sum(ifelse(low, a, ifelse(high, -b, a)), ifelse(low | high, 0.0, -b))
    d, dl = full_sum(ifelse(high, a, b), ifelse(low | high, 0.0, a))
    t, tl = full_quotient(n, nl, d, dl)
    z = t * t
    p = evalpoly(z, (-0.3333333333333333, 0.19999999999999796, -0.14285714285657372, 0.11111111104916602,
        -0.09090908741644448, 0.07692296033056097, -0.06666418758435608, 0.058788587168070436,
        -0.05229937896916007, 0.045492434554494976, -0.03451027660413279, 0.016219107915075345))
    c = ifelse(low, 0.0, ifelse(high, 1.5707963267948966, 0.7853981633974483))
    cl = ifelse(low, 0.0, ifelse(high, 6.123233995736766e-17, 3.061616997868383e-17))
    h, l = quick_sum(c, t)
    h, l = ifelse(low, t, h), ifelse(low, 0.0, l)
    (h, l + (muladd(z * t, p, cl) + tl))
end
function atan(x::Float64)
    a = abs(x)
    a < 1.0e-9 && return x
    a < 1.0e18 || return isnan(x) ? x : copysign(1.5707963267948966, x)
    h, l = atan_of_ratio(a, 1.0)
    copysign(h + l, x)
end
function atan(y::Float64, x::Float64)
    (isnan(x) | isnan(y)) && return NaN
    a = abs(y)
    b = abs(x)
    if isinf(a) & isinf(b)
        a = b = 1.0
    elseif isinf(b)
        a, b = 0.0, 1.0
    elseif isinf(a)
        a, b = 1.0, 0.0
    elseif a == 0.0
        b = 1.0
    elseif max(a, b) > 1.0e150
        a *= 1.4916681462400413e-154
        b *= 1.4916681462400413e-154
    elseif max(a, b) < 1.0e-150
        a *= 1.3407807929942597e154
        b *= 1.3407807929942597e154
    end
    if b == 0.0
        h, l = 1.5707963267948966, 6.123233995736766e-17
    elseif a < b * 1.0e-290
        h, l = a / b, 0.0
    elseif b < a * 1.0e-30
        h, l = 1.5707963267948966, 0.0
    else
        h, l = atan_of_ratio(a, b)
    end
    signbit(x) || return copysign(h + l, y)
    s, e = full_sum(3.141592653589793, -h)
    copysign(s + (e + (1.2246467991473532e-16 - l)), y)
end
atan(y::Float32, x::Float32) = Float32(atan(Float64(y), Float64(x)))
atan(y::Float16, x::Float16) = Float16(atan(Float64(y), Float64(x)))
atan(y::Real, x::Real) = atan(promote(float(y), float(x))...)

@inline asin_tail(z::Float64) = evalpoly(z, (0.16666666666666666, 0.07500000000000119, 0.04464285714255019,
    0.030381944475693704, 0.022372157435623815, 0.017352816768546473, 0.013963775787848137, 0.011566511821890942,
    0.00962140274734483, 0.009322101501082774, 0.0030350071727267623, 0.019579201619744684, -0.019277545928584557,
    0.02963502626354855))
# For `a` of at least one half, asin(sqrt((1 - a) / 2)) as a pair: half the angle from the end.
@inline function half_angle_from_end(a::Float64)
    z = 0.5 * (1.0 - a)
    s, sl = full_sqrt(z, 0.0)
    (s, muladd(s * z, asin_tail(z), ifelse(z == 0.0, 0.0, sl)))
end
function asin(x::Float64)
    a = abs(x)
    a > 1.0 && throw_inverse_domain(:asin, x)
    a < 1.0e-9 && return x
    a < 0.5 && return muladd(x * (x * x), asin_tail(x * x), x)
    h, l = half_angle_from_end(a)
    s, e = quick_sum(1.5707963267948966, -2.0 * h)
    copysign(s + (e + (6.123233995736766e-17 - 2.0 * l)), x)
end
function acos(x::Float64)
    a = abs(x)
    a > 1.0 && throw_inverse_domain(:acos, x)
    if a < 0.5
        s, e = quick_sum(1.5707963267948966, -x)
        return s + (e + (6.123233995736766e-17 - x * (x * x) * asin_tail(x * x)))
    end
    h, l = half_angle_from_end(a)
    x > 0.0 && return 2.0 * (h + l)
    s, e = quick_sum(3.141592653589793, -2.0 * h)
    s + (e + (1.2246467991473532e-16 - 2.0 * l))
end
