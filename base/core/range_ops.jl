# Ranges as sets and as numbers: membership, intersection, reversal, arithmetic that stays a range.

in(x::Integer, r::AbstractUnitRange{<:Integer}) = (first(r) <= x) & (x <= last(r))
in(x::Real, r::AbstractUnitRange{<:Integer}) = isinteger(x) && (first(r) <= x) & (x <= last(r))
in(x::Real, r::AbstractRange{<:Real}) = in_stepped(x, r)
in(x::AbstractChar, r::StepRange{<:AbstractChar}) = !isempty(r) && minimum(r) <= x <= maximum(r) && (x - first(r)) % step(r) == 0
in(x, r::AbstractRange) = any(y -> y == x, r)
function in_stepped(x, r)
    isempty(r) && return false
    (minimum(r) <= x) & (x <= maximum(r)) || return false
    iszero(step(r)) && return x == first(r)
    k = round(Int, (x - first(r)) / step(r)) + 1
    1 <= k <= length(r) && r[k] == x
end

==(r::AbstractUnitRange, s::AbstractUnitRange) = (isempty(r) & isempty(s)) | ((first(r) == first(s)) & (last(r) == last(s)))
==(r::AbstractRange, s::AbstractRange) = length(r) == length(s) &&
    (isempty(r) || (first(r) == first(s) && last(r) == last(s) && (length(r) == 1 || all_equal(r, s))))
all_equal(r::OrdinalRange, s::OrdinalRange) = step(r) == step(s)
function all_equal(r, s)
    for i in 1:length(r)
        r[i] == s[i] || return false
    end
    true
end

intersect(r::OneTo, s::OneTo) = OneTo(min(r.stop, s.stop))
intersect(r::AbstractUnitRange{<:Integer}, s::AbstractUnitRange{<:Integer}) = max(first(r), first(s)):min(last(r), last(s))
function intersect(r::OrdinalRange{<:Integer}, s::OrdinalRange{<:Integer})
    out = [x for x in r if x in s]
    length(out) < 2 && return isempty(out) ? (first(r):step(r):(first(r) - step(r))) : (out[1]:step(r):out[1])
    out[1]:(out[2] - out[1]):out[end]
end
issubset(r::AbstractUnitRange{<:Integer}, s::AbstractUnitRange{<:Integer}) =
    isempty(r) || (first(r) >= first(s) && last(r) <= last(s))

reverse(r::OrdinalRange) = last(r):negate_step(step(r)):first(r)
negate_step(s) = -s
negate_step(s::Unsigned) = -signed(s)
reverse(r::StepRangeLen{T, R, S, L}) where {T, R, S, L} =
    StepRangeLen{T, R, S, L}(r.ref, -r.step, r.len, isempty(r) ? r.offset : r.len - r.offset + 1)
reverse(r::LinRange{T}) where {T} = LinRange{T}(r.stop, r.start, r.len)
sort(r::AbstractUnitRange) = r
sort(r::AbstractRange) = issorted(r) ? r : reverse(r)
issorted(r::AbstractUnitRange) = true
issorted(r::AbstractRange) = length(r) <= 1 || step(r) >= zero(step(r))
# With the length, whose type is wide enough, in every product.
function sum(r::AbstractRange{<:Integer})
    n = length(r)
    n * first(r) + (iseven(n) ? (step(r) * (n - 1)) * (n >> 1) : (step(r) * n) * ((n - 1) >> 1))
end
sum(r::StepRangeLen) = (n = length(r); n == 0 ? zero(eltype(r)) : eltype(r)(n * (first(r) + last(r)) / 2))
unique(r::AbstractRange) = r
allunique(r::AbstractRange) = !iszero(step(r)) || length(r) <= 1
argmin(r::AbstractRange) = step(r) > 0 ? firstindex(r) : lastindex(r)
argmax(r::AbstractRange) = step(r) > 0 ? lastindex(r) : firstindex(r)

-(r::OrdinalRange) = range_start_step_length(-first(r), negate_step(step(r)), length(r))
-(r::StepRangeLen{T, R, S, L}) where {T, R, S, L} = StepRangeLen{T, R, S, L}(-r.ref, -r.step, r.len, r.offset)
-(r::LinRange) = LinRange(-r.start, -r.stop, r.len)
+(r::AbstractRange, s::AbstractRange) = range_combine(+, r, s)
-(r::AbstractRange, s::AbstractRange) = range_combine(-, r, s)
function range_combine(op, r, s)
    length(r) == length(s) || throw(DimensionMismatch(string("argument dimensions must match: length of r is ", length(r), ", length of s is ", length(s))))
    range_start_step_length(op(first(r), first(s)), op(step(r), step(s)), length(r))
end
*(x::Number, r::AbstractRange) = range_scale(x, r)
*(r::AbstractRange, x::Number) = range_scale(x, r)
/(r::AbstractRange, x::Number) = range_start_step_length(first(r) / x, step(r) / x, length(r))
range_scale(x, r) = range_start_step_length(x * first(r), x * step(r), length(r))
range_scale(x, r::StepRangeLen{T}) where {T} = StepRangeLen{typeof(x * one(T))}(x * r.ref, x * r.step, r.len, r.offset)
range_scale(x, r::LinRange) = LinRange(x * r.start, x * r.stop, r.len)
range_shift(r::AbstractUnitRange{<:Integer}, x::Integer) = (first(r) + x):(last(r) + x)
range_shift(r::AbstractRange, x) = range_start_step_length(first(r) + x, step(r), length(r))
range_shift(r::StepRangeLen{T, R, S, L}, x) where {T, R, S, L} =
    (ref = r.ref + x; StepRangeLen{typeof(zero(T) + x)}(ref, r.step, r.len, r.offset))
range_shift(r::LinRange, x) = LinRange(r.start + x, r.stop + x, r.len)

promote_rule(::Type{UnitRange{T}}, ::Type{UnitRange{S}}) where {T, S} = UnitRange{promote_type(T, S)}
promote_rule(::Type{OneTo{T}}, ::Type{OneTo{S}}) where {T, S} = OneTo{promote_type(T, S)}
promote_rule(::Type{UnitRange{T}}, ::Type{OneTo{S}}) where {T, S} = UnitRange{promote_type(T, S)}
convert(::Type{UnitRange{T}}, r::AbstractUnitRange) where {T} = UnitRange{T}(first(r), last(r))
convert(::Type{UnitRange{T}}, r::UnitRange{T}) where {T} = r
convert(::Type{OneTo{T}}, r::OneTo) where {T} = OneTo{T}(r.stop)
convert(::Type{OneTo{T}}, r::OneTo{T}) where {T} = r
convert(::Type{AbstractUnitRange{T}}, r::AbstractUnitRange{T}) where {T} = r
convert(::Type{StepRange{T, S}}, r::AbstractRange) where {T, S} = StepRange{T, S}(first(r), step(r), last(r))
UnitRange{T}(r::AbstractUnitRange) where {T <: Real} = UnitRange{T}(first(r), last(r))
UnitRange(r::AbstractUnitRange) = UnitRange(first(r), last(r))
OneTo{T}(r::OneTo) where {T <: Integer} = OneTo{T}(r.stop)
OneTo(r::AbstractUnitRange) = (first(r) == 1 || throw(ArgumentError(string("first element must be 1, got ", first(r)))); OneTo(last(r)))
StepRange(r::AbstractUnitRange{T}) where {T} = StepRange{T, T}(first(r), step(r), last(r))
LinRange(r::AbstractRange) = LinRange(first(r), last(r), length(r))
AbstractUnitRange{T}(r::AbstractUnitRange) where {T} = convert(UnitRange{T}, r)
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
eltype(::Type{<:AbstractRange{T}}) where {T} = T
