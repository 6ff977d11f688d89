# Exponentials and hyperbolic functions: reduction to |r| <= log(2)/2 and one polynomial, no tables.

# `exp(h + l) - 1 - h` for small `h` and a much smaller `l`.
@inline function exp_rest(h::Float64, l::Float64)
    r = h + l
    p = evalpoly(r, (0.5, 0.16666666666666666, 0.04166666666666668, 0.008333333333333333, 0.0013888888888878854,
        0.00019841269841263152, 2.480158733702903e-5, 2.755731924760984e-6, 2.75572626528368e-7,
        2.5052070676884162e-8, 2.091836877654225e-9, 1.6086781948613066e-10))
    muladd(r * r, p, l)
end
@inline function exp_rest(h::Float32, l::Float32)
    r = h + l
    p = evalpoly(r, (5.0f-1, 1.6666667f-1, 4.1666463f-2, 8.3333105f-3, 1.39339f-3, 1.9891269f-4))
    muladd(r * r, p, l)
end
# `exp(h + l)` as two terms; `exp_near_zero` is their sum.
@inline function exp_pair_near_zero(h::T, l::T) where {T}
    s = one(T) + h
    e = ((one(T) - s) + h) + exp_rest(h, l)
    (s, e)
end
@inline function exp_near_zero(h::T, l::T) where {T}
    s, e = exp_pair_near_zero(h, l)
    s + e
end
# Keeps a number that leads out of range from wrapping round; NaN stays NaN.
@inline within(x::T, lo::T, hi::T) where {T} = ifelse(x > hi, hi, ifelse(x < lo, lo, x))

@inline function exp(x::Float64)
    x = within(x, -746.0, 710.0)
    n, k = nearest_whole(x * 1.4426950408889634)
    scale_pow2(exp_near_zero(muladd(n, -LN2_HIGH, x), n * -LN2_LOW), k)
end
@inline function exp(x::Float32)
    x = within(x, -104.0f0, 89.0f0)
    n, k = nearest_whole(x * 1.442695f0)
    scale_pow2(exp_near_zero(muladd(n, -0.69314575f0, x), n * -1.4286068f-6), k)
end
@inline function exp2(x::Float64)
    x = within(x, -1076.0, 1025.0)
    n, k = nearest_whole(x)
    r = x - n
    h, l = full_product(r, LN2_PAIR[1])
    scale_pow2(exp_near_zero(h, muladd(r, LN2_PAIR[2], l)), k)
end
@inline function exp2(x::Float32)
    x = within(x, -151.0f0, 129.0f0)
    n, k = nearest_whole(x)
    r = x - n
    scale_pow2(exp_near_zero(r * 0.6931472f0, r * -1.9046542f-9), k)
end
@inline function exp10(x::Float64)
    x = within(x, -325.0, 310.0)
    n, k = nearest_whole(x * 3.321928094887362)
    r = muladd(n, -0.30102999560767785, x)
    h, l = full_product(r, 2.302585092994046)
    l += muladd(r, -2.1707562233822494e-16, n * (-5.630334806675098e-11 * 2.302585092994046))
    scale_pow2(exp_near_zero(h, l), k)
end

function expm1(x::Float64)
    x > 40.0 && return exp(x) - 1.0
    x < -40.0 && return -1.0
    abs(x) < 1.0e-17 && return x
    n, k = nearest_whole(x * 1.4426950408889634)
    h = muladd(n, -LN2_HIGH, x)
    s, e = full_sum(h, exp_rest(h, n * -LN2_LOW))
    k == 0 && return s
    p = normal_pow2(Float64, within(k, -60, 60))
    a, b = full_sum(p - 1.0, p * s)
    isnan(x) ? x : a + (b + p * e)
end

# `exp(x + xl)` as a pair and the power of two that it is to be scaled by; `x` is in range.
@inline function exp_parts(x::Float64, xl::Float64)
    n, k = nearest_whole(x * 1.4426950408889634)
    s, e = exp_pair_near_zero(muladd(n, -LN2_HIGH, x), muladd(n, -LN2_LOW, xl))
    s, e = quick_sum(s, e)
    (s, e, k)
end

# The same, closer: the square of the reduced argument counts as a pair too.
@inline function exp_fine_parts(x::Float64, xl::Float64)
    n, k = nearest_whole(x * 1.4426950408889634)
    h, l = full_sum(muladd(n, -LN2_HIGH, x), muladd(n, -LN2_LOW, xl))
    q, ql = full_product(h, h)
    s, e = quick_sum(1.0, h)
    s, d = quick_sum(s, 0.5 * q)
    p = evalpoly(h, (0.16666666666666666, 0.04166666666666668, 0.008333333333333333, 0.0013888888888878854,
        0.00019841269841263152, 2.480158733702903e-5, 2.755731924760984e-6, 2.75572626528368e-7,
        2.5052070676884162e-8, 2.091836877654225e-9, 1.6086781948613066e-10))
    s, e = quick_sum(s, e + (d + (muladd(0.5, ql, muladd(h, l, l)) + h * q * p)))
    (s, e, k)
end

function sinh(x::Float64)
    a = abs(x)
    if a < 1.0
        z = x * x
        p = evalpoly(z, (0.16666666666666666, 0.008333333333333333, 0.00019841269841269768, 2.7557319224043122e-6,
            2.5052108363187792e-8, 1.6059048534903938e-10, 7.646614499148207e-13, 2.8448590004367615e-15))
        return muladd(x * z, p, x)
    end
    s, e, k = exp_parts(within(a, 0.0, 712.0), 0.0)
    y = a > 22.0 ? scale_pow2(s + e, k - 1) : scale_pow2(s, k - 1) + (scale_pow2(e, k - 1) - scale_pow2(1.0 / s, -k - 1))
    isnan(x) ? x : copysign(y, x)
end
function cosh(x::Float64)
    a = abs(x)
    s, e, k = exp_parts(within(a, 0.0, 712.0), 0.0)
    isnan(x) && return x
    a > 22.0 ? scale_pow2(s + e, k - 1) : scale_pow2(s, k - 1) + (scale_pow2(e, k - 1) + scale_pow2(1.0 / s, -k - 1))
end
function tanh(x::Float64)
    a = abs(x)
    if a < 0.5
        a < 1.0e-9 && return x # a zero keeps its sign
        z = x * x
        p = evalpoly(z, (-0.3333333333333333, 0.1333333333333333, -0.05396825396824833, 0.021869488535733096,
            -0.008863235513544468, 0.003592127661753879, -0.0014558289264182335, 0.0005899748442707403,
            -0.00023878882929857732, 9.544375421212361e-5, -3.514546177529967e-5, 8.85722077364644e-6))
        return muladd(x * z, p, x)
    end
    isnan(x) && return x
    a > 22.0 && return copysign(1.0, x)
    s, e, k = exp_parts(2.0 * a, 0.0)
    p = normal_pow2(Float64, k)
    d, dl = full_sum(p * s, 1.0)
    q, ql = full_quotient(2.0, 0.0, d, dl + p * e)
    copysign((1.0 - q) - ql, x)
end
