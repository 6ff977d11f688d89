# Views: arrays that are part of another.

"""
    SubArray

The type of views: a parent array and the indices into it.
"""
struct SubArray{T, N, P, I, L} <: AbstractArray{T, N}
    parent::P
    indices::I
    offset1::Int
    stride1::Int
    SubArray{T, N, P, I, L}(parent, indices, offset1, stride1) where {T, N, P, I, L} =
        new{T, N, P, I, L}(parent, indices, offset1, stride1)
end
const FastSubArray{T, N, P, I} = SubArray{T, N, P, I, true}
const FastContiguousSubArray{T, N, P, I <: Union{Tuple{AbstractUnitRange, Vararg{Any}}, Tuple{Vararg{ScalarIndex}}}} = SubArray{T, N, P, I, true}
iscontiguous(v::SubArray) = iscontiguous(typeof(v))
iscontiguous(::Type{<:SubArray}) = false
iscontiguous(::Type{<:FastContiguousSubArray}) = true
is_dense(v::FastContiguousSubArray) = is_dense(v.parent)
# The axes of a view are those of its indices that are arrays.
has_offset_axes(v::SubArray) = any_offset_index(v.indices...)
any_offset_index() = false
@inline any_offset_index(i, Is...) = any_offset_index(Is...)
@inline any_offset_index(i::AbstractArray, Is...) = has_offset_axes(i) || any_offset_index(Is...)
# The number in the parent of the first element.
first_index(v::FastSubArray) = v.offset1 + v.stride1 * firstindex(v)
first_index(v::SubArray) = view_first(v.parent, v.indices)
sizeof(v::SubArray) = length(v) * sizeof(eltype(v))
sizeof(v::SubArray{<:Any, <:Any, <:Array}) = length(v) * elsize(typeof(v.parent))

# Arrays whose elements lie at fixed distances.
const ReshapedUnitRange{T, N, A <: AbstractUnitRange} = ReshapedArray{T, N, A, Tuple{}}
const StridedFastContiguousSubArray{T, N, A <: DenseArray} = FastContiguousSubArray{T, N, A}
const StridedReinterpretArray{T, N, A <: Union{DenseArray, StridedFastContiguousSubArray}, R} = ReinterpretArray{T, N, S, A, R} where {S}
const StridedReshapedArray{T, N, A <: Union{DenseArray, StridedFastContiguousSubArray, StridedReinterpretArray}} = ReshapedArray{T, N, A}
const StridedSubArray{T, N, A <: Union{DenseArray, StridedReshapedArray, StridedReinterpretArray},
    I <: Tuple{Vararg{Union{RangeIndex, ReshapedUnitRange, CartesianIndex}}}} = SubArray{T, N, A, I}
"""
    StridedArray{T, N}

Arrays whose elements lie in memory at fixed distances, views of them included.
"""
const StridedArray{T, N} = Union{DenseArray{T, N}, StridedSubArray{T, N}, StridedReshapedArray{T, N}, StridedReinterpretArray{T, N}}
"""
    StridedVector{T}

A `StridedArray` of one dimension.
"""
const StridedVector{T} = StridedArray{T, 1}
"""
    StridedMatrix{T}

A `StridedArray` of two dimensions.
"""
const StridedMatrix{T} = StridedArray{T, 2}
"""
    StridedVecOrMat{T}

A `StridedArray` of one or two dimensions.
"""
const StridedVecOrMat{T} = Union{StridedVector{T}, StridedMatrix{T}}
export StridedArray, StridedVector, StridedMatrix, StridedVecOrMat

# Strided subscripts over a linear parent collapse to an offset and a step.
@inline function SubArray(parent::AbstractArray, indices::Tuple)
    fast = view_is_linear(IndexStyle(parent), indices)
    make_subarray(parent, indices, index_ndims_of(indices...), fast)
end
index_ndims_of() = ()
@inline index_ndims_of(i::Real, rest...) = index_ndims_of(rest...)
@inline index_ndims_of(I::AbstractArray{<:Any, M}, rest...) where {M} = (ntuple(_ -> 0, Val(M))..., index_ndims_of(rest...)...)
@inline make_subarray(parent::P, indices::I, dims::Dims{N}, ::Val{true}) where {P, I, N} =
    SubArray{eltype(P), N, P, I, true}(parent, indices, view_offset(parent, indices), view_stride(parent, indices))
@inline make_subarray(parent::P, indices::I, dims::Dims{N}, ::Val{false}) where {P, I, N} =
    SubArray{eltype(P), N, P, I, false}(parent, indices, 0, 0)
view_is_linear(::IndexStyle, indices) = Val(false)
view_is_linear(::IndexLinear, indices::Tuple{}) = Val(true)
view_is_linear(::IndexLinear, indices::Tuple{Vararg{Int}}) = Val(true)
@inline view_is_linear(s::IndexLinear, I::Tuple{Int, Vararg{Any}}) = view_tail_scalar(tail(I))
@inline view_is_linear(s::IndexLinear, I::Tuple{Slice, Vararg{Any}}) = view_after_slice(tail(I))
view_is_linear(s::IndexLinear, I::Tuple{AbstractRange{<:Real}, Vararg{Any}}) = all_scalar(tail(I))
view_after_slice(::Tuple{}) = Val(true)
@inline view_after_slice(I::Tuple{Slice, Vararg{Any}}) = view_after_slice(tail(I))
@inline view_after_slice(I::Tuple{AbstractUnitRange{<:Real}, Vararg{Any}}) = all_scalar(tail(I))
@inline view_after_slice(I::Tuple{Int, Vararg{Any}}) = all_scalar(tail(I))
view_after_slice(I::Tuple) = Val(false)
all_scalar(::Tuple{Vararg{Int}}) = Val(true)
all_scalar(::Tuple) = Val(false)
view_tail_scalar(::Tuple{Vararg{Int}}) = Val(true)
# Integers, then one strided subscript, then integers.
@inline view_tail_scalar(I::Tuple{Int, Vararg{Any}}) = view_tail_scalar(tail(I))
@inline view_tail_scalar(I::Tuple{Slice, Vararg{Any}}) = view_after_slice(tail(I))
@inline view_tail_scalar(I::Tuple{AbstractRange{<:Real}, Vararg{Any}}) = all_scalar(tail(I))
view_tail_scalar(::Tuple) = Val(false)
view_start(i::Int) = i
view_start(r::AbstractArray) = first(r)
view_start(r::AbstractRange) = first(r)
# So that subscript `i` of the view is element `offset1 + i * stride1` of the parent.
@inline view_offset(parent, I::Tuple) = view_first(parent, I) - view_stride(parent, I) * first_number(index_shape(I...))
first_number(ax::Tuple) = 1
@inline first_number(ax::Tuple{Any}) = Int(first(ax[1]))
@inline compute_offset1(parent, stride1::Integer, I::Tuple) = view_first(parent, I) - stride1
@inline view_first(parent, I::Tuple) = linear_index(axes(parent), map(view_start, I))
@inline view_stride(parent, I::Tuple) = view_stride_from(1, size(parent), I)
view_stride_from(s, dims, ::Tuple{}) = s
view_stride_from(s, ::Tuple{}, I::Tuple{Int, Vararg{Any}}) = s
@inline view_stride_from(s, dims::Tuple, I::Tuple{Int, Vararg{Any}}) = view_stride_from(s * dims[1], tail(dims), tail(I))
@inline view_stride_from(s, dims, I::Tuple{AbstractRange, Vararg{Any}}) = s * step(I[1])
view_stride_from(s, dims, I::Tuple) = s

@inline function view(a::AbstractArray, I...)
    J = to_indices(a, I)
    @boundscheck checkbounds(a, J...)
    K = drop_singles(axes(a), indices_apart(a, ensure_indexable(J)))
    SubArray(view_parent(a, K), K)
end
# Scalars behind the last dimension leave no trace in the view.
drop_singles(::Tuple{}, ::Tuple{}) = ()
drop_singles(inds::Tuple, ::Tuple{}) = ()
@inline drop_singles(::Tuple{}, I::Tuple{Union{Real, AbstractArray{<:Any, 0}}, Vararg{Any}}) = drop_singles((), tail(I))
@inline drop_singles(inds::Tuple, I::Tuple) = (I[1], drop_singles(drop_axes(inds, axis_count(I[1])), tail(I))...)
# Subscripts that share memory with the array are copied: assignments to the view must not move it.
indices_apart(a, ::Tuple{}) = ()
@inline indices_apart(a, I::Tuple) = (index_apart(a, I[1]), indices_apart(a, tail(I))...)
index_apart(a, i) = i
index_apart(a, i::AbstractArray) = unalias(a, i)
index_apart(a, i::AbstractRange) = i
@inline unsafe_view(a::AbstractArray, J...) = SubArray(view_parent(a, J), J)
# With fewer subscripts than dimensions, or more, view the reshaped parent.
@inline view_parent(a::AbstractArray{T, N}, J::Tuple) where {T, N} =
    index_rank(J...) == N ? a : reshape_parent(a, J)
reshape_parent(a, J) = reshape(a, fold_dims(size(a), J))
reshape_parent(a::AbstractVector, J::Tuple{Any}) = a
const _maybe_reshape_parent = view_parent
index_rank() = 0
@inline index_rank(i, rest...) = 1 + index_rank(rest...)
@inline index_rank(i::AbstractArray{CartesianIndex{M}}, rest...) where {M} = M + index_rank(rest...)
fold_dims(::Tuple{}, ::Tuple{}) = ()
fold_dims(::Tuple{}, J::Tuple{Any, Vararg{Any}}) = map(_ -> 1, J)
@inline fold_dims(dims::Tuple{Any, Vararg{Any}}, J::Tuple{Any}) = (prod_dims(dims),)
@inline fold_dims(dims::Tuple{Any, Vararg{Any}}, J::Tuple{Any, Any, Vararg{Any}}) = (dims[1], fold_dims(tail(dims), tail(J))...)
fold_dims(dims::Tuple{Any, Vararg{Any}}, ::Tuple{}) = ()
view(a::AbstractArray) = (checkbounds(a); SubArray(reshape(a, ()), ()))
view(a::AbstractArray{T, 0}) where {T} = SubArray(a, ())
view(r::AbstractRange, s::AbstractRange{<:Integer}) = r[s]
view(r::AbstractRange, s::AbstractRange{Bool}) = SubArray(r, ensure_indexable(to_indices(r, (s,))))
view(r::AbstractRange, ::Colon) = r
view(r::AbstractUnitRange, s::AbstractUnitRange{<:Integer}) = r[s]
# A view of a view reaches through to the parent.
@inline function view(v::SubArray, I...)
    J = to_indices(v, I)
    @boundscheck checkbounds(v, J...)
    K = ensure_indexable(J)
    index_rank(K...) == ndims(v) && all_plain(K...) ? reached(v, K) : SubArray(view_parent(v, K), K)
end
@inline reached(v::SubArray, K) = SubArray(v.parent, split_cartesian(reindex(v.indices, K)))
# An element of an array of Cartesian indices stands for several subscripts.
split_cartesian(::Tuple{}) = ()
@inline split_cartesian(I::Tuple) = (I[1], split_cartesian(tail(I))...)
@inline split_cartesian(I::Tuple{CartesianIndex, Vararg{Any}}) = (I[1].I..., split_cartesian(tail(I))...)
all_plain() = true
@inline all_plain(i::Union{Int, AbstractArray{Int}, AbstractVector{<:Integer}}, rest...) = all_plain(rest...)
all_plain(i, rest...) = false

@inline size(v::SubArray) = index_dims(v.indices...)
@inline axes(v::SubArray) = index_shape(v.indices...)
@inline length(v::SubArray) = prod_dims(size(v))
parent(v::SubArray) = v.parent
parentindices(v::SubArray) = v.indices
parentindices(a::AbstractArray) = map(unitrange, axes(a))
IndexStyle(::Type{<:FastSubArray}) = IndexLinear()
IndexStyle(::Type{<:SubArray}) = IndexCartesian()
similar(v::SubArray, ::Type{T}, dims::Dims) where {T} = similar(v.parent, T, dims)
dataids(v::SubArray) = (dataids(v.parent)..., index_ids(v.indices...)...)
index_ids() = ()
index_ids(i::AbstractArray, rest...) = (dataids(i)..., index_ids(rest...)...)
index_ids(i, rest...) = index_ids(rest...)
# Views of the same elements share some only if all their ranges meet. Subscripts that two views share are not written.
function mightalias(a::SubArray, b::SubArray)
    p, q = dataids(a.parent), dataids(b.parent)
    elements_meet(a, b, p, q) || overlap_ids(p, index_ids(b.indices...)) || overlap_ids(index_ids(a.indices...), q)
end
elements_meet(a, b, p, q) = overlap_ids(p, q) && !(same_elements(a.parent, b.parent) && ranges_apart(a.indices, b.indices))
same_elements(a, b) = a === b
same_elements(a::Array, b::Array) = a.ref === b.ref && a.size == b.size
same_elements(a::ReinterpretArray, b) = elsize(typeof(a)) == elsize(typeof(a.parent)) && same_elements(a.parent, b)
same_elements(a, b::ReinterpretArray) = same_elements(b, a)
same_elements(a::ReinterpretArray, b::ReinterpretArray) =
    elsize(typeof(a)) == elsize(typeof(a.parent)) ? same_elements(a.parent, b) : a === b
mightalias(a::ReshapedArray, b::SubArray) = mightalias(a.parent, b)
mightalias(a::SubArray, b::ReshapedArray) = mightalias(a, b.parent)
mightalias(a::ReshapedArray, b::ReshapedArray) = mightalias(a.parent, b.parent)
ranges_apart(::Tuple{}, ::Tuple{}) = false
ranges_apart(::Tuple, ::Tuple) = false
ranges_apart(a::Tuple{Union{Int, AbstractRange}, Vararg{Any}}, b::Tuple{Union{Int, AbstractRange}, Vararg{Any}}) =
    isempty(intersect(as_range(a[1]), as_range(b[1]))) || ranges_apart(tail(a), tail(b))
as_range(i::Int) = i:i
as_range(s::IdentityRange) = first(s):last(s)
as_range(r) = r
# The operand that `a[i] .+= x` reads where it writes into a view: a copy, if a subscript may name an element twice.
without_repeats(x) = x
without_repeats(v::SubArray) = may_repeat(v.indices...) ? copy(v) : v
may_repeat() = false
@inline may_repeat(i::Union{Real, AbstractRange}, rest...) = may_repeat(rest...)
@inline may_repeat(i, rest...) = true
# The part of the parent that the view takes up, under subscripts of the same types: where these can be moved.
unaliascopy(v::SubArray) = copy_view(v, v.parent, v.indices)
copy_view(v::SubArray, parent, indices) = (p = unaliascopy(parent); typeof(v)(p, map(i -> copy_index(i), indices), v.offset1, v.stride1))
function copy_view(v::SubArray{T, N}, parent::Array, indices::Tuple{Vararg{Union{Int, UnitRange{Int}, StepRange{Int, Int}, StepRangeLen{Int, Int, Int, Int}, Slice{OneTo{Int}}, IdentityUnitRange{UnitRange{Int}}}}}) where {T, N}
    dims = map(copied_length, indices)
    p = Array{eltype(parent), length(dims)}(undef, dims)
    moved = map(moved_index, indices)
    for (k, I) in enumerate(CartesianIndices(map(source_axis, indices)))
        isassigned(parent, I.I...) && (p[k] = parent[I])
    end
    fast = IndexStyle(typeof(v)) isa IndexLinear
    typeof(v)(p, moved, fast ? view_offset(p, moved) : 0, fast ? view_stride(p, moved) : 0)
end
copy_index(i) = i
copy_index(i::AbstractArray) = i isa AbstractRange ? i : copy(i)
copied_length(i) = length(i)
copied_length(i::IdentityUnitRange) = max(last(i), 0)
source_axis(i::Int) = i:i
source_axis(i::IdentityUnitRange) = 1:copied_length(i)
source_axis(r::AbstractRange) = first(r):step(r):last(r)
moved_index(::Int) = 1
moved_index(r::UnitRange{Int}) = 1:length(r)
moved_index(r::StepRange{Int, Int}) = StepRange{Int, Int}(1, 1, length(r))
moved_index(r::StepRangeLen{Int, Int, Int, Int}) = StepRangeLen{Int, Int, Int, Int}(1, 1, length(r))
moved_index(s::Union{Slice, IdentityUnitRange}) = s
elsize(::Type{<:SubArray{T, N, P}}) where {T, N, P} = elsize(P)
strides(v::SubArray) = substrides(strides(v.parent), v.indices)
stride(v::SubArray, d::Integer) = d <= ndims(v) ? strides(v)[d] : isempty(strides(v)) ? 1 : strides(v)[end] * size(v)[end]
substrides(::Tuple{}, ::Tuple{}) = ()
substrides(s, I::Tuple{Any, Vararg{Any}}) =
    throw(ArgumentError(string("strides is invalid for SubArrays with indices of type ", typeof(I[1]))))
@inline substrides(s::Tuple, I::Tuple{Int, Vararg{Any}}) = substrides(tail(s), tail(I))
@inline substrides(s::Tuple, I::Tuple{AbstractRange, Vararg{Any}}) = (s[1] * step(I[1]), substrides(tail(s), tail(I))...)
@inline substrides(s::Tuple, I::Tuple{ReshapedUnitRange, Vararg{Any}}) = (size_strides(s[1], size(I[1])...)..., substrides(tail(s), tail(I))...)
pointer(v::SubArray) = pointer_at_first(v.parent, v.indices)
pointer_at_first(p::DenseArray, I) = pointer(p, view_first(p, I))
pointer_at_first(p, I) = pointer(p) + strided_distance(map(view_start, I), axes(p), strides(p)) * elsize(typeof(p))
pointer(v::FastSubArray, i::Integer) = pointer(v.parent, v.offset1 + v.stride1 * i)
unsafe_convert(::Type{Ptr{T}}, v::SubArray{T, N, P, <:Tuple{Vararg{Union{ScalarIndex, AbstractRange, ReshapedUnitRange}}}}) where {T, N, P} = pointer(v)
isassigned(v::SubArray{T, N}, I::Vararg{Int, N}) where {T, N} = checkbounds(Bool, v, I...) && isassigned(v.parent, reindex(v.indices, I)...)
isassigned(v::FastSubArray, i::Int) = checkbounds(Bool, v, i) && isassigned(v.parent, v.offset1 + v.stride1 * i)
isassigned(v::FastSubArray{<:Any, 1}, i::Int) = checkbounds(Bool, v, i) && isassigned(v.parent, v.offset1 + v.stride1 * i)
resize!(v::SubArray, n::Integer) = throw(MethodError(resize!, (v, n)))

reindex(::Tuple{}, ::Tuple{}) = ()
@inline reindex(inds::Tuple{Real, Vararg{Any}}, I::Tuple) = (inds[1], reindex(tail(inds), I)...)
@inline reindex(inds::Tuple{Slice, Vararg{Any}}, I::Tuple) = (I[1], reindex(tail(inds), tail(I))...)
@propagate_inbounds reindex(inds::Tuple{AbstractRange, Vararg{Any}}, I::Tuple{Slice, Vararg{Any}}) = (inds[1], reindex(tail(inds), tail(I))...)
@inline reindex(inds::Tuple{Slice, Vararg{Any}}, I::Tuple{Slice, Vararg{Any}}) = (inds[1], reindex(tail(inds), tail(I))...)
reindex(inds::Tuple{AbstractArray{T, 0}, Vararg{Any}}, I::Tuple) where {T} = (inds[1][], reindex(tail(inds), I)...)
reindex(inds::Tuple{AbstractArray{T, 0}, Vararg{Any}}, I::Tuple{}) where {T} = (inds[1][], reindex(tail(inds), I)...)
@propagate_inbounds reindex(inds::Tuple{AbstractVector, Vararg{Any}}, I::Tuple) = (inds[1][I[1]], reindex(tail(inds), tail(I))...)
@propagate_inbounds reindex(inds::Tuple{AbstractArray{T, M}, Vararg{Any}}, I::Tuple) where {T, M} =
    (inds[1][take_first(I, Val(M))...], reindex(tail(inds), drop_axes(I, Val(M)))...)
@inline take_first(I::Tuple, ::Val{M}) where {M} = ntuple(k -> I[k], Val(M))

@inline function getindex(v::FastSubArray, i::Int)
    @boundscheck checkbounds(v, i)
    @inbounds v.parent[v.offset1 + v.stride1 * i]
end
@inline function getindex(v::SubArray{T, N}, I::Vararg{Int, N}) where {T, N}
    @boundscheck checkbounds(v, I...)
    @inbounds v.parent[reindex(v.indices, I)...]
end
@inline function getindex(v::SubArray{T, 1, P, I, true}, i::Int) where {T, P, I}
    @boundscheck checkbounds(v, i)
    @inbounds v.parent[v.offset1 + v.stride1 * i]
end
@inline function setindex!(v::FastSubArray, x, i::Int)
    @boundscheck checkbounds(v, i)
    @inbounds v.parent[v.offset1 + v.stride1 * i] = x
    v
end
@inline function setindex!(v::SubArray{T, N}, x, I::Vararg{Int, N}) where {T, N}
    @boundscheck checkbounds(v, I...)
    @inbounds v.parent[reindex(v.indices, I)...] = x
    v
end
@inline function setindex!(v::SubArray{T, 1, P, I, true}, x, i::Int) where {T, P, I}
    @boundscheck checkbounds(v, i)
    @inbounds v.parent[v.offset1 + v.stride1 * i] = x
    v
end
