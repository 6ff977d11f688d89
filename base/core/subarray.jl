# Views: arrays that are part of another.

struct SubArray{T, N, P, I, L} <: AbstractArray{T, N}
    parent::P
    indices::I
    offset1::Int
    stride1::Int
    SubArray{T, N, P, I, L}(parent, indices, offset1, stride1) where {T, N, P, I, L} =
        new{T, N, P, I, L}(parent, indices, offset1, stride1)
end
const FastSubArray{T, N, P, I} = SubArray{T, N, P, I, true}

# Strided subscripts over a linear parent collapse to an offset and a step.
@inline function SubArray(parent::AbstractArray, indices::Tuple)
    fast = view_is_linear(IndexStyle(parent), indices)
    make_subarray(parent, indices, index_dims(indices...), fast)
end
@inline make_subarray(parent::P, indices::I, dims::Dims{N}, ::Val{true}) where {P, I, N} =
    SubArray{eltype(P), N, P, I, true}(parent, indices, view_offset(parent, indices), view_stride(parent, indices))
@inline make_subarray(parent::P, indices::I, dims::Dims{N}, ::Val{false}) where {P, I, N} =
    SubArray{eltype(P), N, P, I, false}(parent, indices, 0, 0)
view_is_linear(::IndexStyle, indices) = Val(false)
view_is_linear(::IndexLinear, indices::Tuple{}) = Val(true)
view_is_linear(::IndexLinear, indices::Tuple{Vararg{Int}}) = Val(true)
@inline view_is_linear(s::IndexLinear, I::Tuple{Int, Vararg{Any}}) = view_tail_scalar(tail(I))
@inline view_is_linear(s::IndexLinear, I::Tuple{Slice, Vararg{Any}}) = view_after_slice(tail(I))
view_is_linear(s::IndexLinear, I::Tuple{AbstractRange, Vararg{Any}}) = all_scalar(tail(I))
view_after_slice(::Tuple{}) = Val(true)
@inline view_after_slice(I::Tuple{Slice, Vararg{Any}}) = view_after_slice(tail(I))
@inline view_after_slice(I::Tuple{AbstractUnitRange, Vararg{Any}}) = all_scalar(tail(I))
@inline view_after_slice(I::Tuple{Int, Vararg{Any}}) = all_scalar(tail(I))
view_after_slice(I::Tuple) = Val(false)
all_scalar(::Tuple{Vararg{Int}}) = Val(true)
all_scalar(::Tuple) = Val(false)
view_tail_scalar(::Tuple{Vararg{Int}}) = Val(true)
# Integers, then one strided subscript, then integers.
@inline view_tail_scalar(I::Tuple{Int, Vararg{Any}}) = view_tail_scalar(tail(I))
@inline view_tail_scalar(I::Tuple{AbstractRange, Vararg{Any}}) = all_scalar(tail(I))
view_tail_scalar(::Tuple) = Val(false)
view_start(i::Int) = i
view_start(r::AbstractArray) = first(r)
@inline view_offset(parent, I::Tuple) = view_first(size(parent), I) - view_stride(parent, I)
@inline view_first(dims, I::Tuple) = linear_from(map(OneTo, dims), map(view_start, I)) + 1
@inline view_stride(parent, I::Tuple) = view_stride_from(1, size(parent), I)
view_stride_from(s, dims, ::Tuple{}) = s
view_stride_from(s, ::Tuple{}, I::Tuple{Int, Vararg{Any}}) = s
@inline view_stride_from(s, dims::Tuple, I::Tuple{Int, Vararg{Any}}) = view_stride_from(s * dims[1], tail(dims), tail(I))
@inline view_stride_from(s, dims, I::Tuple{AbstractRange, Vararg{Any}}) = s * step(I[1])
view_stride_from(s, dims, I::Tuple) = s

@inline function view(a::AbstractArray, I...)
    J = to_indices(a, I)
    @boundscheck checkbounds(a, J...)
    SubArray(view_parent(a, J), J)
end
# With fewer subscripts than dimensions the last one counts through the rest: view the reshaped parent.
@inline view_parent(a::AbstractArray{T, N}, J::Tuple) where {T, N} =
    index_rank(J...) == N ? a : reshape(a, fold_dims(size(a), J))
index_rank() = 0
@inline index_rank(i, rest...) = 1 + index_rank(rest...)
@inline index_rank(i::AbstractArray{CartesianIndex{M}}, rest...) where {M} = M + index_rank(rest...)
fold_dims(::Tuple{}, ::Tuple{}) = ()
fold_dims(::Tuple{}, J::Tuple) = map(_ -> 1, J)
fold_dims(::Tuple{}, ::Tuple{Any}) = (1,)
@inline fold_dims(dims::Tuple, J::Tuple{Any}) = (prod_dims(dims),)
@inline fold_dims(dims::Tuple, J::Tuple) = (dims[1], fold_dims(tail(dims), tail(J))...)
fold_dims(dims::Tuple, ::Tuple{}) = dims
view(a::AbstractArray) = SubArray(reshape(a, ()), ())
view(r::AbstractRange, s::AbstractRange{<:Integer}) = r[s]
# A view of a view reaches through to the parent.
@inline function view(v::SubArray, I...)
    J = to_indices(v, I)
    @boundscheck checkbounds(v, J...)
    index_rank(J...) == ndims(v) && all_plain(v.indices...) ? SubArray(v.parent, reindex(v.indices, J)) : SubArray(view_parent(v, J), J)
end
all_plain() = true
@inline all_plain(i::Union{Int, AbstractVector{Int}}, rest...) = all_plain(rest...)
all_plain(i, rest...) = false

size(v::SubArray) = index_dims(v.indices...)
@inline axes(v::SubArray) = map(OneTo, index_dims(v.indices...))
parent(v::SubArray) = v.parent
parentindices(v::SubArray) = v.indices
parentindices(a::AbstractArray) = map(x -> UnitRange(x), axes(a))
IndexStyle(::Type{<:FastSubArray}) = IndexLinear()
IndexStyle(::Type{<:SubArray}) = IndexCartesian()
similar(v::SubArray, ::Type{T}, dims::Dims) where {T} = similar(v.parent, T, dims)
dataids(v::SubArray) = dataids(v.parent)
elsize(::Type{<:SubArray{T, N, P}}) where {T, N, P} = elsize(P)
strides(v::SubArray) = substrides(strides(v.parent), v.indices)
substrides(::Tuple{}, ::Tuple{}) = ()
@inline substrides(s::Tuple, I::Tuple{Int, Vararg{Any}}) = substrides(tail(s), tail(I))
@inline substrides(s::Tuple, I::Tuple{AbstractRange, Vararg{Any}}) = (s[1] * step(I[1]), substrides(tail(s), tail(I))...)
pointer(v::SubArray) = pointer(v.parent, view_first(size(v.parent), v.indices))
pointer(v::FastSubArray, i::Integer) = pointer(v.parent, v.offset1 + v.stride1 * i)
copy_source(v::SubArray) = copyto_plain!(Array{eltype(v), ndims(v)}(undef, size(v)), v)

reindex(::Tuple{}, ::Tuple{}) = ()
@inline reindex(inds::Tuple{Int, Vararg{Any}}, I::Tuple) = (inds[1], reindex(tail(inds), I)...)
@inline reindex(inds::Tuple{Slice, Vararg{Any}}, I::Tuple) = (I[1], reindex(tail(inds), tail(I))...)
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

# Slices along dimensions.
selectdim(a::AbstractArray, d::Integer, i) = view(a, ntuple(k -> k == d ? i : Colon(), ndims(a))...)
eachrow(a::AbstractVecOrMat) = Generator(i -> view(a, i, :), axes(a, 1))
eachrow(a::AbstractVector) = Generator(i -> view(a, i:i), axes(a, 1))
eachcol(a::AbstractMatrix) = Generator(j -> view(a, :, j), axes(a, 2))
eachcol(a::AbstractVector) = Generator(j -> view(a, :), OneTo(1))
function eachslice(a::AbstractArray; dims)
    ds = dims isa Integer ? (dims,) : dims
    ax = map(d -> axes(a, d), ds)
    Generator(I -> view(a, ntuple(k -> slice_at(k, ds, I), ndims(a))...), Iterators.product(ax...))
end
slice_at(k, ds, I) = (p = findfirst(d -> d == k, ds); p === nothing ? Colon() : I[p])
function mapslices(f, a::AbstractArray; dims)
    ds = dims isa Integer ? (dims,) : Tuple(dims)
    others = filter(k -> !(k in ds), ntuple(identity, ndims(a)))
    out = nothing
    for I in CartesianIndices(map(k -> axes(a, k), others))
        at = ntuple(k -> (p = findfirst(o -> o == k, others); p === nothing ? Colon() : I[p]), ndims(a))
        r = f(a[at...])
        if out === nothing
            shape = r isa AbstractArray ? mapslice_shape(size(a), ds, size(r)) : map_dims(k -> k in ds ? 1 : size(a, k), ndims(a))
            out = similar(a, r isa AbstractArray ? eltype(r) : typeof(r), shape)
        end
        if r isa AbstractArray
            where_to = ntuple(k -> (p = findfirst(o -> o == k, others); p === nothing ? OneTo(size(out, k)) : I[p]), ndims(out))
            out[where_to...] = r
        else
            out[ntuple(k -> (p = findfirst(o -> o == k, others); p === nothing ? 1 : I[p]), ndims(out))...] = r
        end
    end
    out
end
map_dims(f, n) = ntuple(f, n)
mapslice_shape(dims, ds, rs) = ntuple(k -> (p = findfirst(d -> d == k, ds); p === nothing ? dims[k] : p <= length(rs) ? rs[p] : 1), length(dims))
