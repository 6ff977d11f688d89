# Elementary functions of complex numbers. On a branch cut the sign of the zero part chooses the side.

# Complex functions of arguments with infinite or NaN parts follow the table of C's Annex G, in Julia's reading.
@inline not_a_number(x) = oftype(x, NaN)

function sqrt(z::Complex)
    x, y = reim(float(z))
    if iszero(x) & iszero(y)
        return Complex(zero(x), y)
    elseif isinf(y)
        return Complex(oftype(x, Inf), y)
    elseif isinf(x)
        return x > 0 ? Complex(x, isnan(y) ? y : copysign(zero(y), y)) : Complex(isnan(y) ? y : zero(y), copysign(-x, y))
    end
    up, down = sqrt_scales(max(abs(x), abs(y)))
    x *= up
    y *= up
    r = sqrt((abs(x) + hypot(x, y)) / 2)
    s = y / (2 * r)
    re, im = x >= 0 ? (r, s) : (abs(s), copysign(r, y))
    Complex(re * down, im * down)
end
# A factor that brings the greater part where nothing overflows or is subnormal, and the root of its inverse.
sqrt_scales(m) = (one(m), one(m))
@inline function sqrt_scales(m::T) where {T <: IEEEFloat}
    m > floatmax(T) / 8 ? (T(0.0625), T(4)) :
        m < 8 * floatmin(T) / eps(T) ? (inv(eps(T)^2), eps(T)) : (one(T), one(T))
end

cis(theta::Real) = ((s, c) = sincos(theta); Complex(c, s))
cis(z::Complex) = scaled_cis(exp(-imag(z)), sincos(real(z))...)
cispi(theta::Real) = ((s, c) = sincospi(theta); Complex(c, s))
cispi(z::Complex) = scaled_cis(exp(-(pi * imag(z))), sincospi(real(z))...)
@inline scaled_cis(r, s, c) = Complex(r * c, r * s)

function exp(z::Complex)
    x, y = reim(z)
    isfinite(y) & !isnan(x) || return exp_special(x, y, zero(x))
    r = exp(x)
    iszero(y) ? Complex(r, y) : scaled_cis(r, sincos(y)...)
end
# `exp(x + y*im) - less` where `x` is NaN or `y` has no direction.
@noinline function exp_special(x, y, less)
    undefined = not_a_number(x)
    if isnan(x)
        Complex(x, iszero(y) ? y : x)
    elseif isinf(x)
        x > 0 ? Complex(-x, undefined) : Complex(-less, copysign(zero(y), y))
    else
        Complex(undefined, undefined)
    end
end
function expm1(z::Complex)
    x, y = reim(float(z))
    isfinite(y) & !isnan(x) || return exp_special(x, y, one(x))
    a = expm1(x)
    iszero(y) && return Complex(a, y)
    r = a + one(a)
    s, c = sincos(y)
    isfinite(r) || return scaled_cis(r, s, c)
    half = sin(y / 2)
    Complex(a - 2 * r * half * half, r * s)
end
exp2(z::Complex) = exp_of_base(exp2, 2, float(z))
exp10(z::Complex) = exp_of_base(exp10, 10, float(z))
@inline function exp_of_base(f, base, z)
    x, y = reim(z)
    scaled_cis(f(x), sincos(y * log(oftype(y, base)))...)
end

function log(z::Complex)
    x, y = reim(float(z))
    a, b = abs(x), abs(y)
    re = isinf(a) | isinf(b) ? oftype(a, Inf) : a < b ? log_abs(a, b) : log_abs(b, a)
    Complex(re, atan(y, x))
end
# The logarithm of `hypot(a, b)`, where `a <= b`, both finite. Near the unit circle it comes from the distance to it.
function log_abs(a, b)
    if 0.5 < b < 2 && a * a + b * b < 3
        log1p(abs2_minus_one(a, b)) / 2
    elseif log_squares_in_range(b)
        log(a * a + b * b) / 2
    else
        k = iszero(b) || isnan(b) ? 0 : exponent(b)
        a, b = ldexp(a, -k), ldexp(b, -k)
        log(a * a + b * b) / 2 + k * log(oftype(b, 2))
    end
end
log_squares_in_range(b) = !iszero(b)
log_squares_in_range(b::T) where {T <: IEEEFloat} = sqrt(floatmin(T) / eps(T)) < b < sqrt(floatmax(T)) / 2
abs2_minus_one(a, b) = (b - 1) * (b + 1) + a * a
abs2_minus_one(a::Float32, b::Float32) = Float32((Float64(b) - 1.0) * (Float64(b) + 1.0) + Float64(a) * Float64(a))
abs2_minus_one(a::Float16, b::Float16) = Float16((Float64(b) - 1.0) * (Float64(b) + 1.0) + Float64(a) * Float64(a))
function abs2_minus_one(a::Float64, b::Float64)
    p, e = full_product(b, b)
    q, f = full_product(a, a)
    s, g = full_sum(p - 1.0, q)
    s + (g + (e + f))
end
log2(z::Complex) = (w = log(z); w / log(oftype(real(w), 2)))
log10(z::Complex) = (w = log(z); w / log(oftype(real(w), 10)))
function log1p(z::Complex)
    w = float(z)
    x, y = reim(w)
    if isnan(x)
        Complex(x, x)
    elseif isinf(x)
        Complex(abs(x), isfinite(y) ? copysign(x > 0 ? zero(y) : oftype(y, pi), y) : not_a_number(y))
    elseif max(abs(x), abs(y)) < 0.5
        # |1 + z|^2 - 1 without the one.
        Complex(log1p(muladd(y, y, x * (2 + x))) / 2, atan(y, 1 + x))
    else
        log(1 + w)
    end
end

function sin(z::Complex)
    x, y = reim(float(z))
    sine_of(sincos, x, y, y)
end
function cos(z::Complex)
    x, y = reim(float(z))
    cosine_of(sincos, x, y, y)
end
sincos(z::Complex) = (sin(z), cos(z))
function sinpi(z::Complex)
    x, y = reim(float(z))
    sine_of(sincospi, x, y, pi * y)
end
function cospi(z::Complex)
    x, y = reim(float(z))
    cosine_of(sincospi, x, y, pi * y)
end
# The sine of `x + im*y`; `both` gives sine and cosine of `x`, and `t` is `y` in radians.
@inline function sine_of(both, x, y, t)
    if iszero(x)
        Complex(x, sinh(t))
    elseif isfinite(x)
        s, c = both(x)
        Complex(s * cosh(t), c * sinh(t))
    else
        undefined = not_a_number(x)
        Complex(undefined, iszero(y) || isinf(y) ? y : undefined)
    end
end
@inline function cosine_of(both, x, y, t)
    if iszero(x)
        Complex(cosh(t), isnan(y) ? x : -flipsign(x, y))
    elseif isfinite(x)
        s, c = both(x)
        Complex(c * cosh(t), -s * sinh(t))
    else
        undefined = not_a_number(x)
        iszero(y) ? Complex(undefined, isnan(x) ? zero(y) : -flipsign(y, x)) :
            Complex(isinf(y) ? oftype(y, Inf) : undefined, undefined)
    end
end
sincospi(z::Complex) = (sinpi(z), cospi(z))
tanpi(z::Complex) = sinpi(z) / cospi(z)
# The hyperbolic functions are the circular ones a quarter turn further.
sinh(z::Complex) = (w = sin(Complex(imag(z), real(z))); Complex(imag(w), real(w)))
cosh(z::Complex) = cos(Complex(imag(z), -real(z)))
tan(z::Complex) = (w = tanh(Complex(-imag(z), real(z))); Complex(imag(w), -real(w)))
# Kahan's formula. Where cosh is huge the quotient is one, and its imaginary part has the sign of sin(2y).
function tanh(z::Complex)
    x, y = reim(float(z))
    isnan(x) && iszero(y) && return Complex(x, y)
    if abs(x) > tanh_is_one(x)
        side = isfinite(y) ? sin(2 * abs(y)) : one(y)
        return Complex(copysign(one(x), x), copysign(zero(y), y * side))
    end
    t = tan(y)
    s = sinh(x)
    c = sqrt(1 + s * s)
    isinf(t) && return Complex(c / s, inv(t))
    b = 1 + t * t
    d = 1 + b * s * s
    Complex(b * (c * s) / d, t / d)
end
tanh_is_one(::T) where {T <: IEEEFloat} = asinh(floatmax(T)) / 4
tanh_is_one(x) = oftype(x, precision(x))

# Inverse functions: computed where both parts are positive, by Kahan's formulas on the roots of 1 - z and 1 + z.
# Signs are copied: so every cut continues from the side that its zero's sign says.
function asin(z::Complex)
    x, y = reim(float(z))
    if isnan(x) | isnan(y)
        undefined = not_a_number(x)
        isinf(x) && return Complex(undefined, oftype(y, Inf))
        isinf(y) && return Complex(undefined, y)
        return Complex(iszero(x) ? x : undefined, undefined)
    end
    a, b = abs(x), abs(y)
    isinf(a) | isinf(b) && return Complex(copysign(atan(a, b), x), copysign(oftype(y, Inf), y))
    u, v = sqrt(Complex(1 - a, -b)), sqrt(Complex(1 + a, b))
    re = atan(a, real(u) * real(v) - imag(u) * imag(v))
    im = asinh(real(u) * imag(v) - imag(u) * real(v))
    Complex(copysign(re, x), copysign(im, y))
end
function acos(z::Complex)
    x, y = reim(float(z))
    if isnan(x) | isnan(y)
        undefined = not_a_number(x)
        isinf(x) && return Complex(undefined, abs(x))
        isinf(y) && return Complex(undefined, -y)
        return Complex(iszero(x) ? oftype(x, pi) / 2 : undefined, undefined)
    end
    b = abs(y)
    isinf(x) | isinf(b) && return Complex(atan(b, x), -copysign(oftype(y, Inf), y))
    u, v = sqrt(Complex(1 - x, -b)), sqrt(Complex(1 + x, b))
    im = asinh(real(v) * imag(u) - imag(v) * real(u))
    Complex(2 * atan(real(u), real(v)), -copysign(im, y))
end
function acosh(z::Complex)
    x, y = reim(float(z))
    if isnan(x) | isnan(y)
        undefined = not_a_number(x)
        return Complex(isinf(x) | isinf(y) ? oftype(x, Inf) : undefined, undefined)
    end
    b = abs(y)
    isinf(x) | isinf(b) && return Complex(oftype(x, Inf), copysign(atan(b, x), y))
    u, v = sqrt(Complex(x - 1, b)), sqrt(Complex(x + 1, b))
    re = asinh(real(u) * real(v) + imag(u) * imag(v))
    Complex(re, copysign(2 * atan(imag(u), real(v)), y))
end
function atanh(z::Complex)
    x, y = reim(float(z))
    a, b = abs(x), abs(y)
    quarter = oftype(b, pi) / 2
    if isinf(a) | isinf(b)
        re, im = zero(a), isnan(b) ? b : quarter
    elseif isnan(a) | isnan(b)
        re, im = iszero(a) ? a : not_a_number(a), not_a_number(a)
    elseif atanh_at_infinity(max(a, b))
        re, im = real(inv(Complex(a, b))), quarter
    elseif a == 1
        re = iszero(b) ? oftype(a, Inf) : log(sqrt(sqrt(muladd(b, b, 4))) / sqrt(b))
        im = iszero(b) ? b : (quarter + atan(b / 2)) / 2
    else
        re = iszero(a) ? a : log1p(4 * a / muladd(1 - a, 1 - a, b * b)) / 4
        im = atan(2 * b, (1 - a) * (1 + a) - b * b) / 2
    end
    Complex(copysign(re, x), copysign(im, y))
end
atanh_at_infinity(m::T) where {T <: IEEEFloat} = m > sqrt(floatmax(T)) / 4
atanh_at_infinity(m) = log2(m) > 2 * precision(m)
asinh(z::Complex) = (w = asin(Complex(-imag(z), real(z))); Complex(imag(w), -real(w)))
atan(z::Complex) = (w = atanh(Complex(-imag(z), real(z))); Complex(imag(w), -real(w)))

# Powers. Whole exponents multiply; the rest goes through polar form.
^(z::Complex{T}, p::Complex{T}) where {T <: Real} = complex_power(z, p)
^(z::Complex{T}, p::T) where {T <: Real} = complex_power(z, p)
^(z::T, p::Complex{T}) where {T <: Real} = complex_power(z, p)
^(z::Complex{T}, p::S) where {T <: Real, S <: Real} = (P = promote_type(T, S); Complex{P}(z)^P(p))
^(z::T, p::Complex{S}) where {T <: Real, S <: Real} = (P = promote_type(T, S); P(z)^Complex{P}(p))
^(z::Complex, n::Integer) = z^Complex(n)
^(z::Complex{<:AbstractFloat}, n::Integer) = n >= 0 ? power_by_squaring(z, n) : power_by_squaring(inv(z), -n)
^(z::Complex{<:Integer}, n::Integer) = power_by_squaring(z, n)
^(z::Complex{<:Rational}, n::Integer) = n >= 0 ? power_by_squaring(z, n) : power_by_squaring(inv(z), -n)
^(z::Complex{<:Rational}, n::Bool) = n ? z : one(z)
^(z::Complex, n::Bool) = n ? z : one(z)
^(z::Complex{<:AbstractFloat}, n::Bool) = n ? z : one(z)
^(z::Complex{<:Integer}, n::Bool) = n ? z : one(z)
function complex_power(base, exponent)
    z, p = float(base), float(exponent)
    if isreal(p)
        k = real(p)
        isinteger(k) && abs(k) < typemax(Int32) && return whole_power(z, k)
        isreal(z) && return power_on_axis(z, p)
        return polar_power(abs(z)^k, k * angle(z))
    end
    isreal(z) && iszero(z) && return power_of_zero(z, real(p))
    k, t = reim(p)
    r, turn = isreal(z) ? abs_and_turn(real(z), imag(z)) : (abs(z), angle(z))
    isreal(z) && iszero(turn) ? polar_power(r^k, t * log(r)) : polar_power(r^k * exp(-t * turn), k * turn + t * log(r))
end
abs_and_turn(x, y) = x > 0 ? (x, zero(x)) : (-x, copysign(oftype(x, pi), y))
power_of_zero(z, k) = k > 0 ? complex(z) : Complex(not_a_number(k), not_a_number(k))
function polar_power(r, turn)
    isfinite(turn) && return r * cis(turn)
    iszero(r) ? Complex(zero(r), zero(r)) : Complex(not_a_number(r), not_a_number(r))
end
# The power `k` is whole; the imaginary part of a real base keeps the sign of its zero.
function whole_power(z, k)
    iszero(k) && return Complex(one(real(z)), flipsign(copysign(zero(real(z)), k), imag(z)))
    n = convert(Int, k)
    isreal(z) || return n < 0 ? power_by_squaring(inv(z), -n) : power_by_squaring(z, n)
    x, y = reim(z)
    if n < 0
        iszero(x) && return power_of_zero(z, k)
        x, y, n = inv(x), -y, -n
    end
    Complex(power_by_squaring(x, n), ifelse(iseven(n) & signbit(x), -y, y))
end
# A real base to a real power that is not whole.
function power_on_axis(z, p)
    x, k = real(z), real(p)
    iszero(x) && return power_of_zero(z, k)
    x > 0 && return Complex(x^k, z isa Real ? (x < 1 ? -imag(p) : imag(p)) : flipsign(imag(z), k))
    r = (-x)^k
    isfinite(k) && return r * Complex(cospi(k), flipsign(sinpi(k), imag(z)))
    polar_power(r, oftype(r, Inf))
end
deg2rad(z::Complex{<:AbstractFloat}) = z * deg2rad(one(real(z)))
rad2deg(z::Complex{<:AbstractFloat}) = z * rad2deg(one(real(z)))
