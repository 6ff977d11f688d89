# Iterators that are made of other iterators: module Iterators.

function peek end

module Iterators

import ..Base: iterate, length, size, axes, eltype, IteratorSize, IteratorEltype, isempty, first, last, getindex,
    keys, values, ndims, HasLength, HasShape, SizeUnknown, IsInfinite, HasEltype, EltypeUnknown,
    Generator, tail, OneTo
using ..Base: @inline, @propagate_inbounds

export enumerate, zip, rest, countfrom, take, drop, takewhile, dropwhile, cycle, repeated, product, flatten, flatmap,
    partition, peel, nth, Stateful

struct Enumerate{I}
    itr::I
end
enumerate(itr) = Enumerate(itr)
length(e::Enumerate) = length(e.itr)
size(e::Enumerate) = size(e.itr)
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
zip(itrs...) = Zip(itrs)
zip_min(n) = n
length(z::Zip) = minimum_length(z.is)
minimum_length(is::Tuple{Any}) = length(is[1])
minimum_length(::Tuple{}) = 0
minimum_length(is::Tuple) = zip_shorter(IteratorSize(is[1]), is)
zip_shorter(::IsInfinite, is) = minimum_length(tail(is))
zip_shorter(::IteratorSize, is) = finite_tail(tail(is)) ? min(length(is[1]), minimum_length(tail(is))) : length(is[1])
finite_tail(is::Tuple) = any_finite(is...)
any_finite() = false
any_finite(i, rest...) = !(IteratorSize(i) isa IsInfinite) || any_finite(rest...)
size(z::Zip) = size(z.is[1])
@inline iterate(z::Zip) = zip_next(z.is, Base.map(_ -> (), z.is))
@inline iterate(z::Zip, states) = zip_next(z.is, states)
iterate(z::Zip{Tuple{}}) = nothing
@inline function zip_next(is::Tuple, states::Tuple)
    r = zip_step(is, states)
    r === nothing && return nothing
    r
end
zip_step(::Tuple{}, ::Tuple{}) = ((), ())
@inline function zip_step(is::Tuple, states::Tuple)
    n = iterate(is[1], states[1]...)
    n === nothing && return nothing
    r = zip_step(tail(is), tail(states))
    r === nothing && return nothing
    ((n[1], r[1]...), ((n[2],), r[2]...))
end
eltype(::Type{Zip{Is}}) where {Is <: Tuple} = Tuple{Base.map(eltype, fieldtypes_of(Is))...}
fieldtypes_of(T) = (T.parameters...,)
IteratorSize(::Type{Zip{Is}}) where {Is <: Tuple} = zip_size(Base.map(IteratorSize, fieldtypes_of(Is)))
zip_size(::Tuple{}) = HasLength()
zip_size(s::Tuple{Any}) = s[1]
zip_size(s::Tuple) = zip_size2(s[1], zip_size(tail(s)))
zip_size2(a, b) = HasLength()
zip_size2(a::HasShape{N}, b::HasShape{N}) where {N} = a
zip_size2(::IsInfinite, b) = b
zip_size2(a, ::IsInfinite) = a
zip_size2(::IsInfinite, b::IsInfinite) = b
zip_size2(::SizeUnknown, b) = SizeUnknown()
zip_size2(a, ::SizeUnknown) = SizeUnknown()
zip_size2(::SizeUnknown, ::SizeUnknown) = SizeUnknown()
zip_size2(::SizeUnknown, ::IsInfinite) = SizeUnknown()
zip_size2(::IsInfinite, ::SizeUnknown) = SizeUnknown()
IteratorEltype(::Type{<:Zip}) = HasEltype()
reverse(z::Zip) = Zip(Base.map(reverse, z.is))

struct Filter{F, I}
    flt::F
    itr::I
end
filter(f, itr) = Filter(f, itr)
function iterate(f::Filter, state...)
    y = iterate(f.itr, state...)
    while y !== nothing
        f.flt(y[1]) && return y
        y = iterate(f.itr, y[2])
    end
    nothing
end
eltype(::Type{Filter{F, I}}) where {F, I} = eltype(I)
IteratorSize(::Type{<:Filter}) = SizeUnknown()
IteratorEltype(::Type{Filter{F, I}}) where {F, I} = IteratorEltype(I)

map(f, itr, itrs...) = Generator(f, itr, itrs...)

struct Rest{I, S}
    itr::I
    st::S
end
rest(itr, state) = Rest(itr, state)
rest(itr::Rest, state) = Rest(itr.itr, state)
rest(itr) = itr
@inline iterate(r::Rest, st = r.st) = iterate(r.itr, st)
eltype(::Type{<:Rest{I}}) where {I} = eltype(I)
IteratorSize(::Type{<:Rest{I}}) where {I} = rest_size(IteratorSize(I))
rest_size(::IsInfinite) = IsInfinite()
rest_size(s) = SizeUnknown()
IteratorEltype(::Type{<:Rest{I}}) where {I} = IteratorEltype(I)
function peel(itr)
    y = iterate(itr)
    y === nothing && return nothing
    (y[1], rest(itr, y[2]))
end

struct Count{T, S}
    start::T
    step::S
end
countfrom(start, step) = Count(start, step)
countfrom(start) = Count(start, oneunit_of(start))
countfrom() = Count(1, 1)
oneunit_of(x) = one(x)
iterate(c::Count, st = c.start) = (st, st + c.step)
eltype(::Type{Count{T, S}}) where {T, S} = T
IteratorSize(::Type{<:Count}) = IsInfinite()

struct Take{I}
    xs::I
    n::Int
end
take(xs, n::Integer) = (n < 0 && throw(ArgumentError("Take length must be non-negative")); Take(xs, Int(n)))
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
take_size(s) = HasLength()
IteratorEltype(::Type{Take{I}}) where {I} = IteratorEltype(I)
length(t::Take) = IteratorSize(t.xs) isa IsInfinite ? t.n : min(t.n, length(t.xs))

struct Drop{I}
    xs::I
    n::Int
end
drop(xs, n::Integer) = (n < 0 && throw(ArgumentError("Drop length must be non-negative")); Drop(xs, Int(n)))
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
length(d::Drop) = max(length(d.xs) - d.n, 0)

struct TakeWhile{I, P}
    pred::P
    xs::I
end
takewhile(pred, xs) = TakeWhile(pred, xs)
function iterate(t::TakeWhile, state...)
    y = iterate(t.xs, state...)
    (y === nothing || !t.pred(y[1])) && return nothing
    y
end
eltype(::Type{TakeWhile{I, P}}) where {I, P} = eltype(I)
IteratorSize(::Type{<:TakeWhile}) = SizeUnknown()
struct DropWhile{I, P}
    pred::P
    xs::I
end
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

struct Cycle{I}
    xs::I
end
cycle(xs) = Cycle(xs)
cycle(xs, n::Integer) = flatten(repeated(xs, n))
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
repeated(x) = Repeated(x)
repeated(x, n::Integer) = take(repeated(x), n)
iterate(r::Repeated, ::Any = nothing) = (r.x, nothing)
eltype(::Type{Repeated{O}}) where {O} = O
IteratorSize(::Type{<:Repeated}) = IsInfinite()
IteratorEltype(::Type{<:Repeated}) = HasEltype()

struct ProductIterator{T <: Tuple}
    iterators::T
end
product(iters...) = ProductIterator(iters)
size(p::ProductIterator) = product_size(p.iterators)
product_size(::Tuple{}) = ()
product_size(t::Tuple) = (product_dims(IteratorSize(t[1]), t[1])..., product_size(tail(t))...)
product_dims(::HasShape, it) = size(it)
product_dims(::IteratorSize, it) = (length(it),)
axes(p::ProductIterator) = Base.map(OneTo, size(p))
length(p::ProductIterator) = Base.prod_dims(size(p))
ndims(p::ProductIterator) = length(size(p))
IteratorSize(::Type{ProductIterator{T}}) where {T <: Tuple} = product_itersize(Base.map(IteratorSize, fieldtypes_of(T)))
product_itersize(s::Tuple) = any(x -> x isa SizeUnknown, s) ? SizeUnknown() :
    any(x -> x isa IsInfinite, s) ? IsInfinite() : HasShape{product_rank(s)}()
product_rank(s) = Base.fold_left(+, 0, Base.map(shape_rank, s)...)
shape_rank(::HasShape{N}) where {N} = N
shape_rank(::IteratorSize) = 1
IteratorEltype(::Type{<:ProductIterator}) = HasEltype()
eltype(::Type{ProductIterator{T}}) where {T <: Tuple} = Tuple{Base.map(eltype, fieldtypes_of(T))...}
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
product_next(::Tuple{}, ::Tuple{}) = nothing
@inline function product_next(its::Tuple, ys::Tuple)
    y = iterate(its[1], ys[1][2])
    y !== nothing && return (y, tail(ys)...)
    rest = product_next(tail(its), tail(ys))
    rest === nothing ? nothing : (iterate(its[1]), rest...)
end
reverse(p::ProductIterator) = ProductIterator(Base.map(reverse, p.iterators))
last(p::ProductIterator) = Base.map(last, p.iterators)

struct Flatten{I}
    it::I
end
flatten(itr) = Flatten(itr)
flatmap(f, c...) = flatten(map(f, c...))
eltype(::Type{Flatten{I}}) where {I} = eltype(eltype(I))
IteratorSize(::Type{<:Flatten}) = SizeUnknown()
IteratorEltype(::Type{Flatten{I}}) where {I} = EltypeUnknown()
length(f::Flatten) = sum(length, f.it)
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
partition(c, n::Integer) = (n < 1 && throw(ArgumentError(string("cannot create partitions of length ", n))); PartitionIterator(c, Int(n)))
eltype(::Type{PartitionIterator{T}}) where {T} = Vector{eltype(T)}
IteratorSize(::Type{PartitionIterator{T}}) where {T} = rest_size_partition(IteratorSize(T))
rest_size_partition(::HasShape) = HasLength()
rest_size_partition(s) = s
IteratorEltype(::Type{<:PartitionIterator}) = EltypeUnknown()
length(p::PartitionIterator) = cld(length(p.c), p.n)
function iterate(p::PartitionIterator{<:AbstractArray}, i = firstindex(p.c))
    i > lastindex(p.c) && return nothing
    j = min(i + p.n - 1, lastindex(p.c))
    (view(p.c, i:j), j + 1)
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
eltype(::Type{Reverse{T}}) where {T} = eltype(T)
length(r::Reverse) = length(r.itr)
size(r::Reverse) = size(r.itr)
IteratorSize(::Type{Reverse{T}}) where {T} = IteratorSize(T)
IteratorEltype(::Type{Reverse{T}}) where {T} = IteratorEltype(T)
last(r::Reverse) = first(r.itr)
first(r::Reverse) = last(r.itr)
@inline iterate(r::Reverse) = reverse_from(r, lastindex(r.itr))
@inline iterate(r::Reverse, i) = reverse_from(r, i)
@inline reverse_from(r, i) = i < firstindex(r.itr) ? nothing : (r.itr[i], prev_of(r.itr, i))
prev_of(s::AbstractString, i) = prevind(s, i)
prev_of(x, i) = i - 1
@inline iterate(r::Reverse{<:Generator}, state...) = reverse_generator(r, iterate(Reverse(r.itr.iter), state...))
reverse_generator(r, y) = y === nothing ? nothing : (r.itr.f(y[1]), y[2])
@inline iterate(r::Reverse{<:Enumerate}, i = length(r.itr)) = i < 1 ? nothing : ((i, r.itr.itr[i]), i - 1)

only(x) = Base.only(x)
nth(itr, n::Integer) = first(drop(itr, n - 1))
accumulate(op, itr; init = nothing) = Base.accumulate(op, collect(itr))

mutable struct Stateful{T}
    itr::T
    next::Any
    taken::Int
    Stateful(itr) = new{typeof(itr)}(itr, iterate(itr), 0)
end
isempty(s::Stateful) = s.next === nothing
function Base.popfirst!(s::Stateful)
    s.next === nothing && throw(EOFError())
    x, st = s.next
    s.next = iterate(s.itr, st)
    s.taken += 1
    x
end
Base.peek(s::Stateful, sentinel = nothing) = s.next === nothing ? sentinel : s.next[1]
iterate(s::Stateful, ::Any = nothing) = s.next === nothing ? nothing : (Base.popfirst!(s), nothing)
IteratorSize(::Type{<:Stateful}) = SizeUnknown()
eltype(::Type{Stateful{T}}) where {T} = eltype(T)

end

using .Iterators: Iterators, enumerate, zip, product, Flatten, Filter, Enumerate, Zip
