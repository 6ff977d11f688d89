# Ranges: from one whole number to another, by steps, and of floats.

struct UnitRange{T <: Real} <: AbstractUnitRange{T}
    start::T
    stop::T
    UnitRange{T}(start::T, stop::T) where {T <: Real} = new{T}(start, unit_last(start, stop))
end
UnitRange{T}(start, stop) where {T <: Real} = UnitRange{T}(convert(T, start), convert(T, stop))
UnitRange(start::T, stop::T) where {T <: Real} = UnitRange{T}(start, stop)
UnitRange(start, stop) = UnitRange(promote(start, stop)...)
unit_last(start::Integer, stop::Integer) = ifelse(stop >= start, stop, convert(typeof(stop), start - oneunit(start - stop)))
unit_last(::Bool, stop::Bool) = stop
unit_last(start, stop) = stop >= start ? convert(typeof(stop), start + floor(stop - start)) : convert(typeof(stop), start - oneunit(start))

struct StepRange{T, S} <: OrdinalRange{T, S}
    start::T
    step::S
    stop::T
    StepRange{T, S}(start, step, stop) where {T, S} =
        new{T, S}(convert(T, start), convert(S, step), steprange_last(convert(T, start), convert(S, step), convert(T, stop)))
end
StepRange(start::T, step::S, stop::T) where {T, S} = StepRange{T, S}(start, step, stop)
@noinline throw_zero_step() = throw(ArgumentError("step cannot be zero"))
function steprange_last(start, step, stop)
    iszero(step) && throw_zero_step()
    stop == start && return stop
    (step > zero(step)) != (stop > start) && return oftype(stop, start - oneunit_like(start, step))
    oftype(stop, stop - oftype_step(stop - start, step))
end
# Beyond the first element, on the side where nothing lies.
oneunit_like(start::Integer, step) = step > zero(step) ? one(start) : -one(start)
oneunit_like(start, step) = step > zero(step) ? oneunit(step) : -oneunit(step)
oftype_step(d, step) = rem(d, step)
function steprange_last(start::T, step, stop::T) where {T <: BitInteger}
    iszero(step) && throw_zero_step()
    stop == start && return stop
    if (step > zero(step)) != (stop > start)
        return step > zero(step) ? start - one(T) : start + one(T)
    end
    # The distance always fits the unsigned type of that width.
    if stop > start
        gap = (stop % unsigned(T)) - (start % unsigned(T))
        stop - ((gap % unsigned(T)(uabs(step))) % T)
    else
        gap = (start % unsigned(T)) - (stop % unsigned(T))
        stop + ((gap % unsigned(T)(uabs(step))) % T)
    end
end

struct StepRangeLen{T, R, S, L <: Integer} <: AbstractRange{T}
    ref::R
    step::S
    len::L
    offset::L
    StepRangeLen{T, R, S, L}(ref::R, step::S, len::Integer, offset::Integer = 1) where {T, R, S, L} =
        (len >= 0 || throw_negative_length(len); new{T, R, S, L}(ref, step, convert(L, len), convert(L, offset)))
end
@noinline throw_negative_length(len) = throw(ArgumentError(string("length cannot be negative, got ", len)))
StepRangeLen{T, R, S}(ref::R, step::S, len::Integer, offset::Integer = 1) where {T, R, S} =
    StepRangeLen{T, R, S, Int}(ref, step, len, offset)
StepRangeLen{T}(ref::R, step::S, len::Integer, offset::Integer = 1) where {T, R, S} =
    StepRangeLen{T, R, S, Int}(ref, step, len, offset)
StepRangeLen(ref::R, step::S, len::Integer, offset::Integer = 1) where {R, S} =
    StepRangeLen{typeof(ref + zero(step)), R, S, Int}(ref, step, len, offset)

struct LinRange{T, L <: Integer} <: AbstractRange{T}
    start::T
    stop::T
    len::L
    lendiv::L
    LinRange{T, L}(start, stop, len::Integer) where {T, L} =
        (len >= 0 || throw_negative_length(len); new{T, L}(convert(T, start), convert(T, stop), convert(L, len), convert(L, max(len - 1, 1))))
end
LinRange{T}(start, stop, len::Integer) where {T} = LinRange{T, Int}(start, stop, len)
LinRange(start, stop, len::Integer) = LinRange{typeof((stop - start) / max(len, 1)), Int}(start, stop, len)

# `a:b`, `a:s:b`.
@inline (::Colon)(start::T, stop::T) where {T <: Real} = UnitRange{T}(start, stop)
@inline (::Colon)(start::Int, stop::Int) = UnitRange{Int}(start, stop)
@inline (::Colon)(start::Real, stop::Real) = (:)(promote(start, stop)...)
(::Colon)(start::T, stop::T) where {T} = (:)(start, oftype(stop - start, 1), stop)
(::Colon)(start::T, stop::T) where {T <: AbstractChar} = StepRange{T, Int}(start, 1, stop)
(::Colon)(start::T, stop::T) where {T <: AbstractFloat} = (:)(start, one(T), stop)
@inline (::Colon)(start::T, step::T, stop::T) where {T <: Integer} = StepRange{T, T}(start, step, stop)
@inline (::Colon)(start::T, step::S, stop::T) where {T <: Integer, S <: Integer} = StepRange{T, S}(start, step, stop)
@inline (::Colon)(start::Real, step::Real, stop::Real) = (:)(promote(start, step, stop)...)
(::Colon)(start::T, step::S, stop::T) where {T <: AbstractChar, S <: Integer} = StepRange{T, S}(start, step, stop)
(::Colon)(start::T, step::T, stop::T) where {T <: Real} = StepRange{T, T}(start, step, stop)
(::Colon)(start::T, step, stop::T) where {T} = StepRange{T, typeof(step)}(start, step, stop)

# `range(start, stop; step, length)` in all the ways three of the four determine it.
range(start; stop = nothing, length::Union{Integer, Nothing} = nothing, step = nothing) = range_of(start, stop, step, length)
range(start, stop; length::Union{Integer, Nothing} = nothing, step = nothing) = range_of(start, stop, step, length)
range(start, stop, length::Integer) = range_of(start, stop, nothing, length)
range(; start = nothing, stop = nothing, length::Union{Integer, Nothing} = nothing, step = nothing) = range_of(start, stop, step, length)
@noinline throw_range_arguments(msg) = throw(ArgumentError(string("Cannot construct range from arguments:\n", msg)))
range_of(start, stop, step, len) = throw_range_arguments("at most three of start, stop, step and length")
range_of(start, stop, ::Nothing, ::Nothing) = start:stop
range_of(start, stop, step, ::Nothing) = start:step:stop
range_of(start, ::Nothing, ::Nothing, len::Integer) = range_start_length(start, len)
range_of(start, ::Nothing, step, len::Integer) = range_start_step_length(start, step, len)
range_of(start, stop, ::Nothing, len::Integer) = range_start_stop_length(start, stop, len)
range_of(::Nothing, stop, ::Nothing, ::Nothing) = oneunit(stop):stop
range_of(::Nothing, stop, ::Nothing, len::Integer) = range_start_step_length(stop - oftype(stop, len - 1), oneunit(stop), len)
range_of(::Nothing, stop, step, len::Integer) = reverse(range_start_step_length(stop, -step, len))
range_of(::Nothing, ::Nothing, step, len::Integer) = throw_range_arguments("one of start and stop is missing")
range_of(::Nothing, ::Nothing, ::Nothing, len::Integer) = OneTo(len)
range_of(start, ::Nothing, ::Nothing, ::Nothing) = throw_range_arguments("one of stop, step and length is missing")
range_of(start, ::Nothing, step, ::Nothing) = throw_range_arguments("one of stop and length is missing")
range_of(::Nothing, ::Nothing, ::Nothing, ::Nothing) = throw_range_arguments("nothing is given")
range_start_length(a::Integer, len::Integer) = UnitRange(a, oftype(a, a + len - 1))
range_start_length(a::AbstractFloat, len::Integer) = range_start_step_length(a, oneunit(a), len)
range_start_length(a, len::Integer) = range_start_step_length(a, oftype(a - a, 1), len)
range_start_step_length(a::Integer, step::Integer, len::Integer) = (b = promote(a, step)[1]; StepRange(b, step, oftype(b, b + step * (len - 1))))
range_start_step_length(a::Real, step::AbstractFloat, len::Integer) = range_start_step_length(promote(a, step)..., len)
range_start_step_length(a::AbstractFloat, step::Real, len::Integer) = range_start_step_length(promote(a, step)..., len)
range_start_step_length(a::AbstractFloat, step::AbstractFloat, len::Integer) = range_start_step_length(promote(a, step)..., len)
range_start_step_length(a::T, step::T, len::Integer) where {T <: AbstractFloat} = floatrange_start_step(a, step, len)
range_start_step_length(a, step, len::Integer) = StepRangeLen(a, step, len)
range_start_stop_length(a::T, b::T, len::Integer) where {T <: IEEEFloat} = linspace_float(a, b, len)
range_start_stop_length(a::T, b::T, len::Integer) where {T <: Integer} = linspace_float(float(a), float(b), len)
range_start_stop_length(a::Real, b::Real, len::Integer) = range_start_stop_length(promote(float(a), float(b))..., len)
range_start_stop_length(a, b, len::Integer) = LinRange(a, b, len)

# What a range is made of.
first(r::OneTo{T}) where {T} = oneunit(T)
last(r::OneTo) = r.stop
first(r::UnitRange) = r.start
last(r::UnitRange) = r.stop
first(r::StepRange) = r.start
last(r::StepRange) = r.stop
first(r::StepRangeLen) = unsafe_getindex(r, 1)
last(r::StepRangeLen) = unsafe_getindex(r, r.len)
first(r::LinRange) = r.start
last(r::LinRange) = r.stop
step(r::StepRange) = r.step
step(r::AbstractUnitRange{T}) where {T} = oneunit(T) - zero(T)
step(r::StepRangeLen) = r.step
step(r::StepRangeLen{T}) where {T <: AbstractFloat} = T(r.step)
step(r::LinRange) = (last(r) - first(r)) / r.lendiv
step_hp(r) = step(r)
step_hp(r::StepRangeLen) = r.step
minimum(r::AbstractUnitRange) = isempty(r) ? throw_empty_range() : first(r)
maximum(r::AbstractUnitRange) = isempty(r) ? throw_empty_range() : last(r)
minimum(r::AbstractRange) = isempty(r) ? throw_empty_range() : min(first(r), last(r))
maximum(r::AbstractRange) = isempty(r) ? throw_empty_range() : max(first(r), last(r))
extrema(r::AbstractRange) = (minimum(r), maximum(r))
@noinline throw_empty_range() = throw(ArgumentError("range must be non-empty"))

length(r::OneTo) = Int(r.stop)
length(r::OneTo{T}) where {T <: Union{Int, Int128, UInt, UInt128}} = r.stop
length(r::AbstractUnitRange{T}) where {T <: BitSignedSmall} = Int(last(r)) - Int(first(r)) + 1
length(r::AbstractUnitRange{T}) where {T <: BitUnsignedSmall} = isempty(r) ? 0 : Int(last(r)) - Int(first(r)) + 1
length(r::AbstractUnitRange{T}) where {T <: Integer} = last(r) - first(r) + oneunit(T)
length(r::AbstractUnitRange) = Int(floor(last(r) - first(r))) + 1
length(r::StepRange) = isempty(r) ? 0 : steprange_length(r.start, r.step, r.stop)
steprange_length(start, step, stop) = Int(div(stop - start, step)) + 1
function steprange_length(start::T, step, stop::T) where {T <: BitInteger}
    gap = stop > start ? (stop % unsigned(T)) - (start % unsigned(T)) : (start % unsigned(T)) - (stop % unsigned(T))
    Int(div(gap, unsigned(T)(uabs(step)))) + 1
end
length(r::StepRangeLen) = r.len
length(r::LinRange) = r.len
size(r::AbstractRange) = (Int(length(r)),)
axes(r::AbstractRange) = (OneTo{Int}(length(r)),)
isempty(r::OneTo) = r.stop < 1
isempty(r::UnitRange) = r.start > r.stop
isempty(r::AbstractUnitRange) = first(r) > last(r)
isempty(r::StepRange) = (r.start != r.stop) & ((r.step > zero(r.step)) != (r.stop > r.start))
isempty(r::StepRangeLen) = r.len == 0
isempty(r::LinRange) = r.len == 0
firstindex(r::AbstractRange) = 1
lastindex(r::AbstractRange) = Int(length(r))
IndexStyle(::Type{<:AbstractRange}) = IndexLinear()
copy(r::AbstractRange) = r
parent(r::AbstractRange) = r

# Iteration. A unit range counts; a stepped range stops at its last element, so that it never overflows.
@inline function iterate(r::OneTo)
    isempty(r) && return nothing
    s = oneunit(r.stop)
    (s, s)
end
@inline function iterate(r::AbstractUnitRange)
    isempty(r) && return nothing
    (first(r), first(r))
end
@inline function iterate(r::AbstractUnitRange{T}, i) where {T}
    i == last(r) && return nothing
    next = convert(T, i + oneunit(i))
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
@inline function iterate(r::StepRange)
    isempty(r) && return nothing
    (r.start, r.start)
end
@inline function iterate(r::StepRange{T}, i) where {T}
    i == r.stop && return nothing
    next = convert(T, i + r.step)
    (next, next)
end
@inline function iterate(r::Union{StepRangeLen, LinRange}, i::Integer = 1)
    i > length(r) && return nothing
    (unsafe_getindex(r, i), i + 1)
end

# Indexing.
@inline unsafe_getindex(r::StepRangeLen{T}, i::Integer) where {T} = T(r.ref + (i - r.offset) * r.step)
@inline unsafe_getindex(r::LinRange, i::Integer) = lerp_index(i - oneunit(i), r.lendiv, r.start, r.stop)
function lerp_index(j::Integer, d::Integer, a::T, b::T) where {T}
    t = j / d
    convert(T, (1 - t) * a + t * b)
end
@propagate_inbounds getindex(r::OneTo{T}, i::Integer) where {T} = range_get_oneto(r, i)
@inline function range_get_oneto(r::OneTo{T}, i::Integer) where {T}
    @boundscheck (i > 0) & (i <= r.stop) || throw_boundserror(r, i)
    convert(T, i)
end
@inline function getindex(r::AbstractUnitRange{T}, i::Integer) where {T}
    v = convert(T, first(r) + (i - oneunit(i)))
    @boundscheck (i > 0) & (v <= last(r)) & (v >= first(r)) || throw_boundserror(r, i)
    v
end
@inline function getindex(r::AbstractRange{T}, i::Integer) where {T}
    @boundscheck checkindex(Bool, OneTo(Int(length(r))), i) || throw_boundserror(r, i)
    convert(T, first(r) + (i - oneunit(i)) * step(r))
end
@inline function getindex(r::Union{StepRangeLen, LinRange}, i::Integer)
    @boundscheck checkindex(Bool, OneTo(Int(length(r))), i) || throw_boundserror(r, i)
    unsafe_getindex(r, i)
end
getindex(r::AbstractRange, i::Bool) = throw(ArgumentError(string("invalid index: ", i, " of type Bool")))
getindex(r::AbstractRange, ::Colon) = r
@inline function getindex(r::OneTo{T}, s::OneTo) where {T}
    @boundscheck isempty(s) || last(s) <= last(r) || throw_boundserror(r, s)
    OneTo(T(s.stop))
end
@inline function getindex(r::AbstractUnitRange{T}, s::AbstractUnitRange{<:Integer}) where {T}
    @boundscheck isempty(s) || (first(s) >= 1 && last(s) <= length(r)) || throw_boundserror(r, s)
    start = convert(T, first(r) + (first(s) - oneunit(first(s))))
    UnitRange{T}(start, convert(T, start + (length(s) - 1)))
end
@inline function getindex(r::AbstractUnitRange{T}, s::StepRange{<:Integer}) where {T}
    @boundscheck isempty(s) || (1 <= minimum(s) && maximum(s) <= length(r)) || throw_boundserror(r, s)
    start = convert(T, first(r) + (first(s) - oneunit(first(s))))
    range_start_step_length(start, step(s), length(s))
end
function getindex(r::StepRange{T}, s::AbstractRange{<:Integer}) where {T}
    @boundscheck isempty(s) || (1 <= minimum(s) && maximum(s) <= length(r)) || throw_boundserror(r, s)
    start = convert(T, r.start + (first(s) - oneunit(first(s))) * r.step)
    by = r.step * step(s)
    StepRange{T, typeof(by)}(start, by, convert(T, start + (length(s) - 1) * by))
end
function getindex(r::StepRangeLen{T, R, S, L}, s::AbstractRange{<:Integer}) where {T, R, S, L}
    @boundscheck isempty(s) || (1 <= minimum(s) && maximum(s) <= length(r)) || throw_boundserror(r, s)
    StepRangeLen{T, R, S, L}(r.ref + (first(s) - r.offset) * r.step, r.step * step(s), length(s), 1)
end
function getindex(r::LinRange{T}, s::AbstractRange{<:Integer}) where {T}
    @boundscheck isempty(s) || (1 <= minimum(s) && maximum(s) <= length(r)) || throw_boundserror(r, s)
    isempty(s) ? LinRange{T}(first(r), first(r), 0) : LinRange{T}(unsafe_getindex(r, first(s)), unsafe_getindex(r, last(s)), length(s))
end
