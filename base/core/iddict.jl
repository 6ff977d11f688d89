# Dictionaries and sets by identity: open addressing over one table of alternating keys and values.

"""
    IdDict(pairs...)

A dictionary that tells keys apart by `===`.
"""
mutable struct IdDict{K, V} <: AbstractDict{K, V}
    ht::Memory{Any}
    count::Int
    used::Int
    IdDict{K, V}() where {K, V} = new{K, V}(Memory{Any}(undef, 32), 0, 0)
end
IdDict() = IdDict{Any, Any}()
IdDict{K, V}(itr) where {K, V} = dict_from(IdDict{K, V}(), itr)
IdDict{K, V}(ps::Pair...) where {K, V} = dict_from(IdDict{K, V}(), ps)
IdDict{K, V}(p::Pair) where {K, V} = dict_from(IdDict{K, V}(), (p,))
IdDict(::Tuple{}) = IdDict()
IdDict(ps::Pair{K, V}...) where {K, V} = dict_from(IdDict{K, V}(), ps)
IdDict(ps::Pair{K}...) where {K} = dict_from(IdDict{K, Any}(), ps)
IdDict(ps::(Pair{K, V} where {K})...) where {V} = dict_from(IdDict{Any, V}(), ps)
IdDict(ps::Pair...) = dict_from(IdDict{Any, Any}(), ps)
IdDict(itr) = checked_dict(id_dict_maker, itr)
IdDict(d::AbstractDict{K, V}) where {K, V} = dict_from(IdDict{K, V}(), d)
id_dict_maker(K, V) = IdDict{K, V}()

# Stands in for a key that was deleted, so that a search goes on behind it.
mutable struct DeletedKey end
const deleted_key = DeletedKey()

# The index of the key, or minus the index of the free pair where it would go.
function id_slot(ht::Memory{Any}, @nospecialize(key))
    mask = (length(ht) >> 1) - 1
    h = objectid(key)
    i = ((h ⊻ (h >> 17)) % Int) & mask
    while true
        k = 2i + 1
        isassigned(ht, k) || return -k
        ht[k] === key && return k
        i = (i + 1) & mask
    end
end
function id_rebuild!(d::IdDict, pairs::Int)
    old = d.ht
    ht = Memory{Any}(undef, 2 * pairs)
    for k in 1:2:length(old)
        isassigned(old, k) && old[k] !== deleted_key || continue
        at = -id_slot(ht, old[k])
        ht[at] = old[k]
        ht[at + 1] = old[k + 1]
    end
    d.ht = ht
    d.used = d.count
    d
end
id_pairs_for(n) = max(16, nextpow(2, cld(3 * Int(n), 2) + 1))
function id_insert!(d::IdDict, @nospecialize(key), @nospecialize(v))
    k = id_slot(d.ht, key)
    if k > 0
        d.ht[k + 1] = v
        return d
    end
    if 3 * (d.used + 1) > length(d.ht)
        id_rebuild!(d, id_pairs_for(2 * (d.count + 1)))
        k = id_slot(d.ht, key)
    end
    d.ht[-k] = key
    d.ht[1 - k] = v
    d.count += 1
    d.used += 1
    d
end
function setindex!(d::IdDict{K, V}, @nospecialize(v), @nospecialize(key)) where {K, V}
    key isa K || throw(TypeError(Symbol("dict key"), K, key))
    id_insert!(d, key, v isa V ? v : convert(V, v))
end
get(d::IdDict{K, V}, @nospecialize(key), @nospecialize(default)) where {K, V} = (k = id_slot(d.ht, key); k > 0 ? d.ht[k + 1]::V : default)
get(f::Callable, d::IdDict{K, V}, @nospecialize(key)) where {K, V} = (k = id_slot(d.ht, key); k > 0 ? d.ht[k + 1]::V : f())
getindex(d::IdDict{K, V}, @nospecialize(key)) where {K, V} = (k = id_slot(d.ht, key); k > 0 ? d.ht[k + 1]::V : throw(KeyError(key)))
function get!(d::IdDict{K, V}, @nospecialize(key), @nospecialize(default)) where {K, V}
    k = id_slot(d.ht, key)
    k > 0 && return d.ht[k + 1]::V
    v = default isa V ? default : convert(V, default)::V
    d[key] = v
    v
end
function get!(f::Callable, d::IdDict{K, V}, @nospecialize(key)) where {K, V}
    k = id_slot(d.ht, key)
    k > 0 && return d.ht[k + 1]::V
    v = f()
    v = v isa V ? v : convert(V, v)::V
    d[key] = v
    v
end
haskey(d::IdDict, @nospecialize(key)) = id_slot(d.ht, key) > 0
in(@nospecialize(key), k::KeySet{<:Any, <:IdDict}) = haskey(k.dict, key)
function id_delete!(d::IdDict, k::Int)
    d.ht[k] = deleted_key
    d.ht[k + 1] = nothing
    d.count -= 1
    nothing
end
delete!(d::IdDict, @nospecialize(key)) = (k = id_slot(d.ht, key); k > 0 && id_delete!(d, k); d)
function pop!(d::IdDict{K, V}, @nospecialize(key)) where {K, V}
    k = id_slot(d.ht, key)
    k > 0 || throw(KeyError(key))
    v = d.ht[k + 1]::V
    id_delete!(d, k)
    v
end
function pop!(d::IdDict{K, V}, @nospecialize(key), @nospecialize(default)) where {K, V}
    k = id_slot(d.ht, key)
    k > 0 || return default
    v = d.ht[k + 1]::V
    id_delete!(d, k)
    v
end
length(d::IdDict) = d.count
isempty(d::IdDict) = d.count == 0
empty!(d::IdDict) = (d.ht = Memory{Any}(undef, 32); d.count = d.used = 0; d)
empty(d::IdDict, ::Type{K}, ::Type{V}) where {K, V} = IdDict{K, V}()
copy(d::IdDict{K, V}) where {K, V} = IdDict{K, V}(d)
rehash!(d::IdDict, n::Integer = length(d)) = id_rebuild!(d, id_pairs_for(max(Int(n), d.count)))
function sizehint!(d::IdDict, n::Integer; shrink::Bool = true)
    want = id_pairs_for(max(Int(n), d.count))
    (2 * want > length(d.ht) || shrink && 2 * want < length(d.ht)) && id_rebuild!(d, want)
    d
end
function iterate(d::IdDict{K, V}, k::Int = 1) where {K, V}
    ht = d.ht
    while k <= length(ht) && !(isassigned(ht, k) && ht[k] !== deleted_key)
        k += 2
    end
    k > length(ht) ? nothing : (Pair{K, V}(ht[k]::K, ht[k + 1]::V), k + 2)
end
function filter!(f, d::IdDict{K, V}) where {K, V}
    for k in 1:2:length(d.ht)
        isassigned(d.ht, k) && d.ht[k] !== deleted_key && !f(Pair{K, V}(d.ht[k], d.ht[k + 1])) && id_delete!(d, k)
    end
    d
end
