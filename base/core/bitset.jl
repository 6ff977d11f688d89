# Sets of integers near each other, in one bit each.

const NO_OFFSET = Int === Int64 ? -one(Int) << 60 : -one(Int) << 29
# Bit `k` of word `w` stands for `(w - 1 + offset) * 64 + k`.
"""
    BitSet(itr)

A set of integers, kept as one bit for each integer between the least and the greatest.
"""
mutable struct BitSet <: AbstractSet{Int}
    const bits::Vector{UInt64}
    offset::Int
    BitSet() = new(UInt64[], NO_OFFSET)
end
function BitSet(itr)
    s = BitSet()
    for x in itr
        push!(s, x)
    end
    s
end
eltype(::Type{BitSet}) = Int
empty(s::BitSet, ::Type{Int} = Int) = BitSet()
emptymutable(s::BitSet, ::Type{Int} = Int) = BitSet()
copy(s::BitSet) = copy!(BitSet(), s)
copymutable(s::BitSet) = copy(s)
function copy!(dest::BitSet, src::BitSet)
    resize!(dest.bits, length(src.bits))
    copyto!(dest.bits, src.bits)
    dest.offset = src.offset
    dest
end
copy!(dest::BitSet, src::AbstractSet) = union!(empty!(dest), src)
copy!(dest::BitSet, src) = union!(empty!(dest), src)
sizehint!(s::BitSet, n::Integer; first::Bool = false, shrink::Bool = true) = (sizehint!(s.bits, (n + 63) >> 6); s)
empty!(s::BitSet) = (empty!(s.bits); s.offset = NO_OFFSET; s)
length(s::BitSet) = (n = 0; for w in s.bits; n += count_ones(w); end; n)
isempty(s::BitSet) = all(iszero, s.bits)
@inline function in(n::Int, s::BitSet)
    w = (n >> 6) - s.offset + 1
    1 <= w <= length(s.bits) && (s.bits[w] >> (n & 63)) & 0x0000000000000001 != 0
end
in(n::Integer, s::BitSet) = typemin(Int) <= n <= typemax(Int) && in(Int(n), s)
in(x::Real, s::BitSet) = typemin(Int) <= x <= typemax(Int) && isinteger(x) && in(Int(x), s)
in(n, s::BitSet) = false
# Room for the word of `n`, on either side.
function reach!(s::BitSet, w::Int)
    if s.offset == NO_OFFSET
        s.offset = w
    end
    if w < s.offset
        k = s.offset - w
        prepend!(s.bits, zeros(UInt64, k))
        s.offset = w
    end
    old = length(s.bits)
    n = w - s.offset + 1
    if n > old
        resize!(s.bits, n)
        for i in (old + 1):n
            s.bits[i] = 0
        end
    end
    n
end
bitset_int(n::Int) = n
bitset_int(n::Integer) = Int(n)
bitset_int(n) = convert(Int, n)
function push!(s::BitSet, x)
    n = bitset_int(x)
    w = reach!(s, n >> 6)
    s.bits[w] |= 0x0000000000000001 << (n & 63)
    s
end
push!(s::BitSet, xs...) = (for x in xs; push!(s, x); end; s)
in!(x, s::BitSet) = (n = bitset_int(x); n in s ? true : (push!(s, n); false))
function delete!(s::BitSet, x)
    x isa Integer && typemin(Int) <= x <= typemax(Int) || return s
    n = Int(x)
    w = (n >> 6) - s.offset + 1
    1 <= w <= length(s.bits) && (s.bits[w] &= ~(0x0000000000000001 << (n & 63)))
    s
end
@noinline throw_missing_key(n) = throw(KeyError(n))
pop!(s::BitSet) = pop!(s, last(s))
pop!(s::BitSet, n::Integer) = n in s ? (delete!(s, n); n) : throw_missing_key(n)
pop!(s::BitSet, n::Integer, default) = n in s ? (delete!(s, n); n) : default
popfirst!(s::BitSet) = pop!(s, first(s))
iterate(s::BitSet) = isempty(s.bits) ? nothing : iterate(s, (s.bits[1], 1))
function iterate(s::BitSet, (word, w))
    while word == 0
        w += 1
        w > length(s.bits) && return nothing
        word = s.bits[w]
    end
    k = trailing_zeros(word)
    ((w - 1 + s.offset) << 6 + k, (word & (word - 1), w))
end
@noinline throw_empty_set() = throw(ArgumentError("collection must be non-empty"))
first(s::BitSet) = (y = iterate(s); y === nothing ? throw_empty_set() : y[1])
function last(s::BitSet)
    for w in length(s.bits):-1:1
        s.bits[w] == 0 || return (w - 1 + s.offset) << 6 + 63 - leading_zeros(s.bits[w])
    end
    throw_empty_set()
end
minimum(s::BitSet) = first(s)
maximum(s::BitSet) = last(s)
extrema(s::BitSet) = (first(s), last(s))
issorted(s::BitSet) = true
function union!(s::BitSet, t::BitSet)
    isempty(t) && return s
    reach!(s, first(t) >> 6)
    reach!(s, last(t) >> 6)
    for w in 1:length(t.bits)
        t.bits[w] == 0 || (s.bits[w + t.offset - s.offset] |= t.bits[w])
    end
    s
end
union!(s::BitSet, t) = (for x in t; push!(s, x); end; s)
union!(s::BitSet, r::AbstractUnitRange{<:Integer}) = (isempty(r) || (push!(s, first(r)); push!(s, last(r)); for x in r; push!(s, x); end); s)
union!(s::BitSet, ts...) = (for t in ts; union!(s, t); end; s)
union(s::BitSet, ts...) = union!(copy(s), ts...)
word_at(s::BitSet, k) = (w = k - s.offset + 1; 1 <= w <= length(s.bits) ? s.bits[w] : zero(UInt64))
function intersect!(s::BitSet, t::BitSet)
    for w in 1:length(s.bits)
        s.bits[w] &= word_at(t, w - 1 + s.offset)
    end
    s
end
intersect!(s::BitSet, t) = intersect!(s, BitSet(x for x in t if x isa Integer && x in s))
intersect!(s::BitSet, ts...) = (for t in ts; intersect!(s, t); end; s)
intersect(s::BitSet) = copy(s)
intersect(s::BitSet, t::BitSet) = intersect!(copy(s), t)
function intersect(s::BitSet, t, us...)
    promote_eltypes(s, t, us...) === Int || return invoke(intersect, Tuple{AbstractSet, Any, Vararg{Any}}, s, t, us...)
    intersect!(copy(s), t, us...)
end
function setdiff!(s::BitSet, t::BitSet)
    for w in 1:length(s.bits)
        s.bits[w] &= ~word_at(t, w - 1 + s.offset)
    end
    s
end
setdiff!(s::BitSet, t) = (for x in t; delete!(s, x); end; s)
setdiff!(s::BitSet, ts...) = (for t in ts; setdiff!(s, t); end; s)
setdiff(s::BitSet, ts...) = setdiff!(copy(s), ts...)
function symdiff!(s::BitSet, t::BitSet)
    isempty(t) && return s
    u = s === t ? copy(t) : t
    reach!(s, first(u) >> 6)
    reach!(s, last(u) >> 6)
    for w in 1:length(u.bits)
        u.bits[w] == 0 || (s.bits[w + u.offset - s.offset] ⊻= u.bits[w])
    end
    s
end
symdiff!(s::BitSet, n::Integer) = n in s ? delete!(s, n) : push!(s, n)
symdiff!(s::BitSet, itr) = (for n in itr; symdiff!(s, number_of_set(n)); end; s)
number_of_set(n::Integer) = n
number_of_set(x) = throw(MethodError(symdiff!, (BitSet(), x)))
symdiff!(s::BitSet, ts...) = (for t in ts; symdiff!(s, t); end; s)
symdiff(s::BitSet, ts...) = symdiff!(copy(s), ts...)
function filter!(f, s::BitSet)
    for x in collect(s)
        f(x) || delete!(s, x)
    end
    s
end
==(s::BitSet, t::BitSet) = issubset(s, t) && issubset(t, s)
issubset(s::BitSet, t::BitSet) = all(w -> s.bits[w] & ~word_at(t, w - 1 + s.offset) == 0, 1:length(s.bits))
⊊(s::BitSet, t::BitSet) = issubset(s, t) && s != t
show(io::IO, s::BitSet) = (print(io, "BitSet(["); join(io, s, ", "); print(io, "])"))
export BitSet
