# Ranges as sets and as numbers: membership, comparison, intersection, reversal, conversion, sums that stay ranges.

# Membership.
function in_steps(x, r::AbstractRange)
    isempty(r) && return false
    a, b = first(r), last(r)
    # Whatever cannot be an element goes here, so that the quotient below fits.
    a <= x <= b || b <= x <= a || return false
    iszero(step(r)) && return true
    k = round(Integer, (x - a) / step(r)) + 1
    1 <= k <= length(r) && r[k] == x
end
in(x::Real, r::AbstractRange{<:Real}) = in_steps(x, r)
in(x::T, r::AbstractRange{T}) where {T} = in_steps(x, r)
in(x, r::AbstractRange) = any(y -> y == x, r)
in(x::Integer, r::AbstractUnitRange{<:Integer}) = (first(r) <= x) & (x <= last(r))
in(x::Real, r::AbstractRange{T}) where {T <: Integer} = isinteger(x) && !isempty(r) && (iszero(step(r)) ? x == first(r) :
    minimum(r) <= x <= maximum(r) && mod(convert(T, x), step(r)) == mod(first(r), step(r)))
in(x::AbstractChar, r::AbstractRange{<:AbstractChar}) = !isempty(r) && (iszero(step(r)) ? x == first(r) :
    minimum(r) <= x <= maximum(r) && mod(Int(x) - Int(first(r)), step(r)) == 0)

# Equality: by the ends and the step where both ranges are of one kind, else element by element.
function same_steps(r, s)
    isempty(r) && return isempty(s)
    is_single(r) && return is_single(s) & (first(r) == first(s))
    (first(r) == first(s)) & (step(r) == step(s)) & (last(r) == last(s))
end
is_single(r::OrdinalRange) = first(r) == last(r)
is_single(r::AbstractRange) = isone(length(r))
==(r::T, s::T) where {T <: AbstractRange} = same_steps(r, s)
==(r::OrdinalRange, s::OrdinalRange) = same_steps(r, s)
==(r::Union{StepRange{T}, StepRangeLen{T, T}}, s::Union{StepRange{T}, StepRangeLen{T, T}}) where {T} = same_steps(r, s)
==(r::StepRange{T, S}, s::StepRange{T, S}) where {T, S} = same_steps(r, s)
==(r::AbstractUnitRange, s::AbstractUnitRange) = (isempty(r) & isempty(s)) | ((first(r) == first(s)) & (last(r) == last(s)))
==(r::T, s::T) where {T <: AbstractUnitRange} = (isempty(r) & isempty(s)) | ((first(r) == first(s)) & (last(r) == last(s)))
==(r::OneTo, s::OneTo) = last(r) == last(s)
==(r::OneTo{T}, s::OneTo{T}) where {T} = last(r) == last(s)
==(r::T, s::T) where {T <: Union{StepRangeLen, LinRange}} =
    (isempty(r) & isempty(s)) | ((first(r) == first(s)) & (length(r) == length(s)) & (last(r) == last(s)))
function ==(r::AbstractRange, s::AbstractRange)
    length(r) == length(s) || return false
    a, b = iterate(r), iterate(s)
    while a !== nothing && b !== nothing
        a[1] == b[1] || return false
        a, b = iterate(r, a[2]), iterate(s, b[2])
    end
    true
end

# Intersections.
intersect(r::OneTo, s::OneTo) = OneTo(min(r.stop, s.stop))
union(r::OneTo, s::OneTo) = OneTo(max(r.stop, s.stop))
intersect(r::AbstractUnitRange{<:Integer}, s::AbstractUnitRange{<:Integer}) = max(first(r), first(s)):min(last(r), last(s))
intersect(i::Integer, r::AbstractUnitRange{<:Integer}) = range(max(i, first(r)), length = i in r)
intersect(r::AbstractUnitRange{<:Integer}, i::Integer) = intersect(i, r)
# First, step and last of the range turned upwards.
ascending(r::StepRange) = step(r) < zero(step(r)) ? (last(r), -step(r), first(r)) : (first(r), +step(r), last(r))
function intersect(r::AbstractUnitRange{<:Integer}, s::StepRange{<:Integer})
    T = promote_type(eltype(r), eltype(s))
    isempty(s) && return StepRange{T}(first(r), +step(s), first(r) - step(s))
    low, by, high = ascending(s)
    StepRange{T}(max(low, first(r) + mod(low - first(r), by)), by, min(high, last(r) - mod(last(r) - low, by)))
end
intersect(r::StepRange{<:Integer}, s::AbstractUnitRange{<:Integer}) =
    step(r) < 0 ? reverse(intersect(s, reverse(r))) : intersect(s, r)
function intersect(r::StepRange, s::StepRange)
    Q = StepRange{promote_type(eltype(r), eltype(s)), promote_type(typeof(step(r)), typeof(step(s)))}
    (isempty(r) || isempty(s)) && return Q(first(r), step(r), first(r) - step(r))
    down = step(r) < zero(step(r))
    low1, by1, high1 = ascending(r)
    low2, by2, high2 = ascending(s)
    by = lcm(by1, by2)
    g, x, _ = gcdx(by1, by2)
    if !iszero(rem(low1 - low2, g))
        return down ? Q(high1, -by, high1 + by) : Q(low1, by, low1 - by)
    end
    # A solution of both congruences; the others are multiples of `by` away.
    b = low1 - x * div(low1 - low2, g) * by1
    low = max(low1 + mod(b - low1, by), low2 + mod(b - low2, by))
    high = min(high1 - mod(high1 - b, by), high2 - mod(high2 - b, by))
    down ? Q(high, -by, low) : Q(low, by, high)
end
function intersect(r::AbstractRange, s::AbstractRange)
    length(r) > length(s) && return intersect(s, r)
    T = promote_eltype(r, s)
    T[x for x in unique(r) if x in s]
end
intersect(r::AbstractRange, s::AbstractRange, t::AbstractRange, more::AbstractRange...) = foldl(intersect, more; init = intersect(intersect(r, s), t))
issubset(r::OneTo, s::OneTo) = r.stop <= s.stop
issubset(r::AbstractUnitRange{<:Integer}, s::AbstractUnitRange{<:Integer}) =
    isempty(r) || (first(r) >= first(s) && last(r) <= last(s))

# The places where the elements of `span` lie.
function _findin(r::AbstractRange{<:Integer}, span::AbstractUnitRange{<:Integer})
    low, high = first(span), last(span)
    a, b, by = first(r), last(r), step(r)
    if by > 0
        from = a >= low ? 1 : cld(low - a, by) + 1
        to = b <= high ? length(r) : length(r) - cld(b - high, by)
    elseif by < 0
        from = a <= high ? 1 : cld(high - a, by) + 1
        to = b >= low ? length(r) : length(r) - cld(b - low, by)
    else
        from = a >= low ? 1 : length(r) + 1
        to = a <= high ? length(r) : 0
    end
    r isa AbstractUnitRange ? (from:to) : (from:1:to)
end

# Order.
negate(x) = -x
negate(x::Unsigned) = -convert(Signed, x)
reverse(r::AbstractRange) = reverse_range(r)
reverse(r::AbstractRange, ::Colon) = reverse_range(r)
reverse_range(r::AbstractRange) = r[end:-1:begin]
reverse_range(r::OrdinalRange) = (:)(last(r), negate(step(r)), first(r))
reverse_range(r::StepRangeLen) = typeof(r)(r.ref, negate(r.step), length(r), isempty(r) ? r.offset : length(r) - r.offset + 1)
reverse_range(r::LinRange) = typeof(r)(r.stop, r.start, length(r))
issorted(r::AbstractUnitRange) = true
issorted(r::AbstractRange) = length(r) <= 1 || step(r) >= zero(step(r))
sort(r::AbstractUnitRange) = r
sort(r::AbstractRange) = issorted(r) ? r : reverse(r)
sort!(r::AbstractUnitRange) = r
sortperm(r::AbstractUnitRange) = eachindex(r)
sortperm(r::AbstractRange) = issorted(r) ? (firstindex(r):1:lastindex(r)) : (lastindex(r):-1:firstindex(r))
# Halves whichever of the two factors is even, so that the product overflows no earlier than the sum.
function sum(r::AbstractRange{<:Real})
    n = length(r)
    n * first(r) + (iseven(n) ? (step(r) * (n - 1)) * (n >> 1) : (step(r) * n) * ((n - 1) >> 1))
end
mod(i::Integer, r::OneTo) = mod1(i, last(r))
mod(i::Integer, r::AbstractUnitRange{<:Integer}) = mod(i - first(r), length(r)) + first(r)

# Sums of ranges.
-(r::OrdinalRange) = range(-first(r), step = negate(step(r)), length = length(r))
-(r::StepRangeLen{T, R, S, L}) where {T, R, S, L} = StepRangeLen{T, R, S, L}(-r.ref, -r.step, r.len, r.offset)
-(r::LinRange) = (start = -r.start; LinRange{typeof(start)}(start, -r.stop, length(r)))
const LinearRange = Union{StepRangeLen, OrdinalRange, LinRange}
@noinline throw_range_lengths(r, s) = throw(DimensionMismatch(LazyString("argument dimensions must match: length of r1 is ",
    length(r), ", length of r2 is ", length(s))))
+(r::OrdinalRange, s::OrdinalRange) = combine_ranges(+, r, s)
-(r::OrdinalRange, s::OrdinalRange) = combine_ranges(-, r, s)
+(r::LinRange{T}, s::LinRange{T}) where {T} = combine_ranges(+, r, s)
-(r::LinRange{T}, s::LinRange{T}) where {T} = combine_ranges(-, r, s)
+(r::StepRangeLen{T, S}, s::StepRangeLen{T, S}) where {T, S} = combine_ranges(+, r, s)
-(r::StepRangeLen, s::StepRangeLen) = r + (-s)
+(r::LinearRange, s::LinearRange) = +(promote(r, s)...)
-(r::LinearRange, s::LinearRange) = -(promote(r, s)...)
function combine_ranges(op, r, s)
    length(r) == length(s) || throw_range_lengths(r, s)
    StepRangeLen(op(first(r), first(s)), op(step(r), step(s)), length(r))
end
function combine_ranges(op, r::LinRange{T}, s::LinRange{T}) where {T}
    length(r) == length(s) || throw_range_lengths(r, s)
    LinRange{T}(convert(T, op(first(r), first(s))), convert(T, op(last(r), last(s))), r.len)
end

# Conversion and promotion: to a range that holds both element types, of the more general kind.
convert(::Type{T}, r::AbstractRange) where {T <: AbstractRange} = r isa T ? r : T(r)::T
el_same(::Type{T}, a::Type{<:AbstractArray{T, n}}, b::Type{<:AbstractArray{T, n}}) where {T, n} = a
el_same(::Type{T}, a::Type{<:AbstractArray{T, n}}, b::Type{<:AbstractArray{S, n}}) where {T, S, n} = a
el_same(::Type{T}, a::Type{<:AbstractArray{S, n}}, b::Type{<:AbstractArray{T, n}}) where {T, S, n} = b
el_same(::Type, a, b) = promote_typejoin(a, b)

promote_rule(a::Type{UnitRange{T}}, b::Type{UnitRange{S}}) where {T, S} = el_same(promote_type(T, S), a, b)
promote_rule(a::Type{OneTo{T}}, b::Type{OneTo{S}}) where {T, S} = el_same(promote_type(T, S), a, b)
promote_rule(::Type{OneTo{T}}, ::Type{Q}) where {T, Q <: AbstractUnitRange} = promote_rule(UnitRange{T}, Q)
promote_rule(a::Type{UnitRange{T}}, ::Type{Q}) where {T, Q <: AbstractUnitRange} = promote_rule(a, UnitRange{eltype(Q)})
function promote_rule(::Type{StepRange{T, A}}, ::Type{StepRange{S, B}}) where {T, A, S, B}
    by = promote_type(A, B)
    el_same(promote_type(T, S), StepRange{T, by}, StepRange{S, by})
end
promote_rule(a::Type{StepRange{T, A}}, ::Type{Q}) where {T, A, Q <: AbstractUnitRange} = promote_rule(a, StepRange{eltype(Q), eltype(Q)})
function promote_rule(::Type{StepRangeLen{T, R1, S1, L1}}, ::Type{StepRangeLen{U, R2, S2, L2}}) where {T, U, R1, R2, S1, S2, L1, L2}
    R, S, L = promote_type(R1, R2), promote_type(S1, S2), promote_type(L1, L2)
    el_same(promote_type(T, U), StepRangeLen{T, R, S, L}, StepRangeLen{U, R, S, L})
end
promote_rule(a::Type{StepRangeLen{T, R, S, L}}, ::Type{Q}) where {T, R, S, L, Q <: AbstractRange} =
    promote_rule(a, StepRangeLen{eltype(Q), eltype(Q), eltype(Q), Int})
function promote_rule(::Type{LinRange{T, L1}}, ::Type{LinRange{S, L2}}) where {T, S, L1, L2}
    L = promote_type(L1, L2)
    el_same(promote_type(T, S), LinRange{T, L}, LinRange{S, L})
end
promote_rule(a::Type{LinRange{T, L}}, ::Type{Q}) where {T, L, Q <: OrdinalRange} = promote_rule(a, LinRange{eltype(Q), L})
promote_rule(::Type{LinRange{T, L}}, b::Type{StepRangeLen{U, R, S, M}}) where {T, L, U, R, S, M} = promote_rule(StepRangeLen{T, T, T, L}, b)

OneTo{T}(r::OneTo{T}) where {T <: Integer} = r
OneTo{T}(r::OneTo) where {T <: Integer} = OneTo{T}(r.stop)
UnitRange{T}(r::UnitRange{T}) where {T <: Real} = r
UnitRange{T}(r::UnitRange) where {T <: Real} = UnitRange{T}(r.start, r.stop)
UnitRange{T}(r::AbstractUnitRange) where {T <: Real} = UnitRange{T}(first(r), last(r))
UnitRange(r::AbstractUnitRange) = UnitRange(first(r), last(r))
AbstractUnitRange{T}(r::AbstractUnitRange{T}) where {T} = r
AbstractUnitRange{T}(r::AbstractUnitRange) where {T} = UnitRange{T}(r)
AbstractUnitRange{T}(r::OneTo{T}) where {T} = r
AbstractUnitRange{T}(r::OneTo) where {T} = OneTo{T}(r)
OrdinalRange{T, S}(r::OrdinalRange) where {T, S} = StepRange{T, S}(r)
OrdinalRange{T, T}(r::AbstractUnitRange) where {T} = AbstractUnitRange{T}(r)
StepRange{T, S}(r::StepRange{T, S}) where {T, S} = r
StepRange{T, S}(r::AbstractRange) where {T, S} = StepRange{T, S}(convert(T, first(r)), convert(S, step(r)), convert(T, last(r)))
StepRange(r::AbstractUnitRange{T}) where {T} = StepRange{T, T}(first(r), step(r), last(r))
(StepRange{T, S} where {T})(r::AbstractRange) where {S} = StepRange{eltype(r), S}(r)
StepRangeLen{T, R, S, L}(r::StepRangeLen{T, R, S, L}) where {T, R, S, L} = r
StepRangeLen{T, R, S, L}(r::StepRangeLen) where {T, R, S, L} =
    StepRangeLen{T, R, S, L}(convert(R, r.ref), convert(S, r.step), convert(L, r.len), convert(L, r.offset))
StepRangeLen{T, R, S, L}(r::AbstractRange) where {T, R, S, L} = StepRangeLen{T, R, S, L}(R(first(r)), S(step(r)), length(r))
StepRangeLen{T}(r::StepRangeLen) where {T} = StepRangeLen(convert(T, r.ref), convert(T, r.step), r.len, r.offset)
StepRangeLen{T}(r::AbstractRange) where {T} = StepRangeLen(T(first(r)), T(step(r)), length(r))
StepRangeLen(r::AbstractRange) = StepRangeLen{eltype(r)}(r)
LinRange{T, L}(r::LinRange{T, L}) where {T, L} = r
LinRange{T, L}(r::AbstractRange) where {T, L} = LinRange{T, L}(first(r), last(r), length(r))
LinRange{T}(r::AbstractRange) where {T} = LinRange{T, typeof(length(r))}(first(r), last(r), length(r))
LinRange(r::AbstractRange{T}) where {T} = LinRange{T}(r)

# Copies into arrays go by iteration: a range need not have elements by number.
collect(r::AbstractRange{T}) where {T} = collect_range(T, r)
function collect_range(::Type{T}, r) where {T}
    n = Int(length(r))
    out = Vector{T}(undef, n)
    i = 0
    for x in r
        i += 1
        @inbounds out[i] = x
    end
    out
end
Vector{T}(r::AbstractRange) where {T} = collect_range(T, r)
Vector(r::AbstractRange) = collect(r)
vcat(r::AbstractRange{T}, more::AbstractRange{T}...) where {T} = concatenated_ranges(T, r, more...)
function concatenated_ranges(::Type{T}, rs...) where {T}
    out = Vector{T}(undef, sum(map(length, rs)))
    i = 0
    for r in rs, x in r
        i += 1
        @inbounds out[i] = x
    end
    out
end
eltype(::Type{<:AbstractRange{T}}) where {T} = T

float(r::StepRange) = float(r.start):float(r.step):float(last(r))
float(r::UnitRange) = float(r.start):float(last(r))
float(r::StepRangeLen{T}) where {T} = StepRangeLen{typeof(float(T(r.ref)))}(float(r.ref), float(r.step), length(r), r.offset)
float(r::LinRange) = LinRange(float(r.start), float(r.stop), length(r))

# A number type mapped over a range gives a range.
map(::Type{T}, r::StepRange) where {T <: Real} = T(r.start):T(r.step):T(last(r))
map(::Type{T}, r::UnitRange) where {T <: Real} = T(r.start):T(last(r))
map(::Type{T}, r::StepRangeLen) where {T <: AbstractFloat} = convert(StepRangeLen{T}, r)
map(::Type{T}, r::LinRange) where {T <: AbstractFloat} = LinRange(T(r.start), T(r.stop), length(r))

# `a:b` of Cartesian indices is a block, not a row of indices.
range_start_step_length(start::CartesianIndex, step::CartesianIndex, len::Integer) = error(string(
    "range with a specified length is deliberately unsupported for CartesianIndex arguments. Use StepRangeLen(",
    start, ", ", step, ", ", len, ") to construct this range"))
