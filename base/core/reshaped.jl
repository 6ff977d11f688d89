# The same elements in another shape or read as another type: reshape, reinterpret, permuted dimensions.

struct ReshapedArray{T, N, P <: AbstractArray, MI <: Tuple} <: AbstractArray{T, N}
    parent::P
    dims::NTuple{N, Int}
    mi::MI
end
reshape(a::AbstractArray, dims::Union{Integer, Colon}...) = reshape(a, dims)
reshape(a::AbstractArray, dims::Tuple{Vararg{Union{Integer, Colon}}}) = reshape(a, reshape_dims(a, dims))
reshape(a::AbstractArray, dims::Tuple{Vararg{Union{Integer, AbstractUnitRange}}}) = reshape(a, map(dim_length, dims))
reshape(a::AbstractArray, dims::Dims) = (check_reshape(a, dims); reshaped(a, dims))
reshape(a::AbstractArray, ::Tuple{}) = (check_reshape(a, ()); reshaped(a, ()))
reshape(a::AbstractArray{T, N}, ::Val{N}) where {T, N} = a
reshape(a::AbstractArray, ::Val{N}) where {N} = reshape(a, fold_dims(size(a), ntuple(identity, Val(N))))
@noinline throw_reshape(a, dims) = throw(DimensionMismatch(string("new dimensions ", dims, " must be consistent with array length ", length(a))))
check_reshape(a, dims) = prod_dims(dims) == length(a) || throw_reshape(a, dims)
reshape_dims(a, dims::Tuple{Vararg{Integer}}) = map(Int, dims)
# No closures, and a method for each kind: kernels reshape, too.
@inline function reshape_dims(a, dims)
    known = known_dims(dims)
    open_dims(dims) == 1 || throw(DimensionMismatch(string("new dimensions ", dims, " may have at most one omitted dimension specified by `Colon()`")))
    n = known == 0 ? 0 : div(length(a), known)
    n * known == length(a) || throw(DimensionMismatch(string("array size ", length(a), " must be divisible by the product of the new dimensions ", dims)))
    return with_dim(n, dims)
end
@inline known_dims(::Tuple{}) = 1
@inline known_dims(dims::Tuple{Colon, Vararg}) = known_dims(tail(dims))
@inline known_dims(dims::Tuple) = Int(dims[1]) * known_dims(tail(dims))
@inline open_dims(::Tuple{}) = 0
@inline open_dims(dims::Tuple{Colon, Vararg}) = 1 + open_dims(tail(dims))
@inline open_dims(dims::Tuple) = open_dims(tail(dims))
@inline with_dim(n, ::Tuple{}) = ()
@inline with_dim(n, dims::Tuple{Colon, Vararg}) = (n, with_dim(n, tail(dims))...)
@inline with_dim(n, dims::Tuple) = (Int(dims[1]), with_dim(n, tail(dims))...)
reshaped(a::Array{T}, dims::Dims{N}) where {T, N} = Core.@new Array{T, N} a.ref dims
reshaped(a::AbstractArray{T}, dims::Dims{N}) where {T, N} = ReshapedArray{T, N, typeof(a), Tuple{}}(a, dims, ())
reshaped(a::ReshapedArray, dims::Dims) = reshaped(a.parent, dims)
size(a::ReshapedArray) = a.dims
parent(a::ReshapedArray) = a.parent
IndexStyle(::Type{<:ReshapedArray{T, N, P}}) where {T, N, P} = IndexLinear()
@inline getindex(a::ReshapedArray, i::Int) = reshaped_get(IndexStyle(a.parent), a, i)
@inline setindex!(a::ReshapedArray, v, i::Int) = (reshaped_set!(IndexStyle(a.parent), a, v, i); a)
@propagate_inbounds reshaped_get(::IndexLinear, a, i) = a.parent[i]
@propagate_inbounds reshaped_set!(::IndexLinear, a, v, i) = (a.parent[i] = v)
@inline function reshaped_get(::IndexCartesian, a, i)
    @boundscheck checkbounds(a, i)
    @inbounds a.parent[cartesian_at(axes(a.parent), i - 1)...]
end
@inline function reshaped_set!(::IndexCartesian, a, v, i)
    @boundscheck checkbounds(a, i)
    @inbounds a.parent[cartesian_at(axes(a.parent), i - 1)...] = v
end
dataids(a::ReshapedArray) = dataids(a.parent)
similar(a::ReshapedArray, ::Type{T}, dims::Dims) where {T} = similar(a.parent, T, dims)
pointer(a::ReshapedArray) = pointer(a.parent)
elsize(::Type{<:ReshapedArray{T, N, P}}) where {T, N, P} = elsize(P)
strides(a::ReshapedArray) = size_strides(1, size(a)...)

vec(a::AbstractArray) = reshape(a, length(a))
vec(a::AbstractVector) = a
vec(r::AbstractRange) = r
function dropdims(a::AbstractArray; dims)
    ds = dims isa Integer ? (dims,) : Tuple(dims)
    for d in ds
        1 <= d <= ndims(a) || throw(ArgumentError("dropped dims must be in range 1:ndims(A)"))
        size(a, d) == 1 || throw(ArgumentError("dropped dims must all be size 1"))
    end
    reshape(a, map(k -> size(a, k), filter(k -> !(k in ds), ntuple(identity, ndims(a)))))
end
insertdims(a::AbstractArray; dims) = (ds = dims isa Integer ? (dims,) : Tuple(dims);
    k = 0; reshape(a, ntuple(i -> i in ds ? 1 : (k += 1; size(a, k)), ndims(a) + length(ds))))

# Another element type over the same bytes.
struct ReinterpretArray{T, N, S, A <: AbstractArray{S, N}, IsReshaped} <: AbstractArray{T, N}
    parent::A
end
@noinline throw_reinterpret_size(T, S, n) = throw(ArgumentError(string("cannot reinterpret an `", S, "` array to `", T,
    "` whose first dimension has size `", n, "`. The resulting array would have a non-integral first dimension.")))
function reinterpret(::Type{T}, a::AbstractArray{S, N}) where {T, S, N}
    isbitstype(T) && isbitstype(S) || throw(ArgumentError(string("cannot reinterpret `", S, "` as `", T, "`, type is not a bits type")))
    N == 0 && sizeof(T) != sizeof(S) && throw(ArgumentError("cannot reinterpret a zero-dimensional array to a type of another size"))
    N > 0 && rem(size(a, 1) * sizeof(S), sizeof(T)) != 0 && throw_reinterpret_size(T, S, size(a, 1))
    T === S ? a : ReinterpretArray{T, N, S, typeof(a), false}(a)
end
reinterpret(::Type{T}, a::ReinterpretArray{U, N, T}) where {T, U, N} = a.parent
size(a::ReinterpretArray{T, 0}) where {T} = ()
size(a::ReinterpretArray{T, N, S}) where {T, N, S} = (div(size(a.parent, 1) * sizeof(S), sizeof(T)), tail(size(a.parent))...)
parent(a::ReinterpretArray) = a.parent
IndexStyle(::Type{<:ReinterpretArray}) = IndexLinear()
dataids(a::ReinterpretArray) = dataids(a.parent)
@inline function getindex(a::ReinterpretArray{T, N, S}, i::Int) where {T, N, S}
    @boundscheck checkbounds(a, i)
    if sizeof(T) == sizeof(S)
        reinterpret(T, @inbounds a.parent[i])
    else
        reinterpret_load(T, S, a.parent, i)
    end
end
@inline function setindex!(a::ReinterpretArray{T, N, S}, v, i::Int) where {T, N, S}
    @boundscheck checkbounds(a, i)
    if sizeof(T) == sizeof(S)
        @inbounds a.parent[i] = reinterpret(S, convert(T, v))
    else
        reinterpret_store!(T, S, a.parent, convert(T, v), i)
    end
    a
end
reinterpret_load(::Type{T}, ::Type{S}, p::DenseArray, i) where {T, S} = unsafe_load(Ptr{T}(pointer(p)), i)
reinterpret_store!(::Type{T}, ::Type{S}, p::DenseArray, v, i) where {T, S} = unsafe_store!(Ptr{T}(pointer(p)), v, i)
reinterpret_load(::Type{T}, ::Type{S}, p::AbstractArray, i) where {T, S} = unsafe_load(Ptr{T}(pointer(copy_source(p))), i)
pointer(a::ReinterpretArray{T}) where {T} = Ptr{T}(pointer(a.parent))
elsize(::Type{<:ReinterpretArray{T}}) where {T} = sizeof(T)

# Dimensions in another order.
struct PermutedDimsArray{T, N, perm, iperm, A <: AbstractArray} <: AbstractArray{T, N}
    parent::A
    PermutedDimsArray{T, N, perm, iperm, A}(parent) where {T, N, perm, iperm, A <: AbstractArray} = new{T, N, perm, iperm, A}(parent)
end
function PermutedDimsArray(a::AbstractArray{T, N}, perm) where {T, N}
    p = Tuple(map(Int, perm))
    check_permutation(p, N)
    PermutedDimsArray{T, N, p, invert_permutation(p), typeof(a)}(a)
end
check_permutation(p, N) = length(p) == N && all(k -> k in p, ntuple(identity, N)) ||
    throw(ArgumentError(string(p, " is not a valid permutation of dimensions 1:", N)))
invert_permutation(p::Tuple) = ntuple(k -> findfirst(x -> x == k, p), length(p))
size(a::PermutedDimsArray{T, N, perm}) where {T, N, perm} = map(k -> size(a.parent, k), perm)
parent(a::PermutedDimsArray) = a.parent
dataids(a::PermutedDimsArray) = dataids(a.parent)
similar(a::PermutedDimsArray, ::Type{T}, dims::Dims) where {T} = similar(a.parent, T, dims)
@inline function getindex(a::PermutedDimsArray{T, N, perm, iperm}, I::Vararg{Int, N}) where {T, N, perm, iperm}
    @boundscheck checkbounds(a, I...)
    @inbounds a.parent[map(k -> I[k], iperm)...]
end
@inline function setindex!(a::PermutedDimsArray{T, N, perm, iperm}, v, I::Vararg{Int, N}) where {T, N, perm, iperm}
    @boundscheck checkbounds(a, I...)
    @inbounds a.parent[map(k -> I[k], iperm)...] = v
    a
end
function permutedims(a::AbstractArray, perm)
    p = PermutedDimsArray(a, perm)
    copyto!(similar(a, size(p)), p)
end
permutedims(a::AbstractMatrix) = permutedims(a, (2, 1))
permutedims(a::AbstractVector) = reshape(copy(a), (1, length(a)))
permutedims!(dest, a::AbstractArray, perm) = copyto!(dest, PermutedDimsArray(a, perm))
