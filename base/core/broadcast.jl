# Broadcasting: `f.(xs...)` as a lazy tree, its shape, and the loops that fill the result. Module Broadcast.

"""
    broadcast(f, As...)

Calls `f` for every element of the arguments' common shape and collects the results, as `f.(As...)` does. Arguments of
length one along a dimension are repeated along it; numbers and other scalars are repeated along all.

```julia
broadcast(+, [1, 2], [10 20])    # [11 21; 12 22]
```
"""
function broadcast end
"""
    broadcast!(f, dest, As...)

Stores the results of `broadcast(f, As...)` in `dest`, which has the result's shape, and returns `dest`.
"""
function broadcast! end
function broadcasted end
function broadcasted_kwsyntax end
function materialize end
function materialize! end
function dotview end
# `a .&& b` and `a .|| b` evaluate both sides of each element at need only.
struct AndAnd end
const andand = AndAnd()
(::AndAnd)(a, b) = a && b
struct OrOr end
const oror = OrOr()
(::OrOr)(a, b) = a || b

"""
    Broadcast

Evaluation of `f.(xs...)`: the common shape of the arguments, the kind of the result, and the loop that fills it.
"""
Broadcast

module Broadcast

import ..Base: broadcast, broadcast!, axes, size, length, ndims, eltype, getindex, iterate, eachindex, IndexStyle,
    copy, copyto!, similar, keys, broadcasted, materialize, materialize!, dotview, broadcasted_kwsyntax
using ..Base: @inline, @noinline, @propagate_inbounds, @boundscheck, @inbounds, OneTo, tail, IndexLinear, IndexCartesian,
    Fix1, Fix2, Slice, to_shape, dim_length, unalias, mightalias, promote_typejoin, promote_op, throw_boundserror,
    checkbounds, prod_dims, AbstractRange, to_indices, linear_index, RefValue, maybeview, identity
import ..Base: IteratorSize, HasShape, checkindex, reduce

export broadcast, broadcast!, BroadcastStyle, broadcast_axes, broadcastable, dotview, @__dot__, BroadcastFunction

"""
    BroadcastStyle

The kind of container that a broadcast makes. A container type chooses its style with a method
`BroadcastStyle(::Type{<:MyContainer}) = MyStyle()`; a method for two styles says which of them wins.
"""
abstract type BroadcastStyle end
abstract type AbstractArrayStyle{N} <: BroadcastStyle end
struct Style{T} <: BroadcastStyle end
struct Unknown <: BroadcastStyle end
struct ArrayStyle{A <: AbstractArray} <: AbstractArrayStyle{Any} end
struct DefaultArrayStyle{N} <: AbstractArrayStyle{N} end
struct ArrayConflict <: AbstractArrayStyle{Any} end
(::Type{T})(::Val) where {T <: ArrayStyle} = T()
ArrayStyle{A}(::Val) where {A} = ArrayStyle{A}()
DefaultArrayStyle(::Val{N}) where {N} = DefaultArrayStyle{N}()
DefaultArrayStyle{M}(::Val{N}) where {N, M} = DefaultArrayStyle{N}()
ArrayConflict(::Val) = ArrayConflict()

BroadcastStyle(::Type{Union{}}) = Unknown()
BroadcastStyle(::Type{<:Tuple}) = Style{Tuple}()
BroadcastStyle(::Type{T}) where {T} = DefaultArrayStyle{ndims(T)}()
BroadcastStyle(::Type{<:AbstractArray{T, N}}) where {T, N} = DefaultArrayStyle{N}()
BroadcastStyle(::BroadcastStyle, ::BroadcastStyle) = Unknown()
BroadcastStyle(::Unknown, ::Unknown) = Unknown()
BroadcastStyle(::S, ::Unknown) where {S <: BroadcastStyle} = S()
BroadcastStyle(a::S, ::S) where {S <: BroadcastStyle} = a
BroadcastStyle(a::AbstractArrayStyle{0}, b::Style{Tuple}) = b
BroadcastStyle(a::AbstractArrayStyle, ::Style{Tuple}) = a
BroadcastStyle(::A, ::A) where {A <: ArrayStyle} = A()
BroadcastStyle(::ArrayStyle, ::ArrayStyle) = Unknown()
BroadcastStyle(::A, ::A) where {A <: AbstractArrayStyle} = A()
BroadcastStyle(a::A, b::B) where {A <: AbstractArrayStyle{M}, B <: AbstractArrayStyle{N}} where {M, N} =
    a isa DefaultArrayStyle || A.name !== B.name ? Unknown() : typeof(a)(Val(M isa Int && N isa Int && M < N ? N : M))
BroadcastStyle(a::DefaultArrayStyle{M}, b::DefaultArrayStyle{N}) where {M, N} = DefaultArrayStyle(Val(M > N ? M : N))
BroadcastStyle(a::DefaultArrayStyle{N}, b::DefaultArrayStyle{N}) where {N} = a
BroadcastStyle(a::AbstractArrayStyle{Any}, ::DefaultArrayStyle) = a
BroadcastStyle(a::AbstractArrayStyle{N}, ::DefaultArrayStyle{N}) where {N} = a
BroadcastStyle(a::AbstractArrayStyle{M}, ::DefaultArrayStyle{N}) where {M, N} = style_of_rank(a, Val(M > N ? M : N))
style_of_rank(a::S, v) where {S} = typeof(a)(v)
BroadcastStyle(::ArrayConflict, ::DefaultArrayStyle) = ArrayConflict()

combine_styles() = DefaultArrayStyle{0}()
combine_styles(c) = result_style(BroadcastStyle(typeof(c)))
@inline combine_styles(c1, c2) = result_style(combine_styles(c1), combine_styles(c2))
@inline combine_styles(c1, c2, cs...) = result_style(combine_styles(c1), combine_styles(c2, cs...))
result_style(s::BroadcastStyle) = s
result_style(s1::S, s2::S) where {S <: BroadcastStyle} = s1 === s2 ? s1 : throw_styles_differ(s1, s2)
@noinline throw_styles_differ(s1, s2) =
    Base.error("inconsistent broadcast styles, custom rule needed: ", s1, " and ", s2)
@inline result_style(s1, s2) = join_styles(s1, s2, BroadcastStyle(s1, s2), BroadcastStyle(s2, s1))
join_styles(a, b, ::Unknown, ::Unknown) = a isa AbstractArrayStyle && b isa AbstractArrayStyle ? ArrayConflict() : Unknown()
join_styles(a, b, ::Unknown, s) = s
join_styles(a, b, s, ::Unknown) = s
join_styles(a, b, s::S, t::S) where {S} = s === t ? s : throw_conflict(a, b, s, t)
join_styles(a, b, s, t) = throw_conflict(a, b, s, t)
@noinline throw_conflict(a, b, s, t) = Base.error(string("conflicting broadcast rules defined\n  Broadcast.BroadcastStyle(::", typeof(a), ", ::", typeof(b), ") = ", s, "()\n  Broadcast.BroadcastStyle(::", typeof(b), ", ::", typeof(a), ") = ", t, "()"))

# The tree.
struct Broadcasted{Style <: Union{Nothing, BroadcastStyle}, Axes, F, Args <: Tuple}
    style::Style
    f::F
    args::Args
    axes::Axes
    Broadcasted(style::Union{Nothing, BroadcastStyle}, f::F, args::Args, axes = nothing) where {F, Args <: Tuple} =
        new{typeof(style), typeof(axes), F, Args}(style, f, args, axes)
    Broadcasted(style::Union{Nothing, BroadcastStyle}, f::Type{F}, args::Args, axes = nothing) where {F, Args <: Tuple} =
        new{typeof(style), typeof(axes), Type{F}, Args}(style, f, args, axes)
    Broadcasted{Style}(f::F, args::Args, axes = nothing) where {Style, F, Args <: Tuple} =
        new{Style, typeof(axes), F, Args}(Style(), f, args, axes)
    Broadcasted{Style}(f::Type{F}, args::Args, axes = nothing) where {Style, F, Args <: Tuple} =
        new{Style, typeof(axes), Type{F}, Args}(Style(), f, args, axes)
    Broadcasted{Nothing}(f::F, args::Args, axes = nothing) where {F, Args <: Tuple} =
        new{Nothing, typeof(axes), F, Args}(nothing, f, args, axes)
    Broadcasted{Nothing}(f::Type{F}, args::Args, axes = nothing) where {F, Args <: Tuple} =
        new{Nothing, typeof(axes), Type{F}, Args}(nothing, f, args, axes)
end
Broadcasted(f, args::Tuple) = Broadcasted(combine_styles(args...), f, args, nothing)
Broadcasted(f, args::Tuple, axes::Union{Nothing, Tuple}) = Broadcasted(combine_styles(args...), f, args, axes)
Broadcasted(f::Union{Nothing, BroadcastStyle}, args::Tuple, axes::Tuple) = Broadcasted(f, args, axes, nothing)
Base.convert(::Type{Broadcasted{Style}}, bc::Broadcasted) where {Style} = Broadcasted{Style}(bc.f, bc.args, bc.axes)
BroadcastStyle(::Type{<:Broadcasted{S}}) where {S <: Union{Nothing, BroadcastStyle}} = S === Nothing ? Unknown() : S()
combine_styles(bc::Broadcasted{S}) where {S <: BroadcastStyle} = bc.style
combine_styles(bc::Broadcasted{Nothing}) = combine_styles(bc.args...)

@inline axes(bc::Broadcasted) = _axes(bc, bc.axes)
_axes(bc, axes) = axes
@inline _axes(bc, ::Nothing) = combine_axes(bc.args...)
@inline axes(bc::Broadcasted, d::Integer) = d <= ndims(bc) ? axes(bc)[d] : OneTo(1)
_axes(bc::Broadcasted{<:AbstractArrayStyle{0}}, ::Nothing) = ()
size(bc::Broadcasted) = map(length, axes(bc))
length(bc::Broadcasted) = prod_dims(size(bc))
ndims(bc::Broadcasted) = length(axes(bc))
ndims(::Type{<:Broadcasted{<:Any, <:NTuple{N, Any}}}) where {N} = N
ndims(::Type{B}) where {N, B <: Broadcasted{<:AbstractArrayStyle{N}, Nothing}} = N isa Int ? N : largest_ndims(fieldtype(B, :args))
ndims(::Type{B}) where {B <: Broadcasted{<:Any, Nothing}} = largest_ndims(fieldtype(B, :args))
largest_ndims(::Type{T}) where {N, T <: Base.NTuple{N, Any}} = Base.largest_of(0, Base.ntuple(k -> ndims_of_part(fieldtype(T, k)), Val(N))...)
ndims_of_part(::Type{<:Tuple}) = 1
ndims_of_part(::Type{T}) where {T} = ndims(T)
eltype(bc::Broadcasted) = combine_eltypes(bc.f, bc.args)
IteratorSize(::Type{B}) where {B <: Broadcasted} = HasShape{ndims(B)}()
eachindex(bc::Broadcasted) = eachindex(IndexStyle(bc), bc)
eachindex(style::Base.IndexStyle, bc::Broadcasted) = index_range(style, axes(bc))
index_range(::IndexLinear, ax::Tuple{Any}) = ax[1]
index_range(::IndexLinear, ax::Tuple) = OneTo(prod_dims(map(length, ax)))
index_range(::IndexCartesian, ax::Tuple) = Base.CartesianIndices(ax)
IndexStyle(bc::Broadcasted) = IndexStyle(typeof(bc))
IndexStyle(::Type{<:Broadcasted{<:Any, <:Tuple{Any}}}) = IndexLinear()
IndexStyle(::Type{<:Broadcasted{<:Any}}) = IndexCartesian()
keys(bc::Broadcasted) = eachindex(bc)
function iterate(bc::Broadcasted)
    it = eachindex(bc)
    y = iterate(it)
    y === nothing ? nothing : (bc[y[1]], (it, y[2]))
end
function iterate(bc::Broadcasted, s)
    y = iterate(s[1], s[2])
    y === nothing ? nothing : (bc[y[1]], (s[1], y[2]))
end

@inline function instantiate(bc::Broadcasted)
    if bc.axes isa Nothing
        ax = combine_axes(bc.args...)
    else
        ax = bc.axes
        check_broadcast_axes(ax, bc.args...)
    end
    Broadcasted(bc.style, bc.f, bc.args, ax)
end
instantiate(bc::Broadcasted{<:AbstractArrayStyle{0}}) = bc
instantiate(bc::Broadcasted{Style{Tuple}, Nothing}) = bc
# A tuple needs axes only as the source of an assignment.
@inline instantiate(bc::Broadcasted{Style{Tuple}}) = (check_broadcast_axes(bc.axes, bc.args...); bc)
instantiate(x) = x

# A tree of calls as one call on its leaves.
flatten(bc::Broadcasted) = isflat(bc) ? bc : Broadcasted(bc.style, nest(bc), cat_nested(bc), bc.axes)
isflat(bc::Broadcasted) = none_nested(bc.args...)
none_nested() = true
none_nested(::Broadcasted, rest...) = false
none_nested(a, rest...) = none_nested(rest...)
cat_nested(bc::Broadcasted) = flat_args(bc.args...)
# The calls of a tree without their arguments.
struct Leaf end
struct NestedCall{F, P <: Tuple} <: Function
    f::F
    parts::P
end
NestedCall(f::Type{T}, parts::P) where {T, P <: Tuple} = NestedCall{Type{T}, P}(f, parts)
nest(bc::Broadcasted) = NestedCall(bc.f, map(nest, bc.args))
nest(x) = Leaf()
@inline (c::NestedCall)(xs...) = flat_call(c, xs)[1]
flat_args() = ()
@inline flat_args(a::Broadcasted, rest...) = (flat_args(a.args...)..., flat_args(rest...)...)
@inline flat_args(a, rest...) = (a, flat_args(rest...)...)
@inline function flat_call(c::NestedCall, xs)
    vals, rest = flat_take(c.parts, xs)
    (c.f(vals...), rest)
end
@inline flat_call(::Leaf, xs) = (xs[1], tail(xs))
flat_take(::Tuple{}, xs) = ((), xs)
@inline function flat_take(parts::Tuple, xs)
    v, rest = flat_call(parts[1], xs)
    vs, left = flat_take(tail(parts), rest)
    ((v, vs...), left)
end

# Shapes. An axis of one element stretches.
combine_axes() = ()
combine_axes(a) = axes_of(a)
@inline combine_axes(a, bs...) = broadcast_shape(axes_of(a), combine_axes(bs...))
axes_of(x) = axes(x)
axes_of(t::Tuple) = (OneTo(length(t)),)
"""
    broadcast_axes(x)

The axes with which `x` takes part in a broadcast.
"""
const broadcast_axes = axes_of
broadcast_shape(shape::Tuple) = shape
@inline broadcast_shape(a::Tuple, b::Tuple, cs::Tuple...) = broadcast_shape(join_shape(a, b), cs...)
join_shape(::Tuple{}, ::Tuple{}) = ()
join_shape(::Tuple{}, b::Tuple) = b
join_shape(a::Tuple, ::Tuple{}) = a
@inline join_shape(a::Tuple, b::Tuple) = (join_axis(a[1], b[1]), join_shape(tail(a), tail(b))...)
@noinline throw_shape(a, b) = throw(Base.DimensionMismatch(string(
    "arrays could not be broadcast to a common size: a has axes ", a, " and b has axes ", b)))
@inline join_axis(a, b) = fits(b, a) ? axistype(b, a) : fits(a, b) ? axistype(a, b) : throw_shape(a, b)
fits(a, b) = a == b || length(b) == 1
axistype(a::T, b::T) where {T} = a
axistype(a::OneTo, b::OneTo) = OneTo{Int}(a.stop)
axistype(a, b) = Base.UnitRange{Int}(first(a), last(a))
@inline join_axis(a::Integer, b::Integer) = a == 1 ? b : b == 1 || a == b ? a : throw_shape(a, b)
@inline join_axis(a::Integer, b) = a == 1 ? b : first(b) == 1 && last(b) == a ? b : throw_shape(a, b)
@inline join_axis(a, b::Integer) = join_axis(b, a)
# The names of these for packages with axes of their own.
const _bcs = join_shape
const _bcs1 = join_axis
@inline join_axis(a::OneTo{Int}, b::OneTo{Int}) = a.stop == 1 ? b : b.stop == 1 || a.stop == b.stop ? a : throw_shape(a, b)
@inline check_broadcast_axes(shape, args...) = check_each(shape, args...)
check_each(shape) = nothing
@inline check_each(shape, a, rest...) = (check_broadcast_shape(shape, axes_of(a)); check_each(shape, rest...))
check_broadcast_shape(shape::Tuple, ::Tuple{}) = nothing
check_broadcast_shape(::Tuple{}, ::Tuple{}) = nothing
@inline check_broadcast_shape(shape::Tuple, ax::Tuple) =
    (stretches(shape[1], ax[1]) || throw_check(shape, ax); check_broadcast_shape(tail(shape), tail(ax)))
check_broadcast_shape(::Tuple{}, ax::Tuple) = all(a -> stretches(OneTo(1), a), ax) ? nothing : throw_check((), ax)
@inline stretches(r, s) = length(s) == 1 || r == s
@inline stretches(r, n::Number) = n == 1 || r == n
@noinline throw_check(shape, ax) = throw(Base.DimensionMismatch(string("array could not be broadcast to match destination")))

# What takes part as a container and what as a single value.
"""
    broadcastable(x)

The form in which `x` takes part in a broadcast: `x` itself if it has axes and can be indexed, a reference to it if it
counts as one value, and a collected copy of other iterators.
"""
broadcastable(x::Union{Symbol, AbstractString, Function, Base.UndefInitializer, Nothing, Base.RoundingMode, Missing, Val, Ptr, Base.Pair, IO, Base.CartesianIndex}) = Ref(x)
broadcastable(::Type{T}) where {T} = RefValue{Type{T}}(T)
broadcastable(x::Union{AbstractArray, Number, AbstractChar, Ref, Tuple, Broadcasted}) = x
broadcastable(x) = collect(x)
broadcastable(::Union{Base.AbstractDict, NamedTuple}) =
    throw(ArgumentError("broadcasting over dictionaries and `NamedTuple`s is reserved"))
broadcastable(x::Exception) = Ref(x)

# Which element of an argument goes to index `I` of the result.
@inline newindex(a, I) = newindex_axes(axes(a), I)
newindex(a::Tuple{Any}, I) = 1
@inline newindex(a::Tuple, I) = I[1]
@inline newindex(I::Base.CartesianIndex, keep::Tuple, default::Tuple) = single_index(keep_index(I.I, keep, default))
single_index(I::Tuple{Any}) = I[1]
single_index(I::Tuple) = Base.CartesianIndex(I)
@inline newindex_axes(ax::Tuple{Any}, I::Base.CartesianIndex) = clip_index(ax, I.I)[1]
@inline newindex_axes(ax::Tuple{Any}, i::Integer) = clip_index(ax, (i,))[1]
@inline newindex_axes(ax::Tuple, I::Base.CartesianIndex) = Base.CartesianIndex(clip_index(ax, I.I))
@inline newindex_axes(ax::Tuple{}, i::Integer) = Base.CartesianIndex()
@inline newindex_axes(ax::Tuple, i::Integer) = Base.CartesianIndex(clip_index(ax, (i,)))
clip_index(::Tuple{}, I::Tuple) = ()
clip_index(::Tuple{}, ::Tuple{}) = ()
clip_index(ax::Tuple, ::Tuple{}) = map(first, ax)
@inline clip_index(ax::Tuple, I::Tuple) = (ifelse(length(ax[1]) == 1, Int(first(ax[1])), I[1]), clip_index(tail(ax), tail(I))...)

@propagate_inbounds broadcast_get(a::Number, I) = a
@propagate_inbounds broadcast_get(a::AbstractChar, I) = a
@propagate_inbounds broadcast_get(a::Ref, I) = a[]
@propagate_inbounds broadcast_get(a::AbstractArray{T, 0}, I) where {T} = a[]
@propagate_inbounds broadcast_get(a::AbstractArray, I) = a[newindex(a, I)]
@propagate_inbounds broadcast_get(a::Tuple{Any}, I) = a[1]
@propagate_inbounds broadcast_get(a::Tuple, I) = a[I[1]]
@propagate_inbounds broadcast_get(bc::Broadcasted, I) = broadcast_call(bc, I)
@propagate_inbounds broadcast_get(a, I) = a[newindex(a, I)]
@propagate_inbounds broadcast_call(bc::Broadcasted, I) = call_at(bc.f, bc.args, I)
@propagate_inbounds call_at(f, args::Tuple, I) = call_element(f, broadcast_args(args, I))
# The bounds of the broadcast say nothing of what its function indexes.
@inline call_element(f, xs::Tuple) = f(xs...)
# The right side of `.&&` and `.||` is evaluated for the elements whose left side asks for it.
@propagate_inbounds call_at(::Base.AndAnd, args::Tuple, I) = broadcast_get(args[1], I) && broadcast_get(args[2], I)
@propagate_inbounds call_at(::Base.OrOr, args::Tuple, I) = broadcast_get(args[1], I) || broadcast_get(args[2], I)
@propagate_inbounds broadcast_args(args::Tuple{}, I) = ()
@propagate_inbounds broadcast_args(args::Tuple{Any}, I) = (broadcast_get(args[1], I),)
@propagate_inbounds broadcast_args(args::Tuple{Any, Any}, I) = (broadcast_get(args[1], I), broadcast_get(args[2], I))
@propagate_inbounds broadcast_args(args::Tuple, I) = (broadcast_get(args[1], I), broadcast_args(tail(args), I)...)
const _broadcast_getindex = broadcast_get
@inline function getindex(bc::Broadcasted, I::Base.CartesianIndex)
    @boundscheck Base.checkbounds_indices(Bool, axes(bc), I.I) || throw_boundserror(bc, (I,))
    @inbounds broadcast_call(bc, I)
end
@inline getindex(bc::Broadcasted, i::Integer) = get_numbered(bc, axes(bc), i)
@inline function get_numbered(bc, ax::Tuple{Any}, i)
    @boundscheck Base.checkindex(Bool, ax[1], i) || throw_boundserror(bc, (i,))
    @inbounds broadcast_call(bc, i)
end
@inline function get_numbered(bc, ax, i)
    @boundscheck 1 <= i <= length(bc) || throw_boundserror(bc, (i,))
    @inbounds broadcast_call(bc, Base.CartesianIndex(Base.cartesian_at(ax, Int(i) - 1)))
end
@inline getindex(bc::Broadcasted, I::Union{Integer, Base.CartesianIndex}...) = bc[Base.CartesianIndex(I...)]

# Before the loop: an argument that overlaps the destination is copied; a plain array of full shape needs no
# clipping of its index.
struct Extruded{T, K, D}
    x::T
    keeps::K
    defaults::D
end
@inline extrude(a::AbstractArray) = Extruded(a, map(r -> length(r) != 1, axes(a)), map(first, axes(a)))
extrude(a) = a
@inline axes(e::Extruded) = axes(e.x)
@propagate_inbounds broadcast_get(e::Extruded, i::Integer) = e.x[ifelse(e.keeps[1], i, e.defaults[1])]
@propagate_inbounds broadcast_get(e::Extruded, I::Base.CartesianIndex) = e.x[keep_index(I.I, e.keeps, e.defaults)...]
@propagate_inbounds broadcast_get(e::Extruded{<:Any, Tuple{}}, I::Base.CartesianIndex) = e.x[]
@propagate_inbounds broadcast_get(e::Extruded{<:Any, Tuple{}}, i::Integer) = e.x[]
keep_index(I::Tuple, ::Tuple{}, ::Tuple) = ()
keep_index(::Tuple{}, ::Tuple{}, ::Tuple) = ()
keep_index(I::Tuple, ::Tuple{}, ::Tuple{}) = ()
keep_index(::Tuple{}, k::Tuple, d::Tuple) = d
keep_index(::Tuple{}, ::Tuple{}, ::Tuple{}) = ()
@inline keep_index(I::Tuple, k::Tuple, d::Tuple) = (ifelse(k[1], I[1], d[1]), keep_index(tail(I), tail(k), tail(d))...)
broadcast_unalias(dest, src) = dest === src ? src : unalias(dest, src)
broadcast_unalias(::Nothing, src) = src
@inline preprocess(dest, bc::Broadcasted) = Broadcasted(bc.style, bc.f, preprocess_args(dest, bc.args), bc.axes)
preprocess(dest, x) = extrude(broadcast_unalias(dest, x))
preprocess_args(dest, ::Tuple{}) = ()
@inline preprocess_args(dest, args::Tuple) = (preprocess(dest, args[1]), preprocess_args(dest, tail(args))...)

# Entry points.
@inline broadcast(f, As...) = materialize(broadcasted(f, As...))
@inline broadcast!(f, dest, As...) = (materialize!(dest, broadcasted(f, As...)); dest)
const Iterators = Base.Iterators
@inline broadcasted(f, args...) = make_broadcasted(f, map(broadcastable, args))
@inline make_broadcasted(f, args) = broadcasted(combine_styles(args...), f, args...)
@inline broadcasted(s::BroadcastStyle, f, args...) = Broadcasted(s, f, args)
broadcasted_kwsyntax(f, args...; kw...) = isempty(kw) ? broadcasted(f, args...) : broadcasted((xs...) -> f(xs...; kw...), args...)
Core.kwcall(kw::NamedTuple, ::typeof(broadcasted), f, args...) = broadcasted((xs...) -> f(xs...; kw...), args...)
Core.kwcall(kw::NamedTuple, ::typeof(broadcast), f, args...) = broadcast((xs...) -> f(xs...; kw...), args...)

@inline materialize(bc::Broadcasted) = copy(instantiate(bc))
materialize(x) = x
@inline materialize!(dest, x) = materialize!(dest, instantiate(Broadcasted(identity, (broadcastable(x),), axes(dest))))
@inline materialize!(dest, bc::Broadcasted) = materialize!(combine_styles(dest, bc), dest, bc)
@inline materialize!(::BroadcastStyle, dest, bc::Broadcasted) =
    copyto!(dest, instantiate(Broadcasted(bc.style, bc.f, bc.args, axes(dest))))

@inline copy(bc::Broadcasted{<:AbstractArrayStyle{0}}) = bc.f(broadcast_args(bc.args, Base.CartesianIndex())...)
copy(bc::Broadcasted{<:Union{Nothing, Unknown}}) =
    throw(ArgumentError("broadcasting requires an assigned BroadcastStyle"))
@inline function copy(bc::Broadcasted{Style{Tuple}})
    n = tuple_shape(bc.args...)
    ntuple(k -> (@inbounds broadcast_call(bc, k)), n)
end
# The length of a tuple result, as a constant where types tell it.
tuple_shape(args...) = tuple_length_join(map(tuple_length, args)...)
tuple_length(t::Tuple) = Val(length(t))
tuple_length(bc::Broadcasted) = tuple_shape(bc.args...)
tuple_length(x) = Val(1)
tuple_length_join(a) = a
@inline tuple_length_join(a, b, cs...) = tuple_length_join(join_val(a, b), cs...)
join_val(a::Val{N}, ::Val{N}) where {N} = a
join_val(::Val{1}, b::Val) = b
join_val(a::Val, ::Val{1}) = a
join_val(a::Val{1}, ::Val{1}) = a
join_val(::Val{M}, ::Val{N}) where {M, N} = throw_shape(OneTo(M), OneTo(N))

# An array result. Its element type is what inference says if that is concrete, else it grows with the values.
function copy(bc::Broadcasted)
    T = combine_eltypes(bc.f, bc.args)
    if Base.isconcretetype(T)
        copyto!(similar(bc, T), bc)
    else
        copy_widening(bc)
    end
end
# Few arguments one by one: inference follows single types, not tuples of them.
combine_eltypes(f, ::Tuple{}) = promote_op(f)
combine_eltypes(f, args::Tuple{Any}) = promote_op(f, element_type(args[1]))
combine_eltypes(f, args::Tuple{Any, Any}) = promote_op(f, element_type(args[1]), element_type(args[2]))
combine_eltypes(f, args::Tuple{Any, Any, Any}) = promote_op(f, element_type(args[1]), element_type(args[2]), element_type(args[3]))
combine_eltypes(f, args::Tuple) = promote_op(f, map(element_type, args)...)
element_type(x) = eltype(x)
element_type(bc::Broadcasted) = combine_eltypes(bc.f, bc.args)
element_type(x::Extruded) = eltype(x.x)
element_type(x::Ref) = eltype(x)
element_type(t::Tuple) = eltype(t)
similar(bc::Broadcasted, ::Type{T}) where {T} = similar(bc, T, axes(bc))
similar(bc::Broadcasted{DefaultArrayStyle{N}}, ::Type{T}, dims) where {N, T} = array_of(T, dims)
similar(bc::Broadcasted{DefaultArrayStyle{N}}, ::Type{Bool}, dims) where {N} = bits_for(dims)
array_of(::Type{T}, dims::Tuple{Vararg{OneTo, N}}) where {T, N} = Array{T, N}(undef, map(length, dims))
array_of(::Type{T}, dims) where {T} = similar(Array{T}, dims)
bits_for(dims::Tuple{Vararg{OneTo}}) = Base.BitArray(undef, map(length, dims))
bits_for(dims) = similar(Base.BitArray, dims)
similar(bc::Broadcasted{ArrayConflict}, ::Type{T}, dims) where {T} = array_of(T, dims)
similar(bc::Broadcasted{ArrayConflict}, ::Type{Bool}, dims) = bits_for(dims)
similar(bc::Broadcasted, ::Type{T}, dims) where {T} = array_of(T, dims)
function copy_widening(bc)
    pre = preprocess(nothing, bc)
    inds = eachindex(bc)
    y = iterate(inds)
    y === nothing && return similar(bc, eltype_of_empty(bc))
    I, st = y
    v = @inbounds call_split(pre, I)
    out = similar(bc, typeof(v))
    @inbounds out[I] = v
    fill_rest(out, pre, inds, st, 1)
end
# A call of its own, so that inference takes the members of unions among the arguments one by one.
@propagate_inbounds call_split(bc, I) = bc.f isa Union{Base.AndAnd, Base.OrOr} ? broadcast_call(bc, I) : call_args(bc.f, broadcast_args(bc.args, I)...)
@inline call_args(f, xs...) = f(xs...)
eltype_of_empty(bc) = (T = Base.joined_members(combine_eltypes(bc.f, bc.args)); T === Union{} ? Any : T)
function fill_rest(out::AbstractArray{T}, pre, inds, st, n) where {T}
    y = iterate(inds, st)
    while y !== nothing
        v = @inbounds call_split(pre, y[1])
        if v isa T
            @inbounds out[y[1]] = v
        else
            wide = similar(pre, promote_typejoin(T, typeof(v)))
            for J in Iterators.take(inds, n)
                wide[J] = out[J]
            end
            wide[y[1]] = v
            return fill_rest(wide, pre, inds, y[2], n + 1)
        end
        n += 1
        y = iterate(inds, y[2])
    end
    out
end

@inline copyto!(dest::AbstractArray, bc::Broadcasted{<:AbstractArrayStyle{0}}) = copyto_scalar!(dest, bc)
function copyto_scalar!(dest, bc)
    if bc.f === identity && length(bc.args) == 1 && axes(dest) isa Tuple
        return fill!(dest, broadcast_get(bc.args[1], Base.CartesianIndex()))
    end
    copyto_loop!(dest, Broadcasted(bc.style, bc.f, bc.args, axes(dest)))
end
@inline copyto!(dest::AbstractArray, bc::Broadcasted) = copyto_loop!(dest, bc)
@inline function copyto_loop!(dest, bc)
    axes(dest) == axes(bc) || throw_dims_dest(dest, bc)
    if bc.f === identity && bc.args isa Tuple{AbstractArray} && axes(bc.args[1]) == axes(dest)
        return copyto!(dest, bc.args[1])
    end
    pre = preprocess(dest, bc)
    for I in eachindex(bc)
        @inbounds dest[I] = broadcast_call(pre, I)
    end
    dest
end
# Bits are put together a word at a time.
@inline function copyto_bits!(dest, bc::Broadcasted)
    bc.f === identity && return copyto_loop!(dest, bc)
    axes(dest) == axes(bc) || throw_dims_dest(dest, bc)
    copy_bits!(dest.chunks, length(dest), preprocess(dest, bc))
    dest
end
# So many at a time are flags of a byte first: loops over bytes are vectorized.
const FLAGS = 65536
function copy_bits!(chunks, n, pre)
    n <= 64 && return copy_few_bits!(chunks, n, pre)
    flags = Memory{Bool}(undef, min(FLAGS, (n + 63) & -64))
    before = 0
    while before < n
        count = min(FLAGS, n - before)
        fill_flags!(flags, pre, before, count)
        words = (count + 63) >> 6
        for k in (count + 1):(words << 6)
            @inbounds flags[k] = false
        end
        pack_flags!(chunks, before >> 6, flags, words)
        before += FLAGS
    end
end
function copy_few_bits!(chunks, n, pre)
    word = zero(UInt64)
    for k in 1:n
        bit = convert(Bool, @inbounds broadcast_call(pre, k))
        word |= (bit % UInt64) << (k - 1)
    end
    n == 0 || (@inbounds chunks[1] = word)
    nothing
end
@noinline function fill_flags!(flags, pre, before, count)
    for k in 1:count
        @inbounds flags[k] = convert(Bool, broadcast_call(pre, before + k))
    end
end
# The product has the lowest bits of eight bytes in its highest byte.
function pack_flags!(chunks, before, flags, words)
    bytes = Base.reinterpret(Ptr{UInt64}, Base.pointer(flags))
    for w in 1:words
        word = zero(UInt64)
        for j in 0:7
            word |= ((Base.unsafe_load(bytes, 8w - 7 + j) * 0x0102040810204080) >> 56) << 8j
        end
        @inbounds chunks[before + w] = word
    end
end
@inline function broadcast_preserving_zero_d(f, as...)
    bc = broadcasted(f, as...)
    x = materialize(bc)
    axes(bc) === () ? fill!(similar(bc, typeof(x)), x) : x
end
# Whether an axis can be stretched to another.
_bcsm(a, b) = a == b || length(b) == 1
_bcsm(a, b::Number) = b == 1
_bcsm(a::Number, b::Number) = a == b || b == 1
throwdm(dest, src) = throw(Base.DimensionMismatch(string("destination axes ", dest, " are not compatible with source axes ", src)))
@noinline throw_dims_dest(dest, bc) = throw(Base.DimensionMismatch(string("destination axes ", axes(dest),
    " are not compatible with source axes ", axes(bc))))

@propagate_inbounds dotview(args...) = maybeview(args...)

# Boxes of indices move with an index.
broadcasted(::typeof(+), R::Base.CartesianIndices{N}, J::Base.CartesianIndex{N}) where {N} =
    Base.CartesianIndices(map((r, j) -> r .+ j, R.indices, J.I))
broadcasted(::typeof(+), J::Base.CartesianIndex{N}, R::Base.CartesianIndices{N}) where {N} = broadcasted(+, R, J)
broadcasted(::typeof(-), R::Base.CartesianIndices{N}, J::Base.CartesianIndex{N}) where {N} = broadcasted(+, R, -J)
broadcasted(::typeof(-), J::Base.CartesianIndex{N}, R::Base.CartesianIndices{N}) where {N} =
    Base.CartesianIndices(map((r, j) -> j .- r, R.indices, J.I))

"""
    BroadcastFunction(op)

A function that broadcasts `op` over its arguments. The dotted operators are such functions: `map(.*, xs, ys)`.
"""
struct BroadcastFunction{F} <: Function
    f::F
end
@inline (op::BroadcastFunction)(x...; kw...) = broadcast(op.f, x...; kw...)
Base.show(io::IO, op::BroadcastFunction) = Base.print(io, BroadcastFunction, "(", Base.repr(op.f), ")")

# `@.` puts a dot on every call, operator and assignment.
undot(x) = x
add_dots(x) = x
function add_dots(x::Symbol)
    s = string(x)
    x !== :.. && ncodeunits(s) > 1 && s[1] == '.' && s[2] != '.' ? x : x
end
function add_dots(x::Expr)
    args = Base.mapany(add_dots, x.args)
    if x.head === :call && is_plain_call(x.args[1])
        head = x.args[1]
        head === :(:) && return Expr(:call, args...)
        return is_operator(head) ? Expr(:call, dotted(head), args[2:end]...) : Expr(:., add_dots_callee(head), Expr(:tuple, args[2:end]...))
    elseif x.head === :comparison
        return Expr(:comparison, (iseven(i) ? dotted(a) : a for (i, a) in enumerate(args))...)
    elseif x.head === :$
        return x.args[1]
    elseif x.head === :let
        return Expr(:let, undotted_let(x.args[1]), args[2])
    elseif x.head === :for
        return Expr(:for, x.args[1], args[2])
    elseif x.head === :(=) || x.head === :function || x.head === :macro
        x.head === :(=) && x.args[1] isa Expr && x.args[1].head === :call && return Expr(x.head, x.args[1], args[2])
        x.head === :(=) || return Expr(x.head, x.args[1], args[2])
        return Expr(Symbol(".="), args...)
    elseif x.head === :&&
        return Expr(Symbol(".&&"), args...)
    elseif x.head === :||
        return Expr(Symbol(".||"), args...)
    elseif x.head === :<: || x.head === :>:
        return Expr(:call, dotted(x.head), args...)
    elseif is_update(x.head)
        return Expr(Symbol(string(".", x.head)), args...)
    else
        return Expr(x.head, args...)
    end
end
undotted_let(x) = x
add_dots_callee(x) = x
is_plain_call(f) = !(f isa Symbol && startswith_dot(f)) && !(f isa Expr && f.head === :$)
startswith_dot(f::Symbol) = (s = string(f); ncodeunits(s) > 1 && s[1] == '.' && s != "..")
is_operator(f) = f isa Symbol && Base.isoperator(f)
dotted(op::Symbol) = startswith_dot(op) ? op : Symbol(string(".", op))
dotted(op) = op
function is_update(head::Symbol)
    s = string(head)
    n = ncodeunits(s)
    n > 1 && s[n] == '=' && s[1] != '.' && !(s in ("==", "!=", "<=", ">=", "===", "!==")) && Base.isoperator(Symbol(s[1:prevind(s, n)]))
end
"""
    @. expression

Makes every call, operator and assignment of the expression a broadcasting one. A call marked with `\$` stays as it is.

```julia
@. y = 2x + sin(x)    # y .= 2 .* x .+ sin.(x)
```
"""
macro __dot__(x)
    Base.@keep_expansions
    Base.esc(add_dots(x))
end

end

import .Broadcast: Broadcast, Broadcasted, BroadcastStyle, BroadcastFunction, instantiate, broadcastable, @__dot__,
    broadcast_shape, combine_eltypes

# A broadcast that is not evaluated yet folds element by element; along dimensions it becomes an array first.
mapreduce(f, op, bc::Broadcasted; dims = :, init = InitialValue()) = fold_broadcasted(f, op, init, bc, dims)
fold_broadcasted(f, op, init, bc, ::Colon) = mapfoldl_impl(f, op, init, bc)
fold_broadcasted(f, op, ::InitialValue, bc::Broadcasted{<:Any, <:Tuple{Any}}, ::Colon) = isempty(axes(bc)[1]) ?
    mapfoldl_impl(f, op, InitialValue(), bc) : mapreduce_pairwise(f, op, bc, first(axes(bc)[1]), last(axes(bc)[1]))
fold_broadcasted(f, op, init, bc, dims) = mapreduce_dims(f, op, init, copy(bc), dims)
