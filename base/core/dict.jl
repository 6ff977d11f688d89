# Dictionaries: open addressing with linear probing; entries keep the order in which they came.

struct KeyError <: Exception
    key::Any
end

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
Dict() = Dict{Any, Any}()
Dict{K, V}(ps::Pair...) where {K, V} = dict_from(Dict{K, V}(), ps)
Dict{K, V}(itr) where {K, V} = dict_from(Dict{K, V}(), itr)
Dict(ps::Pair{K, V}...) where {K, V} = dict_from(Dict{K, V}(), ps)
Dict(ps::Pair...) = dict_from(Dict{promote_typejoin_all(map(p -> typeof(p.first), ps)...), promote_typejoin_all(map(p -> typeof(p.second), ps)...)}(), ps)
function Dict(itr)
    ps = collect(itr)
    isempty(ps) && return dict_of_eltype(eltype(ps))
    K = promote_typejoin_all(map(p -> typeof(p[1]), ps)...)
    V = promote_typejoin_all(map(p -> typeof(p[2]), ps)...)
    dict_from(Dict{K, V}(), ps)
end
Dict(d::AbstractDict{K, V}) where {K, V} = dict_from(Dict{K, V}(), d)
dict_of_eltype(::Type{Pair{K, V}}) where {K, V} = Dict{K, V}()
dict_of_eltype(::Type{Tuple{K, V}}) where {K, V} = Dict{K, V}()
dict_of_eltype(T) = Dict{Any, Any}()
promote_typejoin_all(T) = T
promote_typejoin_all(T, S, Us...) = promote_typejoin_all(T === S ? T : promote_typejoin(T, S), Us...)
function dict_from(d, itr)
    for p in itr
        d[p[1]] = p[2]
    end
    d
end

# The slot where `key` is, or where it would go (then its entry is 0 or dead).
function find_slot(d::Dict, key)
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
            d.keys[k] = d.keys[i]
            d.vals[k] = d.vals[i]
            d.live[k] = true
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
setindex!(d::Dict{K, V}, v, key) where {K, V} = set_entry!(d, convert_key(K, key), convert(V, v))
function convert_key(::Type{K}, key) where {K}
    key isa K && return key
    k = convert(K, key)
    isequal(k, key) || throw(ArgumentError(string(key, " is not a valid key for type ", K)))
    k
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
get!(d::AbstractDict, key, default) = haskey(d, key) ? d[key] : (d[key] = default; d[key])
get!(f::Callable, d::AbstractDict, key) = haskey(d, key) ? d[key] : (v = f(); d[key] = v; d[key])
getkey(d::Dict, key, default) = (e = find_entry(d, key); e == 0 ? default : d.keys[e])
function delete!(d::Dict, key)
    e = find_entry(d, key)
    if e != 0
        d.live[e] = false
        d.count -= 1
        d.count == 0 && empty!(d)
    end
    d
end
function pop!(d::AbstractDict, key)
    haskey(d, key) || throw(KeyError(key))
    v = d[key]
    delete!(d, key)
    v
end
pop!(d::AbstractDict, key, default) = haskey(d, key) ? pop!(d, key) : default
function pop!(d::AbstractDict)
    isempty(d) && throw(ArgumentError("dict must be non-empty"))
    p = first(d)
    delete!(d, p.first)
    p
end
function empty!(d::Dict)
    empty!(d.keys)
    empty!(d.vals)
    empty!(d.live)
    d.slots = empty_slots(8)
    d.count = 0
    d
end
empty(d::AbstractDict{K, V}) where {K, V} = Dict{K, V}()
empty(d::AbstractDict, ::Type{K}, ::Type{V}) where {K, V} = Dict{K, V}()
copy(d::Dict{K, V}) where {K, V} = dict_from(Dict{K, V}(), d)
copy(d::AbstractDict) = dict_from(empty(d), d)
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

# What every dictionary has.
eltype(::Type{<:AbstractDict{K, V}}) where {K, V} = Pair{K, V}
keytype(::Type{<:AbstractDict{K, V}}) where {K, V} = K
valtype(::Type{<:AbstractDict{K, V}}) where {K, V} = V
keytype(d::AbstractDict) = keytype(typeof(d))
valtype(d::AbstractDict) = valtype(typeof(d))
struct KeySet{K, D <: AbstractDict{K}} <: AbstractSet{K}
    dict::D
end
struct ValueIterator{D <: AbstractDict}
    dict::D
end
KeySet(d::AbstractDict{K}) where {K} = KeySet{K, typeof(d)}(d)
keys(d::AbstractDict) = KeySet(d)
values(d::AbstractDict) = ValueIterator(d)
length(k::Union{KeySet, ValueIterator}) = length(k.dict)
isempty(k::Union{KeySet, ValueIterator}) = isempty(k.dict)
eltype(::Type{KeySet{K, D}}) where {K, D} = K
eltype(::Type{ValueIterator{D}}) where {D} = valtype(D)
iterate(k::KeySet, s...) = (y = iterate(k.dict, s...); y === nothing ? nothing : (y[1].first, y[2]))
iterate(v::ValueIterator, s...) = (y = iterate(v.dict, s...); y === nothing ? nothing : (y[1].second, y[2]))
in(key, k::KeySet) = haskey(k.dict, key)
in(p::Pair, d::AbstractDict) = haskey(d, p.first) && d[p.first] == p.second
haskey(d::AbstractDict, key) = any(k -> isequal(k, key), keys(d))
get(d::AbstractDict, key, default) = haskey(d, key) ? d[key] : default
get(f::Callable, d::AbstractDict, key) = haskey(d, key) ? d[key] : f()
push!(d::AbstractDict, p::Pair) = (d[p.first] = p.second; d)
push!(d::AbstractDict, p::Pair, q::Pair, rest::Pair...) = push!(push!(d, p), q, rest...)
function merge!(d::AbstractDict, others::AbstractDict...)
    for o in others, (k, v) in o
        d[k] = v
    end
    d
end
function mergewith!(f, d::AbstractDict, others::AbstractDict...)
    for o in others, (k, v) in o
        d[k] = haskey(d, k) ? f(d[k], v) : v
    end
    d
end
merge(d::AbstractDict, others::AbstractDict...) = merge!(merged_dict(d, others...), d, others...)
mergewith(f, d::AbstractDict, others::AbstractDict...) = mergewith!(f, merged_dict(d, others...), d, others...)
merged_dict(ds...) = Dict{promote_typejoin_all(map(keytype, ds)...), promote_typejoin_all(map(valtype, ds)...)}()
function filter!(f, d::AbstractDict)
    for p in collect(d)
        f(p) || delete!(d, p.first)
    end
    d
end
filter(f, d::AbstractDict) = filter!(f, copy(d))
map!(f, v::ValueIterator) = (for (k, x) in collect(v.dict); v.dict[k] = f(x); end; v)
findall(f::Function, d::AbstractDict) = [k for (k, v) in d if f(v)]
function ==(a::AbstractDict, b::AbstractDict)
    length(a) == length(b) || return false
    for (k, v) in a
        haskey(b, k) && b[k] == v || return false
    end
    true
end
function isequal(a::AbstractDict, b::AbstractDict)
    length(a) == length(b) || return false
    for (k, v) in a
        haskey(b, k) && isequal(b[k], v) || return false
    end
    true
end
function hash(d::AbstractDict, h::UInt)
    x = UInt(0x6d1f_e4a3)
    for (k, v) in d
        x ⊻= hash(k, hash(v))
    end
    hash(x, h)
end
convert(::Type{T}, d::AbstractDict) where {T <: AbstractDict} = d isa T ? d : T(d)
sizehint!(d::AbstractDict, n::Integer) = d

# Dictionaries by identity.
mutable struct IdDict{K, V} <: AbstractDict{K, V}
    ids::Dict{UInt, Vector{Pair{K, V}}}
    count::Int
    IdDict{K, V}() where {K, V} = new{K, V}(Dict{UInt, Vector{Pair{K, V}}}(), 0)
end
IdDict() = IdDict{Any, Any}()
IdDict{K, V}(itr) where {K, V} = dict_from(IdDict{K, V}(), itr)
IdDict(ps::Pair{K, V}...) where {K, V} = dict_from(IdDict{K, V}(), ps)
const WeakKeyDict = IdDict
function find_identical(d::IdDict, key)
    bucket = get(d.ids, objectid(key), nothing)
    bucket === nothing && return nothing
    for i in 1:length(bucket)
        bucket[i].first === key && return (bucket, i)
    end
    nothing
end
function setindex!(d::IdDict{K, V}, v, key) where {K, V}
    at = find_identical(d, key)
    p = Pair{K, V}(key, v)
    if at === nothing
        push!(get!(() -> Vector{Pair{K, V}}(), d.ids, objectid(key)), p)
        d.count += 1
    else
        at[1][at[2]] = p
    end
    d
end
getindex(d::IdDict, key) = (at = find_identical(d, key); at === nothing ? throw(KeyError(key)) : at[1][at[2]].second)
haskey(d::IdDict, key) = find_identical(d, key) !== nothing
get(d::IdDict, key, default) = (at = find_identical(d, key); at === nothing ? default : at[1][at[2]].second)
get(f::Callable, d::IdDict, key) = (at = find_identical(d, key); at === nothing ? f() : at[1][at[2]].second)
delete!(d::IdDict, key) = (at = find_identical(d, key); at === nothing || (deleteat!(at[1], at[2]); d.count -= 1); d)
length(d::IdDict) = d.count
empty!(d::IdDict) = (empty!(d.ids); d.count = 0; d)
empty(d::IdDict{K, V}) where {K, V} = IdDict{K, V}()
function iterate(d::IdDict)
    items = collect(Iterators.flatten(values(d.ids)))
    iterate(d, (items, 1))
end
iterate(d::IdDict, s::Tuple) = s[2] > length(s[1]) ? nothing : (s[1][s[2]], (s[1], s[2] + 1))
