# Sizes of index spaces, known to the compiler or not, and how a space is cut into work-groups.
module NDIteration

export _Size, StaticSize, DynamicSize, get

abstract type _Size end
struct DynamicSize <: _Size end
struct StaticSize{S} <: _Size
    StaticSize{S}() where {S} = new{S::Tuple{Vararg{Int}}}()
end
StaticSize(s::Tuple{Vararg{Integer}}) = StaticSize{map(Int, s)}()
StaticSize(s::Integer...) = StaticSize(s)
get(::Type{StaticSize{S}}) where {S} = S
get(::StaticSize{S}) where {S} = S

# Pads `workgroupsize` with ones to the rank of `ndrange`; the number of groups a dimension; whether some items of the
# last groups are out of range.
function partition(ndrange::NTuple{N,Int}, workgroupsize::Tuple) where {N}
    length(workgroupsize) <= N ||
        throw(ArgumentError("a work-group of $(length(workgroupsize)) dimensions over a range of $N"))
    items = ntuple(i -> i > length(workgroupsize) || workgroupsize[i] == 0 ? 1 : Int(workgroupsize[i]), Val(N))
    groups = map(cld, ndrange, items)
    return groups, items, any(map((n, w) -> n % w != 0, ndrange, items))
end

end

using .NDIteration: _Size, StaticSize, DynamicSize
