# Sizes of index spaces, known to the compiler or not, and how a space is cut into work-groups.
module NDIteration

export _Size, StaticSize, DynamicSize, get
export NDRange, blocks, workitems, expand

abstract type _Size end
struct DynamicSize <: _Size end
struct StaticSize{S} <: _Size
    StaticSize{S}() where {S} = new{S::Tuple{Vararg{Int}}}()
end
StaticSize(s::Tuple{Vararg{Integer}}) = StaticSize{map(Int, s)}()
StaticSize(s::Integer...) = StaticSize(s)
# Kernels are made in loops around launches: what most are given takes one step.
StaticSize(s::Tuple{Vararg{Int}}) = StaticSize{s}()
StaticSize(s::Int) = StaticSize{(s,)}()
get(::Type{StaticSize{S}}) where {S} = S
get(::StaticSize{S}) where {S} = S
Base.getindex(::StaticSize{S}, i::Int) where {S} = i <= length(S) ? S[i] : 1
Base.ndims(::StaticSize{S}) where {S} = length(S)
Base.length(::StaticSize{S}) where {S} = prod(S)

# An index space cut into blocks, the groups, of the same number of items. What `B` or `W` does not say the fields do.
struct NDRange{N,B<:_Size,W<:_Size,DB,DW}
    blocks::DB
    workitems::DW
    NDRange{N,B,W}(blocks = nothing, workitems = nothing) where {N,B,W} =
        new{N,B,W,typeof(blocks),typeof(workitems)}(blocks, workitems)
end
@inline blocks(r::NDRange{N,DynamicSize}) where {N} = r.blocks
@inline blocks(::NDRange{N,B}) where {N,B<:StaticSize} = CartesianIndices(get(B))
@inline workitems(r::NDRange{N,B,DynamicSize}) where {N,B} = r.workitems
@inline workitems(::NDRange{N,B,W}) where {N,B,W<:StaticSize} = CartesianIndices(get(W))
Base.ndims(::NDRange{N}) where {N} = N
Base.length(r::NDRange) = length(blocks(r))
Base.iterate(r::NDRange, state...) = iterate(blocks(r), state...)

# The index of an item of a block, both linear or Cartesian.
@inline expand(r::NDRange{N}, block::CartesianIndex{N}, item::CartesianIndex{N}) where {N} =
    CartesianIndex(map((b, n, i) -> (b - 1) * n + i, Tuple(block), size(workitems(r)), Tuple(item)))
Base.@propagate_inbounds expand(r::NDRange, block::Integer, item) = expand(r, blocks(r)[block], item)
Base.@propagate_inbounds expand(r::NDRange{N}, block::CartesianIndex{N}, item::Integer) where {N} =
    expand(r, block, workitems(r)[item])

# Whether items may be out of range.
struct DynamicCheck end
struct NoDynamicCheck end

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

using .NDIteration: _Size, StaticSize, DynamicSize, blocks, workitems
