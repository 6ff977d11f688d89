# Numbers of twice the precision, as the unevaluated sum of two floats, and the float ranges built on them:
# the elements of `0:0.1:1` are the floats nearest to the tenths.

struct TwicePrecision{T}
    hi::T
    lo::T
end
TwicePrecision{T}(x::T) where {T} = TwicePrecision{T}(x, zero(T))
TwicePrecision{T}(x::Number) where {T} = (hi = T(x); TwicePrecision{T}(hi, T(widen_exact(x) - widen_exact(hi))))
TwicePrecision(x::T) where {T} = TwicePrecision{T}(x, zero(T))
TwicePrecision{T}(x::TwicePrecision) where {T} = TwicePrecision{T}(T(x.hi), T(x.lo))
widen_exact(x::Float32) = Float64(x)
widen_exact(x::Float16) = Float64(x)
widen_exact(x) = x
function TwicePrecision{Float64}(x::Int)
    hi = Float64(x)
    # What is left is small: it does not matter that 2^63 wraps round.
    back = x < 0 ? unsafe_trunc(Int, hi) : unsafe_trunc(UInt, hi) % Int
    TwicePrecision{Float64}(hi, Float64(x - back))
end
function TwicePrecision{T}(num::Integer, den::Integer) where {T}
    TwicePrecision{T}(num) / TwicePrecision{T}(den)
end

(::Type{T})(x::TwicePrecision) where {T <: AbstractFloat} = T(x.hi + x.lo)::T
Float64(x::TwicePrecision{Float64}) = x.hi + x.lo
convert(::Type{TwicePrecision{T}}, x::TwicePrecision{T}) where {T} = x
convert(::Type{TwicePrecision{T}}, x::TwicePrecision) where {T} = TwicePrecision{T}(T(x.hi), T(x.lo))
convert(::Type{T}, x::TwicePrecision) where {T <: Number} = T(x)
zero(::Type{TwicePrecision{T}}) where {T} = TwicePrecision{T}(zero(T), zero(T))
zero(x::TwicePrecision) = zero(typeof(x))
one(::Type{TwicePrecision{T}}) where {T} = TwicePrecision{T}(one(T), zero(T))
iszero(x::TwicePrecision) = iszero(x.hi)
promote_rule(::Type{TwicePrecision{T}}, ::Type{<:Number}) where {T} = TwicePrecision{T}
==(x::TwicePrecision, y::TwicePrecision) = x.hi == y.hi && x.lo == y.lo
-(x::TwicePrecision) = TwicePrecision(-x.hi, -x.lo)
+(x::TwicePrecision, y::Number) = (s = add12(x.hi, oftype(x.hi, y)); TwicePrecision(canonicalize2(s[1], s[2] + x.lo)...))
+(x::Number, y::TwicePrecision) = y + x
function +(x::TwicePrecision{T}, y::TwicePrecision{T}) where {T}
    r = x.hi + y.hi
    s = abs(x.hi) > abs(y.hi) ? (((x.hi - r) + y.hi) + y.lo) + x.lo : (((y.hi - r) + x.hi) + x.lo) + y.lo
    TwicePrecision{T}(canonicalize2(r, s)...)
end
-(x::TwicePrecision, y::TwicePrecision) = x + (-y)
-(x::TwicePrecision, y::Number) = x + (-y)
function *(x::TwicePrecision{T}, y::TwicePrecision{T}) where {T}
    zh, zl = mul12(x.hi, y.hi)
    iszero(zh) || !isfinite(zh) ? TwicePrecision{T}(zh, zh) :
        TwicePrecision{T}(canonicalize2(zh, (x.hi * y.lo + x.lo * y.hi) + zl)...)
end
*(x::TwicePrecision{T}, v::Number) where {T} = v == 0 ? TwicePrecision{T}(x.hi * v, x.lo * v) : x * TwicePrecision{T}(v)
*(v::Number, x::TwicePrecision) = x * v
*(x::TwicePrecision{T}, v::Integer) where {T} = v == 0 ? TwicePrecision{T}(x.hi * v, x.lo * v) : x * TwicePrecision{T}(v)
*(v::Integer, x::TwicePrecision) = x * v
function /(x::TwicePrecision{T}, y::TwicePrecision{T}) where {T}
    hi = x.hi / y.hi
    uh, ul = mul12(hi, y.hi)
    lo = ((((x.hi - uh) - ul) + x.lo) - hi * y.lo) / y.hi
    iszero(hi) || !isfinite(hi) ? TwicePrecision{T}(hi, hi) : TwicePrecision{T}(canonicalize2(hi, lo)...)
end
/(x::TwicePrecision{T}, v::Number) where {T} = x / TwicePrecision{T}(v)

# The fraction of small numerator and denominator that rounds to `x`, or (0, 0).
function small_fraction(x::T) where {T <: IEEEFloat}
    y = x
    a = d = 1
    b = c = 0
    limit = maxintfloat(narrow_float(T), Int)
    while abs(y) <= limit
        f = trunc(Int, y)
        y -= f
        a, c = f * a + c, a
        b, d = f * b + d, b
        max(abs(a), abs(b)) <= fraction_limit(T) || return (c, d)
        oftype(x, a) / oftype(x, b) == x && break
        y = inv(y)
    end
    (a, b)
end
narrow_float(::Type{Float64}) = Float32
narrow_float(::Type{Float32}) = Float16
narrow_float(::Type{Float16}) = Float16
fraction_limit(::Type{T}) where {T} = unsafe_trunc(Int, maxintfloat(narrow_float(T)))

# The float ranges keep their reference and step exact: Float64 in twice precision, the narrow ones in Float64.
(::Colon)(start::T, step::T, stop::T) where {T <: IEEEFloat} = floatrange_stop(start, step, stop)
function floatrange_stop(start::T, step::T, stop::T) where {T}
    step == 0 && throw(ArgumentError("range step cannot be zero"))
    sn, sd = small_fraction(step)
    if sd != 0 && T(sn) / T(sd) == step
        an, ad = small_fraction(start)
        bn, bd = small_fraction(stop)
        if ad != 0 && bd != 0
            den = common_denominator(ad, sd)
            m = maxintfloat(T, Int)
            if den != 0 && abs(start * den) <= m && abs(step * den) <= m && abs(stop * den) <= m
                a = round(Int, start * den)
                s = round(Int, step * den)
                n = max(0, floordiv(round(Int, stop * den), a, s, stop, den) + 1)
                if T(a) / T(den) == start && T(s) / T(den) == step
                    return floatrange(T, a, s, n, den)
                end
            end
        end
    end
    # No fraction fits: count with a little slack, and let the elements carry their rounding.
    lf = (stop - start) / step
    if lf < 0
        n = 0
    elseif lf == 0
        n = 1
    else
        n = round(Int, lf) + 1
        last_value = start + (n - 1) * step
        n -= (start < stop < last_value) + (start > stop > last_value)
    end
    steprangelen_hp(T, start, step, n)
end
function floordiv(b, a, s, stop, den)
    n = fld(b - a, s)
    n
end
function common_denominator(a::Int, b::Int)
    g = gcd(a, b)
    r, over = mul_with_overflow(a, div(b, g))
    over ? 0 : abs(r)
end
function floatrange_start_step(a::T, step::T, len::Integer) where {T <: IEEEFloat}
    an, ad = small_fraction(a)
    sn, sd = small_fraction(step)
    if ad != 0 && sd != 0 && T(an) / T(ad) == a && T(sn) / T(sd) == step
        den = common_denominator(ad, sd)
        m = maxintfloat(T, Int)
        if den != 0 && abs(den * a) <= m && abs(den * step) <= m && rem(den, ad) == 0 && rem(den, sd) == 0
            return floatrange(T, round(Int, den * a), round(Int, den * step), Int(len), den)
        end
    end
    steprangelen_hp(T, a, step, Int(len))
end
floatrange_start_step(a, step, len::Integer) = StepRangeLen(a, step, len)

# From whole numbers over one denominator. The reference is the element of least magnitude.
function floatrange(::Type{T}, a::Int, s::Int, n::Int, den::Int) where {T}
    if n < 2 || s == 0
        return steprangelen_ratio(T, (a, den), (s, den), n, 1)
    end
    least = clamp(round(Int, -a / s) + 1, 1, n)
    steprangelen_ratio(T, (a + (least - 1) * s, den), (s, den), n, least)
end
function steprangelen_ratio(::Type{Float64}, ref, step, n, offset)
    StepRangeLen{Float64, TwicePrecision{Float64}, TwicePrecision{Float64}, Int}(
        TwicePrecision{Float64}(ref[1], ref[2]), split_step(TwicePrecision{Float64}(step[1], step[2]), n, offset), n, offset)
end
steprangelen_ratio(::Type{T}, ref, step, n, offset) where {T <: Union{Float16, Float32}} =
    StepRangeLen{T, Float64, Float64, Int}(ref[1] / ref[2], step[1] / step[2], n, offset)
function steprangelen_hp(::Type{Float64}, start, step, n)
    StepRangeLen{Float64, TwicePrecision{Float64}, TwicePrecision{Float64}, Int}(
        TwicePrecision{Float64}(start, 0.0), split_step(TwicePrecision{Float64}(step, 0.0), n, 1), n, 1)
end
steprangelen_hp(::Type{T}, start, step, n) where {T <: Union{Float16, Float32}} =
    StepRangeLen{T, Float64, Float64, Int}(Float64(start), Float64(step), n, 1)
# Leaves as many low bits of the step's high part clear as the greatest multiplier has, so that products are exact.
function split_step(step::TwicePrecision{Float64}, n, offset)
    bits = min(26, 64 - leading_zeros(UInt(max(n - offset, offset - 1, 1))))
    hi = reinterpret(Float64, reinterpret(UInt64, step.hi) & (typemax(UInt64) << bits))
    TwicePrecision{Float64}(hi, (step.hi - hi) + step.lo)
end
@inline function unsafe_getindex(r::StepRangeLen{T, <:TwicePrecision, <:TwicePrecision}, i::Integer) where {T}
    u = i - r.offset
    shift_hi, shift_lo = u * r.step.hi, u * r.step.lo
    x_hi, x_lo = add12(r.ref.hi, shift_hi)
    T(x_hi + (x_lo + (shift_lo + r.ref.lo)))
end
step(r::StepRangeLen{T, <:TwicePrecision, <:TwicePrecision}) where {T} = T(r.step)
function getindex(r::StepRangeLen{T, R, S, L}, s::OrdinalRange{<:Integer}) where {T, R <: TwicePrecision, S <: TwicePrecision, L}
    @boundscheck isempty(s) || (1 <= minimum(s) && maximum(s) <= length(r)) || throw_boundserror(r, s)
    n = length(s)
    by = step(s)
    StepRangeLen{T, R, S, L}(shifted_ref(r, first(s)), split_step(r.step * by, n, 1), n, 1)
end
function shifted_ref(r, i)
    u = i - r.offset
    x_hi, x_lo = add12(r.ref.hi, u * r.step.hi)
    TwicePrecision(canonicalize2(x_hi, x_lo + (u * r.step.lo + r.ref.lo))...)
end

# `n` equally spaced floats that start and end exactly where they should.
function linspace_float(a::T, b::T, len::Integer) where {T <: IEEEFloat}
    n = Int(len)
    n < 0 && throw_negative_length(n)
    isfinite(a) && isfinite(b) || throw(ArgumentError(string("start and stop must be finite, got ", a, " and ", b)))
    if n < 2
        n == 1 && a != b && throw(ArgumentError(string("range(", a, ", stop=", b, ", length=", n, "): endpoints differ")))
        return steprangelen_hp(T, a, n == 0 ? one(T) : zero(T), n)
    end
    a == b && return steprangelen_hp(T, a, zero(T), n)
    an, ad = small_fraction(a)
    bn, bd = small_fraction(b)
    if ad != 0 && bd != 0 && T(an) / T(ad) == a && T(bn) / T(bd) == b
        den = common_denominator(ad, bd)
        m = maxintfloat(T, Int)
        if den != 0 && abs(den * a) <= m && abs(den * b) <= m
            return linspace_ratio(T, round(Int, den * a), round(Int, den * b), n, den)
        end
    end
    linspace_plain(a, b, n)
end
function linspace_ratio(::Type{T}, a::Int, b::Int, n::Int, den::Int) where {T}
    # Element i is (a*(n-i) + b*(i-1)) / ((n-1)*den).
    over, over_flag = mul_with_overflow(n - 1, den)
    pa, fa = mul_with_overflow(a, n - 1)
    (over_flag || fa) && return linspace_plain(T(a) / den, T(b) / den, n)
    s = b - a
    least = clamp(round(Int, -pa / s) + 1, 1, n)
    steprangelen_ratio(T, (pa + (least - 1) * s, over), (s, over), n, least)
end
function linspace_plain(a::Float64, b::Float64, n::Int)
    step = (TwicePrecision{Float64}(b, 0.0) - TwicePrecision{Float64}(a, 0.0)) / TwicePrecision{Float64}(n - 1)
    least = clamp(round(Int, -a / step.hi) + 1, 1, n)
    if least == 1 || least == n
        ref = TwicePrecision{Float64}(least == 1 ? a : b, 0.0)
    else
        ref = TwicePrecision{Float64}(a, 0.0) + step * (least - 1)
    end
    StepRangeLen{Float64, TwicePrecision{Float64}, TwicePrecision{Float64}, Int}(ref, split_step(step, n, least), n, least)
end
linspace_plain(a::T, b::T, n::Int) where {T <: Union{Float16, Float32}} =
    StepRangeLen{T, Float64, Float64, Int}(Float64(a), (Float64(b) - Float64(a)) / (n - 1), n, 1)
