# Ranges that are their own axes: the subscript is the value.

# A whole axis, as a subscript.
struct Slice{T <: AbstractUnitRange} <: AbstractUnitRange{Int}
    indices::T
end
Slice(s::Slice) = s
struct IdentityUnitRange{T <: AbstractUnitRange} <: AbstractUnitRange{Int}
    indices::T
end
IdentityUnitRange(s::IdentityUnitRange) = s
IdentityUnitRange(r::OneTo) = r
const IdentityRange = Union{Slice, IdentityUnitRange}

first(s::IdentityRange) = Int(first(s.indices))
last(s::IdentityRange) = Int(last(s.indices))
length(s::IdentityRange) = length(s.indices)
size(s::IdentityRange) = (Int(length(s.indices)),)
isempty(s::IdentityRange) = isempty(s.indices)
parent(s::IdentityRange) = s.indices
@inline axes(s::Slice) = (IdentityUnitRange(s.indices),)
@inline axes(s::Slice{<:OneTo}) = (s.indices,)
@inline axes(s::IdentityUnitRange) = (s,)
@inline axes1(s::IdentityRange) = axes(s)[1]
@inline unsafe_indices(s::IdentityRange) = axes(s)
firstindex(s::IdentityRange) = first(s)
lastindex(s::IdentityRange) = last(s)
@inline getindex(s::IdentityRange, i::Int) = (@boundscheck checkbounds(s, i); i)
getindex(s::IdentityRange, i::Integer) = s[Int(i)]
getindex(s::IdentityRange, i::Bool) = throw(ArgumentError("invalid index: $i of type Bool"))
@inline getindex(s::IdentityRange, r::AbstractUnitRange{<:Integer}) = (@boundscheck checkbounds(s, r); convert(AbstractUnitRange{Int}, r))
@inline getindex(s::IdentityRange, r::IdentityRange) = (@boundscheck checkbounds(s, r); r)
@inline getindex(s::OneTo, r::IdentityRange) = (@boundscheck checkbounds(s, r); r)
@inline getindex(s::IdentityRange, r::StepRange{<:Integer}) =
    (@boundscheck checkbounds(s, r); StepRange{Int, Int}(Int(first(r)), Int(step(r)), Int(last(r))))
@inline getindex(s::IdentityRange, r::AbstractUnitRange{Bool}) = (@boundscheck checkbounds(s, r); range(first(r) ? first(s) : last(s), length = last(r)))
@inline getindex(s::IdentityRange, r::StepRange{Bool}) =
    (@boundscheck checkbounds(s, r); range(first(r) ? first(s) : last(s), length = last(r), step = Int(step(r))))
getindex(s::IdentityRange, ::Colon) = s
@inline function iterate(s::IdentityRange)
    isempty(s) && return nothing
    (first(s), first(s))
end
@inline iterate(s::IdentityRange, i::Int) = i == last(s) ? nothing : (i + 1, i + 1)
reduced_index(r::Slice) = Slice(reduced_index(r.indices))
reduced_index(r::IdentityUnitRange) = IdentityUnitRange(first(r):first(r))
convert(::Type{IdentityUnitRange{T}}, r::IdentityUnitRange) where {T <: AbstractUnitRange} =
    IdentityUnitRange{T}(convert(T, r.indices))
convert(::Type{Slice{T}}, r::Slice) where {T <: AbstractUnitRange} = Slice{T}(convert(T, r.indices))
promote_rule(::Type{<:IdentityRange}, ::Type{<:UnitRange}) = UnitRange{Int}
view(s::IdentityRange, r::AbstractUnitRange{<:Integer}) = s[r]
