# Powers: by repeated squaring, with literal exponents, and of floats by integers.

power_by_squaring(x, p::Integer) = power_by_squaring_with(*, x, p)
@noinline throw_negative_power(x, p) =
    throw(DomainError(p, LazyString("Cannot raise an integer x to a negative power ", p, ".\nConvert input to float.")))
@noinline throw_negative_power(x::Integer, p) = throw(DomainError(p, LazyString("Cannot raise an integer x to a negative power ", p,
    ".\nMake x or ", p, " a float by adding a zero decimal (e.g., 2.0^", p, " or 2^", float(p), " instead of 2^", p,
    ") or write 1/x^", -p, ", float(x)^", p, ", x^float(", p, ") or (x//1)^", p, ".")))
@noinline throw_negative_power(x::AbstractMatrix, p) = throw(DomainError(p, LazyString(
    "Cannot raise an integer matrix x to a negative power ", p, ".\nMake x a float matrix by adding a zero decimal ",
    "(e.g., [2.0 1.0;1.0 0.0]^", p, " instead of [2 1;1 0]^", p, ") or write float(x)^", p, " or Rational.(x)^", p, ".")))
# A value in the type that its powers have, whatever the exponent.
to_power(x::Union{BitInteger, IEEEFloat}) = x
to_power(x::Number) = convert(promote_type(typeof(x), typeof(x * x)), x)
to_power(x) = convert(typeof(x * x), x)
# The exponent gets smaller: the loops end.
@assume_effects :terminates_locally function power_by_squaring_with(times, x, p::Integer)
    x = to_power(x)
    p == 1 && return copy(x)
    p == 0 && return one(x)
    p == 2 && return times(x, x)
    if p < 0
        isone(x) && return copy(x)
        isone(-x) && return iseven(p) ? one(x) : copy(x)
        throw_negative_power(x, p)
    end
    t = trailing_zeros(p) + 1
    p >>= t
    while (t -= 1) > 0
        x = times(x, x)
    end
    y = x
    while p > 0
        t = trailing_zeros(p) + 1
        p >>= t
        while (t -= 1) >= 0
            x = times(x, x)
        end
        y = times(y, x)
    end
    y
end
function power_by_squaring_with(times, x::Bool, p::Integer)
    p < 0 && !x && throw_negative_power(x, p)
    (p == 0) | x
end
^(x::T, p::T) where {T <: Integer} = power_by_squaring(x, p)
^(x::Number, p::Integer) = power_by_squaring(x, p)
^(x::Integer, p::Integer) = power_by_squaring(x, p)
^(x::Bool, p::Integer) = power_by_squaring_with(*, x, p)
^(x::IEEEFloat, p::Integer) = float_power(x, p)
^(x::T, p::Integer) where {T <: Float16} = T(float_power(Float32(x), p))

# The product of a float with itself, keeping the rounding error of each step so that the result is good to the
# last digit even after many multiplications.
float_power(x, p::Integer) = float_power_with(float_power_wide, x, p)
function float_power_with(wide, x::T, p::Integer) where {T <: Union{Float32, Float64}}
    p == 0 && return one(x)
    p == 1 && return x
    p == 2 && return x * x
    p == 3 && return x * x * x
    p == -1 && return inv(x)
    p == -2 && (i = inv(x); return i * i)
    T(wide(x, p))
end
float_power_wide(x::Float32, p) = p < 0 ? inv(plain_power(Float64(x), uabs(p))) : plain_power(Float64(x), uabs(p))
@assume_effects :terminates_locally function plain_power(x, n)
    y = one(x)
    while true
        isodd(n) && (y *= x)
        n >>= 1
        iszero(n) && return y
        x *= x
    end
end
float_power_wide(x::Float64, p) = squares_suffice(p) ? compensated_power(x, p) : great_power(x, clamp(p, Int64))
# For great exponents errors of squaring add up: the logarithm is better. An exponent that no float holds is split.
# The float power does not call this: it would be recursive then, and kernels would call it item by item.
@noinline @assume_effects :terminates_globally function great_power(x::Float64, n::Int64)
    rest = abs(n) < Int64(1) << 53 ? 0 : n % 1024
    power = abs(x)^Float64(n - rest)
    rest == 0 || (power *= compensated_power(abs(x), rest))
    signbit(x) & isodd(n) ? -power : power
end
@assume_effects :terminates_locally function compensated_power(x, p)
    n = uabs(p)
    low = zero(x)
    if p < 0
        r = inv(x)
        isfinite(x) && isfinite(r) && (low = -fma(r, x, -one(x)) * r)
        x = r
    end
    y = one(x)
    ylow = zero(x)
    while true
        if isodd(n)
            err = muladd(y, low, x * ylow)
            y, ylow = mul12(x, y)
            ylow += err
        end
        n >>= 1
        iszero(n) && break
        err = x * 2 * low
        x, low = mul12(x, x)
        low += err
    end
    isfinite(y) && isfinite(ylow) ? y + ylow : y
end

# `x^2` and its like: the exponent is known when the call is compiled.
@inline literal_pow(f, x, ::Val{p}) where {p} = f(x, p)
@inline literal_pow(::typeof(^), x::HWReal, ::Val{0}) = one(x)
@inline literal_pow(::typeof(^), x::HWReal, ::Val{1}) = x
@inline literal_pow(::typeof(^), x::HWReal, ::Val{2}) = x * x
@inline literal_pow(::typeof(^), x::HWReal, ::Val{3}) = x * x * x
@inline literal_pow(::typeof(^), x::HWReal, ::Val{-1}) = inv(x)
@inline literal_pow(::typeof(^), x::HWReal, ::Val{-2}) = (i = inv(x); i * i)
@inline literal_pow(::typeof(^), x, ::Val{p}) where {p} = p < 0 ? literal_pow_negative(x, Val(p)) : x^p
literal_pow_negative(x, ::Val{p}) where {p} = inv(x)^(-p)
literal_pow_negative(x::Integer, ::Val{p}) where {p} = float(x)^p
literal_pow_negative(x::AbstractFloat, ::Val{p}) where {p} = x^p

# Polynomials by Horner's rule.
@inline evalpoly(x, p::Tuple) = horner_tuple(x, p...)
@inline horner_tuple(x, c) = c + zero(x) * zero(c)
@inline horner_tuple(x, c, cs...) = muladd(x, horner_more(x, cs...), c)
@inline horner_more(x, c) = c
@inline horner_more(x, c, cs...) = muladd(x, horner_more(x, cs...), c)
function evalpoly(x, p::AbstractVector)
    n = lastindex(p)
    ex = p[n]
    for i in (n - 1):-1:firstindex(p)
        ex = muladd(x, ex, p[i])
    end
    ex
end
"""
    @evalpoly(x, c...)

The polynomial with these coefficients, the constant one first, at `x`.
"""
macro evalpoly(x, coefficients...)
    @keep_expansions
    esc(Expr(:call, GlobalRef(Base, :evalpoly), x, Expr(:tuple, coefficients...)))
end
macro horner(x, coefficients...)
    @keep_expansions
    esc(Expr(:call, GlobalRef(Base, :evalpoly), x, Expr(:tuple, coefficients...)))
end
