# Exact quotients of integers.

struct Rational{T <: Integer} <: Real
    num::T
    den::T
    Rational{T}(num::Integer, den::Integer) where {T <: Integer} = reduced_rational(T, num, den)
end
# The parts as they are: in lowest terms already, the denominator positive.
unsafe_rational(::Type{T}, num::T, den::T) where {T <: Integer} = Core.@new Rational{T} num den
reduced_rational(::Type{T}, num, den) where {T} = (r = num // den; unsafe_rational(T, T(r.num), T(r.den)))
Rational{T}(x::Rational) where {T <: Integer} = unsafe_rational(T, convert(T, x.num), convert(T, x.den))
Rational{T}(x::Integer) where {T <: Integer} = unsafe_rational(T, convert(T, x), one(T))
Rational(n::Integer, d::Integer) = n // d
Rational(x::Rational) = x
Rational(x::Integer) = unsafe_rational(typeof(x), x, one(x))
Rational{T}(x::AbstractFloat) where {T <: Integer} = rational_of_float(T, x)
Rational(x::AbstractFloat) = rational_of_float(Int, x)
function rational_of_float(::Type{T}, x) where {T}
    isinteger(x) && return unsafe_rational(T, T(x), one(T))
    isfinite(x) || return unsafe_rational(T, isnan(x) ? throw_inexacterror(:Rational, Rational{T}, x) : T(sign(x)), zero(T))
    d = one(T)
    while !isinteger(x)
        x *= 2
        d = checked_mul(d, T(2))
    end
    T(x) // d
end

@noinline throw_zero_over_zero(T) = throw(ArgumentError(string("invalid rational: zero(", T, ")//zero(", T, ")")))
function //(n::T, d::T) where {T <: Integer}
    iszero(n) & iszero(d) && throw_zero_over_zero(T)
    g = gcd(n, d)
    a = div(n, g)
    b = div(d, g)
    signbit(b) ? unsafe_rational(T, checked_neg(a), checked_neg(b)) : unsafe_rational(T, a, b)
end
//(n::Integer, d::Integer) = //(promote(n, d)...)
//(x::Rational, y::Integer) = x / y
//(x::Integer, y::Rational) = x / y
//(x::Rational, y::Rational) = x / y

numerator(x::Rational) = x.num
denominator(x::Rational) = x.den
promote_rule(::Type{Rational{T}}, ::Type{S}) where {T <: Integer, S <: Integer} = Rational{promote_type(T, S)}
promote_rule(::Type{Rational{T}}, ::Type{Rational{S}}) where {T <: Integer, S <: Integer} = Rational{promote_type(T, S)}
promote_rule(::Type{Rational{T}}, ::Type{S}) where {T <: Integer, S <: AbstractFloat} = promote_type(T, S)
zero(::Type{Rational{T}}) where {T} = unsafe_rational(T, zero(T), one(T))
one(::Type{Rational{T}}) where {T} = unsafe_rational(T, one(T), one(T))
(::Type{T})(x::Rational{S}) where {T <: IEEEFloat, S} = T(T(x.num) / T(x.den))
Float64(x::Rational) = Float64(x.num) / Float64(x.den)
Float32(x::Rational) = Float32(Float64(x.num) / Float64(x.den))
(::Type{T})(x::Rational) where {T <: BitInteger} =
    isone(x.den) ? T(x.num) : throw_inexacterror(:Int, T, x)
AbstractFloat(x::Rational) = float(x.num) / float(x.den)
Bool(x::Rational) = x == 0 ? false : x == 1 ? true : throw_inexacterror(:Bool, Bool, x)
typemin(::Type{Rational{T}}) where {T <: Signed} = unsafe_rational(T, -one(T), zero(T))
typemax(::Type{Rational{T}}) where {T <: Integer} = unsafe_rational(T, one(T), zero(T))
widen(::Type{Rational{T}}) where {T} = Rational{widen(T)}

isinteger(x::Rational) = isone(x.den)
isfinite(x::Rational) = !iszero(x.den)
iszero(x::Rational) = iszero(x.num)
isone(x::Rational) = isone(x.num) & isone(x.den)
signbit(x::Rational) = signbit(x.num)
sign(x::Rational) = oftype(x, sign(x.num))
abs(x::Rational) = unsafe_rational(typeof(x.num), checked_abs(x.num), x.den)
inv(x::Rational{T}) where {T} = signbit(x) ? unsafe_rational(T, -x.den, -x.num) : unsafe_rational(T, x.den, x.num)
-(x::Rational{T}) where {T} = unsafe_rational(T, checked_neg(x.num), x.den)
# The denominators are brought together over their common divisor, so that intermediate numbers stay small.
function +(x::Rational{T}, y::Rational{T}) where {T <: Integer}
    g = gcd(x.den, y.den)
    yd = div(y.den, g)
    checked_add(checked_mul(x.num, yd), checked_mul(y.num, div(x.den, g))) // checked_mul(x.den, yd)
end
function -(x::Rational{T}, y::Rational{T}) where {T <: Integer}
    g = gcd(x.den, y.den)
    yd = div(y.den, g)
    checked_sub(checked_mul(x.num, yd), checked_mul(y.num, div(x.den, g))) // checked_mul(x.den, yd)
end
function *(x::Rational{T}, y::Rational{T}) where {T <: Integer}
    g = gcd(x.num, y.den)
    h = gcd(y.num, x.den)
    checked_mul(div(x.num, g), div(y.num, h)) // checked_mul(div(x.den, h), div(y.den, g))
end
/(x::Rational{T}, y::Rational{T}) where {T <: Integer} = x * inv(y)
/(x::Rational, y::Union{Rational, Integer}) = /(promote(x, y)...)
/(x::Integer, y::Rational) = /(promote(x, y)...)
==(x::Rational{T}, y::Rational{T}) where {T <: Integer} = (x.num == y.num) & (x.den == y.den)
==(x::Rational, y::Integer) = (x.num == y) & isone(x.den)
==(x::Integer, y::Rational) = y == x
==(x::Rational, y::AbstractFloat) = isfinite(y) ? float(x) == y : false
==(x::AbstractFloat, y::Rational) = y == x
<(x::Rational{T}, y::Rational{T}) where {T <: Integer} = x.den == y.den ? x.num < y.num : widemul(x.num, y.den) < widemul(x.den, y.num)
<=(x::Rational{T}, y::Rational{T}) where {T <: Integer} = x.den == y.den ? x.num <= y.num : widemul(x.num, y.den) <= widemul(x.den, y.num)
<(x::Rational, y::Integer) = x.num < widemul(x.den, y)
<(x::Integer, y::Rational) = widemul(x, y.den) < y.num
<=(x::Rational, y::Integer) = x.num <= widemul(x.den, y)
<=(x::Integer, y::Rational) = widemul(x, y.den) <= y.num
div(x::Rational{T}, y::Rational{T}) where {T <: Integer} = div(checked_mul(x.num, y.den), checked_mul(x.den, y.num))
rem(x::Rational{T}, y::Rational{T}) where {T <: Integer} = x - y * div(x, y)
mod(x::Rational{T}, y::Rational{T}) where {T <: Integer} = x - y * fld(x, y)
div(x::Rational{T}, y::Rational{T}, r::RoundingMode) where {T <: Integer} = div(checked_mul(x.num, y.den), checked_mul(x.den, y.num), r)
round(x::Rational, r::RoundingMode) = Rational(div(x.num, x.den, r))
round(::Type{T}, x::Rational, r::RoundingMode) where {T <: Integer} = convert(T, div(x.num, x.den, r))
trunc(x::Rational) = round(x, RoundToZero)
floor(x::Rational) = round(x, RoundDown)
ceil(x::Rational) = round(x, RoundUp)
round(x::Rational) = round(x, RoundNearest)
^(x::Rational, n::Integer) = n >= 0 ? Rational(x.num^n, x.den^n) : inv(x)^(-n)
hash(x::Rational, h::UInt) = isone(x.den) ? hash(x.num, h) : isone(count_ones(x.den)) ? hash(Float64(x), h) :
    hash_mix(hash(x.num, h), hash(x.den, h) ⊻ 0x52a7_10c4_11d0_3e5b)
function rationalize(::Type{T}, x::AbstractFloat; tol::Real = eps(x)) where {T <: Integer}
    isinteger(x) && return Rational{T}(T(x))
    p0, q0, p1, q1 = zero(T), one(T), one(T), zero(T)
    r = abs(x)
    while true
        a = trunc(T, r)
        p0, p1 = p1, a * p1 + p0
        q0, q1 = q1, a * q1 + q0
        abs(p1 / q1 - abs(x)) <= tol && break
        r = inv(r - a)
    end
    Rational{T}(signbit(x) ? -p1 : p1, q1)
end
rationalize(x::AbstractFloat; kws...) = rationalize(Int, x; kws...)
