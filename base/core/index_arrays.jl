# Arrays of the indices of an array: `CartesianIndices` and `LinearIndices`, and the way from one kind to the other.

"""
    CartesianIndices(A)
    CartesianIndices(ranges)

The array of all Cartesian indices of an array or of a box of ranges.
"""
struct CartesianIndices{N, R <: NTuple{N, OrdinalRange{Int, Int}}} <: AbstractArray{CartesianIndex{N}, N}
    indices::R
    CartesianIndices{N, R}(indices) where {N, R <: NTuple{N, OrdinalRange{Int, Int}}} = new{N, R}(indices)
end
has_offset_axes(a::CartesianIndices) = has_offset_axes(a.indices...)
CartesianIndices(inds::NTuple{N, OrdinalRange{<:Integer, <:Integer}}) where {N} =
    (r = map(to_int_range, inds); CartesianIndices{N, typeof(r)}(r))
CartesianIndices(inds::NTuple{N, Union{Integer, OrdinalRange{<:Integer, <:Integer}}}) where {N} =
    CartesianIndices(map(int_axis, inds))
CartesianIndices(I::CartesianIndex) = CartesianIndices(I.I)
CartesianIndices(a::AbstractArray) = CartesianIndices(axes(a))
CartesianIndices(::Tuple{}) = CartesianIndices{0, Tuple{}}(())
int_axis(i::Integer) = oneto(i)
int_axis(i::Bool) = OneTo(Int(i))
int_axis(r) = r
to_int_range(r::OrdinalRange{Int, Int}) = r
to_int_range(r::OneTo) = OneTo{Int}(r.stop)
to_int_range(r::UnitRange) = UnitRange{Int}(first(r), last(r))
to_int_range(r::AbstractUnitRange) = convert(AbstractUnitRange{Int}, r)
to_int_range(r::OrdinalRange) = StepRange{Int, Int}(Int(first(r)), Int(step(r)), Int(last(r)))
convert(::Type{CartesianIndices{N, R}}, c::CartesianIndices{N, R}) where {N, R <: NTuple{N, OrdinalRange{Int, Int}}} = c
convert(::Type{CartesianIndices{N, R}}, c::CartesianIndices{N}) where {N, R <: NTuple{N, OrdinalRange{Int, Int}}} =
    CartesianIndices{N, R}(convert(R, c.indices))
convert(::Type{Tuple{}}, c::CartesianIndices{0}) = ()
convert(::Type{Tuple}, c::CartesianIndices) = c.indices
convert(::Type{T}, c::CartesianIndices) where {T <: Tuple} = convert(T, c.indices)
(::Colon)(a::CartesianIndex{N}, b::CartesianIndex{N}) where {N} = CartesianIndices(map((x, y) -> x:y, a.I, b.I))
(::Colon)(a::CartesianIndex{N}, s::CartesianIndex{N}, b::CartesianIndex{N}) where {N} =
    CartesianIndices(map((x, k, y) -> x:k:y, a.I, s.I, b.I))
promote_rule(::Type{CartesianIndices{N, R}}, ::Type{CartesianIndices{N, S}}) where {N, R, S} =
    CartesianIndices{N, promote_indices_type(R, S, Val(N))}
promote_indices_type(R, S, n::Val) = Tuple{ntuple(i -> promote_type(fieldtype(R, i), fieldtype(S, i)), n)...}
size(c::CartesianIndices) = map(length, c.indices)
length(c::CartesianIndices) = prod_dims(map(length, c.indices))
@inline axes(c::CartesianIndices) = map(axes1, c.indices)
IndexStyle(::Type{<:CartesianIndices}) = IndexCartesian()
copy(c::CartesianIndices) = c
@inline function getindex(c::CartesianIndices{N}, I::Vararg{Int, N}) where {N}
    @boundscheck checkbounds(c, I...)
    CartesianIndex{N}(map(inbounds_at, c.indices, I))
end
@inline inbounds_at(r, i) = @inbounds r[i]
@inline function getindex(c::CartesianIndices{N}, i::Int) where {N}
    @boundscheck checkbounds(c, i)
    CartesianIndex{N}(cartesian_at(c.indices, i - 1))
end
@inline getindex(c::CartesianIndices{1}, i::Int) = (@boundscheck checkbounds(c, i); CartesianIndex{1}(((@inbounds c.indices[1][i]),)))
getindex(c::CartesianIndices{0}) = CartesianIndex(())
@propagate_inbounds getindex(c::CartesianIndices{N}, I::CartesianIndex{N}) where {N} = c[I.I...]
@propagate_inbounds getindex(c::CartesianIndices{N}, I::CartesianIndices{N}) where {N} =
    CartesianIndices(map((r, i) -> r[i], c.indices, I.indices))
getindex(c::CartesianIndices{0}, ::CartesianIndices{0}) = c
@propagate_inbounds function getindex(c::CartesianIndices{N}, I::Vararg{Union{OrdinalRange{<:Integer, <:Integer}, Colon}, N}) where {N}
    @boundscheck checkbounds(c, I...)
    CartesianIndices(map((r, i) -> r[i], c.indices, I))
end
getindex(c::CartesianIndices{1}, ::Colon) = c
getindex(c::CartesianIndices{2}, ::Colon, ::Colon) = c
getindex(c::CartesianIndices{N}, ::Vararg{Colon, N}) where {N} = c
view(c::CartesianIndices{N}, r::Vararg{Union{OrdinalRange{<:Integer, <:Integer}, Colon}, N}) where {N} = c[r...]
view(c::CartesianIndices{N}, r::CartesianIndices{N}) where {N} = c[r]
@inline cartesian_at(inds::Tuple{}, k) = ()
@inline cartesian_at(inds::Tuple{Any}, k) = (first(inds[1]) + k * step(inds[1]),)
@inline function cartesian_at(inds::Tuple, k)
    n = length(inds[1])
    q = div(k, n)
    (first(inds[1]) + (k - q * n) * step(inds[1]), cartesian_at(tail(inds), q)...)
end
first(c::CartesianIndices) = CartesianIndex(map(first, c.indices))
last(c::CartesianIndices) = CartesianIndex(map(last, c.indices))
step(c::CartesianIndices) = CartesianIndex(map(step, c.indices))
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
in(I, c::CartesianIndices) = false
all_in(::Tuple{}, ::Tuple{}) = true
@inline all_in(I::Tuple, r::Tuple) = in(I[1], r[1]) && all_in(tail(I), tail(r))
==(a::CartesianIndices{N}, b::CartesianIndices{N}) where {N} = all(map(==, a.indices, b.indices)) || (isempty(a) && isempty(b) && axes(a) == axes(b))
reverse(c::CartesianIndices; dims = :) = reversed_indices(c, dims)
reversed_indices(c, ::Colon) = CartesianIndices(map(reverse, c.indices))
reversed_indices(c, d::Integer) = reversed_axes(c, (Int(d),))
reversed_indices(c, ds) = reversed_axes(c, ds)
function reversed_axes(c::CartesianIndices{N}, ds) where {N}
    check_reverse_dims(ds, N)
    isempty(ds) ? c : CartesianIndices(ntuple(k -> k in ds ? reverse(c.indices[k]) : c.indices[k], Val(N)))
end
function check_reverse_dims(ds, N)
    for d in ds
        d isa Integer || throw(ArgumentError(string("dimension is not integer: ", d)))
        1 <= d <= N || throw(ArgumentError(string("invalid dimension ", d, " in reverse")))
    end
    all(k -> k == 1 || !(ds[k] in ds[1:(k - 1)]), 1:length(ds)) || throw(ArgumentError(string("invalid dimensions ", ds, " in reverse")))
end
intersect(a::CartesianIndices{N}, b::CartesianIndices{N}) where {N} = CartesianIndices(map(intersect, a.indices, b.indices))
issubset(a::CartesianIndices{N}, b::CartesianIndices{N}) where {N} = isempty(a) || all(map(issubset, a.indices, b.indices))

"""
    LinearIndices(A)

The array of the linear indices of an array, in its shape.
"""
struct LinearIndices{N, R <: NTuple{N, AbstractUnitRange{Int}}} <: AbstractArray{Int, N}
    indices::R
    LinearIndices{N, R}(indices) where {N, R <: NTuple{N, AbstractUnitRange{Int}}} = new{N, R}(indices)
end
LinearIndices(::Tuple{}) = LinearIndices{0, Tuple{}}(())
LinearIndices(inds::NTuple{N, AbstractUnitRange{<:Integer}}) where {N} = (r = map(to_int_range, inds); LinearIndices{N, typeof(r)}(r))
LinearIndices(sz::NTuple{N, Union{Integer, AbstractUnitRange{<:Integer}}}) where {N} = LinearIndices(map(int_axis, sz))
LinearIndices(a::AbstractArray) = LinearIndices(axes(a))
LinearIndices(c::CartesianIndices{N, <:NTuple{N, AbstractUnitRange}}) where {N} = LinearIndices(c.indices)
function LinearIndices(c::CartesianIndices)
    all(r -> step(r) == 1, c.indices) || throw(ArgumentError("LinearIndices is defined for `CartesianIndices` of unit step only"))
    LinearIndices(map(r -> first(r):last(r), c.indices))
end
convert(::Type{LinearIndices{N, R}}, l::LinearIndices{N}) where {N, R <: NTuple{N, AbstractUnitRange{Int}}} =
    LinearIndices{N, R}(convert(R, l.indices))
convert(::Type{LinearIndices{N, R}}, l::LinearIndices{N, R}) where {N, R <: NTuple{N, AbstractUnitRange{Int}}} = l
promote_rule(::Type{LinearIndices{N, R}}, ::Type{LinearIndices{N, S}}) where {N, R, S} = LinearIndices{N, promote_indices_type(R, S, Val(N))}
IndexStyle(::Type{<:LinearIndices}) = IndexLinear()
size(l::LinearIndices) = map(length, l.indices)
length(l::LinearIndices) = prod_dims(map(length, l.indices))
@inline axes(l::LinearIndices) = map(axes1, l.indices)
copy(l::LinearIndices) = l
isempty(l::LinearIndices) = any_axis_empty(l.indices)
@inline getindex(l::LinearIndices, i::Int) = (@boundscheck checkbounds(l, i); i)

@inline function getindex(l::LinearIndices{N}, I::Vararg{Int, N}) where {N}
    @boundscheck checkbounds(l, I...)
    linear_index(axes(l), I)
end
@propagate_inbounds getindex(l::LinearIndices, I::CartesianIndex) = l[I.I...]
@inline function getindex(l::LinearIndices, r::AbstractRange{<:Integer})
    @boundscheck checkbounds(l, r)
    r
end

getindex(l::LinearIndices, r::AbstractRange{Bool}) = index_get_many(l, to_indices(l, (r,))...)

first(l::LinearIndices) = 1
last(l::LinearIndices) = length(l)
first(l::LinearIndices{1}) = first(axes1(l.indices[1]))
last(l::LinearIndices{1}) = last(axes1(l.indices[1]))
@inline iterate(l::LinearIndices, i::Int = 1) = i > length(l) ? nothing : (i, i + 1)
@inline iterate(l::LinearIndices{1}) = isempty(l) ? nothing : (first(l), first(l))
@inline iterate(l::LinearIndices{1}, i::Int) = i >= last(l) ? nothing : (i + 1, i + 1)
in(i::Integer, l::LinearIndices) = first(l) <= i <= last(l)

# The number of the element at `I`, counting the first subscript fastest. A vector is numbered by its own axis.
@inline linear_index(inds::Tuple{Any, Any, Vararg{Any}}, I::Tuple) = linear_from(inds, I) + 1
@inline linear_index(inds::Tuple{}, I::Tuple) = 1
@inline linear_index(inds::Tuple{Any}, I::Tuple{Any, Vararg{Any}}) = Int(I[1])
@inline linear_index(inds::Tuple{Any}, I::Tuple{}) = Int(first(inds[1]))
linear_from(::Tuple{}, ::Tuple{}) = 0
linear_from(inds::Tuple, ::Tuple{}) = 0
linear_from(::Tuple{}, I::Tuple) = 0
@inline linear_from(inds::Tuple, I::Tuple) = (Int(I[1]) - Int(first(inds[1]))) + length(inds[1]) * linear_from(tail(inds), tail(I))

# The same under the names that packages use. For one axis that does not start at one there is no other numbering.
const OffsetAxis = AbstractUnitRange
@noinline throw_linear_offset() = throw(ArgumentError("Linear indexing is not defined for one-dimensional arrays"))
check_linear(inds) = nothing
check_linear(inds::Tuple{OneTo}) = nothing
check_linear(inds::Tuple{Integer}) = nothing
check_linear(inds::Tuple{Any}) = throw_linear_offset()
@inline _sub2ind(a::AbstractArray, I...) = _sub2ind(axes(a), I...)
@inline _sub2ind(dims::Tuple, I::Integer...) = (check_linear(dims); linear_from(map(int_axis, dims), I) + 1)
_sub2ind(inds::Tuple, I1::AbstractVector{<:Integer}, Is::AbstractVector{<:Integer}...) =
    [_sub2ind(inds, t...) for t in Iterators.zip(I1, Is...)]
@inline _ind2sub(a::AbstractArray, i) = _ind2sub(axes(a), i)
@inline _ind2sub(dims::Tuple, i::Integer) = (check_linear(dims); cartesian_at(map(int_axis, dims), i - 1))
_ind2sub(::Tuple{}, i::Integer) = i == 1 ? () : throw(BoundsError())
function _ind2sub(inds::Tuple, is::AbstractVector{<:Integer})
    subs = [_ind2sub(inds, i) for i in is]
    ntuple(k -> [s[k] for s in subs], length(inds))
end
@inline _to_linear_index(a::AbstractArray, I::Integer...) = linear_index(axes(a), I)
@inline _to_subscript_indices(a::AbstractArray, I::Integer...) = full_index(axes(a), map(Int, I))
nextL(l, r::AbstractUnitRange) = l * length(r)
nextL(l, r) = l * r

module IteratorsMD
    using ..Base: CartesianIndex, CartesianIndices, IndexCartesian, IndexLinear, LinearIndices, cartindexhash_seed
    import ..Base: flatten_index as flatten
    export CartesianIndex, CartesianIndices
end
# The next element, where it is known that there is one.
@propagate_inbounds _prechecked_iterate(itr) = iterate(itr)
@propagate_inbounds _prechecked_iterate(itr, state) = iterate(itr, state)
