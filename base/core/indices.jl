# From what stands in the brackets to integers: axes, bounds, `to_indices`, Cartesian and linear indices.

size(a::AbstractArray{T, N}, d::Integer) where {T, N} = d < 1 ? throw(BoundsError(size(a), d)) : d <= N ? size(a)[d] : 1
size(a, d1::Integer, d2::Integer, ds::Integer...) = map(d -> size(a, d), (d1, d2, ds...))
@inline axes(a::AbstractArray) = map(OneTo, size(a))
@inline axes(a::AbstractArray{T, N}, d::Integer) where {T, N} = d <= N ? axes(a)[d] : OneTo(1)
axes(a) = map(OneTo, size(a))
axes1(a::AbstractArray{T, 0}) where {T} = OneTo(1)
@inline axes1(a::AbstractArray) = axes(a)[1]
length(a::AbstractArray) = prod_dims(size(a))
prod_dims(::Tuple{}) = 1
prod_dims(d::Tuple{Any}) = Int(d[1])
@inline prod_dims(d::Tuple) = Int(d[1]) * prod_dims(tail(d))
isempty(a::AbstractArray) = length(a) == 0
firstindex(a::AbstractArray) = first(eachindex(IndexLinear(), a))
lastindex(a::AbstractArray) = last(eachindex(IndexLinear(), a))
@inline firstindex(a, d) = first(axes(a, d))
@inline lastindex(a, d) = last(axes(a, d))
first(a::AbstractArray) = a[first(eachindex(a))]
last(a) = a[end]
first(a::AbstractVector, n::Integer) = a[firstindex(a):min(firstindex(a) + n - 1, lastindex(a))]
last(a::AbstractVector, n::Integer) = a[max(lastindex(a) - n + 1, firstindex(a)):lastindex(a)]
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
keytype(a::AbstractArray{T, N}) where {T, N} = CartesianIndex{N}
keytype(a::AbstractVector) = Int
valtype(a::AbstractArray) = eltype(a)
haskey(a::AbstractArray, i::Integer) = checkbounds(Bool, a, i)
ndims(x) = ndims(typeof(x))
ndims(T::Type) = throw(MethodError(ndims, (T,)))
ndims(::Type{<:Ref}) = 0
parent(a::AbstractArray) = a
strides(a::Array) = size_strides(1, size(a)...)
strides(a::DenseArray) = size_strides(1, size(a)...)
size_strides(s) = ()
@inline size_strides(s, d, ds...) = (s, size_strides(s * d, ds...)...)
stride(a::AbstractArray, d::Integer) = d > ndims(a) ? length(a) : strides(a)[d]
require_one_based_indexing(as...) = true
has_offset_axes(as...) = false

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
@inline function eachindex(a::AbstractArray, b::AbstractArray, cs::AbstractArray...)
    inds = eachindex(IndexStyle(a, b), a)
    same = eachindex_agree(axes(a), b, cs...)
    same || throw(DimensionMismatch(string("all inputs to eachindex must have the same axes, got ", axes(a), " and ", axes(b))))
    inds
end
eachindex_agree(ax) = true
@inline eachindex_agree(ax, b, cs...) = ax == axes(b) && eachindex_agree(ax, cs...)
eachindex(itrs...) = keys(itrs...)

# Cartesian indices.
(::Type{CartesianIndex})(index::NTuple{N, Integer}) where {N} = CartesianIndex{N}(index)
(::Type{CartesianIndex})(index::Integer...) = CartesianIndex(index)
(::Type{CartesianIndex{N}})(index::Vararg{Integer, N}) where {N} = CartesianIndex{N}(index)
(::Type{CartesianIndex})(index::Union{Integer, CartesianIndex}...) = CartesianIndex(flatten_index(index...))
(::Type{CartesianIndex})(I::CartesianIndex) = I
flatten_index() = ()
@inline flatten_index(i::Integer, rest...) = (i, flatten_index(rest...)...)
@inline flatten_index(i::CartesianIndex, rest...) = (i.I..., flatten_index(rest...)...)
(::Type{Tuple})(I::CartesianIndex) = I.I
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
zero(::CartesianIndex{N}) where {N} = zero(CartesianIndex{N})
zero(::Type{CartesianIndex{N}}) where {N} = CartesianIndex(ntuple(x -> 0, Val(N)))
one(::CartesianIndex{N}) where {N} = one(CartesianIndex{N})
one(::Type{CartesianIndex{N}}) where {N} = CartesianIndex(ntuple(x -> 1, Val(N)))
oneunit(::CartesianIndex{N}) where {N} = one(CartesianIndex{N})
oneunit(::Type{CartesianIndex{N}}) where {N} = one(CartesianIndex{N})
iterate(::CartesianIndex) = throw(ArgumentError("iteration is deliberately unsupported for CartesianIndex. Use `I` rather than `I...`, or use `Tuple(I)...`"))
convert(::Type{T}, I::CartesianIndex{1}) where {T <: Number} = convert(T, I[1])

struct CartesianIndices{N, R <: NTuple{N, OrdinalRange{Int, Int}}} <: AbstractArray{CartesianIndex{N}, N}
    indices::R
    CartesianIndices{N, R}(indices) where {N, R <: NTuple{N, OrdinalRange{Int, Int}}} = new{N, R}(indices)
end
CartesianIndices(inds::NTuple{N, OrdinalRange{<:Integer, <:Integer}}) where {N} =
    (r = map(to_int_range, inds); CartesianIndices{N, typeof(r)}(r))
CartesianIndices(inds::NTuple{N, Union{Integer, OrdinalRange{<:Integer, <:Integer}}}) where {N} =
    CartesianIndices(map(i -> i isa Integer ? OneTo(Int(i)) : i, inds))
CartesianIndices(I::CartesianIndex) = CartesianIndices(I.I)
CartesianIndices(a::AbstractArray) = CartesianIndices(axes(a))
CartesianIndices(::Tuple{}) = CartesianIndices{0, Tuple{}}(())
to_int_range(r::OrdinalRange{Int, Int}) = r
to_int_range(r::OneTo) = OneTo{Int}(r.stop)
to_int_range(r::AbstractUnitRange) = UnitRange{Int}(first(r), last(r))
to_int_range(r::OrdinalRange) = StepRange{Int, Int}(Int(first(r)), Int(step(r)), Int(last(r)))
(::Colon)(a::CartesianIndex{N}, b::CartesianIndex{N}) where {N} = CartesianIndices(map((x, y) -> x:y, a.I, b.I))
(::Colon)(a::CartesianIndex{N}, s::CartesianIndex{N}, b::CartesianIndex{N}) where {N} =
    CartesianIndices(map((x, k, y) -> x:k:y, a.I, s.I, b.I))
size(c::CartesianIndices) = map(length, c.indices)
length(c::CartesianIndices) = prod_dims(map(length, c.indices))
@inline axes(c::CartesianIndices) = map(x -> axes(x)[1], c.indices)
IndexStyle(::Type{<:CartesianIndices}) = IndexCartesian()
@inline function getindex(c::CartesianIndices{N}, I::Vararg{Int, N}) where {N}
    @boundscheck checkbounds(c, I...)
    CartesianIndex{N}(map((r, i) -> (@inbounds r[i]), c.indices, I))
end
@inline function getindex(c::CartesianIndices{N}, i::Int) where {N}
    @boundscheck checkbounds(c, i)
    CartesianIndex{N}(cartesian_at(c.indices, i - 1))
end
@inline getindex(c::CartesianIndices{1}, i::Int) = (@boundscheck checkbounds(c, i); CartesianIndex{1}(((@inbounds c.indices[1][i]),)))
getindex(c::CartesianIndices{0}) = CartesianIndex(())
getindex(c::CartesianIndices{N}, I::CartesianIndex{N}) where {N} = c[I.I...]
getindex(c::CartesianIndices{N}, I::CartesianIndices{N}) where {N} = CartesianIndices(map((r, i) -> r[i], c.indices, I.indices))
getindex(c::CartesianIndices{N}, I::Vararg{Union{OrdinalRange{<:Integer, <:Integer}, Colon}, N}) where {N} =
    CartesianIndices(map((r, i) -> r[i], c.indices, I))
@inline cartesian_at(inds::Tuple{}, k) = ()
@inline cartesian_at(inds::Tuple{Any}, k) = (first(inds[1]) + k * step(inds[1]),)
@inline function cartesian_at(inds::Tuple, k)
    n = length(inds[1])
    q = div(k, n)
    (first(inds[1]) + (k - q * n) * step(inds[1]), cartesian_at(tail(inds), q)...)
end
first(c::CartesianIndices) = CartesianIndex(map(first, c.indices))
last(c::CartesianIndices) = CartesianIndex(map(last, c.indices))
@inline function iterate(c::CartesianIndices)
    any_axis_empty(c.indices) && return nothing
    I = first(c)
    (I, I)
end
any_axis_empty(::Tuple{}) = false
@inline any_axis_empty(t::Tuple) = isempty(t[1]) || any_axis_empty(tail(t))
@inline function iterate(c::CartesianIndices{N}, state::CartesianIndex{N}) where {N}
    valid, I = next_cartesian(state.I, c.indices)
    valid || return nothing
    next = CartesianIndex{N}(I)
    (next, next)
end
iterate(c::CartesianIndices{0}, done::CartesianIndex{0}) = nothing
@inline next_cartesian(::Tuple{}, ::Tuple{}) = (false, ())
@inline function next_cartesian(state::Tuple{Int}, inds::Tuple{Any})
    r = inds[1]
    (state[1] != last(r), (state[1] + step(r),))
end
@inline function next_cartesian(state::Tuple, inds::Tuple)
    r = inds[1]
    state[1] != last(r) && return (true, (state[1] + step(r), tail(state)...))
    valid, rest = next_cartesian(tail(state), tail(inds))
    (valid, (first(r), rest...))
end
in(I::CartesianIndex, c::CartesianIndices) = false
in(I::CartesianIndex{N}, c::CartesianIndices{N}) where {N} = all_in(I.I, c.indices)
all_in(::Tuple{}, ::Tuple{}) = true
@inline all_in(I::Tuple, r::Tuple) = in(I[1], r[1]) && all_in(tail(I), tail(r))
==(a::CartesianIndices{N}, b::CartesianIndices{N}) where {N} = all(map(==, a.indices, b.indices))
reverse(c::CartesianIndices) = CartesianIndices(map(reverse, c.indices))
intersect(a::CartesianIndices{N}, b::CartesianIndices{N}) where {N} = CartesianIndices(map(intersect, a.indices, b.indices))

struct LinearIndices{N, R <: NTuple{N, AbstractUnitRange{Int}}} <: AbstractArray{Int, N}
    indices::R
    LinearIndices{N, R}(indices) where {N, R <: NTuple{N, AbstractUnitRange{Int}}} = new{N, R}(indices)
end
LinearIndices(::Tuple{}) = LinearIndices{0, Tuple{}}(())
LinearIndices(inds::NTuple{N, AbstractUnitRange{<:Integer}}) where {N} = (r = map(to_int_range, inds); LinearIndices{N, typeof(r)}(r))
LinearIndices(sz::NTuple{N, Union{Integer, AbstractUnitRange{<:Integer}}}) where {N} =
    LinearIndices(map(i -> i isa Integer ? OneTo(Int(i)) : i, sz))
LinearIndices(a::AbstractArray) = LinearIndices(axes(a))
LinearIndices(c::CartesianIndices) = LinearIndices(c.indices)
IndexStyle(::Type{<:LinearIndices}) = IndexLinear()
size(l::LinearIndices) = map(length, l.indices)
@inline axes(l::LinearIndices) = map(x -> axes(x)[1], l.indices)
@inline getindex(l::LinearIndices, i::Int) = (@boundscheck checkbounds(l, i); i)
@inline function getindex(l::LinearIndices{N}, I::Vararg{Int, N}) where {N}
    @boundscheck checkbounds(l, I...)
    linear_index(l.indices, I)
end
getindex(l::LinearIndices{1}, i::Int) = (@boundscheck checkbounds(l, i); i)
getindex(l::LinearIndices, I::CartesianIndex) = l[I.I...]
getindex(l::LinearIndices{1}, r::AbstractRange{<:Integer}) = r
first(l::LinearIndices) = 1
last(l::LinearIndices) = length(l)
iterate(l::LinearIndices, i::Int = 1) = i > length(l) ? nothing : (i, i + 1)

# The number of the element at `I`, counting the first subscript fastest. Unit axes that start at one.
@inline linear_index(inds::Tuple, I::Tuple) = linear_from(inds, I) + 1
linear_from(::Tuple{}, ::Tuple{}) = 0
linear_from(inds::Tuple, ::Tuple{}) = 0
linear_from(::Tuple{}, I::Tuple) = 0
@inline linear_from(inds::Tuple, I::Tuple) = (Int(I[1]) - 1) + length(inds[1]) * linear_from(tail(inds), tail(I))

# A whole axis, as a subscript.
struct Slice{T <: AbstractUnitRange} <: AbstractUnitRange{Int}
    indices::T
end

# Bounds. Trailing ones are allowed, missing subscripts stand for whole trailing axes of one element.
@inline function checkbounds(a::AbstractArray, I...)
    checkbounds(Bool, a, I...) || throw_boundserror(a, I)
    nothing
end
@inline checkbounds(::Type{Bool}, a::AbstractArray, I...) = checkbounds_indices(Bool, axes(a), I)
@inline checkbounds(::Type{Bool}, a::AbstractArray, i) = checkindex(Bool, eachindex(IndexLinear(), a), i)
@inline checkbounds(::Type{Bool}, a::AbstractArray, i::CartesianIndex) = checkbounds_indices(Bool, axes(a), i.I)
checkbounds(::Type{Bool}, a::AbstractArray, mask::AbstractArray{Bool}) = axes(a) == axes(mask)
checkbounds(::Type{Bool}, a::AbstractArray, mask::AbstractVector{Bool}) = length(a) == length(mask)
checkbounds(::Type{Bool}, a::AbstractArray, c::CartesianIndices) = isempty(c) || (checkbounds(Bool, a, first(c)) && checkbounds(Bool, a, last(c)))
checkbounds(::Type{Bool}, a::AbstractArray, cs::AbstractArray{<:CartesianIndex}) = all(c -> checkbounds(Bool, a, c), cs)
@inline checkbounds_indices(::Type{Bool}, ::Tuple{}, ::Tuple{}) = true
@inline checkbounds_indices(::Type{Bool}, inds::Tuple, ::Tuple{}) = length(inds[1]) == 1 && checkbounds_indices(Bool, tail(inds), ())
@inline checkbounds_indices(::Type{Bool}, ::Tuple{}, I::Tuple) = checkindex(Bool, OneTo(1), I[1]) & checkbounds_indices(Bool, (), tail(I))
@inline checkbounds_indices(::Type{Bool}, ::Tuple{}, I::Tuple{CartesianIndex, Vararg{Any}}) = checkbounds_indices(Bool, (), (I[1].I..., tail(I)...))
@inline checkbounds_indices(::Type{Bool}, inds::Tuple, I::Tuple{CartesianIndex, Vararg{Any}}) =
    checkbounds_indices(Bool, inds, (I[1].I..., tail(I)...))
@inline checkbounds_indices(::Type{Bool}, ::Tuple{}, I::Tuple{Any}) = checkindex(Bool, OneTo(1), I[1])
@inline checkbounds_indices(::Type{Bool}, ::Tuple{}, I::Tuple{CartesianIndex}) = checkbounds_indices(Bool, (), I[1].I)
@inline checkbounds_indices(::Type{Bool}, inds::Tuple{Any}, I::Tuple{Any}) = checkindex(Bool, inds[1], I[1])
# The last subscript of several counts on through the remaining axes.
@inline checkbounds_indices(::Type{Bool}, inds::Tuple, I::Tuple{Any}) = checkindex(Bool, OneTo(prod_dims(map(length, inds))), I[1])
@inline checkbounds_indices(::Type{Bool}, inds::Tuple, I::Tuple{CartesianIndex}) = checkbounds_indices(Bool, inds, I[1].I)
@inline checkbounds_indices(::Type{Bool}, inds::Tuple{Any}, I::Tuple{CartesianIndex}) = checkbounds_indices(Bool, inds, I[1].I)
@inline checkbounds_indices(::Type{Bool}, inds::Tuple, I::Tuple) =
    checkindex(Bool, inds[1], I[1]) & checkbounds_indices(Bool, tail(inds), tail(I))
@inline checkindex(::Type{Bool}, inds::AbstractUnitRange, i::Real) = (first(inds) <= i) & (i <= last(inds))
@inline checkindex(::Type{Bool}, inds::OneTo{Int}, i::Int) = ult_int(bitcast(UInt, sub_int(i, 1)), bitcast(UInt, inds.stop))
checkindex(::Type{Bool}, inds, ::Colon) = true
checkindex(::Type{Bool}, inds::AbstractUnitRange, ::Slice) = true
checkindex(::Type{Bool}, inds::AbstractUnitRange, r::AbstractRange) =
    isempty(r) | (checkindex(Bool, inds, first(r)) & checkindex(Bool, inds, last(r)))
checkindex(::Type{Bool}, inds::AbstractUnitRange, mask::AbstractVector{Bool}) = length(inds) == length(mask)
checkindex(::Type{Bool}, inds::AbstractUnitRange, mask::AbstractRange{Bool}) = length(inds) == length(mask)
checkindex(::Type{Bool}, inds::AbstractUnitRange, mask::AbstractArray{Bool}) = false
checkindex(::Type{Bool}, inds::AbstractUnitRange, I::AbstractArray) = all(i -> checkindex(Bool, inds, i), I)
checkindex(::Type{Bool}, inds, i) = throw(ArgumentError(string("unable to check bounds for indices of type ", typeof(i))))

# `to_indices` makes every subscript an integer, an array of integers or a slice.
Slice(s::Slice) = s
first(s::Slice) = Int(first(s.indices))
last(s::Slice) = Int(last(s.indices))
length(s::Slice) = length(s.indices)
size(s::Slice) = (length(s.indices),)
@inline axes(s::Slice) = (OneTo(length(s.indices)),)
@inline getindex(s::Slice, i::Int) = (@boundscheck checkbounds(s, i); i)
@inline to_indices(a, I::Tuple) = to_indices(a, axes(a), I)
@inline to_indices(a, I::Tuple{Vararg{Int}}) = I
@inline to_indices(a, I::Tuple{Vararg{Integer}}) = map(to_int_index, I)
to_int_index(i::Int) = i
to_int_index(i::Integer) = Int(i)
to_int_index(i::Bool) = throw(ArgumentError(string("invalid index: ", i, " of type Bool")))
to_indices(a, inds, ::Tuple{}) = ()
@inline to_indices(a, inds, I::Tuple{Any, Vararg{Any}}) = (to_index(a, I[1]), to_indices(a, axes_tail(inds), tail(I))...)
@inline to_indices(a, inds, I::Tuple{Colon, Vararg{Any}}) =
    (Slice(first_axis(a, inds, length(I))), to_indices(a, axes_tail(inds), tail(I))...)
@inline to_indices(a, inds, I::Tuple{CartesianIndex{N}, Vararg{Any}}) where {N} = to_indices(a, inds, (I[1].I..., tail(I)...))
@inline to_indices(a, inds, I::Tuple{CartesianIndices, Vararg{Any}}) = to_indices(a, inds, (I[1].indices..., tail(I)...))
@inline to_indices(a, inds, I::Tuple{AbstractArray{CartesianIndex{N}}, Vararg{Any}}) where {N} =
    (I[1], to_indices(a, drop_axes(inds, Val(N)), tail(I))...)
@inline to_indices(a, inds, I::Tuple{AbstractArray{Bool, N}, Vararg{Any}}) where {N} =
    (findall(I[1]), to_indices(a, drop_axes(inds, Val(N)), tail(I))...)
to_indices(a::AbstractArray{<:Any, N}, I::Tuple{AbstractArray{Bool, N}}) where {N} = (mask_indices(a, I[1]),)
mask_indices(a, mask) = (checkbounds(a, mask); find_linear(mask))
function find_linear(mask)
    out = Int[]
    i = 0
    for b in mask
        i += 1
        b && push!(out, i)
    end
    out
end
axes_tail(::Tuple{}) = ()
axes_tail(inds::Tuple) = tail(inds)
first_axis(a, ::Tuple{}, left) = OneTo(1)
@inline first_axis(a, inds::Tuple, left) = left == 1 && length(inds) > 1 ? OneTo(prod_dims(map(length, inds))) : inds[1]
drop_axes(inds::Tuple, ::Val{0}) = inds
drop_axes(::Tuple{}, ::Val{N}) where {N} = ()
drop_axes(::Tuple{}, ::Val{0}) = ()
@inline drop_axes(inds::Tuple, ::Val{N}) where {N} = drop_axes(tail(inds), Val(N - 1))
to_index(a, i) = to_index(i)
to_index(i::Integer) = Int(i)
to_index(i::Bool) = throw(ArgumentError(string("invalid index: ", i, " of type Bool")))
to_index(I::AbstractArray) = I
to_index(I::AbstractArray{Bool}) = findall(I)
to_index(s::Slice) = s
to_index(I::Tuple) = collect(I)
to_index(i) = throw(ArgumentError(string("invalid index: ", i, " of type ", typeof(i))))

# The shape that subscripts give: integers vanish, arrays contribute their axes.
index_shape() = ()
@inline index_shape(i::Real, rest...) = index_shape(rest...)
@inline index_shape(I::AbstractArray, rest...) = (axes(I)..., index_shape(rest...)...)
index_dims() = ()
@inline index_dims(i::Real, rest...) = index_dims(rest...)
@inline index_dims(I::AbstractArray, rest...) = (size(I)..., index_dims(rest...)...)
