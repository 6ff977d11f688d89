# Arithmetic and functions of floats of any precision. Results have the precision and rounding that are set.

for (op, name) in ((:+, :add), (:-, :sub), (:*, :mul), (:/, :div), (:rem, :rem), (:^, :pow))
    what = QuoteNode(name)
    @eval $op(x::BigFloat, y::BigFloat) = Host.big_float($what, BigFloat, big_settings(), x, y)::BigFloat
    # A power of a float by an integer has methods of its own.
    for T in (op === :^ ? (:BigInt,) : (:BigInt, :BigOperand))
        @eval $op(x::BigFloat, y::$T) = Host.big_float($what, BigFloat, big_settings(), x, host_word(y))::BigFloat
        @eval $op(x::$T, y::BigFloat) = Host.big_float($what, BigFloat, big_settings(), host_word(x), y)::BigFloat
    end
end
# `false` times a number is zero, infinity and NaN included.
*(x::Bool, y::BigFloat) = x ? BigFloat(y) : copysign(zero(y), y)
*(x::BigFloat, y::Bool) = y * x
^(x::BigFloat, y::Integer) = Host.big_float(:pow, BigFloat, big_settings(), x, BigInt(y))::BigFloat
^(x::BigFloat, y::BitInteger64) = Host.big_float(:pow, BigFloat, big_settings(), x, host_word(y))::BigFloat
^(x::BigInt, y::AbstractFloat) = BigFloat(x)^BigFloat(y)
^(x::Bool, y::BigFloat) = BigFloat(x)^y
-(x::BigFloat) = set_sign(x, !signbit(x))
abs(x::BigFloat) = set_sign(x, false)
copysign(x::BigFloat, y::BigFloat) = set_sign(x, signbit(y))
copysign(x::BigFloat, y::Real) = set_sign(x, signbit(y))
flipsign(x::BigFloat, y::Real) = signbit(y) ? -x : x
flipsign(x::BigFloat, y::BigFloat) = signbit(y) ? -x : x
# At the precision that is set, as every result.
function set_sign(x::BigFloat, negative::Bool)
    y = BigFloat(x)
    BigFloat(y.prec, negative ? Int32(-1) : Int32(1), y.exp, y.d)
end
+(x::BigFloat) = x
# `false` adds nothing, as to every float.
+(x::BigFloat, y::Bool) = y ? x + 1 : x
+(x::Bool, y::BigFloat) = y + x
inv(x::BigFloat) = 1 / x
fma(x::BigFloat, y::BigFloat, z::BigFloat) = Host.big_float(:fma, BigFloat, big_settings(), x, y, z)::BigFloat
muladd(x::BigFloat, y::BigFloat, z::BigFloat) = fma(x, y, z)
rem(x::BigFloat, y::BigFloat, ::RoundingMode{:Nearest}) = Host.big_float(:remnearest, BigFloat, big_settings(), x, y)::BigFloat
function div(x::BigFloat, y::BigFloat)
    setrounding(() -> trunc(x / y), BigFloat, RoundToZero)
end
div(x::BigFloat, y::BigFloat, ::RoundingMode{:ToZero}) = div(x, y)
div(x::BigFloat, y::BigFloat, ::RoundingMode{:Down}) = setrounding(() -> floor(x / y), BigFloat, RoundDown)
div(x::BigFloat, y::BigFloat, ::RoundingMode{:Up}) = setrounding(() -> ceil(x / y), BigFloat, RoundUp)
zero(::Type{BigFloat}) = BigFloat(0)
one(::Type{BigFloat}) = BigFloat(1)
max(x::BigFloat, y::BigFloat) = isnan(x) ? x : isnan(y) ? y : x > y || (x == y && signbit(y)) ? x : y
min(x::BigFloat, y::BigFloat) = isnan(x) ? x : isnan(y) ? y : x < y || (x == y && signbit(x)) ? x : y
minmax(x::BigFloat, y::BigFloat) = (min(x, y), max(x, y))
sign(x::BigFloat) = iszero(x) || isnan(x) ? x : signbit(x) ? -one(x) : one(x)

# Rounding to whole numbers keeps the sign of what becomes zero.
function round_big(x::BigFloat, r)
    isfinite(x) && !iszero(x) || return BigFloat(x)
    copysign(BigFloat(round(BigInt, x, r)), x)
end
round(x::BigFloat, r::RoundingMode) = round_big(x, r)
# Between the methods for any number and these.
round(x::BigFloat, r::RoundingMode{:NearestTiesAway}) = round_big(x, r)
round(x::BigFloat, r::RoundingMode{:NearestTiesUp}) = round_big(x, r)
round(x::BigFloat, r::RoundingMode{:FromZero}) = round_big(x, r)
invoke_round(x::BigFloat, r) = round(x, r)
trunc(x::BigFloat) = round(x, RoundToZero)
floor(x::BigFloat) = round(x, RoundDown)
ceil(x::BigFloat) = round(x, RoundUp)
round(x::BigFloat) = round(x, RoundNearest)
for (f, r) in ((:trunc, :RoundToZero), (:floor, :RoundDown), (:ceil, :RoundUp), (:round, :RoundNearest))
    @eval $f(::Type{T}, x::BigFloat) where {T <: Integer} = round(T, x, $r)
    @eval $f(::Type{BigInt}, x::IEEEFloat) = round(BigInt, x, $r)
end
function modf(x::BigFloat)
    isinf(x) && return (copysign(zero(x), x), x)
    whole = trunc(x)
    (copysign(x - whole, x), whole)
end

# Neighbours at the number's own precision; exponent and significand.
nextfloat(x::BigFloat) = Host.big_float(:next, BigFloat, big_settings(x.prec), x)::BigFloat
prevfloat(x::BigFloat) = Host.big_float(:previous, BigFloat, big_settings(x.prec), x)::BigFloat
function nextfloat(x::BigFloat, n::Integer)
    for _ in 1:abs(n)
        x = n > 0 ? nextfloat(x) : prevfloat(x)
    end
    x
end
prevfloat(x::BigFloat, n::Integer) = nextfloat(x, -n)
eps(::Type{BigFloat}) = nextfloat(BigFloat(1)) - BigFloat(1)
eps(x::BigFloat) = isfinite(x) ? max(nextfloat(abs(x)) - abs(x), nextfloat(zero(x))) : BigFloat(NaN)
floatmin(::Type{BigFloat}) = nextfloat(zero(BigFloat))
floatmax(::Type{BigFloat}) = prevfloat(BigFloat(Inf))
typemax(::Type{BigFloat}) = BigFloat(Inf)
typemin(::Type{BigFloat}) = BigFloat(-Inf)
rem2pi(x::BigFloat, r::RoundingMode) = rem(x, 2 * BigFloat(π), r)
function lerpi(j::Integer, d::Integer, a::BigFloat, b::BigFloat)
    t = BigFloat(j) / d
    fma(t, b, fma(-t, a, a))
end
maxintfloat(::Type{BigFloat}) = BigFloat(2)^precision(BigFloat)
maxintfloat(x::BigFloat) = BigFloat(2)^precision(x)
function exponent(x::BigFloat)
    isfinite(x) && !iszero(x) || throw(DomainError(x, "`x` must be non-zero and finite."))
    x.exp - 1
end
function frexp(x::BigFloat)
    isfinite(x) && !iszero(x) || return (x, 0)
    (ldexp(x, -x.exp), x.exp)
end
significand(x::BigFloat) = isfinite(x) && !iszero(x) ? ldexp(x, 1 - x.exp) : x
ldexp(x::BigFloat, n::Integer) = Host.big_float(:ldexp, BigFloat, big_settings(), x, clamp(n, -(1 << 62), 1 << 62) % Int)::BigFloat

# Elementary functions.
big_function(name, x::BigFloat) = Host.big_float(name, BigFloat, big_settings(), x)::BigFloat
function sqrt(x::BigFloat)
    isnan(x) && return x
    y = big_function(:sqrt, x)
    isnan(y) ? throw_nan_domain(x) : y
end
sqrt(x::BigInt) = sqrt(BigFloat(x))
for f in (:exp, :exp2, :exp10, :expm1, :sinh, :cosh, :tanh, :asinh, :atan, :cbrt)
    @eval $f(x::BigFloat) = big_function($(QuoteNode(f)), x)
end
for f in (:sin, :cos, :tan, :asin, :acos, :acosh, :atanh, :sinpi, :cospi)
    @eval function $f(x::BigFloat)
        y = big_function($(QuoteNode(f)), x)
        isnan(y) && !isnan(x) ? throw_nan_domain(x) : y
    end
end
# The poles lie at odd halves, where the quotient has the sign of the sine.
function tanpi(x::BigFloat)
    isfinite(x) && isinteger(2 * x) && !isinteger(x) && return copysign(BigFloat(Inf), sinpi(x))
    y = big_function(:tanpi, x)
    isnan(y) && !isnan(x) ? throw_nan_domain(x) : y
end
for f in (:log, :log2, :log10, :log1p)
    @eval function $f(x::BigFloat)
        y = big_function($(QuoteNode(f)), x)
        isnan(y) && !isnan(x) ? throw(DomainError(x, string($(string(f)), " was called with a negative real argument but will only return a complex result if called with a complex argument. Try ", $(string(f)), "(Complex(x))."))) : y
    end
end
for f in (:exp, :exp2, :exp10, :expm1, :log, :log2, :log10, :log1p, :sin, :cos, :tan, :asin, :acos, :atan, :sinh, :cosh,
        :tanh, :asinh, :acosh, :atanh, :sinpi, :cospi, :cbrt)
    @eval $f(x::BigInt) = $f(BigFloat(x))
end
sincos(x::BigFloat) = (sin(x), cos(x))
sincospi(x::BigFloat) = (sinpi(x), cospi(x))
atan(y::BigFloat, x::BigFloat) = Host.big_float(:atan2, BigFloat, big_settings(), y, x)::BigFloat
hypot(x::BigFloat, y::BigFloat) = Host.big_float(:hypot, BigFloat, big_settings(), x, y)::BigFloat
sec(x::BigFloat) = inv(cos(x))
csc(x::BigFloat) = inv(sin(x))
cot(x::BigFloat) = inv(tan(x))
sech(x::BigFloat) = inv(cosh(x))
csch(x::BigFloat) = inv(sinh(x))
coth(x::BigFloat) = inv(tanh(x))
function factorial(x::BigFloat)
    (x < 0 || !isinteger(x)) && throw(DomainError(x, "Must be a non-negative integer."))
    BigFloat(factorial(BigInt(x)))
end
# As many bits as the precision that is set, all below one.
function random_value(rng, ::Type{BigFloat})
    p = precision(BigFloat)
    words = cld(p, 64)
    bits = foldl((n, _) -> n << 64 | random_value(rng, UInt64), 1:words; init = big(0))
    ldexp(BigFloat(bits >> (64 * words - p)), -p)
end
hash(x::BigFloat, h::UInt) = isnan(x) ? hash(NaN, h) : isinf(x) ? hash(Float64(x), h) :
    iszero(x) ? hash(signbit(x) ? -0.0 : 0.0, h) : ((m, e) = big_parts(x); hash_exact(m, e, h))
deepcopy(x::BigFloat) = BigFloat(x.prec, x.sign, x.exp, copy(x.d))
