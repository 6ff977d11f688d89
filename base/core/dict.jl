# Dictionaries: open addressing with linear probing; entries keep the order in which they came.

"""
    KeyError(key)

The exception for a key that a collection does not have.
"""
struct KeyError <: Exception
    key::Any
end

"""
    Dict(pairs...)
    Dict{K, V}()

A dictionary by hash values. Its order is arbitrary.
"""
mutable struct Dict{K, V} <: AbstractDict{K, V}
    slots::Memory{Int}
    keys::Vector{K}
    vals::Vector{V}
    live::Vector{Bool}
    count::Int
    Dict{K, V}() where {K, V} = new{K, V}(empty_slots(8), Vector{K}(), Vector{V}(), Vector{Bool}(), 0)
end
function empty_slots(n::Int)
    m = Memory{Int}(undef, n)
    for i in 1:n
        m[i] = 0
    end
    m
end
# The power of two that a table for so many slots has.
_tablesz(n::T) where {T <: Integer} = n < 16 ? T(16) : one(T) << (8 * sizeof(T) - leading_zeros(n - one(T)))
Dict() = Dict{Any, Any}()
Dict(::Tuple{}) = Dict()
Dict{K, V}(ps::Pair...) where {K, V} = dict_from(Dict{K, V}(), ps)
Dict{K, V}(p::Pair) where {K, V} = setindex!(Dict{K, V}(), p.second, p.first)
Dict{K, V}(itr) where {K, V} = dict_from(Dict{K, V}(), itr)
Dict(ps::Pair{K, V}...) where {K, V} = dict_from(Dict{K, V}(), ps)
Dict(ps::Pair...) = dict_growing(dict_maker, ps)
Dict(itr) = checked_dict(dict_maker, itr)
Dict(d::AbstractDict{K, V}) where {K, V} = dict_from(Dict{K, V}(), d)
dict_maker(K, V) = Dict{K, V}()

# A dictionary of pairs whose types are known from the elements' type, or else found one by one.
@noinline _throw_dict_kv_error() = throw(ArgumentError("AbstractDict(kv): kv needs to be an iterator of 2-tuples or pairs"))
function checked_dict(make, itr)
    applicable(iterate, itr) || _throw_dict_kv_error()
    dict_of_pairs(make, itr, eltype_known(itr))
end
eltype_known(itr) = IteratorEltype(itr) isa HasEltype ? eltype(itr) : default_eltype(itr)
dict_of_pairs(make, itr, ::Type{Pair{K, V}}) where {K, V} = dict_from(make(K, V), itr)
dict_of_pairs(make, itr, ::Type{Tuple{K, V}}) where {K, V} = dict_from(make(K, V), itr)
dict_of_pairs(make, itr, ::Type) = dict_growing(make, itr)
dict_of_pairs(make, itr, ::Type{Union{}}) = dict_growing(make, itr)
# The key and the value of an element: a pair, or anything else that iterates over just two values.
dict_entry(p::Pair) = p
dict_entry(t::Tuple{Any, Any}) = t
function dict_entry(x)
    applicable(iterate, x) || _throw_dict_kv_error()
    k = iterate(x)
    k === nothing && _throw_dict_kv_error()
    v = iterate(x, k[2])
    v === nothing && _throw_dict_kv_error()
    iterate(x, v[2]) === nothing || _throw_dict_kv_error()
    (k[1], v[1])
end
function dict_growing(make, itr)
    y = iterate(itr)
    y === nothing && return make(Any, Any)
    k, v = dict_entry(y[1])
    d = make(typeof(k), typeof(v))
    d[k] = v
    grow_dict(make, d, itr, y[2])
end
function grow_dict(make, d::AbstractDict{K, V}, itr, state) where {K, V}
    y = iterate(itr, state)
    while y !== nothing
        k, v = dict_entry(y[1])
        state = y[2]
        if k isa K && v isa V
            d[k] = v
        else
            wide = make(promote_typejoin(K, typeof(k)), promote_typejoin(V, typeof(v)))
            merge!(wide, d)
            wide[k] = v
            return grow_dict(make, wide, itr, state)
        end
        y = iterate(itr, state)
    end
    d
end
promote_typejoin_all(T) = T
promote_typejoin_all(T, S, Us...) = promote_typejoin_all(T === S ? T : promote_typejoin(T, S), Us...)
function dict_from(d, itr)
    for x in itr
        k, v = dict_entry(x)
        d[k] = v
    end
    d
end

# The slot where `key` is, or where it would go (then its entry is 0 or dead).
# A third of the slots is free: the loop ends.
@assume_effects :terminates_locally function find_slot(d::Dict, key)
    n = length(d.slots)
    mask = n - 1
    i = (hash(key) % Int) & mask
    while true
        e = d.slots[i + 1]
        e == 0 && return i + 1
        d.live[e] && isequal(d.keys[e], key) && return i + 1
        i = (i + 1) & mask
    end
end
find_entry(d::Dict, key) = d.slots[find_slot(d, key)]
function rebuild!(d::Dict, n::Int)
    k = 0
    for i in 1:length(d.keys)
        if d.live[i]
            k += 1
            if k != i
                d.keys[k] = d.keys[i]
                d.vals[k] = d.vals[i]
                d.live[k] = true
            end
        end
    end
    resize!(d.keys, k)
    resize!(d.vals, k)
    resize!(d.live, k)
    d.slots = empty_slots(n)
    mask = n - 1
    for e in 1:k
        i = (hash(d.keys[e]) % Int) & mask
        while d.slots[i + 1] != 0
            i = (i + 1) & mask
        end
        d.slots[i + 1] = e
    end
    nothing
end
# How many slots hold `n` entries and stay a third free.
slots_for(n) = max(8, nextpow(2, cld(3 * Int(n), 2) + 1))
rehash!(d::Dict, n::Integer = length(d)) = (rebuild!(d, slots_for(max(Int(n), d.count))); d)
function sizehint!(d::Dict, n::Integer; shrink::Bool = true)
    want = slots_for(max(Int(n), d.count))
    (want > length(d.slots) || shrink && want < length(d.slots)) && rebuild!(d, want)
    d
end
setindex!(d::Dict{K, V}, v, key) where {K, V} = set_entry!(d, convert_key(K, key), convert(V, v))
@noinline throw_key_type(K, key) = throw(ArgumentError(string(limited_repr(key), " is not a valid key for type ", K)))
limited_repr(x) = repr(x; context = :limit => true)
function convert_key(::Type{K}, key) where {K}
    key isa K && return key
    k = convert(K, key)
    isequal(k, key)::Bool || throw_key_type(K, key)
    k::K
end
function set_entry!(d::Dict, key, v)
    s = find_slot(d, key)
    e = d.slots[s]
    if e != 0
        d.vals[e] = v
        d.keys[e] = key
        return d
    end
    push!(d.keys, key)
    push!(d.vals, v)
    push!(d.live, true)
    d.slots[s] = length(d.keys)
    d.count += 1
    3 * length(d.keys) > 2 * length(d.slots) && rebuild!(d, d.count * 3 > length(d.slots) ? 2 * length(d.slots) : length(d.slots))
    d
end
function getindex(d::Dict, key)
    e = find_entry(d, key)
    e == 0 && throw(KeyError(key))
    d.vals[e]
end
haskey(d::Dict, key) = find_entry(d, key) != 0
get(d::Dict, key, default) = (e = find_entry(d, key); e == 0 ? default : d.vals[e])
get(f::Callable, d::Dict, key) = (e = find_entry(d, key); e == 0 ? f() : d.vals[e])
getkey(d::Dict, key, default) = (e = find_entry(d, key); e == 0 ? default : d.keys[e])
function get!(d::Dict{K, V}, key, default) where {K, V}
    e = find_entry(d, key)
    e == 0 || return d.vals[e]
    v = convert(V, default)
    set_entry!(d, convert_key(K, key), v)
    v
end
function get!(f::Callable, d::Dict{K, V}, key) where {K, V}
    e = find_entry(d, key)
    e == 0 || return d.vals[e]
    v = convert(V, f())
    set_entry!(d, convert_key(K, key), v)
    v
end
function delete!(d::Dict, key)
    e = find_entry(d, key)
    e == 0 || remove_entry!(d, e)
    d
end
function remove_entry!(d::Dict, e)
    d.live[e] = false
    d.count -= 1
    d.count == 0 && empty!(d)
    nothing
end
function pop!(d::Dict, key)
    e = find_entry(d, key)
    e == 0 && throw(KeyError(key))
    v = d.vals[e]
    remove_entry!(d, e)
    v
end
function pop!(d::Dict, key, default)
    e = find_entry(d, key)
    e == 0 && return default
    v = d.vals[e]
    remove_entry!(d, e)
    v
end
function empty!(d::Dict)
    empty!(d.keys)
    empty!(d.vals)
    empty!(d.live)
    d.slots = empty_slots(8)
    d.count = 0
    d
end
copy(d::Dict{K, V}) where {K, V} = dict_from(Dict{K, V}(), d)
length(d::Dict) = d.count
isempty(d::Dict) = d.count == 0
function iterate(d::Dict{K, V}, i::Int = 1) where {K, V}
    n = length(d.keys)
    while i <= n && !d.live[i]
        i += 1
    end
    i > n && return nothing
    (Pair{K, V}(d.keys[i], d.vals[i]), i + 1)
end
function iterate(r::Iterators.Reverse{<:Dict{K, V}}, i::Int = length(r.itr.keys)) where {K, V}
    d = r.itr
    while i >= 1 && !d.live[i]
        i -= 1
    end
    i < 1 ? nothing : (Pair{K, V}(d.keys[i], d.vals[i]), i - 1)
end
function filter!(f, d::Dict)
    for i in 1:length(d.keys)
        i <= length(d.keys) && d.live[i] && !f(d.keys[i] => d.vals[i]) && remove_entry!(d, i)
    end
    d
end
# What `@locals` calls: pairs of a name and a value, and `nothing` for variables without a value.
function dict_of_locals(variables...)
    d = Dict{Symbol, Any}()
    for v in variables
        v === nothing || setindex!(d, v[2], v[1])
    end
    d
end
