# Iterators that are made of other iterators: module Iterators.

function peek end

"""
    Iterators

Iterators made of other iterators. They are lazy: an element is computed when it is asked for.
"""
Iterators

module Iterators

import ..Base: isdone, IndexLinear, IndexCartesian, Pairs, pairs, intersect, iterate, length, size, axes, eltype, IteratorSize, IteratorEltype, isempty, first, last, getindex,
    keys, values, ndims, HasLength, HasShape, SizeUnknown, IsInfinite, HasEltype, EltypeUnknown,
    Generator, tail, OneTo
using ..Base: @inline, @propagate_inbounds, @assume_effects

export enumerate, zip, rest, countfrom, take, drop, takewhile, dropwhile, cycle, repeated, product, flatten, flatmap,
    partition, peel, nth, Stateful
baremap(f, t) = Base.map(f, t)
function accumulate end

struct Enumerate{I}
    itr::I
end
"""
    enumerate(itr)

The elements of `itr` with their numbers, counted from 1: `(1, first)`, `(2, second)`, ...
"""
enumerate(itr) = Enumerate(itr)
length(e::Enumerate) = length(e.itr)
size(e::Enumerate) = size(e.itr)
axes(e::Enumerate) = axes(e.itr)
ndims(e::Enumerate) = ndims(e.itr)
isdone(e::Enumerate) = isdone(e.itr)
isdone(e::Enumerate, state) = isdone(e.itr, Base.tail(state)...)
@inline function iterate(e::Enumerate)
    n = iterate(e.itr)
    n === nothing && return nothing
    ((1, n[1]), (1, n[2]))
end
@inline function iterate(e::Enumerate, state)
    i = state[1] + 1
    n = iterate(e.itr, state[2])
    n === nothing && return nothing
    ((i, n[1]), (i, n[2]))
end
eltype(::Type{Enumerate{I}}) where {I} = Tuple{Int, eltype(I)}
IteratorSize(::Type{Enumerate{I}}) where {I} = IteratorSize(I)
IteratorEltype(::Type{Enumerate{I}}) where {I} = IteratorEltype(I)
last(e::Enumerate) = (length(e.itr), last(e.itr))

struct Zip{Is <: Tuple}
    is::Is
end
"""
    zip(itrs...)

Tuples of one element of each iterator. The shortest iterator ends them.

```julia
collect(zip(1:3, "ab"))    # [(1, 'a'), (2, 'b')]
```
"""
zip(itrs...) = Zip(itrs)
length(z::Zip) = zip_length(IteratorSize(typeof(z)), z)
zip_length(::IsInfinite, z) = throw(ArgumentError("iterator is of undefined length"))
zip_length(::Union{HasLength, HasShape, SizeUnknown}, z) = minimum_length(z.is)
minimum_length(is::Tuple) = shortest(nothing, is)
shortest(n, ::Tuple{}) = n
@inline shortest(n, is::Tuple) = shortest(shorter(n, IteratorSize(is[1]), is[1]), tail(is))
shorter(n, ::IsInfinite, it) = n
shorter(::Nothing, ::IsInfinite, it) = nothing
shorter(::Nothing, ::IteratorSize, it) = length(it)
@inline shorter(n, ::IteratorSize, it) = (m = length(it); m < n ? oftype(n, m) : n)
size(z::Zip) = zip_shape(baremap(size, z.is))
axes(z::Zip) = zip_shape(baremap(axes, z.is))
# The shape of all; vectors may differ in length.
zip_shape(shapes::Tuple{Any}) = shapes[1]
zip_shape(::Tuple{}) = throw(ArgumentError("iterator is of undefined size"))
zip_shape(shapes::Tuple) = join_shapes(shapes[1], zip_shape(tail(shapes)))
join_shapes(a::Tuple{Any}, b::Tuple{Any}) = length_of(b[1]) < length_of(a[1]) ? b : a
join_shapes(a::Tuple, b::Tuple) = a == b ? a : throw(Base.DimensionMismatch("dimensions do not match"))
length_of(n::Integer) = n
length_of(r) = length(r)
isdone(z::Zip) = zip_done(z.is, baremap(_ -> (), z.is))
isdone(z::Zip, states) = zip_done(z.is, states)
zip_done(::Tuple{}, ::Tuple{}) = false
function zip_done(is::Tuple, states::Tuple)
    d = isdone(is[1], states[1]...)
    d === true && return true
    e = zip_done(tail(is), tail(states))
    e === true ? true : d === missing ? missing : e
end
@inline iterate(z::Zip) = zip_next(z.is, Base.map(_ -> (), z.is))
@inline iterate(z::Zip, states) = zip_next(z.is, states)
iterate(z::Zip{Tuple{}}) = ((), nothing)
iterate(z::Zip{Tuple{}}, ::Any) = ((), nothing)
@inline function zip_next(is::Tuple, states::Tuple)
    # An iterator that would lose an element is asked first whether another has come to its end.
    zip_asks(is) && zip_done(is, states) === true && return nothing
    zip_step(is, states)
end
zip_asks(::Tuple{}) = false
@inline zip_asks(is::Tuple) = asks(is[1]) || zip_asks(tail(is))
asks(x) = true
asks(::Union{AbstractArray, Tuple, Base.AbstractDict, Base.AbstractString}) = false
zip_step(::Tuple{}, ::Tuple{}) = ((), ())
@inline function zip_step(is::Tuple, states::Tuple)
    n = iterate(is[1], states[1]...)
    n === nothing && return nothing
    r = zip_step(tail(is), tail(states))
    r === nothing && return nothing
    ((n[1], r[1]...), ((n[2],), r[2]...))
end
eltype(::Type{Zip{Is}}) where {Is <: Tuple} = eltypes_tuple(Is)
fieldtypes_of(::Type{T}) where {T <: Tuple} = Base.ntuple(k -> fieldtype(T, k), fieldcount(T))
# A tuple of types is inferred as a tuple of `DataType`: what depends on types only is put together from calls on each of them.
@generated function eltypes_tuple(::Type{T}) where {T <: Tuple}
    Base.isvatuple(T) && return :(Tuple{baremap(eltype, fieldtypes_of(T))...})
    names = Any[Symbol("e", k) for k in 1:length(T.parameters)]
    body = Expr(:block)
    for k in 1:length(names)
        push!(body.args, Expr(:(=), names[k], Expr(:call, eltype, T.parameters[k])))
        push!(body.args, Expr(:&&, Expr(:call, ===, names[k], Union{}), Expr(:return, Union{})))
    end
    push!(body.args, Expr(:curly, Tuple, names...))
    body
end
map_fields(f, ::Type{T}) where {N, T <: Base.NTuple{N, Any}} = Base.ntuple(k -> f(fieldtype(T, k)), Val(N))
IteratorSize(::Type{Zip{Is}}) where {Is <: Tuple} = zip_size(map_fields(IteratorSize, Is))
zip_size(::Tuple{}) = IsInfinite()
zip_size(s::Tuple{Any}) = s[1]
zip_size(s::Tuple) = zip_size2(s[1], zip_size(tail(s)))
zip_size2(a, b) = HasLength()
zip_size2(a::HasShape{N}, b::HasShape{N}) where {N} = a
zip_size2(::IsInfinite, b) = b
zip_size2(a, ::IsInfinite) = a
zip_size2(::IsInfinite, ::HasShape) = HasLength()
zip_size2(::HasShape, ::IsInfinite) = HasLength()
zip_size2(::IsInfinite, b::IsInfinite) = b
zip_size2(::SizeUnknown, b) = SizeUnknown()
zip_size2(a, ::SizeUnknown) = SizeUnknown()
zip_size2(::SizeUnknown, ::SizeUnknown) = SizeUnknown()
zip_size2(::SizeUnknown, ::IsInfinite) = SizeUnknown()
zip_size2(::IsInfinite, ::SizeUnknown) = SizeUnknown()
IteratorEltype(::Type{Zip{Is}}) where {Is <: Tuple} = all_eltypes(map_fields(IteratorEltype, Is))
all_eltypes(::Tuple{}) = HasEltype()
all_eltypes(s::Tuple) = s[1] isa EltypeUnknown ? EltypeUnknown() : all_eltypes(tail(s))
last(z::Zip) = baremap(last, z.is)
function reverse(z::Zip)
    all_equal_lengths(baremap(reversible_length, z.is)) ||
        throw(ArgumentError("Cannot reverse zip of iterators of different or unknown length"))
    Zip(baremap(reverse, z.is))
end
reversible_length(it) = IteratorSize(it) isa Union{HasLength, HasShape} ? length(it) : nothing
all_equal_lengths(ns) = all(n -> n !== nothing && n == ns[1], ns)

struct Filter{F, I}
    flt::F
    itr::I
end
filter(f, itr) = Filter(f, itr)
function iterate(f::Filter, state...)
    y = iterate(f.itr, state...)
    while y !== nothing
        x, st = y
        # What the test tells of the element is told of the result.
        f.flt(x) && return y isa Tuple{Any, Any} ? (x, st) : y
        y = iterate(f.itr, st)
    end
    nothing
end
eltype(::Type{Filter{F, I}}) where {F, I} = eltype(I)
reverse(f::Filter) = Filter(f.flt, reverse(f.itr))
last(f::Filter) = first(reverse(f))
IteratorSize(::Type{<:Filter}) = SizeUnknown()
IteratorEltype(::Type{Filter{F, I}}) where {F, I} = IteratorEltype(I)

map(f, itr, itrs...) = Generator(f, itr, itrs...)

struct Accumulate{F, I, T}
    f::F
    itr::I
    init::T
end
accumulate(f, itr; init = Base.InitialValue()) = Accumulate(f, itr, init)
function iterate(a::Accumulate)
    y = iterate(a.itr)
    y === nothing && return nothing
    v = a.init isa Base.InitialValue ? Base.first_of_fold(a.f, y[1]) : a.f(a.init, y[1])
    (v, (v, y[2]))
end
function iterate(a::Accumulate, state)
    y = iterate(a.itr, state[2])
    y === nothing && return nothing
    v = a.f(state[1], y[1])
    (v, (v, y[2]))
end
length(a::Accumulate) = length(a.itr)
size(a::Accumulate) = size(a.itr)
axes(a::Accumulate) = axes(a.itr)
IteratorSize(::Type{<:Accumulate{F, I}}) where {F, I} = IteratorSize(I)
IteratorEltype(::Type{<:Accumulate}) = EltypeUnknown()

struct Rest{I, S}
    itr::I
    st::S
end
"""
    rest(itr, state)

The elements of `itr` that come after an iteration state.
"""
rest(itr, state) = Rest(itr, state)
rest(itr::Rest, state) = Rest(itr.itr, state)
rest(itr) = itr
@inline iterate(r::Rest, st = r.st) = iterate(r.itr, st)
eltype(::Type{<:Rest{I}}) where {I} = eltype(I)
IteratorSize(::Type{<:Rest{I}}) where {I} = rest_size(IteratorSize(I))
rest_size(::IsInfinite) = IsInfinite()
rest_size(s) = SizeUnknown()
IteratorEltype(::Type{<:Rest{I}}) where {I} = IteratorEltype(I)
isdone(r::Rest, st...) = isdone(r.itr, (isempty(st) ? (r.st,) : st)...)
"""
    peel(itr)

The first element of `itr` and an iterator of the others, or `nothing` if `itr` is empty.
"""
function peel(itr)
    y = iterate(itr)
    y === nothing && return nothing
    (y[1], rest(itr, y[2]))
end

struct Count{T, S}
    start::T
    step::S
end
"""
    countfrom(start = 1, step = 1)

Counts upwards without end: `start`, `start + step`, ...
"""
countfrom(start::T, step::S) where {T, S} = Count{typeof(start + step), S}(convert(typeof(start + step), start), step)
countfrom(start::Number, step::Number) = Count(promote(start, step)...)
countfrom(start) = Count(start, oneunit(start))
countfrom() = Count(1, 1)
oneunit(x) = Base.oneunit(x)
iterate(c::Count, st = c.start) = (st, st + c.step)
eltype(::Type{<:Count{T}}) where {T} = T
IteratorSize(::Type{<:Count}) = IsInfinite()

struct Take{I}
    xs::I
    n::Int
end
@noinline throw_take() = throw(ArgumentError("Take length must be non-negative"))
@noinline throw_drop() = throw(ArgumentError("Drop length must be non-negative"))
"""
    take(itr, n)

The first `n` elements of `itr`, or all if it has fewer.
"""
take(xs, n::Integer) = n < 0 ? throw_take() : Take(xs, count_of(n))
take(t::Take, n::Integer) = n < 0 ? throw_take() : Take(t.xs, min(t.n, count_of(n)))
count_of(n::Integer) = Int(min(n, typemax(Int)))
isdone(t::Take) = isdone(t.xs)
isdone(t::Take, state) = isdone(t.xs, Base.tail(state)...)
function iterate(t::Take, state = (t.n,))
    left = state[1]
    left <= 0 && return nothing
    y = iterate(t.xs, Base.tail(state)...)
    y === nothing && return nothing
    (y[1], (left - 1, y[2]))
end
eltype(::Type{Take{I}}) where {I} = eltype(I)
IteratorSize(::Type{Take{I}}) where {I} = take_size(IteratorSize(I))
take_size(::SizeUnknown) = SizeUnknown()
take_back(t) = (it = reverse(t.xs); n = length(t.xs) - length(t); drop(it, n))
reverse(t::Take{<:Any}) = IteratorSize(t.xs) isa IsInfinite ? take(reverse(t.xs), t.n) : take_back(t)
last(t::Take) = IteratorSize(t.xs) isa IsInfinite ? first(reverse(t)) : first(reverse(t))
take_size(s) = HasLength()
IteratorEltype(::Type{Take{I}}) where {I} = IteratorEltype(I)
length(t::Take) = take_length(IteratorSize(t.xs), t)
take_length(::IsInfinite, t) = t.n
take_length(::IteratorSize, t) = (n = length(t.xs); n < t.n ? Int(n) : t.n)

struct Drop{I}
    xs::I
    n::Int
end
"""
    drop(itr, n)

The elements of `itr` after the first `n`.
"""
drop(xs, n::Integer) = n < 0 ? throw_drop() : Drop(xs, count_of(n))
drop(d::Drop, n::Integer) = n < 0 ? throw_drop() : Drop(d.xs, d.n + count_of(n))
drop(t::Take, n::Integer) = n < 0 ? throw_drop() : Take(drop(t.xs, n), max(0, t.n - count_of(n)))
isdone(d::Drop) = isdone_dropped(d, isdone(d.xs))
isdone(d::Drop, state) = isdone(d.xs, state)
isdone_dropped(d, x) = x === true ? true : missing
reverse(d::Drop) = take(reverse(d.xs), length(d))
last(d::Drop) = last(d.xs)
function iterate(d::Drop)
    y = iterate(d.xs)
    for _ in 1:d.n
        y === nothing && return nothing
        y = iterate(d.xs, y[2])
    end
    y
end
iterate(d::Drop, state) = iterate(d.xs, state)
eltype(::Type{Drop{I}}) where {I} = eltype(I)
IteratorSize(::Type{Drop{I}}) where {I} = drop_size(IteratorSize(I))
drop_size(::HasShape) = HasLength()
drop_size(s) = s
IteratorEltype(::Type{Drop{I}}) where {I} = IteratorEltype(I)
length(d::Drop) = drop_length(IteratorSize(d.xs), d)
drop_length(::IteratorSize, d) = (n = length(d.xs); n > d.n ? n - oftype(n, d.n) : zero(n))
drop_length(::IsInfinite, d) = throw(MethodError(length, (d,)))

struct TakeWhile{I, P}
    pred::P
    xs::I
end
"""
    takewhile(pred, itr)

The elements of `itr` before the first one for which `pred` is false.
"""
takewhile(pred, xs) = TakeWhile(pred, xs)
function iterate(t::TakeWhile, state...)
    y = iterate(t.xs, state...)
    (y === nothing || !t.pred(y[1])) && return nothing
    y
end
eltype(::Type{TakeWhile{I, P}}) where {I, P} = eltype(I)
IteratorSize(::Type{<:TakeWhile}) = SizeUnknown()
IteratorEltype(::Type{TakeWhile{I, P}}) where {I, P} = IteratorEltype(I)
struct DropWhile{I, P}
    pred::P
    xs::I
end
"""
    dropwhile(pred, itr)

The elements of `itr` from the first one on for which `pred` is false.
"""
dropwhile(pred, xs) = DropWhile(pred, xs)
function iterate(d::DropWhile)
    y = iterate(d.xs)
    while y !== nothing && d.pred(y[1])
        y = iterate(d.xs, y[2])
    end
    y
end
iterate(d::DropWhile, state) = iterate(d.xs, state)
eltype(::Type{DropWhile{I, P}}) where {I, P} = eltype(I)
IteratorSize(::Type{<:DropWhile}) = SizeUnknown()
IteratorEltype(::Type{DropWhile{I, P}}) where {I, P} = IteratorEltype(I)

struct Cycle{I}
    xs::I
end
"""
    cycle(itr)
    cycle(itr, n)

The elements of `itr` over and over again, without end or `n` times.
"""
cycle(xs) = Cycle(xs)
cycle(xs, n::Integer) = flatten(repeated(xs, n))
isdone(c::Cycle) = isdone(c.xs)
isdone(c::Cycle, state) = false
IteratorEltype(::Type{Cycle{I}}) where {I} = IteratorEltype(I)
reverse(c::Cycle) = Cycle(reverse(c.xs))
iterate(c::Cycle) = iterate(c.xs)
function iterate(c::Cycle, state)
    y = iterate(c.xs, state)
    y === nothing ? iterate(c.xs) : y
end
eltype(::Type{Cycle{I}}) where {I} = eltype(I)
IteratorSize(::Type{<:Cycle}) = IsInfinite()

struct Repeated{O}
    x::O
end
"""
    repeated(x)
    repeated(x, n)

The value `x` without end, or `n` times.
"""
repeated(x) = Repeated(x)
repeated(x, n::Integer) = take(repeated(x), n)
iterate(r::Repeated, ::Any = nothing) = (r.x, nothing)
reverse(r::Repeated) = r
last(r::Repeated) = r.x
eltype(::Type{Repeated{O}}) where {O} = O
IteratorSize(::Type{<:Repeated}) = IsInfinite()
IteratorEltype(::Type{<:Repeated}) = HasEltype()

struct ProductIterator{T <: Tuple}
    iterators::T
end
"""
    product(itrs...)

All tuples of one element of each iterator. The first iterator moves fastest, and the result has one dimension for each.
"""
product(iters...) = ProductIterator(iters)
size(p::ProductIterator) = product_size(p.iterators)
product_size(::Tuple{}) = ()
product_size(t::Tuple) = (product_dims(IteratorSize(t[1]), t[1])..., product_size(tail(t))...)
product_dims(::HasShape, it) = size(it)
product_dims(::HasLength, it) = (length(it),)
product_dims(s::IteratorSize, it) = throw(ArgumentError(string("Cannot compute size for object of type ", typeof(it))))
axes(p::ProductIterator) = product_axes(p.iterators)
product_axes(::Tuple{}) = ()
product_axes(t::Tuple) = (iterator_axes(IteratorSize(t[1]), t[1])..., product_axes(tail(t))...)
iterator_axes(::HasShape, it) = axes(it)
iterator_axes(::HasLength, it) = (OneTo(length(it)),)
iterator_axes(s::IteratorSize, it) = product_dims(s, it)
length(p::ProductIterator) = product_length(size(p))
product_length(::Tuple{}) = 1
product_length(d::Tuple{Any}) = Int(d[1])
product_length(d::Tuple) = any(iszero, d) ? 0 : Base.foldl((m, n) -> Base.Checked.checked_mul(Int(m), Int(n)), d)
ndims(p::ProductIterator) = length(size(p))
IteratorSize(::Type{ProductIterator{Tuple{}}}) = HasShape{0}()
@assume_effects :foldable IteratorSize(::Type{ProductIterator{T}}) where {T <: Tuple} = product_itersize(map_fields(IteratorSize, T))
product_itersize(::Tuple{}) = HasShape{0}()
product_itersize(s::Tuple) = product_itersize2(s[1], product_itersize(tail(s)))
product_itersize2(a, b) = a isa IsInfinite || b isa IsInfinite ? IsInfinite() :
    a isa SizeUnknown || b isa SizeUnknown ? SizeUnknown() : HasShape{shape_rank(a) + shape_rank(b)}()
shape_rank(::HasShape{N}) where {N} = N
shape_rank(::IteratorSize) = 1
IteratorEltype(::Type{<:ProductIterator}) = HasEltype()
@assume_effects :foldable eltype(::Type{ProductIterator{T}}) where {T <: Tuple} = eltypes_tuple(T)
isempty(p::ProductIterator) = any(isempty, p.iterators)
intersect(a::ProductIterator, b::ProductIterator) = ProductIterator(Base.map(intersect, a.iterators, b.iterators))
iterate(::ProductIterator{Tuple{}}) = ((), true)
iterate(::ProductIterator{Tuple{}}, ::Any) = nothing
# The state holds, for each iterator, what `iterate` gave last: its value and its state.
function iterate(p::ProductIterator)
    ys = product_start(p.iterators)
    ys === nothing ? nothing : (Base.map(first, ys), ys)
end
product_start(::Tuple{}) = ()
@inline function product_start(its::Tuple)
    y = iterate(its[1])
    y === nothing && return nothing
    rest = product_start(tail(its))
    rest === nothing ? nothing : (y, rest...)
end
@inline function iterate(p::ProductIterator, ys)
    ns = product_next(p.iterators, ys)
    ns === nothing ? nothing : (Base.map(first, ns), ns)
end
isdone(p::ProductIterator) = any_done(p.iterators)
any_done(::Tuple{}) = false
any_done(its::Tuple) = (d = isdone(its[1]); d === true ? true : any_done(tail(its)) === true ? true : d)
isdone(p::ProductIterator, ys) = missing
product_next(::Tuple{}, ::Tuple{}) = nothing
@inline function product_next(its::Tuple, ys::Tuple)
    y = iterate(its[1], ys[1][2])
    y !== nothing && return (y, tail(ys)...)
    rest = product_next(tail(its), tail(ys))
    rest === nothing && return nothing
    y = iterate(its[1])
    y === nothing ? nothing : (y, rest...)
end
reverse(p::ProductIterator) = ProductIterator(Base.map(reverse, p.iterators))
last(p::ProductIterator) = Base.map(last, p.iterators)

struct Flatten{I}
    it::I
end
"""
    flatten(itr)

The elements of the elements of `itr`, one iterator after the other.
"""
flatten(itr) = Flatten(itr)
"""
    flatmap(f, itrs...)

The elements of the iterators that `f` returns for the elements of its arguments.
"""
flatmap(f, c...) = flatten(map(f, c...))
eltype(::Type{Flatten{I}}) where {I} = eltype(eltype(I))
eltype(::Type{Flatten{I}}) where {I <: Union{Tuple, NamedTuple}} = joined_eltypes(I)
@generated function joined_eltypes(::Type{I}) where {I}
    body = Union{}
    for k in 1:fieldcount(I)
        body = Expr(:call, Base.promote_typejoin, body, Expr(:call, eltype, fieldtype(I, k)))
    end
    body
end
eltype(::Type{Flatten{Tuple{}}}) = eltype(Tuple{})
IteratorSize(::Type{Flatten{I}}) where {I} = flatten_size(IteratorEltype(I), IteratorSize(I), I)
flatten_size(::EltypeUnknown, s, I) = SizeUnknown()
flatten_size(::HasEltype, s::Union{HasLength, HasShape}, I) = flatten_iteratorsize(s, eltype(I))
# Packages give it, and `flatten_length`, methods for collections of their own with a length that their types tell.
flatten_iteratorsize(::Union{HasLength, HasShape}, T) = flatten_of(T)
flatten_size(::HasEltype, s, I) = SizeUnknown()
flatten_size(::HasEltype, s::IsInfinite, I) = SizeUnknown()
flatten_of(::Type{Union{}}) = SizeUnknown()
flatten_of(::Type{<:Number}) = HasLength()
flatten_of(T::Type) = T <: Tuple && isconcretetype(T) ? HasLength() : SizeUnknown()
IteratorEltype(::Type{Flatten{I}}) where {I} = flatten_eltype(IteratorEltype(I), I)
IteratorEltype(::Type{Flatten{Tuple{}}}) = IteratorEltype(Tuple{})
flatten_eltype(::EltypeUnknown, I) = EltypeUnknown()
flatten_eltype(::HasEltype, I) = eltype(I) === Union{} ? HasEltype() : isconcretetype(eltype(I)) || I <: Union{Tuple, NamedTuple} ? IteratorEltype_or_unknown(eltype(I)) : EltypeUnknown()
IteratorEltype_or_unknown(::Type{T}) where {T} = T === Any || T isa Union || !isconcretetype(T) && T isa UnionAll ? EltypeUnknown() : IteratorEltype(T)
length(f::Flatten) = flatten_length(f, eltype(f.it))
flatten_length(f, ::Type{<:Number}) = length(f.it)
flatten_length(f, ::Type{<:Base.NTuple{N, Any}}) where {N} = N * length(f.it)
flatten_length(f, T) = throw(ArgumentError("Iterates of the argument to Flatten are not known to have constant length"))
length(f::Flatten{Tuple{}}) = 0
reverse(f::Flatten) = Flatten(reverse(it) for it in reverse(f.it))
last(f::Flatten) = last(last(f.it))
isdone(f::Flatten) = missing
function iterate(f::Flatten, state = ())
    if state !== ()
        y = iterate(state[1], Base.tail(Base.tail(state))...)
        y !== nothing && return (y[1], (state[1], state[2], y[2]))
    end
    x = state === () ? iterate(f.it) : iterate(f.it, state[2])
    while x !== nothing
        y = iterate(x[1])
        y !== nothing && return (y[1], (x[1], x[2], y[2]))
        x = iterate(f.it, x[2])
    end
    nothing
end

struct PartitionIterator{T}
    c::T
    n::Int
end
"""
    partition(itr, n)

The elements of `itr` in groups of `n`, of which the last may be shorter.
"""
partition(c, n::Integer) = (n < 1 && throw(ArgumentError(string("cannot create partitions of length ", n))); PartitionIterator(c, count_of(n)))
@assume_effects :foldable eltype(::Type{PartitionIterator{T}}) where {T} = part_eltype(T)
part_eltype(::Type{T}) where {T} = Vector{eltype(T)}
part_eltype(::Type{T}) where {T <: AbstractArray} = part_type(T)
part_type(::Type{T}) where {T} = Base.promote_op(part_view, T, Int, Int)
part_eltype(::Type{T}) where {T <: Base.AbstractRange} = Base.promote_op(getindex, T, Base.UnitRange{Int})
IteratorSize(::Type{PartitionIterator{T}}) where {T} = rest_size_partition(IteratorSize(T))
rest_size_partition(::HasShape) = HasLength()
rest_size_partition(s) = s
IteratorEltype(::Type{PartitionIterator{T}}) where {T} = IteratorEltype(T)
length(p::PartitionIterator) = Base.cld(length(p.c), p.n)
isempty(p::PartitionIterator) = isempty(p.c)
part_view(c::AbstractArray, i, j) = Base.view(Base.vec(c), i:j)
part_view(c::Base.AbstractVector, i, j) = Base.view(c, i:j)
part_view(c::Base.AbstractRange, i, j) = c[i:j]
part_view(c::Base.CartesianIndices, i, j) = Base.view(c, i:j)
function iterate(p::PartitionIterator{<:AbstractArray}, i = Base.firstindex(p.c))
    last_place = Base.lastindex(p.c)
    i > last_place && return nothing
    j = p.n > last_place - i ? last_place : i + p.n - 1
    (part_view(p.c, i, j), j + 1)
end
function iterate(p::PartitionIterator, state...)
    out = Vector{eltype(p.c)}()
    y = iterate(p.c, state...)
    while y !== nothing
        push!(out, y[1])
        length(out) == p.n && return (out, y[2])
        st = y[2]
        y = iterate(p.c, st)
        y === nothing && return (out, st)
    end
    nothing
end


struct Reverse{T}
    itr::T
end
reverse(itr) = Reverse(itr)
reverse(r::Reverse) = r.itr
reverse(a::AbstractArray) = Reverse(a)
reverse(a::Base.AbstractRange) = Base.reverse(a)
reverse(x::Union{Base.Number, Base.AbstractChar}) = x
reverse(p::Base.Pair) = Base.reverse(p)
reverse(t::Tuple) = Reverse(t)
reverse(g::Generator) = Generator(g.f, reverse(g.iter))
eltype(::Type{Reverse{T}}) where {T} = eltype(T)
length(r::Reverse) = length(r.itr)
size(r::Reverse) = size(r.itr)
axes(r::Reverse) = axes(r.itr)
isempty(r::Reverse) = isempty(r.itr)
IteratorSize(::Type{Reverse{T}}) where {T} = IteratorSize(T)
IteratorEltype(::Type{Reverse{T}}) where {T} = IteratorEltype(T)
last(r::Reverse) = first(r.itr)
first(r::Reverse) = last(r.itr)
getindex(r::Reverse, i) = r.itr[end - i + 1]
@inline iterate(r::Reverse) = reverse_from(r, Base.lastindex(r.itr))
@inline iterate(r::Reverse, i) = reverse_from(r, i)
@inline reverse_from(r, i) = i < Base.firstindex(r.itr) ? nothing : (r.itr[i], prev_of(r.itr, i))
prev_of(s::AbstractString, i) = Base.prevind(s, i)
prev_of(x, i) = i - 1
# Arrays by their own indices.
@inline iterate(r::Reverse{<:AbstractArray}) = reverse_array(r.itr, reverse(Base.eachindex(r.itr)))
@inline function reverse_array(a, inds)
    y = iterate(inds)
    y === nothing ? nothing : (a[y[1]], (inds, y[2]))
end
@inline function iterate(r::Reverse{<:AbstractArray}, state)
    y = iterate(state[1], state[2])
    y === nothing ? nothing : (r.itr[y[1]], (state[1], y[2]))
end
@inline iterate(r::Reverse{<:AbstractArray{T, 1}}) where {T} = reverse_from(r, Base.lastindex(r.itr))
@inline iterate(r::Reverse{<:AbstractArray{T, 1}}, i) where {T} = reverse_from(r, i)
@inline iterate(r::Reverse{<:Generator}, state...) = reverse_generator(r, iterate(Reverse(r.itr.iter), state...))
reverse_generator(r, y) = y === nothing ? nothing : (r.itr.f(y[1]), y[2])
@inline iterate(r::Reverse{<:Enumerate}) = reverse_numbered(length(r.itr), iterate(reverse(r.itr.itr)))
@inline iterate(r::Reverse{<:Enumerate}, state) = reverse_numbered(state[1], iterate(reverse(r.itr.itr), state[2]))
reverse_numbered(n, y) = y === nothing ? nothing : ((n, y[1]), (n - 1, y[2]))
@inline iterate(r::Reverse{<:Base.LinearIndices}) = iterate(r, length(r.itr))
@inline iterate(r::Reverse{<:Base.LinearIndices}, i) = i < 1 ? nothing : (i, i - 1)
@inline function iterate(r::Reverse{<:Base.CartesianIndices}, state...)
    iterate(Base.reverse(r.itr), state...)
end
reverse(p::Pairs) = Pairs(values(p), reverse(keys(p)))
reverse(c::Base.CartesianIndices) = Base.reverse(c)

only(x) = Base.only(x)
@noinline throw_nth(n) = throw(ArgumentError(string("n (", n, ") must be positive")))
"""
    nth(itr, n)

The element number `n` of an iterator. A `BoundsError` says that the iterator has fewer.
"""
nth(itr, n::Integer) = n < 1 ? throw_nth(n) : first(drop(itr, n - 1))
nth(a::AbstractArray, n::Integer) = a[Base.firstindex(Base.IndexLinear(), a) + n - 1]

# The next element of the inner iterator is fetched when it is asked for.
"""
    Stateful(itr)

An iterator that remembers its place: each loop over it goes on where the last one stopped, and `popfirst!` and `peek`
work on it.
"""
mutable struct Stateful{T}
    itr::T
    next::Any
    fetched::Bool
    Stateful{T}(itr::T) where {T} = new{T}(itr, (), false)
end
Stateful(itr::T) where {T} = Stateful{T}(itr)
Base.convert(::Type{Stateful}, itr) = Stateful(itr)
Base.convert(::Type{Stateful}, itr::Stateful) = itr
function reset!(s::Stateful, itr)
    s.itr = itr
    s.next = ()
    s.fetched = false
    s
end
reset!(s::Stateful) = reset!(s, s.itr)
# `next` is what `iterate` gave for the element to come, or before that its state in a tuple.
function fetch_next!(s::Stateful)
    if !s.fetched
        s.next = iterate(s.itr, s.next...)
        s.fetched = true
    end
    s.next
end
isempty(s::Stateful) = fetch_next!(s) === nothing
isdone(s::Stateful, st...) = s.fetched ? s.next === nothing : stateful_done(s, isdone(s.itr, s.next...))
stateful_done(s, d) = d === missing ? fetch_next!(s) === nothing : d
function Base.popfirst!(s::Stateful)
    y = fetch_next!(s)
    y === nothing && throw(Base.EOFError())
    s.next = (y[2],)
    s.fetched = false
    y[1]
end
Base.peek(s::Stateful, sentinel = nothing) = (y = fetch_next!(s); y === nothing ? sentinel : y[1])
iterate(s::Stateful, ::Any = nothing) = fetch_next!(s) === nothing ? nothing : (Base.popfirst!(s), nothing)
IteratorSize(::Type{Stateful{T}}) where {T} = IteratorSize(T) isa IsInfinite ? IsInfinite() : SizeUnknown()
IteratorEltype(::Type{Stateful{T}}) where {T} = IteratorEltype(T)
eltype(::Type{Stateful{T}}) where {T} = eltype(T)

end

using .Iterators: Iterators, enumerate, zip, product, Flatten, Filter, Enumerate, Zip, Stateful
