# Ranges: from one whole number to another, by steps, and by a length; how they are made, measured, iterated and indexed.

@noinline throw_zero_step() = throw(ArgumentError("step cannot be zero"))
@noinline throw_float_steprange() = throw(ArgumentError("StepRange should not be used with floating point"))
@noinline throw_fractional_step(name) = throw(ArgumentError(LazyString(name, "{<:Integer} cannot have non-integer step")))
@noinline throw_negative_length(len) = throw(ArgumentError(LazyString("length cannot be negative, got ", len)))
@noinline throw_negative_length(a, b, len) = throw(ArgumentError(LazyString("range(", a, ", stop=", b, ", length=", len, "): negative length")))
@noinline throw_endpoints_differ(a, b, len) = throw(ArgumentError(LazyString("range(", a, ", stop=", b, ", length=", len, "): endpoints differ")))
@noinline throw_range_offset(len, offset) = throw(ArgumentError(LazyString("StepRangeLen: offset must be in [1,", len, "], got ", offset)))
@noinline throw_empty_range() = throw(ArgumentError("range must be non-empty"))
@noinline throw_bool_index(i) = throw(ArgumentError(LazyString("invalid index: ", i, " of type Bool")))

"""
    UnitRange(start, stop)
    start:stop

A range with a step of one.
"""
struct UnitRange{T <: Real} <: AbstractUnitRange{T}
    start::T
    stop::T
    UnitRange{T}(start::T, stop::T) where {T <: Real} = new{T}(start, unitrange_last(start, stop))
end
UnitRange{T}(start, stop) where {T <: Real} = UnitRange{T}(convert(T, start), convert(T, stop))
UnitRange(start::T, stop::T) where {T <: Real} = UnitRange{T}(start, stop)
function UnitRange(start, stop)
    ends = promote(start, stop)
    not_sametype((start, stop), ends)
    UnitRange(ends...)
end
# An empty range ends one below its start.
@inline unitrange_last(start::T, stop::T) where {T <: BitInteger} = ifelse(stop >= start, stop, start - one(T))
unitrange_last(start::Integer, stop::Integer) = stop >= start ? stop : convert(typeof(stop), start - oneunit(start - stop))
unitrange_last(start, stop) =
    convert(typeof(stop), stop >= start ? start + floor(stop - start) : start - oneunit(start - stop))

"""
    StepRange(start, step, stop)

A range of exact elements with a step.
"""
struct StepRange{T, S} <: OrdinalRange{T, S}
    start::T
    step::S
    stop::T
    StepRange{T, S}(start, step, stop) where {T, S} =
        (a = convert(T, start); by = convert(S, step); new{T, S}(a, by, convert(T, steprange_last(a, by, convert(T, stop)))))
end
StepRange{T}(start, step::S, stop) where {T, S} = StepRange{T, S}(start, step, stop)
StepRange(start::T, step::S, stop::T) where {T, S} = StepRange{T, S}(start, step, stop)
# The last element, which may lie before the stop that was asked for.
steprange_last(start, step, stop) = convert(typeof(stop), last_step(start, step, stop))
function last_step(start, step, stop)
    start isa AbstractFloat || step isa AbstractFloat ? throw_float_steprange() : nothing
    start isa Integer && !isinteger(start + step) && throw_fractional_step("StepRange")
    iszero(step) && throw_zero_step()
    stop == start && return stop
    up = step > zero(step)
    up == (stop > start) || return steprange_last_empty(start, step, stop)
    up ? stop - beyond_last(stop - start, step) : stop + beyond_last(start - stop, -step)
end
beyond_last(gap, step) = convert(typeof(gap), gap % step)
# A negative gap is one that overflowed: its bits are right as those of an unsigned number.
beyond_last(gap::Signed, step) = convert(typeof(gap), gap < zero(gap) ? unsigned(gap) % step : gap % step)
steprange_last_empty(start::Bool, step, stop) = start ⊻ (step > zero(step))
steprange_last_empty(start::Integer, step, stop) = step > zero(step) ? start - oneunit(step) : start + oneunit(step)
steprange_last_empty(start, step, stop) = stop
@inline function steprange_last(start::T, step::BitInteger, stop::T) where {T <: BitInteger}
    iszero(step) && throw_zero_step()
    stop == start && return stop
    up = step > zero(step)
    up == (stop > start) || return up ? start - one(T) : start + one(T)
    # The distance always fits the unsigned type of that width.
    if up
        stop - (rem((stop % unsigned(T)) - (start % unsigned(T)), uabs(step)) % T)
    else
        stop + (rem((start % unsigned(T)) - (stop % unsigned(T)), uabs(step)) % T)
    end
end

"""
    StepRangeLen(ref, step, len, offset = 1)

A range by its step and length, as ranges of floats are.
"""
struct StepRangeLen{T, R, S, L <: Integer} <: AbstractRange{T}
    ref::R
    step::S
    len::L
    offset::L
    function StepRangeLen{T, R, S, L}(ref::R, step::S, len::Integer, offset::Integer = 1) where {T, R, S, L}
        T <: Integer && !isinteger(ref + step) && throw_fractional_step("StepRangeLen")
        n = convert(L, len)
        n >= zero(n) || throw_negative_length(n)
        at = convert(L, offset)
        oneunit(n) <= at <= max(oneunit(n), n) || throw_range_offset(n, at)
        new{T, R, S, L}(ref, step, n, at)
    end
end
StepRangeLen{T, R, S}(ref::R, step::S, len::L, offset::Integer = 1) where {T, R, S, L <: Integer} =
    StepRangeLen{T, R, S, promote_type(Int, L)}(ref, step, len, offset)
StepRangeLen{T}(ref::R, step::S, len::L, offset::Integer = 1) where {T, R, S, L <: Integer} =
    StepRangeLen{T, R, S, promote_type(Int, L)}(ref, step, len, offset)
StepRangeLen(ref::R, step::S, len::L, offset::Integer = 1) where {R, S, L <: Integer} =
    StepRangeLen{typeof(ref + zero(step)), R, S, promote_type(Int, L)}(ref, step, len, offset)

"""
    LinRange(start, stop, n)

A range of `n` points, interpolated between its ends.
"""
struct LinRange{T, L <: Integer} <: AbstractRange{T}
    start::T
    stop::T
    len::L
    lendiv::L
    function LinRange{T, L}(start::T, stop::T, len::L) where {T, L <: Integer}
        len >= 0 || throw_negative_length(start, stop, len)
        isone(len) && start != stop && throw_endpoints_differ(start, stop, len)
        lendiv = max(len - oneunit(len), oneunit(len))
        T <: Integer && !iszero(mod(stop - start, lendiv)) && throw_fractional_step("LinRange")
        new{T, L}(start, stop, len, lendiv)
    end
end
LinRange{T, L}(start, stop, len::Integer) where {T, L} = LinRange{T, L}(convert(T, start), convert(T, stop), convert(L, len))
LinRange{T}(start, stop, len::Integer) where {T} = LinRange{T, promote_type(Int, typeof(len))}(start, stop, len)
LinRange(start, stop, len::Integer) = LinRange{typeof((zero(stop) - zero(start)) / oneunit(len))}(start, stop, len)

# How the values of a type compare and compute: `a:s:b` asks it.
abstract type OrderStyle end
struct Ordered <: OrderStyle end
struct Unordered <: OrderStyle end
OrderStyle(x) = OrderStyle(typeof(x))
OrderStyle(::Type{<:Real}) = Ordered()
OrderStyle(::Type{<:AbstractString}) = Ordered()
OrderStyle(::Type{Symbol}) = Ordered()
OrderStyle(::Type{<:Any}) = Unordered()
OrderStyle(::Type{Union{}}) = Ordered()
# The behaviour of sums of a type: they round, they wrap around, or nothing is known.
abstract type ArithmeticStyle end
struct ArithmeticRounds <: ArithmeticStyle end
struct ArithmeticWraps <: ArithmeticStyle end
struct ArithmeticUnknown <: ArithmeticStyle end
ArithmeticStyle(x) = ArithmeticStyle(typeof(x))
ArithmeticStyle(::Type{<:AbstractFloat}) = ArithmeticRounds()
ArithmeticStyle(::Type{<:Integer}) = ArithmeticWraps()
ArithmeticStyle(::Type{<:Any}) = ArithmeticUnknown()
ArithmeticStyle(::Type{Union{}}) = ArithmeticUnknown()

# `a:b`, `a:s:b`.
@inline (::Colon)(start::T, stop::T) where {T <: Real} = UnitRange{T}(start, stop)
@inline (::Colon)(start::Int, stop::Int) = UnitRange{Int}(start, stop)
@inline (::Colon)(start::Real, stop::Real) = (:)(promote(start, stop)...)
(::Colon)(start::T, stop::T) where {T} = (:)(start, oftype(stop >= start ? stop - start : start - stop, 1), stop)
(::Colon)(start::T, stop::T) where {T <: AbstractFloat} = (:)(start, one(T), stop)
# Only the ends are promoted, unless floats meet.
@inline (::Colon)(start::A, step, stop::C) where {A <: Real, C <: Real} =
    (:)(convert(promote_type(A, C), start), step, convert(promote_type(A, C), stop))
(::Colon)(start::T, step::AbstractFloat, stop::T) where {T <: Real} = (:)(promote(start, step, stop)...)
(::Colon)(start::T, step::AbstractFloat, stop::T) where {T <: AbstractFloat} = (:)(promote(start, step, stop)...)
(::Colon)(start::T, step::Real, stop::T) where {T <: AbstractFloat} = (:)(promote(start, step, stop)...)
(::Colon)(start::T, step::T, stop::T) where {T <: AbstractFloat} = styled_range(OrderStyle(T), ArithmeticStyle(T), start, step, stop)
@inline (::Colon)(start::T, step::T, stop::T) where {T <: Real} = styled_range(OrderStyle(T), ArithmeticStyle(T), start, step, stop)
@inline (::Colon)(start::T, step, stop::T) where {T} = stepped_range(start, step, stop)
@inline (::Colon)(start::T, step, stop::T) where {T <: Real} = stepped_range(start, step, stop)
@inline styled_range(::Ordered, ::Any, start, step, stop) = StepRange(start, step, stop)
styled_range(::Ordered, ::ArithmeticRounds, start, step, stop) = counted_range(start, step, stop)
styled_range(::Any, ::Any, start, step, stop) = counted_range(start, step, stop)
counted_range(start, step, stop) = StepRangeLen(start, step, convert(Integer, fld(stop - start, step)) + 1)
@inline function stepped_range(start, step, stop)
    T = typeof(start + zero(step))
    StepRange(convert(T, start), step, convert(T, stop))
end

# `range(start, stop; step, length)` in all the ways three of the four determine it.
range(start; stop = nothing, length::Union{Integer, Nothing} = nothing, step = nothing) = range_of(start, step, stop, length)
range(start, stop; length::Union{Integer, Nothing} = nothing, step = nothing) = range_of(start, step, stop, length)
range(start, stop, length::Integer) = range_of(start, nothing, stop, length)
range(; start = nothing, stop = nothing, length::Union{Integer, Nothing} = nothing, step = nothing) = range_of(start, step, stop, length)
range_of(::Nothing, ::Nothing, ::Nothing, len::Integer) = OneTo(len)
# Packages give it methods for their own numbers.
const _range = range_of
range_of(::Nothing, ::Nothing, stop, ::Nothing) = range_stop(stop)
range_of(::Nothing, ::Nothing, stop, len::Integer) = range_stop_length(stop, len)
range_of(::Nothing, step, stop, len::Integer) = range_step_stop_length(step, stop, len)
range_of(start, ::Nothing, ::Nothing, len::Integer) = range_start_length(start, len)
range_of(start, ::Nothing, stop, ::Nothing) = start:stop
range_of(start, ::Nothing, stop, len::Integer) = range_start_stop_length(start, stop, len)
range_of(start, step, ::Nothing, len::Integer) = range_start_step_length(start, step, len)
range_of(start, step, stop, ::Nothing) = start:step:stop
range_of(::Nothing, ::Nothing, ::Nothing, ::Nothing) = throw_range_arguments(nothing, nothing, nothing, nothing)
range_of(::Nothing, step, ::Nothing, ::Nothing) = throw_range_arguments(nothing, step, nothing, nothing)
range_of(::Nothing, step, ::Nothing, len::Integer) = throw_range_arguments(nothing, step, nothing, len)
range_of(::Nothing, step, stop, ::Nothing) = throw_range_arguments(nothing, step, stop, nothing)
range_of(start, ::Nothing, ::Nothing, ::Nothing) = throw_range_arguments(start, nothing, nothing, nothing)
range_of(start, step, ::Nothing, ::Nothing) = throw_range_arguments(start, step, nothing, nothing)
range_of(start, step, stop, len::Integer) = throw_range_arguments(start, step, stop, len)
@noinline function throw_range_arguments(start, step, stop, len)
    advice = if start !== nothing && step !== nothing && stop !== nothing && len !== nothing
        "Three of the four arguments determine a range: give only three."
    elseif stop === nothing && len === nothing
        "At least one of `length` or `stop` must be specified."
    elseif step === nothing && len === nothing
        "At least one of `length` or `step` must be specified."
    elseif start === nothing && stop === nothing
        "At least one of `start` or `stop` must be specified."
    else
        "Specify more arguments."
    end
    throw(ArgumentError(string("Cannot construct range from arguments:\nstart = ", start, "\nstep = ", step,
        "\nstop = ", stop, "\nlength = ", len, "\n", advice, "\n")))
end
range_stop(stop) = oftype(stop, 1):stop
range_stop(stop::Integer) = OneTo(stop)
# Signed ends make ranges between ends, whose overflow does no harm; all others are told by their length.
range_step_stop_length(step, stop, len::Integer) = from_stop(stop - step * (len - oneunit(len)), step, stop, len)
from_stop(start::Signed, step, stop, len) = StepRange{typeof(start), typeof(step)}(start, step, convert(typeof(start), stop))
from_stop(start, step, stop, len) = StepRangeLen{typeof(start), typeof(start), typeof(step)}(start, step, len)
function range_stop_length(stop, len::Integer)
    step = oftype(stop - stop, 1)
    start = stop - (len - oneunit(len))
    start isa Signed ? UnitRange(start, oftype(start, stop)) :
        StepRangeLen{typeof(start), typeof(start), typeof(step)}(start, step, len)
end
function range_start_length(start, len::Integer)
    step = oftype(start - start, 1)
    stop = start + (len - oneunit(len))
    stop isa Signed ? UnitRange(oftype(stop, start), stop) : StepRangeLen{typeof(stop), typeof(start), typeof(step)}(start, step, len)
end
function range_start_step_length(start, step, len::Integer)
    stop = start + step * (len - oneunit(len))
    stop isa Signed ? StepRange{typeof(stop), typeof(step)}(convert(typeof(stop), start), step, stop) :
        StepRangeLen{typeof(stop), typeof(start), typeof(step)}(start, step, len)
end
range_start_stop_length(start, stop, len::Integer) = range_start_stop_length(promote(start, stop)..., len)
range_start_stop_length(start::T, stop::T, len::Integer) where {T} = LinRange(start, stop, len)
range_start_stop_length(start::T, stop::T, len::Integer) where {T <: Integer} = _linspace(float(T), start, stop, len)
_linspace(::Type{T}, start::Integer, stop::Integer, len::Integer) where {T} = LinRange{T}(start, stop, len)

# The parts of a range.
first(r::OrdinalRange{T}) where {T} = convert(T, r.start)
first(r::OneTo{T}) where {T} = oneunit(T)
# These begin at 1, as tuples do.
@inline getindex(t::Tuple, r::Union{UnitRange{<:Integer}, OneTo}) = tuple_slice(t, first(r), last(r))
first(r::UnitRange) = r.start
first(r::StepRangeLen) = unsafe_getindex(r, 1)
first(r::LinRange) = r.start
first(r::OneTo, n::Integer) = (n < 0 && throw_take_negative(n); OneTo(oftype(r.stop, min(r.stop, n))))
@noinline throw_take_negative(n) = throw(ArgumentError("Number of elements must be non-negative"))
last(r::OrdinalRange{T}) where {T} = convert(T, r.stop)
last(r::OneTo) = r.stop
last(r::UnitRange) = r.stop
last(r::StepRangeLen) = unsafe_getindex(r, length(r))
last(r::LinRange) = r.stop
step(r::StepRange) = r.step
step(r::AbstractUnitRange{T}) where {T} = oneunit(T) - zero(T)
step(r::AbstractUnitRange{Bool}) = true
step(r::StepRangeLen) = r.step
step(r::StepRangeLen{T}) where {T <: AbstractFloat} = T(r.step)
step(r::LinRange) = (last(r) - first(r)) / r.lendiv
# With all the digits that the range keeps.
step_hp(r::AbstractRange) = step(r)
step_hp(r::StepRangeLen) = r.step
minimum(r::AbstractUnitRange) = isempty(r) ? throw_empty_range() : first(r)
maximum(r::AbstractUnitRange) = isempty(r) ? throw_empty_range() : last(r)
minimum(r::AbstractRange) = isempty(r) ? throw_empty_range() : min(first(r), last(r))
maximum(r::AbstractRange) = isempty(r) ? throw_empty_range() : max(first(r), last(r))
extrema(r::AbstractRange) = (minimum(r), maximum(r))
argmin(r::AbstractRange) = isempty(r) ? throw_empty_range() : step(r) > 0 ? firstindex(r) : lastindex(r)
argmax(r::AbstractRange) = isempty(r) ? throw_empty_range() : step(r) > 0 ? lastindex(r) : firstindex(r)

# Lengths. Those of wide integers wrap where the number does not fit; `checked_length` throws there.
const WideRangeInt = Union{Int, UInt, Int128, UInt128}
const NarrowRangeInt = Union{BitSignedSmall, BitUnsignedSmall}
length(r::AbstractRange) = error("length implementation missing")
length(r::StepRangeLen) = r.len
length(r::LinRange) = r.len
length(r::OneTo) = Integer(r.stop - zero(r.stop))
length(r::OneTo{T}) where {T <: WideRangeInt} = r.stop
length(r::OneTo{T}) where {T <: NarrowRangeInt} = Int(r.stop)
@inline length(r::AbstractUnitRange{T}) where {T <: BitSignedSmall} = Int(last(r)) - Int(first(r)) + 1
@inline length(r::AbstractUnitRange{T}) where {T <: BitUnsignedSmall} = Int(last(r)) - Int(first(r)) + 1
@inline length(r::AbstractUnitRange{Int}) = last(r) - first(r) + 1
@inline length(r::AbstractUnitRange{T}) where {T <: WideRangeInt} = unit_length(first(r), last(r))
@inline length(r::AbstractUnitRange) = unit_length(first(r), last(r))
@inline function unit_length(start, stop)
    unit = oneunit(zero(stop) - zero(start))
    unit isa Signed || stop >= start ? Integer(unit + (stop - start)) : Integer(zero(unit))
end
function length(r::OrdinalRange)
    start, by, stop = first(r), step(r), last(r)
    isempty(r) && return Integer(div(start - start, oneunit(by)))
    steps = isless(by, zero(by)) ? div(start - stop, -by) : div(stop - start, by)
    Integer(steps + oneunit(steps))
end
function length(r::OrdinalRange{T}) where {T <: NarrowRangeInt}
    isempty(r) && return 0
    Int(div(Int(last(r)) - Int(first(r)), step(r))) + 1
end
@inline function length(r::OrdinalRange{T}) where {T <: WideRangeInt}
    by = step(r)
    gap = last(r) - first(r)
    isempty(r) && return zero(gap)
    # Steps of more than one leave the overflowed distance right as an unsigned number.
    steps = if by isa Unsigned || -1 <= by <= 1 || by == -by
        div(gap, by) % typeof(gap)
    elseif by < 0
        div(unsigned(-gap), -by) % typeof(gap)
    else
        div(unsigned(gap), by) % typeof(gap)
    end
    steps + oneunit(steps)
end
checked_length(r::OrdinalRange{<:NarrowRangeInt}) = length(r)
checked_length(r::AbstractUnitRange{<:NarrowRangeInt}) = length(r)
checked_length(r::AbstractUnitRange{<:WideRangeInt}) = checked_unit_length(first(r), last(r))
checked_length(r::AbstractUnitRange) = checked_unit_length(first(r), last(r))
function checked_unit_length(start, stop)
    start > stop && return Integer(start - start)
    steps = checked_sub(stop, start)
    Integer(checked_add(steps, oneunit(steps)))
end
function checked_length(r::OrdinalRange)
    start, by, stop = first(r), step(r), last(r)
    isempty(r) && return Integer(div(start - start, oneunit(by)))
    steps = isless(by, zero(by)) ? div(checked_sub(start, stop), -by) : div(checked_sub(stop, start), by)
    Integer(checked_add(steps, oneunit(steps)))
end
function checked_length(r::OrdinalRange{T}) where {T <: WideRangeInt}
    start, by, stop = first(r), step(r), last(r)
    N = promote_type(typeof(start), typeof(stop))
    isempty(r) && return zero(N)
    steps = if by > 1
        div(unsigned(stop - start), by)
    elseif by < -1
        div(unsigned(start - stop), -by)
    elseif by > 0
        div(checked_sub(stop, start), by)
    else
        div(checked_sub(start, stop), -by)
    end
    checked_add(convert(N, steps), oneunit(N))
end

size(r::AbstractRange) = (length(r),)
axes(r::AbstractRange) = (OneTo(length(r)),)
isempty(r::OneTo) = r.stop < 1
isempty(r::UnitRange) = r.start > r.stop
isempty(r::AbstractUnitRange) = first(r) > last(r)
isempty(r::StepRange) = (r.start != r.stop) & ((r.step > zero(r.step)) != (r.stop > r.start))
isempty(r::StepRangeLen) = length(r) == 0
isempty(r::LinRange) = length(r) == 0
firstindex(r::AbstractRange) = first(axes1(r))
firstindex(r::Union{OneTo{Int}, UnitRange{Int}}) = 1
firstindex(::StepRange{<:NarrowRangeInt, <:BitInteger}) = 1
firstindex(r::StepRange{<:WideRangeInt, <:BitInteger}) = one(last(r) - first(r))
lastindex(r::AbstractRange) = last(axes1(r))
has_offset_axes(::StepRange) = false
IndexStyle(::Type{<:AbstractRange}) = IndexLinear()
copy(r::AbstractRange) = r
parent(r::AbstractRange) = r

# Iteration. A unit range counts; a stepped range stops at its last element, so that it never overflows.
@inline function iterate(r::OneTo)
    isempty(r) && return nothing
    s = oneunit(r.stop)
    (s, s)
end
@inline iterate(r::OrdinalRange) = isempty(r) ? nothing : (first(r), first(r))
@inline function iterate(r::OrdinalRange{T}, i) where {T}
    i == last(r) && return nothing
    next = convert(T, i + step(r))
    (next, next)
end
@inline function iterate(r::AbstractUnitRange{T}, i) where {T}
    i == last(r) && return nothing
    next = convert(T, i + step(r))
    (next, next)
end
@inline function iterate(r::UnitRange{Int}, i::Int)
    i === r.stop && return nothing
    (add_int(i, 1), add_int(i, 1))
end
@inline function iterate(r::OneTo{Int}, i::Int)
    i === r.stop && return nothing
    (add_int(i, 1), add_int(i, 1))
end
@inline function iterate(r::Union{StepRangeLen, LinRange}, i::Integer = zero(length(r)))
    next = i + oneunit(i)
    next > length(r) && return nothing
    (unsafe_getindex(r, next), next)
end

# Elements.
@inline unsafe_getindex(r::OneTo{T}, i::Integer) where {T} = convert(T, i)
@inline unsafe_getindex(r::AbstractRange{T}, i::Integer) where {T} = convert(T, first(r) + (i - oneunit(i)) * step_hp(r))
@inline unsafe_getindex(r::StepRangeLen{T}, i::Integer) where {T} = T(getindex_hp(r, i))
@inline unsafe_getindex(r::LinRange, i::Integer) = lerpi(i - oneunit(i), r.lendiv, r.start, r.stop)
@inline getindex_hp(r::StepRangeLen, i::Integer) = r.ref + (oftype(r.offset, i) - r.offset) * r.step
function lerpi(j::Integer, d::Integer, a::T, b::T) where {T}
    t = j / d
    T((1 - t) * a + t * b)
end
# Subscripts that are Bools select nothing: they are an error in every range.
@propagate_inbounds getindex(r::AbstractRange, i::Integer) = i isa Bool ? throw_bool_index(i) : range_element(r, i)
@inline function range_element(r::AbstractRange, i)
    @boundscheck checkbounds(r, i)
    unsafe_getindex(r, i)
end
@inline function range_element(r::OneTo{T}, i) where {T}
    @boundscheck (i > 0) & (i <= r.stop) || throw_boundserror(r, i)
    convert(T, i)
end
@inline function range_element(r::UnitRange{T}, i) where {T}
    v = convert(T, r.start + (i - oneunit(i)))
    @boundscheck (i > 0) & (v <= r.stop) & (v >= r.start) || throw_boundserror(r, i)
    v
end
@inline function range_element(r::UnitRange{T}, i) where {T <: Union{Bool, BitInteger}}
    v = r.start + (i - oneunit(i))
    @boundscheck (i > 0) & (v <= r.stop) & (v >= r.start) || throw_boundserror(r, i)
    v % T
end
function isassigned(r::AbstractRange, i::Integer)
    i isa Bool && throw_bool_index(i)
    firstindex(r) <= i <= lastindex(r)
end

# Ranges of elements, and what a range of Bools picks: at most one element, since it has at most two.
getindex(r::AbstractRange, ::Colon) = copy(r)
@inline function getindex(r::OneTo{T}, s::OneTo) where {T}
    @boundscheck checkbounds(r, s)
    OneTo(T(s.stop))
end
@inline function getindex(r::AbstractUnitRange, s::AbstractUnitRange{I}) where {I <: Integer}
    @boundscheck checkbounds(r, s)
    I === Bool && return range(first(s) ? first(r) : last(r), length = last(s))
    f = first(r)
    start = oftype(f, f + first(s) - firstindex(r))
    n = length(s)
    start:oftype(f, start + (n - oneunit(n)))
end
@inline function getindex(r::AbstractUnitRange, s::StepRange{I}) where {I <: Integer}
    @boundscheck checkbounds(r, s)
    I === Bool && return range(first(s) ? first(r) : last(r), step = oneunit(eltype(r)), length = Int(last(s)))
    f = first(r)
    stepped_part(f, oftype(f, f + first(s) - firstindex(r)), step(s), length(s))
end
@inline function getindex(r::StepRange, s::AbstractRange{I}) where {I <: Integer}
    @boundscheck checkbounds(r, s)
    if I === Bool
        picks = step(s) > zero(step(s)) ? last(s) : first(s)
        return range((first(s) ⊻ picks) ⊻ isempty(r) ? last(r) : first(r), step = step(r), length = Int(picks))
    end
    f = r.start
    stepped_part(f, oftype(f, f + (first(s) - firstindex(r)) * r.step), r.step * step(s), length(s))
end
@inline function stepped_part(f, start, step, n)
    start:step:oftype(f, start + (n - oneunit(n)) * (iszero(n) ? copysign(oneunit(step), step) : step))
end
@inline function getindex(r::StepRangeLen{T}, s::OrdinalRange{I}) where {T, I <: Integer}
    @boundscheck checkbounds(r, s)
    n = length(s)
    I === Bool && return picked_part(r, s, step_hp(r) * one(step_hp(s)))
    inds = LinearIndices(s)
    offset = oftype(n, max(min(1 + round(typeof(n), (r.offset - first(s)) / step_hp(s)), last(inds)), first(inds)))
    ref = getindex_hp(r, first(s) + (offset - oneunit(offset)) * step_hp(s))
    StepRangeLen{T}(ref, step_hp(r) * step_hp(s), n, offset)
end
function picked_part(r::StepRangeLen{T}, s, by) where {T}
    n = length(s)
    n == 2 && return StepRangeLen{T}(last(r), by, oneunit(n), oneunit(n))
    StepRangeLen{T}(first(r), by, n == 1 && first(s) ? oneunit(n) : zero(n), oneunit(n))
end
@inline function getindex(r::LinRange{T}, s::OrdinalRange{I}) where {T, I <: Integer}
    @boundscheck checkbounds(r, s)
    n = length(s)
    if I === Bool
        n == 2 && return LinRange{T}(last(r), last(r), oneunit(n))
        return LinRange{T}(first(r), first(r), n == 1 && first(s) ? oneunit(n) : zero(n))
    end
    LinRange{T}(unsafe_getindex(r, first(s)), unsafe_getindex(r, last(s)), n)
end
