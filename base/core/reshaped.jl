# The same elements in another shape or read as another type: reshape, reinterpret, permuted dimensions.

struct ReshapedArray{T, N, P <: AbstractArray, MI <: Tuple} <: AbstractArray{T, N}
    parent::P
    dims::NTuple{N, Int}
    mi::MI
end
ReshapedArray(parent::AbstractArray{T}, dims::NTuple{N, Int}, mi) where {T, N} = ReshapedArray{T, N, typeof(parent), typeof(mi)}(parent, dims, mi)
const ReshapedArrayLF{T, N, P <: AbstractArray} = ReshapedArray{T, N, P, Tuple{}}
const ReshapedRange{T, N, A <: AbstractRange} = ReshapedArray{T, N, A, Tuple{}}
# A Cartesian index of the parent of a reshaped array.
struct ReshapedIndex{T}
    parentindex::T
end
reshape(a::AbstractArray, dims::Union{Integer, Colon, OneTo}...) = reshape(a, dims)
reshape(a::AbstractArray, dims::Tuple{Vararg{Union{Integer, Colon, OneTo}}}) = reshape(a, map(d -> d isa OneTo ? length(d) : d, dims))
reshape(r::AbstractRange, dims::Dims{1}) = dims[1] == length(r) ? r : throw_reshape(r, dims)
reshape(a::AbstractArray, dims::Tuple{Vararg{Union{Integer, Colon}}}) = reshape(a, reshape_dims(a, dims))
reshape(a::AbstractArray, dims::Tuple{Integer, Vararg{Integer}}) = reshape(a, map(Int, dims))
reshape(a::AbstractVector, ::Colon) = a
reshape(a::AbstractVector, ::Tuple{Colon}) = a

reshape(a::AbstractArray, dims::Dims) = (check_reshape(a, dims); reshaped(a, dims))
reshape(a::AbstractArray{T, N}, ::Val{N}) where {T, N} = a
reshape(a::AbstractArray, ::Val{N}) where {N} = reshape(a, rdims(Val(N), axes(a)))
# The axes of as many dimensions: the last one takes all that are left, and those that lack have one index. Packages have methods of
# both for their own axes.
rdims(::Val{N}, inds::Tuple) where {N} = rdims(ntuple(Returns(OneTo(1)), Val(N)), inds)
rdims(out::Tuple{Any}, ::Tuple{}) = out
rdims(out::Tuple{Any}, inds::Tuple{Any}) = inds
rdims(out::Tuple{Any}, inds::Tuple{Any, Vararg{Any}}) = (OneTo(rdims_trailing(inds...)),)
rdims(out::Tuple, ::Tuple{}) = out
@inline rdims(out::Tuple, inds::Tuple{Any, Vararg{Any}}) = (inds[1], rdims(tail(out), tail(inds))...)
rdims(::Tuple{}, ::Tuple{}) = ()
rdims(::Tuple{}, inds::Tuple{Any, Vararg{Any}}) = ()
@inline rdims_trailing(l, inds...) = length(l) * rdims_trailing(inds...)
rdims_trailing(l) = length(l)
reshape(a::AbstractArray{T, 0}, ::Val{0}) where {T} = a
reshape(a::AbstractArray, ::Val{0}) = reshape(a, ())
@noinline throw_reshape(a, dims) = throw(DimensionMismatch(LazyString("new dimensions ", dims, " must be consistent with array length ", length(a))))
@inline check_reshape(a, dims) = (all_nonnegative(dims) && Core.checked_length(dims) == length(a)) || throw_reshape(a, dims)
# Of an `Array`, dimensions that no `Array` has are refused as its constructor refuses them.
@inline check_reshape(a::Array, dims::Tuple{Int, Int, Vararg{Int}}) = Core.checked_length(dims) == length(a) || throw_reshape(a, dims)
all_nonnegative(::Tuple{}) = true
@inline all_nonnegative(d::Tuple) = d[1] >= 0 && all_nonnegative(tail(d))
reshape_dims(a, dims::Tuple{Vararg{Integer}}) = map(Int, dims)
# No closures, and a method for each kind: kernels reshape, too.
@inline function reshape_dims(a, dims)
    known = isempty(a) ? 0 : known_dims(dims)
    open_dims(dims) == 1 || throw(DimensionMismatch(string("new dimensions ", dims, " may have at most one omitted dimension specified by `Colon()`")))
    n = known == 0 ? 0 : div(length(a), known)
    n * known == length(a) || throw(DimensionMismatch(string("array size ", length(a), " must be divisible by the product of the new dimensions ", dims)))
    return with_dim(n, dims)
end
@inline known_dims(::Tuple{}) = 1
@inline known_dims(dims::Tuple{Colon, Vararg}) = known_dims(tail(dims))
@inline known_dims(dims::Tuple) = checked_known(Int(dims[1]), known_dims(tail(dims)))
@inline function checked_known(m, n)
    k, overflows = Core.Intrinsics.checked_smul_int(m, n)
    overflows && throw_dims_overflow()
    k
end
@noinline throw_dims_overflow() = throw(ArgumentError("the product of the dimensions is too large"))
@inline open_dims(::Tuple{}) = 0
@inline open_dims(dims::Tuple{Colon, Vararg}) = 1 + open_dims(tail(dims))
@inline open_dims(dims::Tuple) = open_dims(tail(dims))
@inline with_dim(n, ::Tuple{}) = ()
@inline with_dim(n, dims::Tuple{Colon, Vararg}) = (n, with_dim(n, tail(dims))...)
@inline with_dim(n, dims::Tuple) = (Int(dims[1]), with_dim(n, tail(dims))...)
# The elements of `a` from number `i` on, as an array of its own over the same memory.
array_at(a::Array{T}, i::Int, dims::Dims{N}) where {T, N} =
    Core.@new Array{T, N} (prod_dims(dims) == 0 ? a.ref : memoryrefnew(a.ref, i, false)) dims
# What `reshape` does where no method of a package for the array is to be asked.
_reshape(a::AbstractArray, dims::Dims) = (check_reshape(a, dims); reshaped(a, dims))
_reshape(a::AbstractVector, dims::Dims{1}) = dims == size(a) ? a : throw_reshape(a, dims)
reshaped(a::Array{T}, dims::Dims{N}) where {T, N} = Core.@new Array{T, N} a.ref dims
reshaped(a::AbstractArray{T}, dims::Dims{N}) where {T, N} = ReshapedArray{T, N, typeof(a), Tuple{}}(a, dims, ())
reshaped(a::ReshapedArray, dims::Dims) = reshape(a.parent, dims)
size(a::ReshapedArray) = a.dims
parent(a::ReshapedArray) = a.parent
parentindices(a::ReshapedArray) = map(unitrange, axes(a.parent))
@propagate_inbounds getindex(a::ReshapedArray, i::ReshapedIndex) = parent(a)[i.parentindex]
@propagate_inbounds setindex!(a::ReshapedArray, v, i::ReshapedIndex) = (parent(a)[i.parentindex] = v; a)
isassigned(a::ReshapedArray, i::Int) = checkbounds(Bool, a, i) && isassigned(a.parent, cartesian_at(axes(a.parent), i - 1)...)
setindex!(a::ReshapedRange, v, i::ReshapedIndex) = throw_range_indexing()
setindex!(a::ReshapedRange, v, i::Int) = throw_range_indexing()
setindex!(a::ReshapedRange, v, I::Int...) = throw_range_indexing()
@noinline throw_range_indexing() = error("indexed assignment fails for a reshaped range; consider calling collect")
unaliascopy(a::ReshapedArray{T, N, P}) where {T, N, P} = ReshapedArray(unaliascopy(a.parent), a.dims, a.mi)
IndexStyle(::Type{<:ReshapedArray{T, N, P}}) where {T, N, P} = IndexLinear()
@inline getindex(a::ReshapedArray, i::Int) = reshaped_get(IndexStyle(a.parent), a, i)
@inline setindex!(a::ReshapedArray, v, i::Int) = (reshaped_set!(IndexStyle(a.parent), a, v, i); a)
@propagate_inbounds reshaped_get(::IndexLinear, a, i) = a.parent[parent_index(a.parent, i)]
@propagate_inbounds reshaped_set!(::IndexLinear, a, v, i) = (a.parent[parent_index(a.parent, i)] = v)
@inline parent_index(p, i) = i
@inline parent_index(p::AbstractVector, i) = i - 1 + firstindex(p)
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
cconvert(::Type{Ptr{T}}, a::ReshapedArray{T}) where {T} = cconvert(Ptr{T}, a.parent)
unsafe_convert(::Type{Ptr{T}}, a::ReshapedArray{T}) where {T} = unsafe_convert(Ptr{T}, a.parent)
unsafe_convert(::Type{Ptr{T}}, a::ReshapedRange{T}) where {T} = error("unsafe_convert is not defined for reshaped ranges")
elsize(::Type{<:ReshapedArray{T, N, P}}) where {T, N, P} = elsize(P)
strides(a::ReshapedArray) = reshaped_strides(a, a.parent)
reshaped_strides(a, p::DenseArray) = size_strides(1, size(a)...)
reshaped_strides(a, p) = is_dense(p) ? size_strides(1, size(a)...) : strides_in_runs(a, p)
# Whether the type tells that the elements lie in memory in their order and without gaps.
is_dense(a) = false
is_dense(a::DenseArray) = true
is_dense(a::ReshapedArray) = is_dense(a.parent)
# The parent's dimensions fall into runs that count on in memory. No dimension of the result may reach over the end of a run.
function strides_in_runs(a, p)
    isempty(a) && return size_strides(1, size(a)...)
    within_runs(size(a), size(p), strides(p)) || throw(ArgumentError("Input is not strided."))
    strides_from(1, size(a), axes(p), strides(p))
end
@inline strides_from(n, ::Tuple{}, inds, st) = ()
@inline strides_from(n, sz::Tuple, inds, st) =
    (distance_of(n, inds, st), strides_from(n * sz[1], tail(sz), inds, st)...)
# The distance in memory of two elements of the parent whose numbers differ by `n`.
distance_of(n, ::Tuple{}, ::Tuple{}) = n
@inline distance_of(n, inds::Tuple, st::Tuple) = strided_distance(cartesian_at(inds, n), inds, st)
function within_runs(sz, psz, pst)
    n = 1
    next_step = nothing
    for k in 1:length(psz)
        psz[k] == 1 && continue
        next_step === nothing || next_step == pst[k] || is_prefix(n, sz) || return false
        n *= psz[k]
        next_step = pst[k] * psz[k]
    end
    true
end
# The first dimensions of `sz`, some or none, have `n` elements.
function is_prefix(n, sz)
    m = 1
    for d in sz
        m >= n && break
        m *= d
    end
    m == n
end

vec(a::AbstractArray) = reshape(a, length(a))
vec(a::AbstractVector) = a
vec(r::AbstractRange) = r
reshape(a::GenericMemory, dims::Dims{1}) = dims[1] == length(a) ? a : throw_reshape(a, dims)
dropdims(a; dims) = dropdims_at(a, dims isa Integer ? (Int(dims),) : Tuple(dims))
function dropdims_at(a::AbstractArray{T, N}, ds) where {T, N}
    for i in 1:length(ds)
        1 <= ds[i] <= N || throw(ArgumentError("dropped dims must be in range 1:ndims(A)"))
        length(axes(a, ds[i])) == 1 || throw(ArgumentError("dropped dims must all be size 1"))
        for j in 1:(i - 1)
            ds[i] == ds[j] && throw(ArgumentError("dropped dims must be unique"))
        end
    end
    reshape(a, kept_axes(axes(a), ds))
end
# The rank of the result follows from the types: dimensions that are dropped differ.
kept_axes(ax::NTuple{N, Any}, ds::NTuple{M, Int}) where {N, M} = ntuple(k -> ax[kept_dim(k, ds)], Val(N - M))
kept_axes(ax::Tuple, ds) = Tuple(ax[k] for k in 1:length(ax) if !(k in ds))
function kept_dim(k, ds)
    d = 0
    while k > 0
        d += 1
        d in ds || (k -= 1)
    end
    d
end
reshape(a::AbstractArray, ax::Tuple{OneTo, Vararg{OneTo}}) = reshape(a, map(length, ax))
insertdims(a::AbstractArray; dims) = insertdims_at(a, dims isa Integer ? (Int(dims),) : Tuple(dims))
function insertdims_at(a::AbstractArray{T, N}, ds) where {T, N}
    M = N + length(ds)
    for i in 1:length(ds)
        1 <= ds[i] || throw(ArgumentError("the smallest entry in dims must be ≥ 1."))
        ds[i] <= M || throw(ArgumentError("the largest entry in dims must be not larger than the dimension of the array and the length of dims added"))
        for j in 1:(i - 1)
            ds[i] == ds[j] && throw(ArgumentError("inserted dims must be unique"))
        end
    end
    k = 0
    reshape(a, ntuple(i -> i in ds ? OneTo(1) : (k += 1; axes(a, k)), M))
end
const _insertdims = insertdims_at

# Another element type over the same bytes. A reshaped one has the parts of an element in a dimension of its own, the first.
struct ReinterpretArray{T, N, S, A <: AbstractArray{S}, IsReshaped} <: AbstractArray{T, N}
    parent::A
end
const NonReshapedReinterpretArray{T, N, S, A <: AbstractArray{S, N}} = ReinterpretArray{T, N, S, A, false}
const ReshapedReinterpretArray{T, N, S, A <: AbstractArray{S}} = ReinterpretArray{T, N, S, A, true}
@noinline throw_reinterpret_size(T, S, n) = throw(ArgumentError(LazyString("cannot reinterpret an `", S, "` array to `", T,
    "` whose first dimension has size `", n, "`. The resulting array would have a non-integral first dimension.")))
@noinline throw_reinterpret_axis(T, S, ax) = throw(ArgumentError(LazyString("cannot reinterpret a `", S, "` array to `", T,
    "` when the first axis is ", ax, ". Try reshaping first.")))
@noinline throw_reinterpret_bits(T, S, U) = throw(ArgumentError(LazyString("cannot reinterpret `", S, "` as `", T, "`, type `", U, "` is not a bits type")))
@noinline throw_reinterpret_rank(T, S) = throw(ArgumentError(LazyString("cannot reinterpret a zero-dimensional `", S, "` array to `", T,
    "` which is of a different size")))
@noinline throw_reinterpret_singleton(T, S) = throw(ArgumentError(LazyString("cannot reinterpret a `", S, "` array to `", T,
    "` because not all of them have the same number of bytes, or one has none")))
reinterpret(::Type{T}, a::AbstractArray{S, N}) where {T, S, N} =
    (check_reinterpret(T, a); T === S ? a : ReinterpretArray{T, N, S, typeof(a), false}(a))
@inline function check_reinterpret(::Type{T}, a::AbstractArray{S, N}) where {T, S, N}
    isbitstype(T) || throw_reinterpret_bits(T, S, T)
    isbitstype(S) || throw_reinterpret_bits(T, S, S)
    N == 0 && sizeof(T) != sizeof(S) && throw_reinterpret_rank(T, S)
    if N > 0 && sizeof(T) != sizeof(S)
        sizeof(T) == 0 && throw_reinterpret_singleton(T, S)
        rem(size(a, 1) * sizeof(S), sizeof(T)) != 0 && throw_reinterpret_size(T, S, size(a, 1))
        first(axes(a, 1)) == 1 || throw_reinterpret_axis(T, S, axes(a, 1))
    end
end
reinterpret(::Type{T}, a::NonReshapedReinterpretArray{U, N, T}) where {T, U, N} = a.parent
reinterpret(::Type{T}, a::NonReshapedReinterpretArray{T, N, T}) where {T, N} = a.parent
reinterpret(::Type{T}, a::NonReshapedReinterpretArray{T}) where {T} = a
reinterpret(::Type{T}, a::NonReshapedReinterpretArray{U, N}) where {T, U, N} = reinterpret(T, a.parent)
function reinterpret(::typeof(reshape), ::Type{T}, a::AbstractArray{S, M}) where {T, S, M}
    isbitstype(T) || throw_reinterpret_bits(T, S, T)
    isbitstype(S) || throw_reinterpret_bits(T, S, S)
    T === S && return a
    if sizeof(T) == sizeof(S)
        N = M
    elseif sizeof(T) == 0 || sizeof(S) == 0
        throw_reinterpret_singleton(T, S)
    elseif sizeof(S) > sizeof(T)
        rem(sizeof(S), sizeof(T)) == 0 || throw_reinterpret_divide(T, S)
        N = M + 1
    else
        rem(sizeof(T), sizeof(S)) == 0 || throw_reinterpret_divide(T, S)
        M > 0 && axes(a, 1) == OneTo(div(sizeof(T), sizeof(S))) || throw_reinterpret_first(T, S, a)
        N = M - 1
    end
    ReinterpretArray{T, N, S, typeof(a), true}(a)
end
reinterpret(::typeof(reshape), ::Type{T}, a::ReshapedReinterpretArray{U, N, T}) where {T, U, N} = a.parent
reinterpret(::typeof(reshape), ::Type{T}, a::ReshapedReinterpretArray{T}) where {T} = a
reinterpret(::typeof(reshape), ::Type{T}, a::ReshapedReinterpretArray{T, N, T}) where {T, N} = a
@noinline throw_reinterpret_divide(T, S) = throw(ArgumentError(LazyString("`reinterpret(reshape, T, a)` requires that one of `sizeof(T)` (got ",
    sizeof(T), ") and `sizeof(eltype(a))` (got ", sizeof(S), ") be an integer multiple of the other")))
@noinline throw_reinterpret_first(T, S, a) = ndims(a) == 0 ? throw(ArgumentError(LazyString("cannot reinterpret a zero-dimensional `", S, "` array to `", T,
    "` which is of a larger size"))) : throw(ArgumentError(LazyString("`reinterpret(reshape, ", T, ", a)` where `eltype(a)` is ", S,
    " requires that `axes(a, 1)` (got ", ndims(a) > 0 ? axes(a, 1) : (), ") be equal to 1:", div(sizeof(T), sizeof(S)), " (from the ratio of element sizes)")))
@inline function axes(a::ReinterpretArray{T, N, S, A, R}) where {T, N, S, A, R}
    p = axes(a.parent)
    sizeof(T) == sizeof(S) && return p
    R && return sizeof(S) > sizeof(T) ? (OneTo(div(sizeof(S), sizeof(T))), p...) : tail(p)
    (reinterpret_axis(p[1], T, S), tail(p)...)
end
reinterpret_axis(r::OneTo, ::Type{T}, ::Type{S}) where {T, S} = OneTo(div(length(r) * sizeof(S), sizeof(T)))
reinterpret_axis(r::AbstractUnitRange, ::Type{T}, ::Type{S}) where {T, S} =
    oftype(r, first(r):(first(r) + div(length(r) * sizeof(S), sizeof(T)) - 1))
# Where elements are put together of others, the first axis begins at one.
has_offset_axes(a::ReinterpretArray) = has_offset_axes(a.parent)
is_dense(a::ReinterpretArray) = is_dense(a.parent)
@inline size(a::ReinterpretArray) = map(length, axes(a))
axes(a::ReinterpretArray{T, 0}) where {T} = ()
parent(a::ReinterpretArray) = a.parent
IndexStyle(::Type{<:ReinterpretArray{T, N, S, A, R}}) where {T, N, S, A, R} = R && sizeof(T) != sizeof(S) ? IndexLinear() : IndexStyle(A)
dataids(a::ReinterpretArray) = dataids(a.parent)
similar(a::ReinterpretArray, ::Type{T}, dims::Dims) where {T} = similar(a.parent, T, dims)
unaliascopy(a::ReinterpretArray{T, N, S, A, R}) where {T, N, S, A, R} = (p = unaliascopy(a.parent); ReinterpretArray{T, N, S, typeof(p), R}(p))
isassigned(a::ReinterpretArray, I::Int...) = checkbounds(Bool, a, I...)
@noinline throw_padding(T, S) = throw(PaddingError(T, S))
# Whether no byte between the fields of `S`s becomes one of a field of a `T`.
@generated hides_padding(::Type{T}, ::Type{S}) where {T, S} = sizeof(T) == 0 || sizeof(S) == 0 || issubset(padding_bytes(S, T), padding_bytes(T, S))
function padding_bytes(T, S)
    isprimitivetype(T) && return Int[]
    own = Int[b for p in padding(T) for b in p.offset:(p.offset + p.size - 1)]
    Int[k * sizeof(T) + b for k in 0:(div(lcm(sizeof(T), sizeof(S)), sizeof(T)) - 1) for b in own]
end
struct PaddingError <: Exception
    S::Type
    T::Type
end
showerror(io::IO, p::PaddingError) = print(io, "Padding of type ", p.S, " is not compatible with type ", p.T, ".")
@inline function getindex(a::ReinterpretArray{T, N, S}, i::Int) where {T, N, S}
    @boundscheck checkbounds(a, i)
    hides_padding(T, S) || throw_padding(T, S)
    if sizeof(T) == sizeof(S)
        reinterpret_bytes(T, @inbounds a.parent[i])
    else
        reinterpret_load(T, S, a.parent, i)
    end
end
@inline function setindex!(a::ReinterpretArray{T, N, S}, v, i::Int) where {T, N, S}
    @boundscheck checkbounds(a, i)
    hides_padding(S, T) || throw_padding(T, S)
    if sizeof(T) == sizeof(S)
        @inbounds a.parent[i] = reinterpret_bytes(S, convert(T, v)::T)
    else
        reinterpret_store!(T, S, a.parent, convert(T, v)::T, i)
    end
    a
end
@inline function getindex(a::ReinterpretArray{T, N, S}, I::Vararg{Int, N}) where {T, N, S}
    @boundscheck checkbounds(a, I...)
    hides_padding(T, S) || throw_padding(T, S)
    sizeof(T) == sizeof(S) && return reinterpret_bytes(T, @inbounds a.parent[I...])
    reinterpret_load(T, S, a.parent, linear_from(axes(a), I) + 1)
end
@inline function setindex!(a::ReinterpretArray{T, N, S}, v, I::Vararg{Int, N}) where {T, N, S}
    @boundscheck checkbounds(a, I...)
    hides_padding(S, T) || throw_padding(T, S)
    if sizeof(T) == sizeof(S)
        @inbounds a.parent[I...] = reinterpret_bytes(S, convert(T, v)::T)
    else
        reinterpret_store!(T, S, a.parent, convert(T, v)::T, linear_from(axes(a), I) + 1)
    end
    a
end
@inline getindex(a::ReinterpretArray{T, 1, S}, i::Int) where {T, S} = (@boundscheck checkbounds(a, i); reinterpret_vector_get(a, i))
@inline setindex!(a::ReinterpretArray{T, 1, S}, v, i::Int) where {T, S} =
    (@boundscheck checkbounds(a, i); hides_padding(S, T) || throw_padding(T, S); reinterpret_vector_set!(a, convert(T, v)::T, i); a)
@inline reinterpret_vector_get(a::ReinterpretArray{T, 1, S}, i) where {T, S} =
    !hides_padding(T, S) ? throw_padding(T, S) :
    sizeof(T) == sizeof(S) ? reinterpret_bytes(T, @inbounds a.parent[i]) : reinterpret_load(T, S, a.parent, i - first(axes(a)[1]) + 1)
@inline function reinterpret_vector_set!(a::ReinterpretArray{T, 1, S}, v, i) where {T, S}
    if sizeof(T) == sizeof(S)
        @inbounds a.parent[i] = reinterpret_bytes(S, v)
    else
        reinterpret_store!(T, S, a.parent, v, i - first(axes(a)[1]) + 1)
    end
    nothing
end
reinterpret_load(::Type{T}, ::Type{S}, p::DenseArray, i) where {T, S} = unsafe_load(Ptr{T}(pointer(p)), i)
reinterpret_store!(::Type{T}, ::Type{S}, p::DenseArray, v, i) where {T, S} = unsafe_store!(Ptr{T}(pointer(p)), v, i)
# Of other parents the elements that hold a part of it are taken to memory of their own.
function reinterpret_load(::Type{T}, ::Type{S}, p::AbstractArray, i) where {T, S}
    start = (i - 1) * sizeof(T)
    lo, hi = div(start, sizeof(S)), div(start + sizeof(T) - 1, sizeof(S))
    part = S[@inbounds(p[element_index(p, k)]) for k in lo:hi]
    unsafe_load(Ptr{T}(Ptr{UInt8}(pointer(part)) + (start - lo * sizeof(S))))
end
function reinterpret_store!(::Type{T}, ::Type{S}, p::AbstractArray, v, i) where {T, S}
    start = (i - 1) * sizeof(T)
    lo, hi = div(start, sizeof(S)), div(start + sizeof(T) - 1, sizeof(S))
    part = S[@inbounds(p[element_index(p, k)]) for k in lo:hi]
    unsafe_store!(Ptr{T}(Ptr{UInt8}(pointer(part)) + (start - lo * sizeof(S))), v)
    for k in lo:hi
        @inbounds p[element_index(p, k)] = part[k - lo + 1]
    end
end
element_index(p, k) = k + 1
element_index(p::AbstractVector, k) = k + firstindex(p)
pointer(a::ReinterpretArray{T}) where {T} = Ptr{T}(pointer(a.parent))
unsafe_convert(::Type{Ptr{T}}, a::ReinterpretArray{T, N, S}) where {T, N, S} = Ptr{T}(unsafe_convert(Ptr{S}, a.parent))
elsize(::Type{<:ReinterpretArray{T}}) where {T} = sizeof(T)
function strides(a::ReinterpretArray{T, N, S, A, R}) where {T, N, S, A, R}
    st = strides(a.parent)
    sizeof(T) == sizeof(S) && return st
    if R
        sizeof(S) > sizeof(T) && return (1, map(s -> s * div(sizeof(S), sizeof(T)), st)...)
        st[1] == 1 || throw(ArgumentError("Parent must be contiguous in the 1st dimension!"))
        return map(s -> byte_stride(s * sizeof(S), sizeof(T)), tail(st))
    end
    st[1] == 1 || throw(ArgumentError("Parent must be contiguous in the 1st dimension!"))
    (1, map(s -> byte_stride(s * sizeof(S), sizeof(T)), tail(st))...)
end
byte_stride(bytes, n) = rem(bytes, n) == 0 ? div(bytes, n) : throw(ArgumentError("Parent's strides could not be exactly divided!"))

"""
    PermutedDimsArray(A, perm)

A view of an array with its dimensions in another order.
"""
struct PermutedDimsArray{T, N, perm, iperm, A <: AbstractArray} <: AbstractArray{T, N}
    parent::A
    PermutedDimsArray{T, N, perm, iperm, A}(parent) where {T, N, perm, iperm, A <: AbstractArray} = new{T, N, perm, iperm, A}(parent)
end
function PermutedDimsArray(a::AbstractArray{T, N}, perm) where {T, N}
    p = Tuple(map(Int, perm))
    check_permutation(p, N)
    PermutedDimsArray{T, N, p, invert_permutation(p), typeof(a)}(a)
end
@noinline throw_permutation(p, N) = throw(ArgumentError(LazyString(p, " is not a valid permutation of dimensions 1:", N)))
check_permutation(p, N) = (length(p) == N && all(k -> k in p, ntuple(identity, N))) || throw_permutation(p, N)
invert_permutation(p::Tuple) = ntuple(k -> findfirst(x -> x == k, p), length(p))
@inline axes(a::PermutedDimsArray{T, N, perm}) where {T, N, perm} = permuted_axes(axes(a.parent), perm)
permuted_axes(ax, perm) = map(k -> ax[k], perm)
@inline size(a::PermutedDimsArray{T, N, perm}) where {T, N, perm} = permuted_axes(size(a.parent), perm)
parent(a::PermutedDimsArray) = a.parent
dataids(a::PermutedDimsArray) = dataids(a.parent)
similar(a::PermutedDimsArray, ::Type{T}, dims::Dims) where {T} = similar(a.parent, T, dims)
unaliascopy(a::PermutedDimsArray{T, N, perm, iperm}) where {T, N, perm, iperm} = PermutedDimsArray(unaliascopy(a.parent), perm)
pointer(a::PermutedDimsArray) = pointer(a.parent)
pointer(a::PermutedDimsArray, i::Integer) = throw(ArgumentError("pointer(A, i) is not defined for a PermutedDimsArray"))
unsafe_convert(::Type{Ptr{T}}, a::PermutedDimsArray{T}) where {T} = unsafe_convert(Ptr{T}, a.parent)
elsize(::Type{<:PermutedDimsArray{T, N, perm, iperm, A}}) where {T, N, perm, iperm, A} = elsize(A)
strides(a::PermutedDimsArray{T, N, perm}) where {T, N, perm} = (st = strides(a.parent); map(k -> st[k], perm))
@inline function getindex(a::PermutedDimsArray{T, N, perm, iperm}, I::Vararg{Int, N}) where {T, N, perm, iperm}
    @boundscheck checkbounds(a, I...)
    @inbounds a.parent[map(k -> I[k], iperm)...]
end
@inline function setindex!(a::PermutedDimsArray{T, N, perm, iperm}, v, I::Vararg{Int, N}) where {T, N, perm, iperm}
    @boundscheck checkbounds(a, I...)
    @inbounds a.parent[map(k -> I[k], iperm)...] = v
    a
end
isassigned(a::PermutedDimsArray{T, N, perm, iperm}, I::Vararg{Int, N}) where {T, N, perm, iperm} =
    checkbounds(Bool, a, I...) && isassigned(a.parent, map(k -> I[k], iperm)...)
permutedims(a::AbstractArray, perm) = permutedims_at(a, Tuple(perm))
function permutedims_at(a::AbstractArray{T, N}, perm::Tuple) where {T, N}
    p = map(k -> Int(k), perm)
    check_permutation(p, N)
    permutedims!(similar(a, permuted_axes(axes(a), p)), a, p)
end
permutedims(a::AbstractMatrix) = permutedims(a, (2, 1))
permutedims(a::AbstractVector) = reshape(a, (1, length(a)))
function permutedims!(dest, a::AbstractArray, perm)
    p = map(Int, Tuple(perm))
    checkdims_perm(dest, a, p)
    PermutedDimsArrays._copy!(PermutedDimsArray(dest, invperm(p)), a)
    dest
end
function checkdims_perm(dest::AbstractArray, a::AbstractArray, perm)
    check_permutation(perm, ndims(a))
    axes(dest) == permuted_axes(axes(a), perm) || throw(DimensionMismatch("destination tensor of incorrect size"))
    nothing
end
copy_permuted!(dest, a, p) = isempty(a) ? dest : gather!(dest, a, map(d -> step_table(a, d, 1:size(a, d)), p))

module PermutedDimsArrays
    import ..Base: PermutedDimsArray, permutedims, permutedims!, checkdims_perm, permuted_axes as genperm
    import ..Base: invperm, parent, copy_permuted!
    export PermutedDimsArray
    export checkdims_perm
    # The elements of an array for those of one whose dimensions are permuted. Packages define methods for it.
    _copy!(dest::PermutedDimsArray{T, N, perm}, src) where {T, N, perm} = (copy_permuted!(parent(dest), src, invperm(perm)); dest)
end
