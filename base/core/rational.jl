# Exact quotients of integers, in lowest terms with a denominator that is not negative. `1//0` and `-1//0` are infinite.

"""
    Rational{T}

An exact quotient of two integers in lowest terms.
"""
struct Rational{T <: Integer} <: Real
    num::T
    den::T
    Rational{T}(num::Integer, den::Integer) where {T <: Integer} = reduced_rational(T, num, den)
end
# The parts as they are: in lowest terms already.
unsafe_rational(::Type{T}, num::T, den::T) where {T <: Integer} = Core.@new Rational{T} num den
unsafe_rational(::Type{T}, num, den) where {T <: Integer} = unsafe_rational(T, convert(T, num), convert(T, den))
unsafe_rational(num::T, den::T) where {T <: Integer} = unsafe_rational(T, num, den)
unsafe_rational(num::Integer, den::Integer) = unsafe_rational(promote(num, den)...)

@noinline throw_zero_over_zero(T) = throw(ArgumentError(LazyString("invalid rational: zero(", T, ")//zero(", T, ")")))
@noinline throw_negative_rational(T, num, den) = throw(InexactError(:Rational, Rational{T}, num, den))
@noinline throw_negate_unsigned() = throw(OverflowError("cannot negate unsigned number"))
@noinline throw_least_numerator(T) = throw(OverflowError(LazyString("rational numerator is typemin(", T, ")")))
function divide_common(x::X, y::Y) where {X <: Integer, Y <: Integer}
    g = gcd(uabs(x), uabs(y))
    (divide_exactly(x, g), divide_exactly(y, g))
end
divide_exactly(x::BitSigned, g::BitUnsigned) = g > typemax(x) ? div(x, g) : div(x, g % typeof(x))
divide_exactly(x::T, g) where {T} = convert(T, div(x, g))::T
function reduced_rational(::Type{T}, num, den) where {T}
    iszero(num) & iszero(den) && throw_zero_over_zero(T)
    if T <: Union{Unsigned, Bool}
        !iszero(num) && signbit(num) != signbit(den) && throw_negative_rational(T, num, den)
        n, d = divide_common(uabs(num), uabs(den))
        return unsafe_rational(T, T(n), T(d))
    end
    n, d = isconcretetype(T) ? divide_common(num, den) : divide_common(promote(num, den)...)
    signbit(d) ? unsafe_rational(T, checked_neg(T(n)), checked_neg(T(d))) : unsafe_rational(T, T(n), T(d))
end
checked_den(n::T, d::T) where {T <: Integer} =
    signbit(d) ? unsafe_rational(T, checked_neg(n), checked_neg(d)) : unsafe_rational(T, n, d)
checked_den(n::Integer, d::Integer) = checked_den(promote(n, d)...)

Rational{T}(x::Rational) where {T <: Integer} = unsafe_rational(T, convert(T, x.num), convert(T, x.den))
Rational{T}(x::Integer) where {T <: Integer} = unsafe_rational(T, convert(T, x), convert(T, one(x)))
Rational(n::T, d::T) where {T <: Integer} = Rational{T}(n, d)
Rational(n::Integer, d::Integer) = Rational(promote(n, d)...)
Rational(x::Rational) = x
Rational(x::Integer) = unsafe_rational(typeof(x), x, one(x))
function Rational{T}(x::AbstractFloat) where {T <: Integer}
    r = rationalize(T, x, 0)
    x == convert(typeof(x), r) || throw_inexacterror(:Rational, Rational{T}, x)
    r
end
Rational(x::Union{Float32, Float64}) = Rational{Int}(x)
Rational(x::Float16) = Rational{Int}(x)

//(n::Integer, d::Integer) = Rational(n, d)
function //(x::Rational, y::Integer)
    n, d = divide_common(promote(x.num, y)...)
    checked_den(n, checked_mul(x.den, d))
end
function //(x::Integer, y::Rational)
    n, d = divide_common(promote(x, y.num)...)
    checked_den(checked_mul(n, y.den), d)
end
function //(x::Rational, y::Rational)
    n, d = divide_common(promote(x.num, y.num)...)
    s, t = divide_common(promote(x.den, y.den)...)
    checked_den(checked_mul(n, t), checked_mul(s, d))
end
//(x::AbstractArray, y::Number) = x .// y

numerator(x::Rational) = x.num
denominator(x::Rational) = x.den
promote_rule(::Type{Rational{T}}, ::Type{S}) where {T <: Integer, S <: Integer} = Rational{promote_type(T, S)}
promote_rule(::Type{Rational{T}}, ::Type{Rational{S}}) where {T <: Integer, S <: Integer} = Rational{promote_type(T, S)}
promote_rule(::Type{Rational{T}}, ::Type{S}) where {T <: Integer, S <: AbstractFloat} = promote_type(T, S)
zero(::Type{Rational{T}}) where {T} = unsafe_rational(T, zero(T), one(T))
one(::Type{Rational{T}}) where {T} = unsafe_rational(T, one(T), one(T))
function (::Type{T})(x::Rational{S}) where {T <: AbstractFloat, S <: Integer}
    P = promote_type(T, S)
    convert(T, convert(P, x.num) / convert(P, x.den))::T
end
Float64(x::Rational) = (Float64(x.num) / Float64(x.den))::Float64
Float32(x::Rational) = Float32(Float64(x))
Float16(x::Rational) = Float16(Float64(x))
lerpi(j::Integer, d::Integer, a::Rational, b::Rational) = ((d - j) * a) / d + (j * b) / d
(::Type{T})(x::Rational) where {T <: Integer} = isone(x.den) ? convert(T, x.num)::T : throw_inexacterror(nameof(T), T, x)
Integer(x::Rational) = isone(x.den) ? Integer(x.num) : throw_inexacterror(:Integer, Integer, x)
AbstractFloat(x::Rational) = float(x.num) / float(x.den)
float(::Type{Rational{T}}) where {T <: Integer} = float(T)
Bool(x::Rational) = x == 0 ? false : x == 1 ? true : throw_inexacterror(:Bool, Bool, x)
typemin(::Type{Rational{T}}) where {T <: Signed} = unsafe_rational(T, -one(T), zero(T))
typemin(::Type{Rational{T}}) where {T <: Integer} = unsafe_rational(T, zero(T), one(T))
typemax(::Type{Rational{T}}) where {T <: Integer} = unsafe_rational(T, one(T), zero(T))
widen(::Type{Rational{T}}) where {T} = Rational{widen(T)}

isinteger(x::Rational) = isone(x.den)
isfinite(x::Rational) = !iszero(x.den)
iszero(x::Rational) = iszero(x.num)
isone(x::Rational) = isone(x.num) & isone(x.den)
ispow2(x::Rational) = ispow2(x.num) & ispow2(x.den)
signbit(x::Rational) = signbit(x.num)
sign(x::Rational) = oftype(x, sign(x.num))
abs(x::Rational{T}) where {T} = unsafe_rational(T, checked_abs(x.num), x.den)
inv(x::Rational) = checked_den(x.den, x.num)
+(x::Rational) = x
-(x::Rational{T}) where {T} = unsafe_rational(T, -x.num, x.den)
-(x::Rational{T}) where {T <: BitSigned} =
    x.num == typemin(T) ? throw_least_numerator(T) : unsafe_rational(T, -x.num, x.den)
-(x::Rational{T}) where {T <: Unsigned} = iszero(x.num) ? x : throw_negate_unsigned()
-(x::Rational{Bool}) = Rational{Int}(-Int(x.num), Int(x.den))

# The denominators are brought together over their common divisor, so that intermediate numbers stay small.
function +(x::Rational, y::Rational)
    first_of, _ = promote(x, y)
    isinf(x) && x == y && return first_of::Rational
    s, t = divide_common(promote(x.den, y.den)...)
    Rational(checked_add(checked_mul(x.num, t), checked_mul(y.num, s)), checked_mul(x.den, t))::Rational
end
function -(x::Rational, y::Rational)
    first_of, _ = promote(x, y)
    isinf(x) && x == -y && return first_of::Rational
    s, t = divide_common(promote(x.den, y.den)...)
    Rational(checked_sub(checked_mul(x.num, t), checked_mul(y.num, s)), checked_mul(x.den, t))::Rational
end
+(x::Rational, y::Integer) = unsafe_rational(checked_add(x.num, checked_mul(x.den, y)), x.den)
-(x::Rational, y::Integer) = unsafe_rational(checked_sub(x.num, checked_mul(x.den, y)), x.den)
+(x::Integer, y::Rational) = unsafe_rational(checked_add(checked_mul(y.den, x), y.num), y.den)
-(x::Integer, y::Rational) = unsafe_rational(checked_sub(checked_mul(y.den, x), y.num), y.den)
for op in (:rem, :mod)
    @eval begin
        function $op(x::Rational, y::Rational)
            s, t = divide_common(promote(x.den, y.den)...)
            Rational($op(checked_mul(x.num, t), checked_mul(y.num, s)), checked_mul(x.den, t))
        end
        $op(x::T, y::T) where {T <: Rational} = invoke($op, Tuple{Rational, Rational}, x, y)
        $op(x::Rational, y::Integer) = unsafe_rational($op(x.num, checked_mul(x.den, y)), x.den)
        $op(x::Integer, y::Rational) = Rational($op(checked_mul(y.den, x), y.num), y.den)
    end
end
function *(x::Rational, y::Rational)
    n, t = divide_common(promote(x.num, y.den)...)
    s, m = divide_common(promote(x.den, y.num)...)
    unsafe_rational(checked_mul(n, m), checked_mul(s, t))
end
function *(x::Rational, y::Integer)
    d, n = divide_common(promote(x.den, y)...)
    unsafe_rational(checked_mul(x.num, n), d)
end
*(x::Integer, y::Rational) = y * x
/(x::Rational, y::Rational) = x // y
/(x::Rational, y::Integer) = x // y
/(x::Integer, y::Rational) = x // y
fma(x::Rational, y::Rational, z::Rational) = x * y + z
muladd(x::Rational, y::Rational, z::Rational) = x * y + z

# Comparison by value.
==(x::Rational, y::Rational) = (x.den == y.den) & (x.num == y.num)
==(x::Rational, y::Integer) = (x.num == y) & isone(x.den)
==(x::Integer, y::Rational) = y == x
for op in (:<, :<=)
    @eval begin
        $op(x::Rational, y::Rational) = x.den == y.den ? $op(x.num, y.num) : $op(widemul(x.num, y.den), widemul(x.den, y.num))
        $op(x::Rational, y::Integer) = $op(x.num, widemul(x.den, y))
        $op(x::Integer, y::Rational) = $op(widemul(x, y.den), y.num)
        $op(x::Rational, y::AbstractFloat) = !isnan(y) && $op(order_with_float(x, y), 0)
        $op(x::AbstractFloat, y::Rational) = !isnan(x) && $op(0, order_with_float(y, x))
    end
end
==(x::Rational, y::AbstractFloat) = isfinite(y) ? isone(count_ones(x.den)) & (y * x.den == x.num) : isinf(y) && isinf(x) && signbit(x) == signbit(y)
==(x::AbstractFloat, y::Rational) = y == x
cmp(x::Rational, y::AbstractFloat) = isnan(y) ? -1 : order_with_float(x, y)
cmp(x::AbstractFloat, y::Rational) = isnan(x) ? 1 : -order_with_float(y, x)
# A number as `num * 2^exponent / den`, exactly.
decompose(x::Integer) = (x, 0, 1)
decompose(x::Rational) = (x.num, 0, x.den)
decompose(x::Union{Float16, Float32}) = decompose(Float64(x))
function decompose(x::Float64)
    isnan(x) && return (0, 0, 0)
    isinf(x) && return (ifelse(x < 0, -1, 1), 0, 0)
    bits = reinterpret(UInt64, x)
    e = Int((bits >> 52) & 0x7ff)
    m = (bits & 0x000f_ffff_ffff_ffff) % Int64
    e == 0 ? (e = 1) : (m |= 1 << 52)
    # The sign is the third's, as it is of zero.
    (m, e - 1075, ifelse(signbit(x), -1, 1))
end
# -1, 0 or 1; the float is not NaN.
function order_with_float(x::Rational, y::AbstractFloat)
    isinf(y) && return isinf(x) && signbit(x) == signbit(y) ? 0 : y > 0 ? -1 : 1
    isinf(x) && return signbit(x) ? -1 : 1
    sx, sy = Int(sign(x.num)), y > 0 ? 1 : y < 0 ? -1 : 0
    sx == sy || return sx < sy ? -1 : 1
    sx == 0 && return 0
    m, e, s = decompose(y)
    order_of_magnitudes(uabs(x.num), widemul(uabs(m), x.den), e) * sx
end
# Orders `a` and `b * 2^e`, both positive: by their lengths, then shifted to one another.
function order_of_magnitudes(a, b, e)
    la = top_set_bit(a)
    lb = top_set_bit(b) + e
    la == lb || return la < lb ? -1 : 1
    p, q = promote(a, b)
    e > 0 ? (q <<= e) : (p = widen(p) << -e)
    p < q ? -1 : p > q ? 1 : 0
end

# Quotients rounded to whole numbers, and rounding.
for (X, Y) in ((:Rational, :Integer), (:Integer, :Rational), (:Rational, :Rational))
    @eval begin
        div(x::$X, y::$Y) = div(x, y, RoundToZero)
        fld(x::$X, y::$Y) = div(x, y, RoundDown)
        cld(x::$X, y::$Y) = div(x, y, RoundUp)
    end
end
function div(x::Rational, y::Integer, r::RoundingMode)
    n, d = divide_common(x.num, y)
    div(n, checked_mul(x.den, d), r)
end
function div(x::Integer, y::Rational, r::RoundingMode)
    n, d = divide_common(x, y.num)
    div(checked_mul(n, y.den), d, r)
end
function div(x::Rational, y::Rational, r::RoundingMode)
    n, d = divide_common(x.num, y.num)
    s, t = divide_common(x.den, y.den)
    div(checked_mul(n, t), checked_mul(s, d), r)
end
for (X, Y) in ((:Rational, :Integer), (:Integer, :Rational), (:Rational, :Rational))
    @eval div(x::$X, y::$Y, ::RoundingMode{:ToZero}) = invoke(div, Tuple{$X, $Y, RoundingMode}, x, y, RoundToZero)
end
round(x::Rational, r::RoundingMode) = round(typeof(x), x, r)
function round(::Type{T}, x::Rational, r::RoundingMode) where {T}
    S = typeof(x.num)
    iszero(x.den) && !(T <: Integer) && return convert(T, copysign(unsafe_rational(S, one(S), zero(S)), x.num))
    convert(T, div(x.num, x.den, r))
end
round(::Type{T}, x::Rational{Bool}, ::RoundingMode) where {T} =
    !x.den && T <: Integer ? throw_divideerror() : convert(T, x)
# Between the methods for any number and for any rational.
round(::Type{T}, x::Rational{Bool}, ::DirectedRounding) where {T <: AbstractFloat} = convert(T, x)
round(::Type{T}, x::Rational, r::DirectedRounding) where {T <: AbstractFloat} =
    iszero(x.den) ? convert(T, x) : convert(T, div(x.num, x.den, r))
round(::Type{T}, x::Rational{Bool}, r::RoundingMode) where {T >: Missing} = round(nonmissingtype_checked(T), x, r)
round(::Type{T}, x::Rational, r::RoundingMode) where {T >: Missing} = round(nonmissingtype_checked(T), x, r)
for (f, r) in ((:round, :RoundNearest), (:trunc, :RoundToZero), (:floor, :RoundDown), (:ceil, :RoundUp))
    @eval $f(::Type{T}, x::Rational) where {T >: Missing} = round(nonmissingtype_checked(T), x, $r)
end
round(::Type{T}, x::Rational) where {T} = round(T, x, RoundNearest)
trunc(x::Rational) = round(x, RoundToZero)
floor(x::Rational) = round(x, RoundDown)
ceil(x::Rational) = round(x, RoundUp)
round(x::Rational) = round(x, RoundNearest)
trunc(::Type{T}, x::Rational) where {T} = round(T, x, RoundToZero)
floor(::Type{T}, x::Rational) where {T} = round(T, x, RoundDown)
ceil(::Type{T}, x::Rational) where {T} = round(T, x, RoundUp)
^(x::Rational, n::Integer) = n >= 0 ? power_by_squaring(x, n) : power_by_squaring(inv(x), -n)
^(x::Rational, n::Bool) = n ? x : one(x)
^(x::Number, y::Rational) = x^(y.num / y.den)
^(x::T, y::Rational) where {T <: AbstractFloat} = x^convert(T, y)
gcd(x::Rational) = checked_abs(x.num) // x.den
lcm(x::Rational) = gcd(x)
gcd(x::Rational{T}, y::Rational{T}) where {T <: Integer} = unsafe_rational(gcd(x.num, y.num), lcm(x.den, y.den))
lcm(x::Rational{T}, y::Rational{T}) where {T <: Integer} = unsafe_rational(lcm(x.num, y.num), gcd(x.den, y.den))
function gcdx(x::Rational{T}, y::Rational{T}) where {T <: Integer}
    c = gcd(x, y)
    iszero(c.num) && return (c, zero(c.num), c.num)
    if iszero(c.den)
        return (c, iszero(x.den) ? one(c.den) : c.den, iszero(y.den) ? one(c.den) : c.den)
    end
    whole(z) = div(z.num, c.num) * div(c.den, z.den)
    _, s, t = gcdx(whole(x), whole(y))
    (c, s, t)
end
# Any real number tells its value by `decompose`.
function hash(x::Real, h::UInt)
    num, e, den = decompose(x)
    iszero(den) && return hash(num > 0 ? Inf : num < 0 ? -Inf : NaN, h)
    den < 0 && ((num, den) = (-num, -den))
    iszero(num) && return x == 0 && signbit(x) ? hash(-0.0, h) : hash(0, h)
    isone(den) ? hash_exact(num, e, h) : hash((num // den) * (big(2) // 1)^e, h)
end
hash(x::Rational, h::UInt) = isone(x.den) ? hash(x.num, h) : iszero(x.den) ? hash(x.num > 0 ? Inf : -Inf, h) :
    isone(count_ones(x.den)) ? hash_exact(x.num, -trailing_zeros(x.den), h) :
    hash_mix(hash(x.num, h), hash(x.den, h) ⊻ 0x52a7_10c4_11d0_3e5b)

# `n`, `n/d` or `n//d`.
function parse(::Type{Rational{T}}, s::AbstractString) where {T <: Integer}
    parts = split(s, '/'; limit = 2)
    length(parts) == 1 && return Rational{T}(parse(T, s))
    below = parts[2]
    startswith(below, '/') && (below = SubString(below, 2))
    parse(T, parts[1]) // parse(T, below)
end

# The simplest rational within a tolerance: convergents of the continued fraction, and the last of them taken only as
# far as needed. A convergent that does not fit ends it.
rationalize(x::Real; kws...) = rationalize(Int, x; kws...)
rationalize(::Type{T}, x::AbstractFloat; tol::Real = eps(x)) where {T <: Integer} = rationalize(T, x, tol)
rationalize(::Type{T}, x::Rational; tol::Real = 0) where {T <: Integer} = rationalize(T, x, tol)
rationalize(x::Rational; kws...) = x
rationalize(x::Integer; kws...) = Rational(x)
function rationalize(::Type{T}, x::Integer; kws...) where {T <: Integer}
    if hastypemax(T)
        x < typemin(T) && return unsafe_rational(T, -one(T), zero(T))
        x > typemax(T) && return unsafe_rational(T, one(T), zero(T))
    end
    Rational{T}(x)
end
function rationalize(::Type{T}, x::Union{AbstractFloat, Rational}, tol::Real) where {T <: Integer}
    tol < 0 && throw(ArgumentError(string("negative tolerance ", tol)))
    T <: Unsigned && x < 0 && throw_negate_unsigned()
    isnan(x) && return T(x) // one(T)
    isinf(x) && return unsafe_rational(T, x < 0 ? -one(T) : one(T), zero(T))
    continued_fraction(T, x, oftype(x, tol))
end
# The next convergent, or nothing if it overflows.
function next_convergent(a, p::T, p0::T, q::T, q0::T) where {T}
    try
        n = convert(T, a)
        (checked_add(checked_mul(n, p), p0), checked_add(checked_mul(n, q), q0))
    catch e
        e isa InexactError || e isa OverflowError || rethrow()
        nothing
    end
end
function continued_fraction(::Type{T}, x, tol) where {T}
    p, p0 = x < 0 ? -one(T) : one(T), zero(T)
    q, q0 = zero(T), one(T)
    # The rest is `u / v`: it stays exact where a quotient would not.
    u, v = abs(x), one(x)
    a = trunc(u)
    rest = u - a
    slack, before, gap = tol, tol, zero(tol)
    while rest > slack
        next = next_convergent(a, p, p0, q, q0)
        next === nothing && return p // q
        p, p0 = next[1], p
        q, q0 = next[2], q
        u, v = v, rest
        a, rest = divrem(u, v)
        before, gap = gap, slack
        slack = a * gap + before
    end
    a = cld(u - before, v + gap)
    next = next_convergent(a, p, p0, q, q0)
    next === nothing ? p // q : next[1] // next[2]
end
