# Dictionaries that do not keep their keys alive.

# A key that nothing else holds goes with a collection. Its finalizer says so, and the next access drops its entry: the references
# are the keys of a dictionary, and one that has lost its object has lost its hash too.
"""
    WeakKeyDict(pairs...)

A dictionary that does not keep its keys alive.
"""
mutable struct WeakKeyDict{K, V} <: AbstractDict{K, V}
    ht::Dict{Any, V}
    lock::ReentrantLock
    has_lost_keys::Bool
    WeakKeyDict{K, V}() where {K, V} = new{K, V}(Dict{Any, V}(), ReentrantLock(), false)
end
WeakKeyDict() = WeakKeyDict{Any, Any}()
WeakKeyDict{K, V}(itr) where {K, V} = dict_from(WeakKeyDict{K, V}(), itr)
WeakKeyDict{K, V}(ps::Pair...) where {K, V} = dict_from(WeakKeyDict{K, V}(), ps)
WeakKeyDict{K, V}(p::Pair) where {K, V} = dict_from(WeakKeyDict{K, V}(), (p,))
WeakKeyDict(ps::Pair{K, V}...) where {K, V} = dict_from(WeakKeyDict{K, V}(), ps)
WeakKeyDict(ps::Pair{K}...) where {K} = dict_from(WeakKeyDict{K, Any}(), ps)
WeakKeyDict(ps::(Pair{K, V} where {K})...) where {V} = dict_from(WeakKeyDict{Any, V}(), ps)
WeakKeyDict(ps::Pair...) = dict_from(WeakKeyDict{Any, Any}(), ps)
WeakKeyDict(itr) = checked_dict((K, V) -> WeakKeyDict{K, V}(), itr)
function weak_key(K, key)
    key isa K || throw_key_type(K, key)
    ismutable(key) || throw(ArgumentError(string("objects of type ", typeof(key), " cannot be finalized")))
    key
end
lock(f, d::WeakKeyDict) = lock(f, d.lock)
lock(d::WeakKeyDict) = lock(d.lock)
unlock(d::WeakKeyDict) = unlock(d.lock)
trylock(f, d::WeakKeyDict) = trylock(f, d.lock)
# The entries of keys that are there.
function live_entries(d::WeakKeyDict)
    if d.has_lost_keys
        d.has_lost_keys = false
        kept = Pair{Any, valtype(d)}[]
        for (ref, v) in d.ht
            ref.value === nothing || push!(kept, Pair{Any, valtype(d)}(ref, v))
        end
        empty!(d.ht)
        for (ref, v) in kept
            d.ht[ref] = v
        end
    end
    d.ht
end
function setindex!(d::WeakKeyDict{K}, v, key) where {K}
    weak_key(K, key)
    lock(d) do
        entries = live_entries(d)
        ref = getkey(entries, key, nothing)
        if ref === nothing
            finalizer(_ -> (d.has_lost_keys = true), key)
            ref = WeakRef(key)
        end
        entries[ref] = v
    end
    d
end
getindex(d::WeakKeyDict, key) = lock(() -> live_entries(d)[key], d)
get(d::WeakKeyDict, key, default) = (key === nothing && throw(KeyError(nothing)); lock(() -> get(live_entries(d), key, default), d))
get(f::Callable, d::WeakKeyDict, key) = (key === nothing && throw(KeyError(nothing)); lock(() -> get(f, live_entries(d), key), d))
function get!(f::Callable, d::WeakKeyDict{K}, key) where {K}
    lock(d) do
        haskey(d, key) && return d[key]
        v = f()
        d[key] = v
        d[key]
    end
end
haskey(d::WeakKeyDict, key) = lock(() -> haskey(live_entries(d), key), d)
in(key, k::KeySet{<:Any, <:WeakKeyDict}) = haskey(k.dict, key)
function getkey(d::WeakKeyDict, key, default)
    lock(d) do
        ref = getkey(live_entries(d), key, nothing)
        ref === nothing ? default : ref.value
    end
end
delete!(d::WeakKeyDict, key) = (lock(() -> delete!(live_entries(d), key), d); d)
pop!(d::WeakKeyDict, key) = lock(() -> pop!(live_entries(d), key), d)
pop!(d::WeakKeyDict, key, default) = lock(() -> pop!(live_entries(d), key, default), d)
empty!(d::WeakKeyDict) = (lock(() -> empty!(d.ht), d); d)
empty(::WeakKeyDict, ::Type{K}, ::Type{V}) where {K, V} = WeakKeyDict{K, V}()
length(d::WeakKeyDict) = lock(() -> length(live_entries(d)), d)
isempty(d::WeakKeyDict) = length(d) == 0
# Keys are held while the entries are gone through.
function iterate(d::WeakKeyDict{K, V}, state = nothing) where {K, V}
    entries, i = state === nothing ? (collect_entries(d), 1) : state
    i > length(entries) ? nothing : (entries[i], (entries, i + 1))
end
function collect_entries(d::WeakKeyDict{K, V}) where {K, V}
    lock(d) do
        found = Pair{K, V}[]
        for (ref, v) in live_entries(d)
            key = ref.value
            (key === nothing || !(key isa K)) || push!(found, Pair{K, V}(key, v))
        end
        found
    end
end
function filter!(f, d::WeakKeyDict)
    for pair in collect_entries(d)
        f(pair) || delete!(d, pair.first)
    end
    d
end
