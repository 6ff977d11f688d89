# Dictionaries whose versions stay: a trie over the bits of the hash, of which a change copies one path.

module HAMT
import ..Base: hash, objectid, count_ones, Vector, getproperty, ==, !==, <, >, <=, &, |, ⊻, >>, <<, +, -, *, ÷, rem, %, !, iterate, length,
    getindex, setindex!, insert!, deleteat!, copy, Pair, convert, UInt32, isempty

const BITS_PER_LEVEL = 5
const LEVELS = 64 ÷ BITS_PER_LEVEL
const MAX_SHIFT = (LEVELS - 1) * BITS_PER_LEVEL

# The bits of a key's hash at one depth. Below the last level come those of a hash of the next round.
struct HashState{K}
    key::K
    hash::UInt
    depth::Int
    shift::Int
end
HashState(key) = HashState(key, objectid(key), 0, 0)
HashState(h::HashState, key) = HashState(key, hash_of_round(key, h.depth ÷ LEVELS), h.depth, h.shift)
hash_of_round(key, round) = round == 0 ? objectid(key) : hash(objectid(key), round % UInt)
function next(h::HashState)
    depth = h.depth + 1
    shift = h.shift + BITS_PER_LEVEL
    shift > MAX_SHIFT ? HashState(h.key, hash_of_round(h.key, depth ÷ LEVELS), depth, 0) : HashState(h.key, h.hash, depth, shift)
end

struct Leaf{K, V}
    key::K
    value::V
end
# A level: which of the 32 branches there are, and these in order.
mutable struct Trie{K, V}
    bitmap::UInt32
    entries::Vector{Any}
end
Trie{K, V}() where {K, V} = Trie{K, V}(UInt32(0), Any[])

bit_of(h::HashState) = UInt32(1) << ((h.hash >> h.shift) & UInt(31))
slot_of(t::Trie, bit::UInt32) = count_ones(t.bitmap & (bit - UInt32(1))) + 1
function find(t::Trie{K, V}, key) where {K, V}
    h = HashState(key)
    while true
        bit = bit_of(h)
        t.bitmap & bit == UInt32(0) && return nothing
        e = t.entries[slot_of(t, bit)]
        e isa Leaf{K, V} && return e.key === key ? e : nothing
        t = e::Trie{K, V}
        h = next(h)
    end
end
function insert(t::Trie{K, V}, h::HashState, leaf::Leaf{K, V}) where {K, V}
    bit = bit_of(h)
    i = slot_of(t, bit)
    entries = copy(t.entries)
    t.bitmap & bit == UInt32(0) && return Trie{K, V}(t.bitmap | bit, insert!(entries, i, leaf))
    e = entries[i]
    entries[i] = e isa Trie{K, V} ? insert(e, next(h), leaf) : e.key === leaf.key ? leaf : split(e::Leaf{K, V}, next(h), leaf)
    Trie{K, V}(t.bitmap, entries)
end
split(old::Leaf{K, V}, h::HashState, leaf::Leaf{K, V}) where {K, V} =
    insert(insert(Trie{K, V}(), HashState(h, old.key), old), h, leaf)
function remove(t::Trie{K, V}, h::HashState) where {K, V}
    bit = bit_of(h)
    i = slot_of(t, bit)
    entries = copy(t.entries)
    t.bitmap & bit == UInt32(0) && return Trie{K, V}(t.bitmap, entries)
    e = entries[i]
    if e isa Leaf{K, V}
        e.key === h.key && return Trie{K, V}(t.bitmap ⊻ bit, deleteat!(entries, i))
    else
        below = remove(e::Trie{K, V}, next(h))
        isempty(below.entries) && return Trie{K, V}(t.bitmap ⊻ bit, deleteat!(entries, i))
        # A branch with one leaf becomes the leaf.
        entries[i] = length(below.entries) == 1 && below.entries[1] isa Leaf ? below.entries[1] : below
    end
    Trie{K, V}(t.bitmap, entries)
end
function count(t::Trie)
    n = 0
    for e in t.entries
        n += e isa Trie ? count(e) : 1
    end
    n
end

# The levels between the root and a leaf, the innermost first.
struct Position
    trie::Any
    index::Int
    outer::Any
end
function first_leaf(at)
    while at !== nothing
        if at.index > length(at.trie.entries)
            at = at.outer
        else
            e = at.trie.entries[at.index]
            after = Position(at.trie, at.index + 1, at.outer)
            e isa Leaf && return (e, after)
            at = Position(e, 1, after)
        end
    end
    nothing
end
end

struct PersistentDict{K, V} <: AbstractDict{K, V}
    trie::HAMT.Trie{K, V}
    PersistentDict{K, V}(trie::HAMT.Trie{K, V}) where {K, V} = new{K, V}(trie)
    PersistentDict{K, V}() where {K, V} = new{K, V}(HAMT.Trie{K, V}())
end
PersistentDict() = PersistentDict{Any, Any}()
PersistentDict{K, V}(p::Pair, ps::Pair...) where {K, V} = PersistentDict(PersistentDict{K, V}(), p, ps...)
PersistentDict{K, V}(d::PersistentDict{K, V}, p::Pair) where {K, V} = PersistentDict(d, p.first, p.second)
PersistentDict(p::Pair{K, V}, ps::Pair...) where {K, V} = PersistentDict{K, V}(p, ps...)
PersistentDict(d::PersistentDict, p::Pair) = PersistentDict(d, p.first, p.second)
PersistentDict(d::PersistentDict, p::Pair, ps::Pair...) = PersistentDict(PersistentDict(d, p), ps...)
function PersistentDict(d::PersistentDict{K, V}, key, value) where {K, V}
    leaf = HAMT.Leaf{K, V}(convert(K, key), convert(V, value))
    PersistentDict{K, V}(HAMT.insert(d.trie, HAMT.HashState(leaf.key), leaf))
end
delete(d::PersistentDict{K, V}, key) where {K, V} =
    key isa K ? PersistentDict{K, V}(HAMT.remove(d.trie, HAMT.HashState(key))) : d
get(d::PersistentDict{K, V}, key, default) where {K, V} = (e = HAMT.find(d.trie, key); e === nothing ? default : e.value::V)
get(f::Callable, d::PersistentDict{K, V}, key) where {K, V} = (e = HAMT.find(d.trie, key); e === nothing ? f() : e.value::V)
getindex(d::PersistentDict{K, V}, key) where {K, V} = (e = HAMT.find(d.trie, key); e === nothing ? throw(KeyError(key)) : e.value::V)
haskey(d::PersistentDict, key) = HAMT.find(d.trie, key) !== nothing
length(d::PersistentDict) = HAMT.count(d.trie)
isempty(d::PersistentDict) = isempty(d.trie.entries)
function iterate(d::PersistentDict{K, V}, at = HAMT.Position(d.trie, 1, nothing)) where {K, V}
    y = HAMT.first_leaf(at)
    y === nothing ? nothing : (Pair{K, V}(y[1].key, y[1].value), y[2])
end
empty(::PersistentDict, ::Type{K}, ::Type{V}) where {K, V} = PersistentDict{K, V}()
