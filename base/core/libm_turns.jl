# Circular functions of an angle in half turns or in degrees, where the reduction is exact; remainders of whole turns.

# `x` half turns less the nearest quarter turns: the quadrant and the angle that is left, as a pair.
@inline function reduce_half_turns(x::Float64)
    r = abs(x) < 9.007199254740992e15 ? x - 2.0 * rint_llvm(0.5 * x) : 0.0
    n, k = nearest_whole(2.0 * r)
    y, t = full_product(r - 0.5 * n, 3.141592653589793)
    (k, y, muladd(r - 0.5 * n, 1.2246467991473532e-16, t))
end
# Zeros: the sine's has the sign of the angle, the cosine's is positive.
@inline signed_sine(s::Float64, x) = ifelse(s == 0.0, copysign(0.0, x), s)
@inline unsigned_cosine(c::Float64) = ifelse(c == 0.0, 0.0, c)
function sinpi(x::Float64)
    isfinite(x) || (isnan(x) ? (return x) : throw_infinite_domain(:sinpi, x))
    k, y, t = reduce_half_turns(x)
    signed_sine(sin_of_quadrant(k, y, t), x)
end
function cospi(x::Float64)
    isfinite(x) || (isnan(x) ? (return x) : throw_infinite_domain(:cospi, x))
    k, y, t = reduce_half_turns(x)
    unsigned_cosine(sin_of_quadrant(k + 1, y, t))
end
function sincospi(x::Float64)
    isfinite(x) || (isnan(x) ? (return (x, x)) : throw_infinite_domain(:sincospi, x))
    k, y, t = reduce_half_turns(x)
    (signed_sine(sin_of_quadrant(k, y, t), x), unsigned_cosine(sin_of_quadrant(k + 1, y, t)))
end
function tanpi(x::Float64)
    isfinite(x) || (isnan(x) ? (return x) : throw_infinite_domain(:tanpi, x))
    k, y, t = reduce_half_turns(x)
    y == 0.0 || return tan_of_quadrant(k, y, t)
    signed_sine(sin_of_quadrant(k, y, t), x) / unsigned_cosine(sin_of_quadrant(k + 1, y, t))
end
sincospi(x::Union{Float16, Float32}) = ((s, c) = sincospi(Float64(x)); (oftype(x, s), oftype(x, c)))
tanpi(x::Union{Float16, Float32}) = oftype(x, tanpi(Float64(x)))
sincospi(x::Real) = through_float(sincospi, x)
tanpi(x::Real) = through_float(tanpi, x)
tanpi(x::AbstractFloat) = sinpi(x) / cospi(x)
# A whole number of half turns.
sinpi(x::Integer) = x >= 0 ? zero(float(x)) : -zero(float(x))
cospi(x::Integer) = isodd(x) ? -one(float(x)) : one(float(x))
sincospi(x::Integer) = (sinpi(x), cospi(x))
tanpi(x::Integer) = sinpi(x) / cospi(x)

sinc(x::Number) = sinc_float(float(x))
function sinc_float(x)
    isinf(real(x)) && isfinite(imag(x)) && return zero(x)
    abs(x) < sinc_is_near_one(x) ? one(x) : sinpi(x) / (oftype(x, pi) * x)
end
sinc_is_near_one(x) = sqrt(eps(real(typeof(x)))) / 4
# Its slope: by its series near zero, where the two terms are nearly the same.
cosc(x::Number) = cosc_float(float(x))
function cosc_float(x)
    iszero(x) && return x isa Real ? -x : zero(x)
    isinf(real(x)) && isfinite(imag(x)) && return zero(x)
    abs(x) < 0.3 || return (cospi(x) - sinc(x)) / x
    z = (oftype(x, pi) * x)^2
    oftype(x, pi)^2 * x * cosc_series(z)
end
cosc_series(z) = cosc_series_for(z, real(z))
cosc_series_for(z, ::T) where {T <: IEEEFloat} = evalpoly(z, map(c -> T(c), COSC_SERIES))
function cosc_series_for(z, ::Any)
    term = one(z) / 3
    sum = -term
    k = 1
    while abs(term) > eps(abs(sum))
        term *= -z / ((2 * k) * (2 * k + 3))
        sum -= term
        k += 1
    end
    sum
end
function cosc_term(k)
    c = isodd(k) ? -2.0 * k : 2.0 * k
    for i in 2:2k+1
        c /= i
    end
    return c
end
const COSC_SERIES = ntuple(cosc_term, 11)

# In degrees: whole quarter turns are taken away exactly, and what is left is turned into radians as a pair.
deg2rad(z::AbstractFloat) = z * (oftype(z, pi) / 180)
rad2deg(z::AbstractFloat) = z * (180 / oftype(z, pi))
deg2rad(z::Real) = deg2rad(float(z))
rad2deg(z::Real) = rad2deg(float(z))
deg2rad(z::Number) = z * (pi / 180)
rad2deg(z::Number) = z * (180 / pi)
# The quadrant, and what is left of a float of less than a whole turn.
@inline function reduce_degrees(r)
    n = round(r / 90)
    (unsafe_trunc(Int, n) & 3, r - 90 * n)
end
@inline function degrees_to_pair(y::Float64)
    h, l = full_product(y, 0.017453292519943295)
    (h, muladd(y, 2.9486522708701687e-19, l))
end
# Sine of `y` degrees past quadrant `k`, for at most an eighth of a turn.
@inline function sine_of_degrees(k, y::Float64)
    abs(y) == 30.0 && iseven(k) && return flipsign(0.5, ifelse(k == 2, -y, y))
    h, l = degrees_to_pair(y)
    sin_of_quadrant(k, h, l)
end
@inline sine_of_degrees(k, y::T) where {T <: Union{Float16, Float32}} = T(sine_of_degrees(k, Float64(y)))
function sine_of_degrees(k, y)
    abs(y) == 30 && iseven(k) && return flipsign(one(y) / 2, k == 2 ? -y : y)
    s = isodd(k) ? cospi(y / 180) : sinpi(y / 180)
    k >= 2 ? -s : s
end
function sind(x::Real)
    isinf(x) && throw_infinite_domain(:sind, x)
    r = float(rem(x, 360))
    isnan(r) && return r
    s = sine_of_degrees(reduce_degrees(r)...)
    iszero(s) ? copysign(zero(s), x) : s
end
function cosd(x::Real)
    isinf(x) && throw_infinite_domain(:cosd, x)
    r = abs(float(rem(x, 360)))
    isnan(r) && return r
    # 60 degrees are 30 from a quarter turn.
    k, y = reduce_degrees(90 - r)
    s = sine_of_degrees(k, y)
    iszero(s) ? zero(s) : s
end
sincosd(x::Real) = (sind(x), cosd(x))
sincosd(::Missing) = (missing, missing)
tand(x::Real) = sind(x) / cosd(x)
sind(x::Number) = sin(deg2rad(x))
cosd(x::Number) = cos(deg2rad(x))
tand(x::Number) = tan(deg2rad(x))
sincosd(x::Number) = (sind(x), cosd(x))
for (f, d) in ((:asin, :asind), (:acos, :acosd), (:atan, :atand))
    @eval $d(x) = rad2deg($f(x))
end
# Of matrices: functions of the matrix, not of its elements.
for (f, d) in ((:sin, :sind), (:cos, :cosd), (:tan, :tand), (:sec, :secd), (:csc, :cscd), (:cot, :cotd))
    @eval $d(x::AbstractMatrix) = $f(deg2rad.(x))
end
for (f, d) in ((:asin, :asind), (:acos, :acosd), (:atan, :atand), (:asec, :asecd), (:acsc, :acscd), (:acot, :acotd))
    @eval $d(x::AbstractMatrix) = rad2deg.($f(x))
end
atand(y, x) = rad2deg(atan(y, x))
for (f, g) in ((:sec, :cos), (:csc, :sin), (:cot, :tan), (:sech, :cosh), (:csch, :sinh), (:coth, :tanh))
    @eval $f(x::Number) = inv($g(x))
end
for (f, g) in ((:secd, :cosd), (:cscd, :sind), (:cotd, :tand))
    @eval $f(x::Number) = inv($g(x))
end
for (f, g) in ((:asech, :acosh), (:acsch, :asinh), (:acoth, :atanh))
    @eval $f(x::Number) = $g(inv(x))
end
for (f, g) in ((:asecd, :asec), (:acscd, :acsc), (:acotd, :acot))
    @eval $f(x) = rad2deg($g(x))
end
acot(x::Number) = atan(inv(x))
asec(x::Number) = acos(inv(x))
acsc(x::Number) = asin(inv(x))


# A half turn written as pi.
sin(::Irrational{:π}) = 0.0
cos(::Irrational{:π}) = -1.0
tan(::Irrational{:π}) = -0.0
sincos(::Irrational{:π}) = (0.0, -1.0)

# Remainders of whole turns.
function mod2pi(x::Float64)
    isfinite(x) || return isnan(x) ? x : NaN
    0.0 <= x < 6.283185307179586 && return x
    k, y, t = abs(x) < 0.7853981633974483 ? (0, x, 0.0) : reduce_angle(x)
    quarter_turns_plus(k & 3 == 0 && y < 0.0 ? 4 : k & 3, y, t)
end
@inline function quarter_turns_plus(q, y, t)
    s, e = full_sum(q * 1.5707963267948966, y)
    s + (e + muladd(Float64(q), 6.123233995736766e-17, t))
end
mod2pi(x) = rem2pi(x, RoundDown)
rem2pi(x::Float64, ::RoundingMode{:Down}) = mod2pi(x)
function rem2pi(x::Float64, ::RoundingMode{:Nearest})
    isfinite(x) || return isnan(x) ? x : NaN
    abs(x) < 3.141592653589793 && return x
    k, y, t = reduce_angle(x)
    q = k & 3
    quarter_turns_plus(q == 3 ? -1 : q == 2 && y > 0.0 ? -2 : q, y, t)
end
function rem2pi(x::Float64, ::RoundingMode{:ToZero})
    r = mod2pi(abs(x))
    copysign(r, x)
end
rem2pi(x::Float64, ::RoundingMode{:Up}) = -mod2pi(-x)
rem2pi(x::T, r::RoundingMode) where {T <: Union{Float16, Float32}} = T(rem2pi(Float64(x), r))
function rem2pi(x::Integer, r::RoundingMode)
    y = float(x)
    y == x || throw_too_large_for_turns(x)
    rem2pi(y, r)
end
@noinline throw_too_large_for_turns(x) = throw(ArgumentError(LazyString(typeof(x), " argument to rem2pi is too large: ", x)))
rem2pi(x::Real, r::RoundingMode) = rem2pi(float(x), r)
