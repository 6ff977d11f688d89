# Axes, keys and strides of arrays, and Cartesian indices.

const DimsInteger{N} = NTuple{N, Integer}
const Indices{N} = NTuple{N, AbstractUnitRange}

# Of a dimension of any type: a package's method for its own arrays is the more specific one.
size(a::AbstractArray{T, N}, d) where {T, N} = d::Integer < 1 ? throw(BoundsError(size(a), d)) : d <= N ? size(a)[d] : 1
size(a, d1::Integer, d2::Integer, ds::Integer...) = map(d -> size(a, d), (d1, d2, ds...))
@inline axes(a::AbstractArray) = map(OneTo, size(a))
@inline axes(a::AbstractArray{T, N}, d) where {T, N} =
    d < 1 ? throw_dimension(d) : d <= N ? axes(a)[d] : OneTo(1)
@noinline throw_dimension(d) = throw(BoundsError((), (d,)))
axes(a) = map(OneTo, size(a))
axes1(a::AbstractArray{T, 0}) where {T} = OneTo(1)
@inline axes1(a::AbstractArray) = axes(a)[1]
axes1(itr) = OneTo(length(itr))
axes1(r::OneTo) = r
unsafe_indices(a) = axes(a)
unsafe_length(r) = length(r)
const DimsOrInds{N} = NTuple{N, DimOrInd}
const Indices{N} = NTuple{N, AbstractUnitRange}
oneto(n) = OneTo(n)
unchecked_oneto(n) = OneTo(n)
unitrange(r::AbstractUnitRange) = UnitRange(r)
unitrange(r::UnitRange) = r
hastypemax(::Type{Bool}) = true
length(a::AbstractArray) = prod_dims(size(a))
prod_dims(::Tuple{}) = 1
prod_dims(d::Tuple{Any}) = d[1]
@inline prod_dims(d::Tuple) = d[1] * prod_dims(tail(d))
isempty(a::AbstractArray) = length(a) == 0
firstindex(a::AbstractArray) = first(eachindex(IndexLinear(), a))
lastindex(a::AbstractArray) = last(eachindex(IndexLinear(), a))
@inline firstindex(a, d) = first(axes(a, d))
@inline lastindex(a, d) = last(axes(a, d))
first(a::AbstractArray) = a[first(eachindex(a))]
last(a) = a[end]
function first(a::AbstractArray, n::Integer)
    n < 0 && throw(ArgumentError("Number of elements must be non-negative"))
    k = min(n, checked_length(a))
    a[range(firstindex(a), length = k)]
end
function last(a::AbstractArray, n::Integer)
    n < 0 && throw(ArgumentError("Number of elements must be non-negative"))
    k = min(n, checked_length(a))
    a[range(stop = lastindex(a), length = k)]
end
last(itr, n::Integer) = reverse!(collect(Iterators.take(Iterators.reverse(itr), n)))
function first(itr)
    x = iterate(itr)
    x === nothing && throw(ArgumentError("collection must be non-empty"))
    x[1]
end
first(itr, n::Integer) = collect(Iterators.take(itr, n))
keys(a::AbstractArray) = CartesianIndices(axes(a))
keys(a::AbstractVector) = LinearIndices(a)
keys(::IndexLinear, a::AbstractArray) = LinearIndices(a)
keys(::IndexCartesian, a::AbstractArray) = CartesianIndices(axes(a))
values(a::AbstractArray) = a
keytype(a::AbstractArray) = keytype(typeof(a))
keytype(::Type{<:AbstractArray{T, N}}) where {T, N} = CartesianIndex{N}
keytype(::Type{<:AbstractVector}) = Int
valtype(a::AbstractArray) = eltype(a)
valtype(::Type{A}) where {A <: AbstractArray} = eltype(A)
nextind(::AbstractVector, i::Integer) = Int(i) + 1
prevind(::AbstractVector, i::Integer) = Int(i) - 1
nextind(a::AbstractArray, I::CartesianIndex) = CartesianIndex(step_index(I.I, axes(a), 1))
prevind(a::AbstractArray, I::CartesianIndex) = CartesianIndex(step_index(I.I, axes(a), -1))
step_index(I::Tuple{}, inds::Tuple{}, by) = ()
step_index(I::Tuple{Int}, inds::Tuple{Any}, by) = (I[1] + by,)
function step_index(I::Tuple, inds::Tuple, by)
    edge, start = by > 0 ? (last(inds[1]), first(inds[1])) : (first(inds[1]), last(inds[1]))
    I[1] == edge ? (start, step_index(tail(I), tail(inds), by)...) : (I[1] + by, tail(I)...)
end
haskey(a::AbstractArray, i) = in(i, keys(a))
haskey(a::AbstractVector, i::Integer) = checkbounds(Bool, a, i)
ndims(x) = ndims(typeof(x))
ndims(T::Type) = throw(MethodError(ndims, (T,)))
ndims(::Type{Union{}}) = throw(ArgumentError("Union{} does not have elements"))
ndims(::Type{<:Ref}) = 0
parent(a::AbstractArray) = a
strides(a::Union{Array, GenericMemory}) = size_strides(1, size(a)...)
strides(a::DenseArray) = size_strides(1, size(a)...)
size_strides(s) = ()
@inline size_strides(s, d, ds...) = (s, size_strides(s * d, ds...)...)
function stride(a::AbstractArray, d::Integer)
    d < 1 && throw(ArgumentError("dimension out of range"))
    st = strides(a)
    d <= ndims(a) && return st[d]
    isempty(st) ? 1 : maximum(map((s, n) -> s * n, st, size(a)))
end
checked_stride_error(a) = throw(ArgumentError("A array does not have strides"))
size_to_strides(s, d, sz...) = (s, size_to_strides(s * d, sz...)...)
size_to_strides(s, d) = (s,)
size_to_strides(s) = ()
# Axes that do not start at one.
has_offset_axes() = false
has_offset_axes(a::AbstractArray) = any_offset(axes(a))
has_offset_axes(a::Union{Array, GenericMemory}) = false
has_offset_axes(::Union{Colon, CartesianIndex, Number, Nothing}) = false
has_offset_axes(a) = any_offset(axes(a))
has_offset_axes(a, b, cs...) = has_offset_axes(a) || has_offset_axes(b, cs...)
any_offset(::Tuple{}) = false
any_offset(ax::Tuple{OneTo, Vararg{Any}}) = any_offset(tail(ax))
any_offset(ax::Tuple) = first(ax[1]) != 1 || any_offset(tail(ax))
@noinline throw_offset() = throw(ArgumentError("offset arrays are not supported but got an array with index other than 1"))
require_one_based_indexing(as...) = !has_offset_axes(as...) || throw_offset()
isstored(a::AbstractArray, I::Integer...) = (checkbounds(a, I...); true)

IndexStyle(a::AbstractArray) = IndexStyle(typeof(a))
IndexStyle(::Type{<:AbstractArray}) = IndexCartesian()
IndexStyle(a::AbstractArray, b::AbstractArray) = IndexStyle(IndexStyle(a), IndexStyle(b))
IndexStyle(a::AbstractArray, b::AbstractArray...) = IndexStyle(IndexStyle(a), IndexStyle(b...))
IndexStyle(::IndexLinear, ::IndexLinear) = IndexLinear()
IndexStyle(::IndexStyle, ::IndexStyle) = IndexCartesian()
@inline eachindex(a::AbstractArray) = eachindex(IndexStyle(a), a)
@inline eachindex(a::AbstractVector) = axes1(a)
@inline eachindex(::IndexLinear, a::AbstractArray) = OneTo(length(a))
@inline eachindex(::IndexLinear, a::AbstractVector) = axes1(a)
@inline eachindex(::IndexCartesian, a::AbstractArray) = CartesianIndices(axes(a))
@inline eachindex(a::AbstractArray, b::AbstractArray, cs::AbstractArray...) = eachindex(IndexStyle(a, b, cs...), a, b, cs...)
@inline function eachindex(s::IndexStyle, a::AbstractArray, bs::AbstractArray...)
    inds = eachindex(s, a)
    eachindex_agree(s, inds, bs...) || throw_eachindex(map(x -> eachindex(s, x), (a, bs...)))
    inds
end
@noinline throw_eachindex(inds) = throw(DimensionMismatch(LazyString("all inputs to eachindex must have the same indices, got ", join(inds, ", ", " and "))))
eachindex_agree(s, inds) = true
@inline eachindex_agree(s, inds, b, cs...) = inds == eachindex(s, b) && eachindex_agree(s, inds, cs...)
eachindex(itrs...) = keys(itrs...)

# Cartesian indices.
(::Type{CartesianIndex})(index::NTuple{N, Integer}) where {N} = CartesianIndex{N}(index)
(::Type{CartesianIndex})(index::Integer...) = CartesianIndex(index)
(::Type{CartesianIndex{N}})(index::Vararg{Integer, N}) where {N} = CartesianIndex{N}(index)
(::Type{CartesianIndex})(index::Union{Integer, CartesianIndex}...) = CartesianIndex(flatten_index(index...))
(::Type{CartesianIndex})(I::CartesianIndex) = I
(::Type{CartesianIndex{N}})(I::CartesianIndex{N}) where {N} = I
(::Type{CartesianIndex})(index::Tuple{Vararg{Union{Integer, CartesianIndex}}}) = CartesianIndex(flatten_index(index...))
flatten_index() = ()
@inline flatten_index(i::Integer, rest...) = (i, flatten_index(rest...)...)
@inline flatten_index(i::CartesianIndex, rest...) = (i.I..., flatten_index(rest...)...)
(::Type{Tuple})(I::CartesianIndex) = I.I
convert(::Type{T}, I::CartesianIndex) where {T <: Tuple} = convert(T, I.I)
length(::CartesianIndex{N}) where {N} = N
length(::Type{CartesianIndex{N}}) where {N} = N
@inline getindex(I::CartesianIndex, i::Integer) = I.I[i]
get(I::CartesianIndex, i, default) = get(I.I, i, default)
firstindex(::CartesianIndex) = 1
lastindex(::CartesianIndex{N}) where {N} = N
eltype(::Type{<:CartesianIndex}) = Int
setindex(I::CartesianIndex, v, i::Int) = CartesianIndex(setindex(I.I, v, i))
@inline +(I::CartesianIndex{N}) where {N} = I
@inline -(I::CartesianIndex{N}) where {N} = CartesianIndex{N}(map(-, I.I))
@inline +(a::CartesianIndex{N}, b::CartesianIndex{N}) where {N} = CartesianIndex{N}(map(+, a.I, b.I))
@inline -(a::CartesianIndex{N}, b::CartesianIndex{N}) where {N} = CartesianIndex{N}(map(-, a.I, b.I))
@inline *(k::Integer, I::CartesianIndex{N}) where {N} = CartesianIndex{N}(map(x -> k * x, I.I))
*(I::CartesianIndex, k::Integer) = k * I
@inline min(a::CartesianIndex{N}, b::CartesianIndex{N}) where {N} = CartesianIndex{N}(map(min, a.I, b.I))
@inline max(a::CartesianIndex{N}, b::CartesianIndex{N}) where {N} = CartesianIndex{N}(map(max, a.I, b.I))
==(a::CartesianIndex{N}, b::CartesianIndex{N}) where {N} = a.I == b.I
isless(a::CartesianIndex{N}, b::CartesianIndex{N}) where {N} = isless(reverse(a.I), reverse(b.I))
muladd(k::Integer, I::CartesianIndex{N}, J::CartesianIndex{N}) where {N} = CartesianIndex{N}(map((i, j) -> muladd(k, i, j), I.I, J.I))
muladd(I::CartesianIndex{N}, k::Integer, J::CartesianIndex{N}) where {N} = muladd(k, I, J)
zero(::CartesianIndex{N}) where {N} = zero(CartesianIndex{N})
zero(::Type{CartesianIndex{N}}) where {N} = CartesianIndex(ntuple(x -> 0, Val(N)))
one(::CartesianIndex{N}) where {N} = one(CartesianIndex{N})
one(::Type{CartesianIndex{N}}) where {N} = CartesianIndex(ntuple(x -> 1, Val(N)))
oneunit(::CartesianIndex{N}) where {N} = one(CartesianIndex{N})
oneunit(::Type{CartesianIndex{N}}) where {N} = one(CartesianIndex{N})
iterate(::CartesianIndex) = throw(ErrorException("iteration is deliberately unsupported for CartesianIndex. Use `I` rather than `I...`, or use `Tuple(I)...`"))
convert(::Type{T}, I::CartesianIndex{1}) where {T <: Number} = convert(T, I[1])
(::Type{CartesianIndex{N}})(index::Integer...) where {N} = CartesianIndex{N}(index)
# Fewer subscripts are filled with ones.
function (::Type{CartesianIndex{N}})(index::Tuple{Vararg{Integer}}) where {N}
    length(index) > N && throw(ArgumentError(string("input tuple length ", length(index), " must be ≤ ", N)))
    CartesianIndex{N}(ntuple(k -> k <= length(index) ? Int(index[k]) : 1, Val(N)))
end
# The seed of hashes of indices.
const cartindexhash_seed = 0xd60ca92f8284b8b0 % UInt
