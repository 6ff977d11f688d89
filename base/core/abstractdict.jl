# What every dictionary has, by `get`, `iterate`, `length` and `setindex!` of its own.

const secret_table_token = :__absent_key__
eltype(::Type{<:AbstractDict{K, V}}) where {K, V} = Pair{K, V}
keytype(::Type{<:AbstractDict{K, V}}) where {K, V} = K
valtype(::Type{<:AbstractDict{K, V}}) where {K, V} = V
keytype(d::AbstractDict) = keytype(typeof(d))
valtype(d::AbstractDict) = valtype(typeof(d))
keytype(a::AbstractArray) = keytype(typeof(a))
keytype(::Type{<:AbstractArray{T, N}}) where {T, N} = CartesianIndex{N}
keytype(::Type{<:AbstractVector}) = Int
valtype(a::AbstractArray) = valtype(typeof(a))
valtype(A::Type{<:AbstractArray}) = eltype(A)
keytype(t::Tuple) = keytype(typeof(t))
keytype(::Type{<:Tuple}) = Int
valtype(t::Tuple) = valtype(typeof(t))
valtype(T::Type{<:Tuple}) = eltype(T)
keytype(t::NamedTuple) = keytype(typeof(t))
keytype(::Type{<:NamedTuple}) = Symbol
valtype(t::NamedTuple) = valtype(typeof(t))
valtype(T::Type{<:NamedTuple}) = eltype(T)

struct KeySet{K, D <: AbstractDict{K}} <: AbstractSet{K}
    dict::D
end
struct ValueIterator{D <: AbstractDict}
    dict::D
end
KeySet(d::AbstractDict{K}) where {K} = KeySet{K, typeof(d)}(d)
keys(d::AbstractDict) = KeySet(d)
values(d::AbstractDict) = ValueIterator(d)
pairs(d::AbstractDict) = d
length(k::Union{KeySet, ValueIterator}) = length(k.dict)
isempty(k::Union{KeySet, ValueIterator}) = isempty(k.dict)
eltype(::Type{KeySet{K, D}}) where {K, D} = K
eltype(::Type{ValueIterator{D}}) where {D} = valtype(D)
iterate(k::KeySet, s...) = (y = iterate(k.dict, s...); y === nothing ? nothing : (y[1].first, y[2]))
iterate(v::ValueIterator, s...) = (y = iterate(v.dict, s...); y === nothing ? nothing : (y[1].second, y[2]))
in(key, k::KeySet) = get(k.dict, key, secret_table_token) !== secret_table_token
copy(k::KeySet) = Set(k)
copy(v::ValueIterator) = collect(v)
function in(p::Pair, d::AbstractDict, same = ==)
    v = get(d, p.first, secret_table_token)
    v === secret_table_token ? false : same(v, p.second)
end
in(p, d::AbstractDict) = error("AbstractDict collections only contain Pairs;
Either look for e.g. A=>B instead, or use the `keys` or `values`
function if you are looking for a key or value respectively.")
haskey(d::AbstractDict, key) = in(key, keys(d))
isempty(d::AbstractDict) = length(d) == 0
first(d::AbstractDict) = (y = iterate(d); y === nothing ? throw(ArgumentError("collection must be non-empty")) : y[1])
function getindex(d::AbstractDict, key)
    v = get(d, key, secret_table_token)
    v === secret_table_token && throw(KeyError(key))
    v
end
getindex(d::AbstractDict, k1, k2, ks...) = getindex(d, (k1, k2, ks...))
setindex!(d::AbstractDict, v, k1, k2, ks...) = setindex!(d, v, (k1, k2, ks...))
get!(d::AbstractDict, key, default) = get!(() -> default, d, key)
function get!(f::Callable, d::AbstractDict{K, V}, key) where {K, V}
    v = get(d, key, secret_table_token)
    v === secret_table_token || return v
    v = convert(V, f())
    d[key] = v
    v
end
get(f::Callable, d::AbstractDict, key) = (v = get(d, key, secret_table_token); v === secret_table_token ? f() : v)
getkey(d::AbstractDict, key, default) = (for k in keys(d); isequal(k, key) && return k; end; default)
function pop!(d::AbstractDict, key)
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
empty(d::AbstractDict{K, V}) where {K, V} = empty(d, K, V)
empty(d::AbstractDict{K}, ::Type{V}) where {K, V} = empty(d, K, V)
empty(d::AbstractDict, ::Type{K}, ::Type{V}) where {K, V} = Dict{K, V}()
copy(d::AbstractDict) = merge!(empty(d), d)
copy!(d::AbstractDict, src::AbstractDict) = d === src ? d : merge!(empty!(d), src)
push!(d::AbstractDict, p::Pair) = (d[p.first] = p.second; d)
push!(d::AbstractDict, p::Pair, q::Pair, rest::Pair...) = push!(push!(d, p), q, rest...)
sizehint!(d::AbstractDict, n::Integer; shrink::Bool = true) = d
function merge!(d::AbstractDict, others::AbstractDict...)
    for o in others, (k, v) in o
        d[k] = v
    end
    d
end
function mergewith!(f, d::AbstractDict, others::AbstractDict...)
    for o in others, (k, v) in o
        w = get(d, k, secret_table_token)
        d[k] = w === secret_table_token ? v : f(w, v)
    end
    d
end
mergewith!(f) = (args...) -> mergewith!(f, args...)
mergewith(f) = (args...) -> mergewith(f, args...)
merge(d::AbstractDict) = copy(d)
merge(d::AbstractDict, others::AbstractDict...) = merge!(merged_dict(d, others...), d, others...)
mergewith(f, d::AbstractDict, others::AbstractDict...) = mergewith!(f, merge!(merged_dict(d, others...), d), others...)
merge(f::Function, d::AbstractDict, others::AbstractDict...) = mergewith(f, d, others...)
merge!(f::Function, d::AbstractDict, others::AbstractDict...) = mergewith!(f, d, others...)
merged_dict(d, others...) = empty(d, promote_type(keytype(d), map(keytype, others)...), promote_type(valtype(d), map(valtype, others)...))
function filter!(f, d::AbstractDict)
    for p in collect(d)
        f(p) || delete!(d, p.first)
    end
    d
end
function filter(f, d::AbstractDict)
    out = empty(d)
    for p in d
        f(p) && (out[p.first] = p.second)
    end
    out
end
map!(f, v::ValueIterator) = (for (k, x) in collect(v.dict); v.dict[k] = f(x); end; v)
map(f, ::AbstractDict) = error("map is not defined on dictionaries")
findall(f::Function, d::AbstractDict) = [k for (k, v) in d if f(v)]
function ==(a::AbstractDict, b::AbstractDict)
    (a isa IdDict) == (b isa IdDict) || return false
    length(a) == length(b) || return false
    unknown = false
    for p in a
        same = in(p, b)
        same === missing ? (unknown = true) : same || return false
    end
    unknown ? missing : true
end
function isequal(a::AbstractDict, b::AbstractDict)
    a === b && return true
    (a isa IdDict) == (b isa IdDict) || return false
    length(a) == length(b) || return false
    all(p -> in(p, b, isequal), a)
end
function hash(d::AbstractDict, h::UInt)
    x = UInt(0x6d1f_e4a3)
    for (k, v) in d
        x ⊻= hash(k, hash(v))
    end
    hash(x, h)
end
convert(::Type{T}, d::T) where {T <: AbstractDict} = d
function convert(::Type{T}, d::AbstractDict) where {T <: AbstractDict}
    out = T(d)::T
    length(out) == length(d) || error("key collisions during dictionary conversion")
    out
end

# Dictionaries by identity.
mutable struct IdDict{K, V} <: AbstractDict{K, V}
    ids::Dict{UInt, Vector{Pair{K, V}}}
    count::Int
    IdDict{K, V}() where {K, V} = new{K, V}(Dict{UInt, Vector{Pair{K, V}}}(), 0)
end
IdDict() = IdDict{Any, Any}()
IdDict{K, V}(itr) where {K, V} = dict_from(IdDict{K, V}(), itr)
IdDict{K, V}(ps::Pair...) where {K, V} = dict_from(IdDict{K, V}(), ps)
IdDict{K, V}(p::Pair) where {K, V} = dict_from(IdDict{K, V}(), (p,))
IdDict(ps::Pair{K, V}...) where {K, V} = dict_from(IdDict{K, V}(), ps)
IdDict(ps::Pair...) = dict_growing(id_dict_maker, ps)
IdDict(itr) = checked_dict(id_dict_maker, "IdDict", itr)
id_dict_maker(K, V) = IdDict{K, V}()
function find_identical(d::IdDict, @nospecialize(key))
    bucket = get(d.ids, objectid(key), nothing)
    bucket === nothing && return nothing
    for i in 1:length(bucket)
        bucket[i].first === key && return (bucket, i)
    end
    nothing
end
function setindex!(d::IdDict{K, V}, v, key) where {K, V}
    key isa K || throw_key_type(K, key)
    at = find_identical(d, key)
    p = Pair{K, V}(key, v isa V ? v : convert(V, v)::V)
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
in(key, k::KeySet{<:Any, <:IdDict}) = haskey(k.dict, key)
get(d::IdDict, key, default) = (at = find_identical(d, key); at === nothing ? default : at[1][at[2]].second)
get(f::Callable, d::IdDict, key) = (at = find_identical(d, key); at === nothing ? f() : at[1][at[2]].second)
function delete!(d::IdDict, key)
    at = find_identical(d, key)
    at === nothing && return d
    deleteat!(at[1], at[2])
    isempty(at[1]) && delete!(d.ids, objectid(key))
    d.count -= 1
    d
end
pop!(d::IdDict, key) = (v = d[key]; delete!(d, key); v)
pop!(d::IdDict, key, default) = haskey(d, key) ? pop!(d, key) : default
length(d::IdDict) = d.count
empty!(d::IdDict) = (empty!(d.ids); d.count = 0; d)
empty(d::IdDict, ::Type{K}, ::Type{V}) where {K, V} = IdDict{K, V}()
copy(d::IdDict{K, V}) where {K, V} = IdDict{K, V}(d)
sizehint!(d::IdDict, n::Integer; shrink::Bool = true) = d
function iterate(d::IdDict{K, V}) where {K, V}
    items = Pair{K, V}[]
    for bucket in values(d.ids)
        append!(items, bucket)
    end
    iterate(d, (items, 1))
end
iterate(d::IdDict, s::Tuple) = s[2] > length(s[1]) ? nothing : (s[1][s[2]], (s[1], s[2] + 1))

# A dictionary that never changes: adding a pair makes a new one in front of the old.
struct ImmutableDict{K, V} <: AbstractDict{K, V}
    parent::ImmutableDict{K, V}
    key::K
    value::V
    ImmutableDict{K, V}() where {K, V} = new{K, V}()
    ImmutableDict{K, V}(parent::ImmutableDict, key, value) where {K, V} = new{K, V}(parent, key, value)
    ImmutableDict(parent::ImmutableDict{K, V}, key, value) where {K, V} = new{K, V}(parent, key, value)
end
ImmutableDict(p::Pair{K, V}, ps::Pair...) where {K, V} = ImmutableDict(ImmutableDict{K, V}(), p, ps...)
ImmutableDict{K, V}(p::Pair, ps::Pair...) where {K, V} = ImmutableDict(ImmutableDict{K, V}(), p, ps...)
ImmutableDict(d::ImmutableDict{K, V}, p::Pair) where {K, V} = ImmutableDict{K, V}(d, p.first, p.second)
ImmutableDict(d::ImmutableDict{K, V}, p::Pair, ps::Pair...) where {K, V} = ImmutableDict(ImmutableDict(d, p), ps...)
isempty(d::ImmutableDict) = !isdefined(d, :parent)
length(d::ImmutableDict) = (n = 0; while !isempty(d); n += 1; d = d.parent; end; n)
empty(::ImmutableDict, ::Type{K}, ::Type{V}) where {K, V} = ImmutableDict{K, V}()
function get(d::ImmutableDict, key, default)
    while !isempty(d)
        isequal(d.key, key) && return d.value
        d = d.parent
    end
    default
end
function get(f::Callable, d::ImmutableDict, key)
    while !isempty(d)
        isequal(d.key, key) && return d.value
        d = d.parent
    end
    f()
end
getindex(d::ImmutableDict, key) = get(() -> throw(KeyError(key)), d, key)
haskey(d::ImmutableDict, key) = (while !isempty(d); isequal(d.key, key) && return true; d = d.parent; end; false)
function in(p::Pair, d::ImmutableDict, same = ==)
    unknown = false
    while !isempty(d)
        if isequal(d.key, p.first)
            r = same(d.value, p.second)
            r === missing ? (unknown = true) : r && return true
        end
        d = d.parent
    end
    unknown ? missing : false
end
iterate(d::ImmutableDict{K, V}, at = d) where {K, V} = isempty(at) ? nothing : (Pair{K, V}(at.key, at.value), at.parent)
copy(d::ImmutableDict) = d

# A dictionary whose versions stay: what changes it returns another.
struct PersistentDict{K, V} <: AbstractDict{K, V}
    entries::Dict{K, V}
    PersistentDict{K, V}(entries::Dict{K, V}, ::Val{:own}) where {K, V} = new{K, V}(entries)
end
PersistentDict{K, V}() where {K, V} = PersistentDict{K, V}(Dict{K, V}(), Val(:own))
PersistentDict{K, V}(p::Pair, ps::Pair...) where {K, V} = PersistentDict{K, V}(Dict{K, V}(p, ps...), Val(:own))
PersistentDict{K, V}(d::PersistentDict{K, V}, p::Pair) where {K, V} = PersistentDict(d, p.first, p.second)
PersistentDict(p::Pair{K, V}, ps::Pair...) where {K, V} = PersistentDict{K, V}(p, ps...)
PersistentDict(d::PersistentDict, p::Pair) = PersistentDict(d, p.first, p.second)
PersistentDict(d::PersistentDict, p::Pair, ps::Pair...) = PersistentDict(PersistentDict(d, p), ps...)
function PersistentDict(d::PersistentDict{K, V}, key, value) where {K, V}
    entries = copy(d.entries)
    entries[key] = value
    PersistentDict{K, V}(entries, Val(:own))
end
delete(d::PersistentDict{K, V}, key) where {K, V} = PersistentDict{K, V}(delete!(copy(d.entries), key), Val(:own))
get(d::PersistentDict, key, default) = get(d.entries, key, default)
get(f::Callable, d::PersistentDict, key) = get(f, d.entries, key)
getindex(d::PersistentDict, key) = d.entries[key]
haskey(d::PersistentDict, key) = haskey(d.entries, key)
length(d::PersistentDict) = length(d.entries)
isempty(d::PersistentDict) = isempty(d.entries)
iterate(d::PersistentDict, s...) = iterate(d.entries, s...)
empty(::PersistentDict, ::Type{K}, ::Type{V}) where {K, V} = PersistentDict{K, V}()

# Keys that nothing else holds may go; here they stay as long as the dictionary does, which the contract allows.
mutable struct WeakKeyDict{K, V} <: AbstractDict{K, V}
    ht::Dict{K, V}
    WeakKeyDict{K, V}() where {K, V} = new{K, V}(Dict{K, V}())
end
WeakKeyDict() = WeakKeyDict{Any, Any}()
WeakKeyDict{K, V}(itr) where {K, V} = dict_from(WeakKeyDict{K, V}(), itr)
WeakKeyDict{K, V}(ps::Pair...) where {K, V} = dict_from(WeakKeyDict{K, V}(), ps)
WeakKeyDict{K, V}(p::Pair) where {K, V} = dict_from(WeakKeyDict{K, V}(), (p,))
WeakKeyDict(ps::Pair{K, V}...) where {K, V} = dict_from(WeakKeyDict{K, V}(), ps)
WeakKeyDict(ps::Pair{K}...) where {K} = dict_from(WeakKeyDict{K, Any}(), ps)
WeakKeyDict(ps::(Pair{K, V} where {K})...) where {V} = dict_from(WeakKeyDict{Any, V}(), ps)
WeakKeyDict(ps::Pair...) = dict_from(WeakKeyDict{Any, Any}(), ps)
WeakKeyDict(itr) = checked_dict((K, V) -> WeakKeyDict{K, V}(), "WeakKeyDict", itr)
setindex!(d::WeakKeyDict{K}, v, key) where {K} = (ismutable(key) || key isa K || throw_key_type(K, key); weak_key_check(key); d.ht[key] = v; d)
weak_key_check(key) = ismutable(key) ? nothing : throw(ArgumentError("objects of type $(typeof(key)) cannot be finalized"))
getindex(d::WeakKeyDict, key) = d.ht[key]
get(d::WeakKeyDict, key, default) = get(d.ht, key, default)
get(f::Callable, d::WeakKeyDict, key) = get(f, d.ht, key)
haskey(d::WeakKeyDict, key) = haskey(d.ht, key)
getkey(d::WeakKeyDict, key, default) = getkey(d.ht, key, default)
delete!(d::WeakKeyDict, key) = (delete!(d.ht, key); d)
pop!(d::WeakKeyDict, key) = pop!(d.ht, key)
pop!(d::WeakKeyDict, key, default) = pop!(d.ht, key, default)
empty!(d::WeakKeyDict) = (empty!(d.ht); d)
empty(::WeakKeyDict, ::Type{K}, ::Type{V}) where {K, V} = WeakKeyDict{K, V}()
length(d::WeakKeyDict) = length(d.ht)
isempty(d::WeakKeyDict) = isempty(d.ht)
iterate(d::WeakKeyDict, s...) = iterate(d.ht, s...)
filter!(f, d::WeakKeyDict) = (filter!(f, d.ht); d)
