# Ranges of floats. Where the ends and the step are fractions of small whole numbers the elements are the floats nearest to
# those fractions: `(0:0.1:1)[4] == 0.3`. A range of Float64 keeps its reference and step in twice the precision, one of
# narrower floats in Float64. The reference is the element of least magnitude, and the high part of the step has as many
# low bits clear as its multiples need to be exact.

const FloatOrPair = Union{AbstractFloat, Tuple{AbstractFloat, AbstractFloat}}
StepRangeLen(ref::TwicePrecision{T}, step::TwicePrecision{T}, len::Integer, offset::Integer = 1) where {T} =
    StepRangeLen{T, TwicePrecision{T}, TwicePrecision{T}, promote_type(Int, typeof(len))}(ref, step, len, offset)
step(r::StepRangeLen{T, TwicePrecision{T}, TwicePrecision{T}}) where {T <: AbstractFloat} = T(r.step)
step(r::StepRangeLen{T, TwicePrecision{T}, TwicePrecision{T}}) where {T} = T(r.step)

# The bits that the greatest multiplier of the step has.
nbitslen(r::StepRangeLen) = nbitslen(eltype(r), length(r), r.offset)
nbitslen(::Type{T}, len, offset) where {T <: IEEEFloat} = min(cld(precision(T), 2), nbitslen(len, offset))
nbitslen(len, offset) = len < 2 ? 0 : top_set_bit(max(offset - 1, len - offset) - 1) + 1

# Of fractions, then of floats that may come with their low parts.
steprangelen_hp(::Type{Float64}, ref::Tuple{Integer, Integer}, step::Tuple{Integer, Integer}, bits::Integer, len::Integer, offset::Integer) =
    StepRangeLen(TwicePrecision{Float64}(ref), TwicePrecision{Float64}(step, bits), len, offset)
steprangelen_hp(::Type{T}, ref::Tuple{Integer, Integer}, step::Tuple{Integer, Integer}, bits::Integer, len::Integer, offset::Integer) where {T <: IEEEFloat} =
    StepRangeLen{T}(ref[1] / ref[2], step[1] / step[2], len, offset)
steprangelen_hp(::Type{Float64}, ref::FloatOrPair, step::FloatOrPair, bits::Integer, len::Integer, offset::Integer) =
    StepRangeLen(from_parts(ref), twiceprecision(from_parts(step), bits), len, offset)
steprangelen_hp(::Type{T}, ref::FloatOrPair, step::FloatOrPair, bits::Integer, len::Integer, offset::Integer) where {T <: IEEEFloat} =
    StepRangeLen{T}(sum_of_parts(ref), sum_of_parts(step), len, offset)
from_parts(x::AbstractFloat) = TwicePrecision{Float64}(x)
from_parts(x::Tuple{AbstractFloat, AbstractFloat}) = TwicePrecision{Float64}(x[1], x[2])
sum_of_parts(x::AbstractFloat) = Float64(x)
sum_of_parts(x::Tuple{AbstractFloat, AbstractFloat}) = Float64(x[1]) + Float64(x[2])

# The fraction of small numerator and denominator that is near `x`, by continued fractions. It need not equal `x`.
function rat(x)
    y = x
    a = d = 1
    b = c = 0
    m = maxintfloat(narrow(typeof(x)), Int)
    while abs(y) <= m
        f = trunc(Int, y)
        y -= f
        a, c = f * a + c, a
        b, d = f * b + d, b
        max(abs(a), abs(b)) <= convert(Int, m) || return (c, d)
        oftype(x, a) / oftype(x, b) == x && break
        y = inv(y)
    end
    (a, b)
end
narrow(::Type{T}) where {T <: AbstractFloat} = Float64
narrow(::Type{Float64}) = Float32
narrow(::Type{Float32}) = Float16
narrow(::Type{Float16}) = Float16
lcm_unchecked(a::T, b::T) where {T <: Integer} = a * div(b, gcd(a, b))
is_fraction(x::T, q) where {T} = q[2] != 0 && T(q[1] / q[2]) == x
# The denominator over which both fractions, those of `x` and `y`, are whole numbers that `T` holds exactly; or 0.
function common_denominator(::Type{T}, x, xd, y, yd) where {T}
    den = lcm_unchecked(xd, yd)
    m = maxintfloat(T, Int)
    den != 0 && abs(x * den) <= m && abs(y * den) <= m && rem(den, xd) == 0 && rem(den, yd) == 0 ? den : zero(den)
end

# From whole numbers over one denominator.
function floatrange(::Type{T}, start::Integer, step::Integer, len::Integer, den::Integer) where {T}
    n = len + 0
    (n < 2 || step == 0) && return steprangelen_hp(T, (start, den), (step, den), 0, n, oneunit(n))
    least = clamp(round(typeof(n), -start / step + 1), oneunit(n), n)
    steprangelen_hp(T, (start + (least - 1) * step, den), (step, den), nbitslen(T, n, least), n, least)
end

(::Colon)(start::T, step::T, stop::T) where {T <: IEEEFloat} = floatrange_to(start, step, stop)
function floatrange_to(start::T, step::T, stop::T) where {T}
    step == 0 && throw_zero_float_step()
    by = rat(step)
    if is_fraction(step, by)
        from, to = rat(start), rat(stop)
        if is_fraction(start, from) && is_fraction(stop, to)
            den = common_denominator(T, start, from[2], step, by[2])
            if den != 0
                a = round(Int, start * den)
                s = round(Int, step * den)
                n = max(0, Int(div(den * to[1] - to[2] * a + s * to[2], s * to[2])))
                # The whole numbers may have overflowed; then the count makes no sense.
                isbetween(start, start + (n - 1) * step, stop + step / 2) && !isbetween(start, start + n * step, stop) &&
                    return floatrange(T, a, s, n, den)
            end
        end
    end
    steprangelen_hp(T, start, step, 0, count_steps(start, step, stop), 1)
end
@noinline throw_zero_float_step() = throw(ArgumentError("range step cannot be zero"))
isbetween(a, x, b) = a <= x <= b || b <= x <= a
# The rounded quotient, less one if the last element would lie beyond the stop.
function count_steps(start, step, stop)
    steps = (stop - start) / step
    steps < 0 && return 0
    steps == 0 && return 1
    n = round(Int, steps) + 1
    final = start + (n - 1) * step
    n - ((start < stop < final) + (start > stop > final))
end

range_start_step_length(a::Real, step::IEEEFloat, len::Integer) = range_start_step_length(promote(a, step)..., len)
range_start_step_length(a::IEEEFloat, step::Real, len::Integer) = range_start_step_length(promote(a, step)..., len)
range_start_step_length(a::IEEEFloat, step::IEEEFloat, len::Integer) = range_start_step_length(promote(a, step)..., len)
function range_start_step_length(a::T, step::T, len::Integer) where {T <: IEEEFloat}
    n = len + 0
    from, by = rat(a), rat(step)
    if is_fraction(a, from) && is_fraction(step, by)
        den = common_denominator(T, a, from[2], step, by[2])
        den == 0 || return floatrange(T, round(Int, den * a), round(Int, den * step), n, den)
    end
    steprangelen_hp(T, a, step, 0, n, 1)
end
range_step_stop_length(step::Real, stop::IEEEFloat, len::Integer) = range_step_stop_length(promote(step, stop)..., len)
range_step_stop_length(step::IEEEFloat, stop::Real, len::Integer) = range_step_stop_length(promote(step, stop)..., len)
range_step_stop_length(step::IEEEFloat, stop::IEEEFloat, len::Integer) = reverse(range_start_step_length(stop, negate(step), len))

# Equally spaced floats that start and end exactly where they should.
function range_start_stop_length(start::T, stop::T, len::Integer) where {T <: IEEEFloat}
    n = len + 0
    n < 2 && return _linspace1(T, start, stop, n)
    start == stop && return steprangelen_hp(T, start, zero(T), 0, n, 1)
    from, to = rat(start), rat(stop)
    if from[2] != 0 && to[2] != 0
        den = lcm_unchecked(from[2], to[2])
        m = maxintfloat(T, Int)
        if den != 0 && abs(den * start) <= m && abs(den * stop) <= m
            a, b = round(Int, den * start), round(Int, den * stop)
            T(a / den) == start && T(b / den) == stop && return _linspace(T, a, b, n, den)
        end
    end
    _linspace(start, stop, n)
end
@noinline throw_infinite_ends(a, b) = throw(ArgumentError(LazyString("start and stop must be finite, got ", a, " and ", b)))
function _linspace(start::T, stop::T, len::Integer) where {T <: IEEEFloat}
    n = len + 0
    isfinite(start) && isfinite(stop) || throw_infinite_ends(start, stop)
    # The span, scaled down where it would overflow.
    span, scale = stop - start, one(n)
    isfinite(span) || ((span, scale) = (stop / n - start / n, n))
    steps = n - oneunit(n)
    # The place of the least magnitude, and the element there.
    least = round(typeof(n), -(start / span) / scale * steps + 1)
    if least <= 1
        least = oneunit(n)
        ref, step = start, (span / steps) * scale
    elseif least >= n
        least = n
        ref, step = stop, (span / steps) * scale
    else
        t = (least - 1) / steps
        ref = T((1 - t) * start + t * stop)
        step = least - 1 < n - least ? (ref - start) / (least - 1) : (stop - ref) / (n - least)
    end
    # Between two very large ends the step overflows, and only its two parts can tell it.
    n == 2 && !isfinite(step) && return steprangelen_hp(T, start, (-start, stop), 0, n, oneunit(n))
    # A step whose multiples do not overflow; then the low parts that make both ends exact.
    m, k = prevfloat(floatmax(T)), max(least - 1, n - least)
    within = clamp(step, max(-(m + ref) / k, (-m + ref) / k), min((m - ref) / k, (m + ref) / k))
    step_hi = truncbits(within, nbitslen(T, n, least))
    first_hi, first_lo = add12((1 - least) * step_hi, ref)
    last_hi, last_lo = add12((n - least) * step_hi, ref)
    a, b = (start - first_hi) - first_lo, (stop - last_hi) - last_lo
    step_lo = (b - a) / (n - 1)
    steprangelen_hp(T, (ref, a - (1 - least) * step_lo), (step_hi, step_lo), 0, n, least)
end
_linspace(::Type{T}, start::Integer, stop::Integer, len::Integer) where {T <: IEEEFloat} = _linspace(T, start, stop, len, one(start))
_linspace(::Type{T}, start::Integer, stop::Integer, len::Integer, den::Integer) where {T <: IEEEFloat} =
    linspace_within(widen(typeof(len + 0)), T, start, stop, len + 0, den)
# `W` holds products of a length and a numerator.
function linspace_within(::Type{W}, ::Type{T}, start, stop, n, den) where {W, T}
    n < 2 && return _linspace1(T, start / den, stop / den, n)
    start == stop && return steprangelen_hp(T, (start, den), (zero(start), den), 0, n, oneunit(n))
    zero_at = -start / (Float64(stop) - Float64(start))
    least = clamp(round(typeof(n), zero_at * (n - 1) + 1), oneunit(n), n)
    a, b = W(start), W(stop)
    over = W(n - 1) * den
    steprangelen_hp(T, (W(n - least) * a + W(least - 1) * b, over), (b - a, over), nbitslen(T, n, least), n, least)
end
# Fewer than two elements: `first` and `last` tell the ends all the same.
function _linspace1(::Type{T}, start, stop, len::Integer) where {T <: IEEEFloat}
    len >= 0 || throw_negative_length(start, stop, len)
    len == 1 && start != stop && throw_endpoints_differ(start, stop, len)
    T === Float64 ? StepRangeLen(TwicePrecision(T(start), zero(T)), TwicePrecision(T(start), -T(stop)), len, 1) :
        StepRangeLen{T}(Float64(start), Float64(start) - Float64(stop), len, 1)
end

# Elements and parts.
@inline function unsafe_getindex(r::StepRangeLen{T, <:TwicePrecision, <:TwicePrecision}, i::Integer) where {T}
    u = oftype(r.offset, i) - r.offset
    hi, lo = add12(r.ref.hi, u * r.step.hi)
    T(hi + (lo + (u * r.step.lo + r.ref.lo)))
end
@inline function getindex_hp(r::StepRangeLen{<:Any, <:TwicePrecision, <:TwicePrecision}, i::Integer)
    u = oftype(r.offset, i) - r.offset
    hi, lo = add12(r.ref.hi, u * r.step.hi)
    TwicePrecision(add12(hi, lo + (u * r.step.lo + r.ref.lo))...)
end
function getindex(r::StepRangeLen{T, <:TwicePrecision, <:TwicePrecision}, s::OrdinalRange{I}) where {T, I <: Integer}
    @boundscheck checkbounds(r, s)
    I === Bool && return picked_part(r, s, step_hp(r))
    n = length(s)
    by = step_hp(s)
    offset = clamp(round(typeof(n), (r.offset - first(s)) / by + 1), oneunit(n), n)
    at = oftype(n, first(s) + (offset - oneunit(n)) * by)
    newstep = by == 1 || n < 2 ? step_hp(r) : twiceprecision(step_hp(r) * by, nbitslen(T, n, offset))
    offset = max(oneunit(n), offset)
    StepRangeLen{T}(at == r.offset ? r.ref : r.ref + (at - r.offset) * step_hp(r), newstep, n, offset)
end

# From other ranges: fractions stay the same fractions.
const FloatHp{T} = StepRangeLen{T, TwicePrecision{T}, TwicePrecision{T}, Int}
StepRangeLen{T, R, S, L}(r::StepRangeLen{T, R, S, L}) where {T <: AbstractFloat, R <: TwicePrecision, S <: TwicePrecision, L} = r
StepRangeLen{T, R, S, L}(r::StepRangeLen) where {T <: AbstractFloat, R <: TwicePrecision, S <: TwicePrecision, L} =
    convert_steprangelen(StepRangeLen{T, R, S, L}, r)
StepRangeLen{Float64}(r::StepRangeLen) = convert_steprangelen(FloatHp{Float64}, r)
StepRangeLen{T}(r::StepRangeLen) where {T <: IEEEFloat} = convert_steprangelen(StepRangeLen{T, Float64, Float64, Int}, r)
StepRangeLen{Float64}(r::AbstractRange) = convert_steprangelen(FloatHp{Float64}, r)
StepRangeLen{T}(r::AbstractRange) where {T <: IEEEFloat} = convert_steprangelen(StepRangeLen{T, Float64, Float64, Int}, r)
convert_steprangelen(::Type{Q}, r::StepRangeLen{<:Integer}) where {Q <: StepRangeLen} = recast_steprangelen(Q, r)
convert_steprangelen(::Type{Q}, r::AbstractRange{<:Integer}) where {Q <: StepRangeLen} = recast_steprangelen(Q, r)
function convert_steprangelen(::Type{StepRangeLen{T, R, S, L}}, r::AbstractRange) where {T, R, S, L}
    a, by = first(r), step(r)
    from, over = rat(a), rat(by)
    if is_fraction(a, from) && is_fraction(by, over)
        den = common_denominator(T, a, from[2], by, over[2])
        den == 0 || return floatrange(T, round(Int, a * den), round(Int, by * den), L(length(r)), den)
    end
    recast_steprangelen(StepRangeLen{T, R, S, L}, r)
end
recast_steprangelen(::Type{StepRangeLen{T, R, S, L}}, r::StepRangeLen) where {T, R, S, L} =
    StepRangeLen{T, R, S, L}(R(r.ref), S(r.step), L(length(r)), L(r.offset))
recast_steprangelen(::Type{StepRangeLen{T, R, S, L}}, r::AbstractRange) where {T, R, S, L} =
    StepRangeLen{T, R, S, L}(R(first(r)), S(step(r)), L(length(r)))

# Sums and products.
*(x::Real, r::StepRangeLen{<:Real, <:TwicePrecision}) = StepRangeLen(x * r.ref, twiceprecision(x * r.step, nbitslen(r)), length(r), r.offset)
*(r::StepRangeLen{<:Real, <:TwicePrecision}, x::Real) = x * r
/(r::StepRangeLen{<:Real, <:TwicePrecision}, x::Real) = StepRangeLen(r.ref / x, twiceprecision(r.step / x, nbitslen(r)), length(r), r.offset)
function +(r::StepRangeLen{T, R}, s::StepRangeLen{T, R}) where {T, R <: TwicePrecision}
    n = length(r)
    n == length(s) || throw_range_lengths(r, s)
    middle = r.offset == s.offset ? r.offset : round(typeof(n), (r.offset + s.offset) / 2)
    ref = r.offset == s.offset ? r.ref + s.ref : getindex_hp(r, middle) + getindex_hp(s, middle)
    by = twiceprecision(r.step + s.step, nbitslen(T, n, middle))
    StepRangeLen{T, typeof(ref), typeof(by), typeof(n)}(ref, by, n, middle)
end

# The steps before the reference count against those after it.
sumpair(n::Integer) = iseven(n) ? (n + 1, n >> 1) : (n, (n + 1) >> 1)
function sum(r::StepRangeLen)
    n = length(r)
    after, before = sumpair(n - r.offset), sumpair(r.offset - 1)
    W = widen(typeof(n))
    convert(eltype(r), r.step * (W(after[1]) * W(after[2]) - W(before[1]) * W(before[2])) + r.ref * n)
end
function sum(r::StepRangeLen{<:Any, <:TwicePrecision, <:TwicePrecision})
    n = length(r)
    up, down = sumpair(n - r.offset), sumpair(r.offset - 1)
    after, before = (r.step * up[1]) * up[2], (r.step * down[1]) * down[2]
    hi, lo = add12(after.hi, -before.hi)
    lo += after.lo - before.lo
    ref = r.ref * n
    hi, rest = add12(hi, ref.hi)
    add12(hi, rest + (lo + ref.lo))[1]
end
