# Tuples: parts, iteration, mapping, comparison. Everything recurs on the tail so that it compiles to nothing.

length(t::Tuple) = nfields(t)
firstindex(t::Tuple) = 1
lastindex(t::Tuple) = nfields(t)
size(t::Tuple, d::Integer) = d == 1 ? length(t) : throw(ArgumentError(string("invalid tuple dimension ", d)))
axes(t::Tuple) = (OneTo(length(t)),)
axes(t::Tuple, d::Integer) = d == 1 ? OneTo(length(t)) : OneTo(1)
keys(t::Tuple) = OneTo(length(t))
eachindex(t::Tuple) = OneTo(length(t))
eachindex(t::Tuple, t2::Tuple...) = OneTo(max(length(t), map(length, t2)...))
values(t::Tuple) = t
isempty(t::Tuple) = nfields(t) === 0
isempty(::Tuple{}) = true
copy(t::Tuple) = t
empty(::Tuple) = ()

@eval getindex(t::Tuple, i::Int) = getfield(t, i, $(Expr(:boundscheck)))
@inline getindex(t::Tuple, i::Integer) = getindex(t, convert(Int, i))
getindex(t::Tuple, ::Colon) = t
getindex(t::Tuple, r::AbstractArray{Bool}) = length(t) == length(r) ?
    getindex(t, findall(r)) : throw(BoundsError(t, r))
getindex(t::Tuple, r::AbstractArray) = (require_one_based_indexing(r); (collect_indices(t, r)...,))
collect_indices(t, r) = Any[t[i] for i in r]
@inline getindex(t::Tuple, r::AbstractUnitRange{<:Integer}) = (require_one_based_indexing(r); tuple_slice(t, first(r), last(r)))
@inline function tuple_slice(t, lo, hi)
    lo > hi && return ()
    (1 <= lo) & (hi <= length(t)) || throw_boundserror(t, lo:hi)
    lo == 1 && hi == length(t) && return t
    # The number of elements is a constant where the ends are: then so is the type.
    count = hi - lo + 1
    count > 10 && t isa Tuple{Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Vararg{Any}} && nfields(t) <= 32 &&
        return drop_elements(Val(Int(lo) - 1), Val(Int(count)), t)
    ntuple(i -> t[i + lo - 1], count)
end
@inline drop_elements(::Val{skipped}, ::Val{count}, t) where {skipped, count} = ntuple(i -> getfield(t, i + skipped), Val(count))
getindex(t::Tuple, i::CartesianIndex{1}) = getindex(t, i.I[1])
get(t::Tuple, i::Integer, default) = 1 <= i <= length(t) ? t[i] : default
get(f::Callable, t::Tuple, i::Integer) = 1 <= i <= length(t) ? t[i] : f()
setindex(t::Tuple, v, i::Integer) = (1 <= i <= length(t) || throw_boundserror(t, i); setindex_tuple(v, i, t...))
@inline setindex_tuple(v, i::Integer, first, rest...) =
    (ifelse_value(i == 1, v, first), setindex_tuple(v, i - 1, rest...)...)
@inline setindex_tuple(v, i::Integer) = ()
ifelse_value(c, a, b) = c ? a : b
setindex(x::NamedTuple, v, s::Symbol) = merge(x, NamedTuple{(s,)}((v,)))

@inline @assume_effects :noub iterate(t::Tuple, i::Int = 1) = sle_int(i, nfields(t)) && sle_int(1, i) ? (getfield(t, i, false), i + 1) : nothing
prevind(::Tuple, i::Integer) = Int(i) - 1
nextind(::Tuple, i::Integer) = Int(i) + 1
@inline indexed_iterate(t::Tuple, i::Int, state = 1) = (getfield(t, i), i + 1)
@inline indexed_iterate(t::NamedTuple, i::Int, state = 1) = (getfield(t, i), i + 1)
@inline indexed_iterate(a::Array, i::Int, state = 1) = (a[i], i + 1)
function indexed_iterate(I, i)
    x = iterate(I)
    x === nothing && throw(BoundsError(I, i))
    x
end
function indexed_iterate(I, i, state)
    x = iterate(I, state)
    x === nothing && throw(BoundsError(I, i))
    x
end
rest(t::Tuple) = t
rest(t::Tuple, i::Int) = ntuple(x -> getfield(t, x + i - 1), length(t) - i + 1)
rest(a::Array, i::Int = 1) = a[i:end]
rest(a::Memory, i::Int = 1) = a[i:end]
rest(a::AbstractArray) = vec(copymutable(a))
rest(a::AbstractArray, state) = collect(eltype(a), Iterators.rest(a, state))
rest(itr, state...) = Iterators.rest(itr, state...)
rest(a::AbstractArray, state...) = rest_elements(a, state...)
function rest_elements(a::AbstractArray{T}, state...) where {T}
    found = Vector{T}(undef, 0)
    for x in Iterators.rest(a, state...)
        push!(found, x)
    end
    found
end
rest(nt::NamedTuple{names}, i::Int = 1) where {names} = NamedTuple{rest(names, i)}(rest(Tuple(nt), i))
rest(v::Core.SimpleVector, i::Int = 1) = Core.svec(ntuple(k -> v[i + k - 1], length(v) - i + 1)...)
rest(s::AbstractString, i::Int = 1) = s isa Union{String, SubString{String}} ? SubString(s, i) : sprint(write_chars, Iterators.rest(s, i))
write_chars(io, chars) = for c in chars
    print(io, c)
end

# The rest but for its last `n` elements, and these.
function split_rest(a::Tuple, n::Int, i::Int = 1)
    m = max(0, length(a) - n - i + 1)
    (ntuple(k -> a[i + k - 1], m), ntuple(k -> a[i + m + k - 1], n))
end
function split_rest(nt::NamedTuple{names}, n::Int, i::Int = 1) where {names}
    front, last = split_rest(names, n, i)
    (NamedTuple{front}(nt), NamedTuple{last}(nt))
end
function split_rest(v::Core.SimpleVector, n::Int, i::Int = 1)
    front, last = split_rest((v...,), n, i)
    (Core.svec(front...), Core.svec(last...))
end
function split_rest(s::AbstractString, n::Int, i::Int = 1)
    length(s, i, lastindex(s)) < n && throw_short_rest()
    at = prevind(s, ncodeunits(s) + 1, n)
    (s[i:prevind(s, at)], s[at:end])
end
function split_rest(itr, n::Int, state...)
    c = collect(rest(itr, state...))
    length(c) < n && throw_short_rest()
    (c[1:(end - n)], c[(end - n + 1):end])
end
@noinline throw_short_rest() = throw(ArgumentError("the iterator on the right side does not contain enough elements"))

first(t::Tuple) = t[1]
first(::Tuple{}) = throw(ArgumentError("tuple must be non-empty"))
last(t::Tuple) = t[end]
@inline argtail(x, rest...) = rest
@inline tail(t::Tuple) = argtail(t...)
tail(::Tuple{}) = throw(ArgumentError("Cannot call tail on an empty tuple."))
@inline front(t::Tuple) = front_args(t...)
front(::Tuple{}) = throw(ArgumentError("Cannot call front on an empty tuple."))
front_args(v) = ()
@inline front_args(v, t...) = (v, front_args(t...)...)
@inline reverse(t::Tuple) = reverse_args(t...)
reverse_args() = ()
@inline reverse_args(x, rest...) = (reverse_args(rest...)..., x)
eltype(t::Type{<:Tuple}) = tuple_eltype(t)
@assume_effects :foldable function tuple_eltype(t)
    joined = Union{}
    body = unwrap_unionall(t)
    body isa Union && return promote_typejoin(tuple_eltype(rewrap_unionall(body.a, t)), tuple_eltype(rewrap_unionall(body.b, t)))
    for p in body.parameters
        T = isvarargtype(p) ? (isdefined(p, :T) ? p.T : Any) : p
        joined = promote_typejoin(joined, T isa TypeVar ? T.ub : rewrap_unionall(T, t))
    end
    joined
end
filter(f, t::Tuple) = filter_args(f, t...)
filter_args(f) = ()
filter_args(f, x, rest...) = f(x) ? (x, filter_args(f, rest...)...) : filter_args(f, rest...)

# Making tuples.
@inline function ntuple(f::F, n::Integer) where {F}
    n == 0 ? () :
    n == 1 ? (f(1),) :
    n == 2 ? (f(1), f(2)) :
    n == 3 ? (f(1), f(2), f(3)) :
    n == 4 ? (f(1), f(2), f(3), f(4)) :
    n == 5 ? (f(1), f(2), f(3), f(4), f(5)) :
    n == 6 ? (f(1), f(2), f(3), f(4), f(5), f(6)) :
    n == 7 ? (f(1), f(2), f(3), f(4), f(5), f(6), f(7)) :
    n == 8 ? (f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8)) :
    n == 9 ? (f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9)) :
    n == 10 ? (f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10)) : ntuple_long(f, n)
end
function ntuple_long(f, n)
    n >= 0 || throw(ArgumentError(string("tuple length should be ≥ 0, got ", n)))
    n <= 1 << 22 || throw(ArgumentError(string("kiln makes no tuple of ", n, " elements: 4194304 are the most")))
    ([f(i) for i in 1:Int(n)]...,)
end
ntuple(f, ::Val{0}) = ()
ntuple(f, ::Val{1}) = (f(1),)
ntuple(f, ::Val{2}) = (f(1), f(2))
ntuple(f, ::Val{3}) = (f(1), f(2), f(3))
@inline function ntuple(f::F, ::Val{N}) where {F, N}
    (N::Int) >= 0 || throw(ArgumentError(string("tuple length should be ≥ 0, got ", N)))
    # Types that get smaller from call to call, so that inference follows to the end.
    # Inference follows so far only; `ntuple_generated` is in cartesian.jl.
    N > 32 ? ntuple_generated(f, Val(N)) : (ntuple(f, Val(N - 1))..., f(N))
end
fill_to_length(t::NTuple{N, Any}, v, ::Val{N}) where {N} = t
fill_to_length(t::Tuple{}, v, ::Val{1}) = (v,)
@inline fill_to_length(t::Tuple, v, n::Val{N}) where {N} = length(t) > N ? throw_too_long(N) : fill_to_length((t..., v), v, n)
@noinline throw_too_long(n) = throw(ArgumentError(LazyString("the tuple has more than ", n, " elements")))

(::Type{Tuple})(x::Tuple) = x
(::Type{Tuple})(x::NamedTuple) = namedtuple_values(x)
(::Type{Tuple})(x::Number) = (x,)
(::Type{Tuple})(x::Ref) = (x[],)
(::Type{Tuple})(x::Pair) = (x.first, x.second)
(::Type{Tuple})(itr) = (collect(itr)...,)
(::Type{Tuple})(a::AbstractArray{T, 0}) where {T} = (a[],)
(::Type{Tuple{}})() = ()
(::Type{T})(x::Tuple) where {T <: Tuple} = convert(T, x)
(::Type{T})(itr) where {T <: Tuple} = tuple_from(T, tuple_type_length(T), itr)::T
tuple_from(::Type{T}, ::Nothing, itr) where {T} = convert(T, (collect(itr)...,))
# A tuple of known length takes as many elements as it has, of an iterator without end, too.
function tuple_from(::Type{T}, n, itr) where {T}
    xs = (collect(Iterators.take(itr, n))...,)
    length(xs) == n || throw(ArgumentError("too few elements for tuple type $T"))
    convert(T, xs)
end
convert_tuple(::Type{Tuple{}}, x::Tuple{}) = ()
function convert_tuple(::Type{T}, x::Tuple) where {T}
    n = tuple_type_length(T)
    (n === nothing ? length(x) >= length(unwrap_unionall(T).parameters) - 1 : n == length(x)) || throw(MethodError(convert, (T, x)))
    ntuple(i -> convert(fieldtype(T, i), x[i]), length(x))
end
@inline convert_tuple(::Type{Tuple{Vararg{S}}}, x::Tuple) where {S} = map(Fix1(convert, S), x)
@inline convert_tuple(::Type{NTuple{N, S}}, x::NTuple{N, Any}) where {N, S} = map(Fix1(convert, S), x)
function tuple_type_length(T)
    p = unwrap_unionall(T).parameters
    isempty(p) && return 0
    isvarargtype(p[length(p)]) ? nothing : length(p)
end
isvarargtype(t) = t isa TypeofVararg
# How many fields every object of the type has.
function datatype_min_ninitialized(T::Type{<:Tuple})
    p = unwrap_unionall(T).parameters
    n = length(p)
    n > 0 && isvarargtype(p[n]) || return n
    isdefined(p[n], :N) && p[n].N isa Int ? n - 1 + p[n].N : n - 1
end
# The `Tuple` type without its first element, and with one more.
tuple_type_tail(T::UnionAll) = UnionAll(T.var, tuple_type_tail(T.body))
function tuple_type_tail(T::DataType)
    P = T.parameters[1]
    isvarargtype(P) || return Tuple{argtail(T.parameters...)...}
    isdefined(P, :N) && P.N isa Int ? Tuple{Vararg{P.T, P.N - 1}} : T
end
tuple_type_head(T::Type) = fieldtype(T, 1)
tuple_type_cons(::Type{S}, ::Type{T}) where {S, T <: Tuple} = Tuple{S, T.parameters...}

# Mapping over tuples of equal or unequal lengths.
map(f, t::Tuple{}) = ()
map(f, t::Tuple{Any}) = (@inline; (f(t[1]),))
map(f, t::Tuple{Any, Any}) = (@inline; (f(t[1]), f(t[2])))
map(f, t::Tuple{Any, Any, Any}) = (@inline; (f(t[1]), f(t[2]), f(t[3])))
map(f, t::Tuple) = (@inline; (f(t[1]), map(f, tail(t))...))
const LongTuple = Tuple{Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any,
    Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Vararg{Any}}
function map(f, t::LongTuple)
    n = length(t)
    A = Vector{Any}(undef, n)
    for i in 1:n
        A[i] = f(t[i])
    end
    (A...,)
end
map(f, t::Tuple{}, s::Tuple{}) = ()
map(f, t::Tuple, s::Tuple{}) = ()
map(f, t::Tuple{}, s::Tuple) = ()
map(f, t::Tuple{Any}, s::Tuple{Any}) = (@inline; (f(t[1], s[1]),))
map(f, t::Tuple{Any, Any}, s::Tuple{Any, Any}) = (@inline; (f(t[1], s[1]), f(t[2], s[2])))
map(f, t::Tuple, s::Tuple) = (@inline; (f(t[1], s[1]), map(f, tail(t), tail(s))...))
heads(ts::Tuple...) = map(first, ts)
tails(ts::Tuple...) = map(tail, ts)
map(f, ::Tuple{}, ::Tuple{}...) = ()
map(f, a::Tuple, b::Tuple, c::Tuple, more::Tuple...) = (@inline; map_many(f, (a, b, c, more...)))
@inline map_many(f, ts) = any_empty(ts...) ? () : (f(heads(ts...)...), map_many(f, tails(ts...))...)
any_empty() = false
any_empty(t::Tuple{}, ts...) = true
@inline any_empty(t::Tuple, ts...) = any_empty(ts...)
foreach(f, t::Tuple) = foldl((_, x) -> (f(x); nothing), t; init = nothing)
foreach(f, itr::Tuple, itrs::Tuple...) = (foreach_args(f, map(tuple, itr, itrs...)...); nothing)
foreach_args(f) = nothing
@inline foreach_args(f, x, xs...) = (f(x...); foreach_args(f, xs...))

# Reducing.
@inline sum(t::Tuple{Any, Vararg{Any}}) =
    length(t) > 32 ? mapfoldl_impl(identity, add_sum, InitialValue(), t) : fold_left(add_sum, widen_small(t[1]), tail(t)...)
# Integers narrower than a word are added and multiplied as words.
@inline widen_small(x) = x
@inline widen_small(x::Union{Bool, Int8, Int16, Int32}) = Int(x)
@inline widen_small(x::Union{UInt8, UInt16, UInt32}) = UInt(x)
sum(::Tuple{}) = 0
@inline prod(t::Tuple{Any, Vararg{Any}}) = fold_left(mul_prod, widen_small(t[1]), tail(t)...)
prod(::Tuple{}) = 1
@inline maximum(t::Tuple{Any, Vararg{Any}}) = fold_left(max, t...)
@inline minimum(t::Tuple{Any, Vararg{Any}}) = fold_left(min, t...)
all(t::Tuple{}) = true
all(t::Tuple{Bool, Vararg{Bool}}) = all_args(t...)
all_args() = true
@inline all_args(x, xs...) = x ? all_args(xs...) : false
all(t::Tuple{Vararg{Union{Missing, Bool}}}) = all_known(true, t...)
all_known(r) = r
@inline all_known(r, x, xs...) = x === false ? false : all_known(x === missing ? missing : r, xs...)
any(t::Tuple{}) = false
any(t::Tuple{Bool, Vararg{Bool}}) = any_args(t...)
any_args() = false
@inline any_args(x, xs...) = x ? true : any_args(xs...)
any(t::Tuple{Vararg{Union{Missing, Bool}}}) = any_known(false, t...)
any_known(r) = r
@inline any_known(r, x, xs...) = x === true ? true : any_known(x === missing ? missing : r, xs...)
@inline all(f::Function, t::Tuple) = all_of(f, t...)
all_of(f) = true
@inline all_of(f, x, xs...) = f(x) ? all_of(f, xs...) : false
@inline any(f::Function, t::Tuple) = any_of(f, t...)
any_of(f) = false
@inline any_of(f, x, xs...) = f(x) ? true : any_of(f, xs...)
in(x, t::Tuple) = in_tuple(x, false, t...)
# Long ones are searched in a loop.
function in(x, t::Tuple{Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any,
        Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Vararg{Any}})
    unknown = false
    for y in t
        r = x == y
        r === missing ? (unknown = true) : r && return true
    end
    unknown ? missing : false
end
# `unknown`: a comparison before was `missing`. One call of the rest: two would double the code with each element.
in_tuple(x, unknown) = unknown ? missing : false
@inline function in_tuple(x, unknown, y, ys...)
    r = x == y
    r === missing || r && return true
    in_tuple(x, unknown | (r === missing), ys...)
end
findfirst(p::Function, t::Tuple) = find_in_tuple(p, 1, t...)
find_in_tuple(p, i) = nothing
@inline find_in_tuple(p, i, x, xs...) = p(x) ? i : find_in_tuple(p, i + 1, xs...)
function findnext(p::Function, t::Tuple, from::Integer)
    for i in Int(from):length(t)
        p(t[i]) && return i
    end
    nothing
end
function findprev(p::Function, t::Tuple, from::Integer)
    for i in Int(from):-1:1
        p(t[i]) && return i
    end
    nothing
end
circshift(t::Tuple{}, n::Integer) = t
circshift(t::NTuple{N, Any}, n::Integer) where {N} = (k = mod(n, length(t)); map(i -> t[mod1(i - k, length(t))], numbers_of(t))::NTuple{N, Any})
# The place of each element, in a tuple of the same length.
numbers_of(t::Tuple) = ntuple(identity, Val(nfields(t)))::Tuple{Vararg{Int}}
cumsum(t::Tuple) = accumulate(+, t)
cumprod(t::Tuple) = accumulate(*, t)
accumulate(op, t::Tuple; kws...) = accumulate_tuple(op, t, values(kws))
accumulate_tuple(op, ::Tuple{}, kws) = ()
accumulate_tuple(op, ::Tuple{}, ::NamedTuple{()}) = ()
accumulate_tuple(op, ::Tuple{}, kws::NamedTuple{(:init,)}) = ()
accumulate_tuple(op, t::Tuple, ::NamedTuple{()}) = accumulate_args(op, (t[1],), tail(t)...)
accumulate_tuple(op, t::Tuple{Any, Vararg{Any}}, kws::NamedTuple{(:init,)}) = accumulate_args(op, (op(kws.init, t[1]),), tail(t)...)
accumulate_args(op, out) = out
@inline accumulate_args(op, out, x, xs...) = accumulate_args(op, (out..., op(out[end], x)), xs...)

# Comparison.
==(a::Tuple, b::Tuple) = length(a) == length(b) && eq_tuples(a, b)
eq_tuples(a::Tuple{}, b::Tuple{}) = true
@inline function eq_tuples(a::Tuple, b::Tuple)
    e = a[1] == b[1]
    e === missing && return eq_tuples(tail(a), tail(b)) === false ? false : missing
    e ? eq_tuples(tail(a), tail(b)) : false
end
isequal(a::Tuple, b::Tuple) = length(a) == length(b) && _isequal(a, b)
_isequal(a::Tuple{}, b::Tuple{}) = true
@inline _isequal(a::Tuple, b::Tuple) = isequal(a[1], b[1]) && _isequal(tail(a), tail(b))
<(::Tuple{}, ::Tuple{}) = false
<(::Tuple{}, ::Tuple) = true
<(::Tuple, ::Tuple{}) = false
function <(a::Tuple, b::Tuple)
    a1, b1 = a[1], b[1]
    e = a1 == b1
    e === missing && return missing
    e ? tail(a) < tail(b) : a1 < b1
end
isless(::Tuple{}, ::Tuple{}) = false
isless(::Tuple{}, ::Tuple) = true
isless(::Tuple, ::Tuple{}) = false
function isless(a::Tuple, b::Tuple)
    a1, b1 = a[1], b[1]
    isless(a1, b1) || (isequal(a1, b1) && isless(tail(a), tail(b)))
end
reduce(op, t::Tuple; kws...) = foldl(op, t; kws...)

# A pair iterates and destructures like a tuple of two.
iterate(p::Pair, i = 1) = i > 2 ? nothing : (getfield(p, i), i + 1)
indexed_iterate(p::Pair, i::Int, state = 1) = (getfield(p, i), i + 1)
getindex(p::Pair, i::Int) = getfield(p, i)
getindex(p::Pair, i::Real) = getfield(p, convert(Int, i))
reverse(p::Pair{A, B}) where {A, B} = Pair{B, A}(p.second, p.first)
firstindex(p::Pair) = 1
lastindex(p::Pair) = 2
length(p::Pair) = 2
first(p::Pair) = p.first
last(p::Pair) = p.second
eltype(p::Type{Pair{A, B}}) where {A, B} = Union{A, B}
==(p::Pair, q::Pair) = (p.first == q.first) & (p.second == q.second)
isequal(p::Pair, q::Pair) = isequal(p.first, q.first)::Bool & isequal(p.second, q.second)::Bool
isless(p::Pair, q::Pair) = ifelse(!isequal(p.first, q.first), isless(p.first, q.first), isless(p.second, q.second))
convert(::Type{Pair{A, B}}, x::Pair{A, B}) where {A, B} = x
convert(::Type{Pair{A, B}}, x::Pair) where {A, B} = Pair{A, B}(convert(A, x.first), convert(B, x.second))
==(a::Some, b::Some) = a.value == b.value
