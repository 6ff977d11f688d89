# Slices: an array of views along dimensions of another, and functions of slices.

"""
    AbstractSlices{S, N}

The supertype of arrays of slices of another array.
"""
abstract type AbstractSlices{T, N} <: AbstractArray{T, N} end

# `slicemap` says for each dimension of the parent which of the slices it indexes, or that it is within a slice.
"""
    Slices

The type of `eachslice(A)`: an array of views of another array.
"""
struct Slices{P, SM, AX, S, N} <: AbstractSlices{S, N}
    parent::P
    slicemap::SM
    axes::AX
end
unitaxis(a) = OneTo(1)
function Slices(a::P, slicemap::SM, ax::AX) where {P, SM, AX}
    N = length(ax)
    S = promote_op(view, P, map((axis, l) -> l === (:) ? Colon : eltype(axis), axes(a), slicemap)...)
    Slices{P, SM, AX, S, N}(a, slicemap, ax)
end
@inline function _eachslice(a::AbstractArray{T, N}, dims::NTuple{M, Integer}, drop::Bool) where {T, N, M}
    all_in_dims(dims, N)
    if drop
        slicemap = ntuple(k -> position_in(k, dims), Val(N))
        Slices(a, slicemap, map(d -> axes(a, d), dims))
    else
        slicemap = ntuple(k -> k in dims ? k : (:), Val(N))
        Slices(a, slicemap, ntuple(k -> k in dims ? axes(a, k) : OneTo(1), Val(N)))
    end
end
function position_in(k, dims)
    for i in 1:length(dims)
        dims[i] == k && return i
    end
    (:)
end
function all_in_dims(dims, N)
    for d in dims
        1 <= d <= N || throw(DimensionMismatch(string("A doesn't have ", d, " dimensions")))
    end
    for i in 1:length(dims), j in 1:(i - 1)
        dims[i] == dims[j] && throw(ArgumentError(string("dimensions ", dims, " are not unique")))
    end
end
@inline _eachslice(a::AbstractArray, dim::Integer, drop::Bool) = _eachslice(a, (dim,), drop)
@inline eachslice(a; dims, drop = true) = _eachslice(a, dims, drop)
"""
    RowSlices

The type of `eachrow(A)`.
"""
const RowSlices{P <: AbstractMatrix, AX, S <: AbstractVector} = Slices{P, Tuple{Int, Colon}, AX, S, 1}
"""
    ColumnSlices

The type of `eachcol(A)`.
"""
const ColumnSlices{P <: AbstractMatrix, AX, S <: AbstractVector} = Slices{P, Tuple{Colon, Int}, AX, S, 1}
eachrow(a::AbstractMatrix) = eachslice_at(a, (1, :), (axes(a, 1),))
eachrow(a::AbstractVector) = eachrow(reshape(a, size(a, 1), 1))
eachcol(a::AbstractMatrix) = eachslice_at(a, (:, 1), (axes(a, 2),))
eachcol(a::AbstractVector) = eachcol(reshape(a, size(a, 1), 1))
eachslice_at(a, slicemap, ax) = Slices(a, slicemap, ax)
IteratorSize(::Type{Slices{P, SM, AX, S, N}}) where {P, SM, AX, S, N} = HasShape{N}()
axes(s::Slices) = s.axes
size(s::Slices) = map(length, s.axes)
size(s::Slices, d::Integer) = d <= ndims(s) ? length(s.axes[d]) : 1
parent(s::Slices) = s.parent
IndexStyle(::Type{<:Slices}) = IndexCartesian()
@inline slice_index(s::Slices, I...) = map(l -> l === (:) ? (:) : I[l], s.slicemap)
@inline function getindex(s::Slices{P, SM, AX, S, N}, I::Vararg{Int, N}) where {P, SM, AX, S, N}
    @boundscheck checkbounds(s, I...)
    @inbounds view(s.parent, slice_index(s, I...)...)
end
function setindex!(s::Slices{P, SM, AX, S, N}, v, I::Vararg{Int, N}) where {P, SM, AX, S, N}
    @boundscheck checkbounds(s, I...)
    s.parent[slice_index(s, I...)...] = v
    s
end
dataids(s::Slices) = dataids(s.parent)

function selectdim(a::AbstractArray, d::Integer, i)
    1 <= d || throw(ArgumentError("dimension must be ≥ 1"))
    if d > ndims(a)
        checkindex(Bool, OneTo(1), i) || throw(BoundsError(a, (ntuple(_ -> Colon(), d - 1)..., i)))
        return view(a, ntuple(_ -> Colon(), ndims(a))...)
    end
    view(a, ntuple(k -> k == d ? i : Colon(), ndims(a))...)
end

function mapslices(f, a::AbstractArray; dims)
    isempty(dims) && return map(f, a)
    ds = dims isa Integer ? (Int(dims),) : map(d -> slice_dim(d), Tuple(dims))
    for d in ds
        d >= 1 || throw(ArgumentError("dimension must be ≥ 1, got $d"))
        d <= ndims(a) || throw(ArgumentError("dimension must be ≤ ndims(A), got $d"))
    end
    mapslices_over(f, a, ds)
end
slice_dim(d::Integer) = Int(d)
slice_dim(d) = throw(ArgumentError(string("dims must be integers, got ", d)))
function mapslices_over(f, a::AbstractArray{T, N}, ds) where {T, N}
    outer = ntuple(k -> k in ds ? OneTo(1) : axes(a, k), Val(N))
    if isempty(CartesianIndices(outer))
        r = f(empty_slice(a, slice_at(first(CartesianIndices(a)), ds)...))
        return similar(r isa AbstractArray ? r : a, eltype_of_slice(r), mapslice_shape(a, ds, r))
    end
    I0 = first(CartesianIndices(outer))
    r0 = f(a[slice_at(I0, ds)...])
    out = similar(r0 isa AbstractArray ? r0 : a, eltype_of_slice(r0), mapslice_shape(a, ds, r0))
    for I in CartesianIndices(outer)
        r = I == I0 ? r0 : f(a[slice_at(I, ds)...])
        if r isa AbstractArray
            out[ntuple(k -> k in ds ? axes(out, k) : I[k], Val(N))...] = r
        else
            out[ntuple(k -> k in ds ? first(axes(out, k)) : I[k], Val(N))...] = r
        end
    end
    out
end
empty_slice(a, I...) = similar(a, kept_sizes(size(a), I...))
kept_sizes(::Tuple{}) = ()
kept_sizes(s::Tuple, ::Colon, I...) = (s[1], kept_sizes(tail(s), I...)...)
kept_sizes(s::Tuple, i, I...) = kept_sizes(tail(s), I...)
slice_at(I::CartesianIndex{N}, ds) where {N} = ntuple(k -> k in ds ? Colon() : I[k], Val(N))
eltype_of_slice(r::AbstractArray) = eltype(r)
eltype_of_slice(r) = typeof(r)
function mapslice_shape(a::AbstractArray{T, N}, ds, r) where {T, N}
    r isa AbstractArray || return ntuple(k -> k in ds ? reduced_index(axes(a, k)) : axes(a, k), Val(N))
    n = length(ds)
    all(k -> size(r, n + k) == 1, 1:max(ndims(r) - n, 0)) || throw(DimensionMismatch(string(
        "mapslices cannot assign slice f(x) of size ", size(r), " into output of size ", size(a))))
    ntuple(k -> k in ds ? axes(r, count(d -> d in ds, 1:k)) : axes(a, k), Val(N))
end

export AbstractSlices, Slices, RowSlices, ColumnSlices
