# From what stands in the brackets to integers and arrays of them, and whether these are within an array.

const ScalarIndex = Real
const RangeIndex = Union{Int, AbstractRange{Int}, AbstractUnitRange{Int}}
const ViewIndex = Union{Real, AbstractArray}

# The places where a mask is true, one after the other. `T` is `Int` for a mask that selects by linear index.
struct LogicalIndex{T, A <: AbstractArray{Bool}} <: AbstractVector{T}
    mask::A
    sum::Int
    LogicalIndex{T, A}(mask::A) where {T, A <: AbstractArray{Bool}} = new{T, A}(mask, count(mask))
end
LogicalIndex(mask::AbstractVector{Bool}) = LogicalIndex{Int, typeof(mask)}(mask)
LogicalIndex(mask::AbstractArray{Bool, N}) where {N} = LogicalIndex{CartesianIndex{N}, typeof(mask)}(mask)
LogicalIndex{Int}(mask::AbstractArray) = LogicalIndex{Int, typeof(mask)}(mask)
size(L::LogicalIndex) = (L.sum,)
length(L::LogicalIndex) = L.sum
IndexStyle(::Type{<:LogicalIndex}) = IndexLinear()
collect(L::LogicalIndex{T}) where {T} = true_places(T, L.mask)
true_places(::Type{Int}, mask::AbstractArray) = find_linear(mask)
true_places(::Type{CartesianIndex{N}}, mask::AbstractArray{Bool, N}) where {N} = CartesianIndex{N}[I for I in CartesianIndices(mask) if mask[I]]
getindex(L::LogicalIndex, i::Int) = collect(L)[i]
iterate(L::LogicalIndex) = (all = collect(L); iterate(L, (all, 1)))
iterate(L::LogicalIndex, s::Tuple) = s[2] > length(s[1]) ? nothing : (s[1][s[2]], (s[1], s[2] + 1))
first(L::LogicalIndex) = collect(L)[1]
function find_linear(mask)
    out = Int[]
    i = first(eachindex(IndexLinear(), mask)) - 1
    for b in mask
        i += 1
        b && push!(out, i)
    end
    out
end

# Bounds. Trailing ones are allowed; trailing axes without a subscript must have one element.
@inline function checkbounds(a::AbstractArray, I...)
    checkbounds(Bool, a, I...) || throw_boundserror(a, I)
    nothing
end
@inline checkbounds(::Type{Bool}, a::AbstractArray, I...) = checkbounds_indices(Bool, axes(a), I)
@inline checkbounds(::Type{Bool}, a::AbstractArray, i) = checkindex(Bool, eachindex(IndexLinear(), a), i)
@inline checkbounds(::Type{Bool}, a::AbstractArray, i::CartesianIndex) = checkbounds_indices(Bool, axes(a), i.I)
@inline checkbounds(::Type{Bool}, a::AbstractArray, i::CartesianIndices) = checkbounds_indices(Bool, axes(a), (i,))
@inline checkbounds(::Type{Bool}, a::AbstractArray, i::AbstractArray{<:CartesianIndex}) = checkbounds_indices(Bool, axes(a), (i,))
checkbounds(::Type{Bool}, a::AbstractArray, mask::AbstractArray{Bool}) = checkbounds_indices(Bool, axes(a), (mask,))
checkbounds(::Type{Bool}, a::AbstractArray, mask::AbstractVector{Bool}) =
    eachindex(IndexLinear(), a) == eachindex(IndexLinear(), mask)
checkbounds(::Type{Bool}, a::AbstractArray, L::LogicalIndex) = checkbounds(Bool, a, L.mask)
@inline checkbounds_indices(::Type{Bool}, ::Tuple{}, ::Tuple{}) = true
@inline checkbounds_indices(::Type{Bool}, inds::Tuple, ::Tuple{}) = (length(inds[1]) == 1) & checkbounds_indices(Bool, tail(inds), ())
@inline checkbounds_indices(::Type{Bool}, ::Tuple{}, I::Tuple{Any, Vararg{Any}}) = checkindex_axes((), I[1]) & checkbounds_indices(Bool, (), tail(I))
@inline checkbounds_indices(::Type{Bool}, inds::Tuple{Any, Vararg{Any}}, I::Tuple{Any, Vararg{Any}}) =
    checkindex(Bool, inds[1], I[1]) & checkbounds_indices(Bool, tail(inds), tail(I))
# One subscript may answer for several axes.
const ManyAxes = Union{CartesianIndex, AbstractArray{<:CartesianIndex}, AbstractArray{Bool}, LogicalIndex}
@inline checkbounds_indices(::Type{Bool}, ::Tuple{}, I::Tuple{CartesianIndex, Vararg{Any}}) = checkbounds_indices(Bool, (), (I[1].I..., tail(I)...))
@inline checkbounds_indices(::Type{Bool}, inds::Tuple{Any, Vararg{Any}}, I::Tuple{CartesianIndex, Vararg{Any}}) =
    checkbounds_indices(Bool, inds, (I[1].I..., tail(I)...))
@inline checkbounds_indices(::Type{Bool}, ::Tuple{}, I::Tuple{CartesianIndices, Vararg{Any}}) = checkbounds_indices(Bool, (), (I[1].indices..., tail(I)...))
@inline checkbounds_indices(::Type{Bool}, inds::Tuple{Any, Vararg{Any}}, I::Tuple{CartesianIndices, Vararg{Any}}) =
    checkbounds_indices(Bool, inds, (I[1].indices..., tail(I)...))
@inline checkbounds_indices(::Type{Bool}, inds::Tuple{Any, Vararg{Any}}, I::Tuple{ManyAxes, Vararg{Any}}) =
    checkindex_axes(take_axes(inds, axis_count(I[1])), I[1]) & checkbounds_indices(Bool, drop_axes(inds, axis_count(I[1])), tail(I))
axis_count(i) = Val(1)
axis_count(::AbstractArray{CartesianIndex{N}}) where {N} = Val(N)
axis_count(::AbstractArray{Bool, N}) where {N} = Val(N)
axis_count(L::LogicalIndex) = axis_count(L.mask)
axis_count(::AbstractArray{Union{}}) = Val(1)
axis_count(::AbstractArray{<:CartesianIndex}) = throw(ArgumentError("unable to check bounds of indices with different numbers of dimensions"))
checkindex_axes(inds::Tuple, i) = checkindex(Bool, OneTo(1), i)
checkindex_axes(inds::Tuple, I::AbstractArray{<:CartesianIndex}) = all(i -> checkbounds_indices(Bool, inds, i.I), I)
checkindex_axes(inds::Tuple, L::LogicalIndex) = checkindex_axes(inds, L.mask)
checkindex_axes(inds::Tuple, mask::AbstractArray{Bool}) = mask_fits(inds, axes(mask))
mask_fits(::Tuple{}, ax::Tuple) = all(a -> a == OneTo(1), ax)
mask_fits(inds::Tuple, ::Tuple{}) = all(a -> length(a) == 1, inds)
mask_fits(inds::Tuple{Any, Vararg{Any}}, ax::Tuple{Any, Vararg{Any}}) = (inds[1] == ax[1]) & mask_fits(tail(inds), tail(ax))
mask_fits(::Tuple{}, ::Tuple{}) = true
@inline checkindex(::Type{Bool}, inds::AbstractUnitRange, i::Real) = (first(inds) <= i) & (i <= last(inds))
@inline checkindex(::Type{Bool}, inds::OneTo{Int}, i::Int) = ult_int(bitcast(UInt, sub_int(i, 1)), bitcast(UInt, inds.stop))
checkindex(::Type{Bool}, inds, ::Colon) = true
checkindex(::Type{Bool}, inds::AbstractUnitRange, ::Colon) = true
checkindex(::Type{Bool}, inds::AbstractUnitRange, s::Slice) = isempty(s) | ((first(inds) <= first(s)) & (last(s) <= last(inds)))
checkindex(::Type{Bool}, inds::AbstractUnitRange, r::AbstractRange) =
    isempty(r) | (checkindex(Bool, inds, first(r)) & checkindex(Bool, inds, last(r)))
checkindex(::Type{Bool}, inds::AbstractUnitRange, mask::AbstractVector{Bool}) = inds == axes1(mask)
checkindex(::Type{Bool}, inds::AbstractUnitRange, mask::AbstractRange{Bool}) = inds == axes1(mask)
checkindex(::Type{Bool}, inds::AbstractUnitRange, mask::AbstractArray{Bool}) = false
checkindex(::Type{Bool}, inds::AbstractUnitRange, L::LogicalIndex) = checkindex(Bool, inds, L.mask)
checkindex(::Type{Bool}, inds::AbstractUnitRange, I::AbstractArray) = all(i -> checkindex(Bool, inds, i), I)
checkindex(::Type{Bool}, inds::Tuple, ::Colon) = true
checkindex(::Type{Bool}, inds::Tuple, I...) = checkbounds_indices(Bool, inds, I)
checkindex(::Type{Bool}, inds, i) = throw(ArgumentError(string("unable to check bounds for indices of type ", typeof(i))))

# `to_indices` makes every subscript an integer, an array of integers or a slice.
@inline to_indices(a, I::Tuple) = to_indices(a, axes(a), I)
@inline to_indices(a, I::Tuple{Any}) = to_indices(a, (eachindex(IndexLinear(), a),), I)
@inline to_indices(a, I::Tuple{AbstractArray{<:CartesianIndex}}) = to_indices(a, axes(a), I)
@inline to_indices(a, I::Tuple{CartesianIndices}) = to_indices(a, axes(a), I)
@inline to_indices(a, I::Tuple{CartesianIndex}) = I[1].I
@inline to_indices(a, I::Tuple{Vararg{Int}}) = I
@inline to_indices(a, I::Tuple{Vararg{Union{Integer, CartesianIndex}}}) = to_indices(a, axes(a), I)
@inline to_indices(a, I::Tuple{Vararg{Integer}}) = map(i -> to_index(a, i), I)
to_indices(a, I::Tuple{}) = ()
to_indices(a, I::Tuple{Int}) = I
@inline to_indices(a, I::Tuple{Integer}) = (to_index(a, I[1]),)
to_indices(a, inds, ::Tuple{}) = ()
@inline to_indices(a, inds, I::Tuple{Any, Vararg{Any}}) = (to_index(a, I[1]), to_indices(a, axes_tail(inds), tail(I))...)
@inline to_indices(a, inds, I::Tuple{Colon, Vararg{Any}}) = (uncolon(inds), to_indices(a, axes_tail(inds), tail(I))...)
@inline to_indices(a, inds, I::Tuple{CartesianIndex, Vararg{Any}}) = to_indices(a, inds, (I[1].I..., tail(I)...))
@inline to_indices(a, inds, I::Tuple{CartesianIndices, Vararg{Any}}) = to_indices(a, inds, (I[1].indices..., tail(I)...))
to_indices(a, inds, I::Tuple{CartesianIndices{0}, Vararg{Any}}) = (I[1], to_indices(a, inds, tail(I))...)
@inline to_indices(a, inds, I::Tuple{AbstractArray{CartesianIndex{N}}, Vararg{Any}}) where {N} =
    (to_index(a, I[1]), to_indices(a, drop_axes(inds, Val(N)), tail(I))...)
@inline to_indices(a, inds, I::Tuple{AbstractArray{Bool, N}, Vararg{Any}}) where {N} =
    (to_index(a, I[1]), to_indices(a, drop_axes(inds, Val(N)), tail(I))...)
# A mask of the array's own shape selects by linear index.
to_indices(a::AbstractArray{<:Any, N}, I::Tuple{AbstractArray{Bool, N}}) where {N} = (linear_mask(IndexStyle(a), a, I[1]),)
to_indices(a::AbstractArray{<:Any, 1}, I::Tuple{AbstractArray{Bool, 1}}) = (to_index(a, I[1]),)
to_indices(a, I::Tuple{AbstractArray{Bool}}) = to_indices(a, axes(a), I)
to_indices(a, I::Tuple{AbstractVector{Bool}}) = (to_index(a, I[1]),)
to_indices(a::AbstractArray{<:Any, 1}, I::Tuple{AbstractArray{Bool}}) = to_indices(a, axes(a), I)
linear_mask(::IndexLinear, a, mask) = LogicalIndex{Int}(mask)
linear_mask(::IndexStyle, a, mask) = LogicalIndex(mask)
axes_tail(::Tuple{}) = ()
axes_tail(inds::Tuple) = tail(inds)
uncolon(::Tuple{}) = Slice(OneTo(1))
@inline uncolon(inds::Tuple) = Slice(inds[1])
drop_axes(inds::Tuple, ::Val{0}) = inds
drop_axes(::Tuple{}, ::Val{N}) where {N} = ()
drop_axes(::Tuple{}, ::Val{0}) = ()
@inline drop_axes(inds::Tuple, ::Val{N}) where {N} = drop_axes(tail(inds), Val(N - 1))
take_axes(inds::Tuple, ::Val{0}) = ()
take_axes(::Tuple{}, ::Val{N}) where {N} = ()
take_axes(::Tuple{}, ::Val{0}) = ()
@inline take_axes(inds::Tuple, ::Val{N}) where {N} = (inds[1], take_axes(tail(inds), Val(N - 1))...)
to_index(a, i) = to_index(i)
to_index(i::Integer) = Int(i)
to_index(i::Bool) = throw(ArgumentError(string("invalid index: ", i, " of type Bool")))
to_index(I::AbstractArray) = I
to_index(I::AbstractArray{Bool}) = LogicalIndex(I)
to_index(I::AbstractArray{Union{}}) = I
to_index(I::AbstractArray{<:Union{AbstractArray, Colon}}) =
    throw(ArgumentError(string("invalid index: ", limited_repr(I), " of type ", typeof(I))))
to_index(s::Slice) = s
to_index(::Colon) = throw(ArgumentError("colons must be converted by to_indices(...)"))
to_index(i) = throw(ArgumentError(string("invalid index: ", limited_repr(i), " of type ", typeof(i))))

# The shape that subscripts give: integers vanish, arrays contribute their axes.
index_shape() = ()
@inline index_shape(i::Real, rest...) = index_shape(rest...)
@inline index_shape(I::AbstractArray, rest...) = (axes(I)..., index_shape(rest...)...)
index_dims() = ()
@inline index_dims(i::Real, rest...) = index_dims(rest...)
@inline index_dims(I::AbstractArray, rest...) = (size(I)..., index_dims(rest...)...)
index_ndims() = ()
@inline index_ndims(i, rest...) = (true, index_ndims(rest...)...)
@inline index_ndims(i::AbstractArray{CartesianIndex{N}}, rest...) where {N} = (ntuple(_ -> true, Val(N))..., index_ndims(rest...)...)
index_dimsum() = ()
@inline index_dimsum(i, rest...) = index_dimsum(rest...)
@inline index_dimsum(::Colon, rest...) = (true, index_dimsum(rest...)...)
@inline index_dimsum(::AbstractArray{Bool}, rest...) = (true, index_dimsum(rest...)...)
@inline index_dimsum(::AbstractArray{<:Any, N}, rest...) where {N} = (ntuple(_ -> true, Val(N))..., index_dimsum(rest...)...)
ensure_indexable(::Tuple{}) = ()
@inline ensure_indexable(I::Tuple) = (I[1], ensure_indexable(tail(I))...)
@inline ensure_indexable(I::Tuple{LogicalIndex, Vararg{Any}}) = (collect(I[1]), ensure_indexable(tail(I))...)
