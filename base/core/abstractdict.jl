# Functions of every dictionary, by `get`, `iterate`, `length` and `setindex!` of its own.

const secret_table_token = :__absent_key__
eltype(::Type{<:AbstractDict{K, V}}) where {K, V} = Pair{K, V}
keytype(::Type{<:AbstractDict{K}}) where {K} = K
valtype(::Type{<:AbstractDict{<:Any, V}}) where {V} = V
keytype(d::AbstractDict) = keytype(typeof(d))
valtype(d::AbstractDict) = valtype(typeof(d))
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
keys(d::AbstractDict) = KeySet(d)
values(d::AbstractDict) = ValueIterator(d)
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
isempty(d::AbstractDict) = iterate(d) === nothing
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
# A dictionary of the kind of `dest` with the pairs of an iterator, whose types are found one by one.
grow_to!(dest::AbstractDict, itr) = (applicable(iterate, itr) || _throw_dict_kv_error(); grow_from(dest, itr, iterate(itr)))
function grow_from(dest, itr, y)
    y === nothing && return dest
    (k, v), state = checked_pair(y)
    first_pair = empty(dest, typeof(k), typeof(v))
    first_pair[k] = v
    grow_to!(first_pair, itr, state)
end
checked_pair(y) = y[1] isa Union{Pair, Tuple{Any, Any}} ? y : _throw_dict_kv_error()
function grow_to!(dest::AbstractDict{K, V}, itr, state) where {K, V}
    y = iterate(itr, state)
    while y !== nothing
        (k, v), state = checked_pair(y)
        if k isa K && v isa V
            dest[k] = v
        else
            wider = merge!(empty(dest, promote_typejoin(K, typeof(k)), promote_typejoin(V, typeof(v))), dest)
            wider[k] = v
            return grow_to!(wider, itr, state)
        end
        y = iterate(itr, state)
    end
    dest
end
"""
    Base.dict_with_eltype(make, pairs, T)

The dictionary of a package's type for pairs of type `T`: `make(K, V)` is the type for keys and values of these types.
"""
dict_with_eltype(make::F, ::Type{Union{Pair{K, V}, Tuple{K, V}}}) where {F, K, V} = make(K, V)()
dict_with_eltype(make::F, ::Type{Pair{K, V}}) where {F, K, V} = make(K, V)()
dict_with_eltype(make::F, ::Type{Tuple{K, V}}) where {F, K, V} = make(K, V)()
dict_with_eltype(make::F, ::Type) where {F} = make(Any, Any)()
dict_with_eltype(make::F, pairs, ::Type{Pair{K, V}}) where {F, K, V} = make(K, V)(pairs)
dict_with_eltype(make::F, pairs, ::Type{Tuple{K, V}}) where {F, K, V} = make(K, V)(pairs)
function dict_with_eltype(make::F, pairs, T) where {F}
    applicable(iterate, pairs) || _throw_dict_kv_error()
    known = default_eltype(pairs)
    known <: Union{Pair, Tuple{Any, Any}} && isconcretetype(known) && return dict_with_eltype(make, pairs, known)
    grow_to!(dict_with_eltype(make, Any), pairs)
end
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
merge(d::AbstractDict, others::AbstractDict...) = merge!(merged_dict(d, others...), others...)
mergewith(f, d::AbstractDict, others::AbstractDict...) = mergewith!(f, merged_dict(d, others...), others...)
merge(f::Function, d::AbstractDict, others::AbstractDict...) = mergewith(f, d, others...)
merge!(f::Function, d::AbstractDict, others::AbstractDict...) = mergewith!(f, d, others...)
merged_dict(d, others...) = Dict{promote_type(keytype(d), map(keytype, others)...), promote_type(valtype(d), map(valtype, others)...)}(d)
filter_in_one_pass!(f, d::AbstractDict) = filter!(f, d)
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
map!(f, v::ValueIterator) = (for (k, x) in collect(pairs(v.dict)); v.dict[k] = f(x); end; v)
function findall(f::Function, d::AbstractDict)
    found = (k for (k, v) in d if f(v))
    # Where inference knows that there is none, the keys say the type.
    default_eltype(found) === Union{} ? keytype(d)[] : collect(found)
end
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
    all(p -> in(p, b, isequal)::Bool, a)
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

# A dictionary that never changes: adding a pair makes a new one in front of the old.
struct ImmutableDict{K, V} <: AbstractDict{K, V}
    parent::ImmutableDict{K, V}
    key::K
    value::V
    ImmutableDict{K, V}() where {K, V} = new{K, V}()
    ImmutableDict{K, V}(key, value) where {K, V} = ImmutableDict(ImmutableDict{K, V}(), key, value)
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
            r = same(p.second, d.value)
            r === missing ? (unknown = true) : r && return true
        end
        d = d.parent
    end
    unknown ? missing : false
end
iterate(d::ImmutableDict{K, V}, at = d) where {K, V} = isempty(at) ? nothing : (Pair{K, V}(at.key, at.value), at.parent)
copy(d::ImmutableDict) = d
