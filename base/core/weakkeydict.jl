# References that do not keep their objects alive. The collector frees nothing that such a reference names, which the contract allows.

"""
    WeakRef(x)

A reference that does not keep its object alive.
"""
mutable struct WeakRef
    value::Any
    WeakRef(@nospecialize(value)) = new(value)
    WeakRef() = new(nothing)
end
==(a::WeakRef, b::WeakRef) = isequal(a.value, b.value)::Bool
==(a::WeakRef, b) = isequal(a.value, b)::Bool
==(a, b::WeakRef) = isequal(a, b.value)::Bool
==(a::WeakRef, ::Missing) = missing
==(::Missing, b::WeakRef) = missing
isequal(a::WeakRef, b::WeakRef) = isequal(a.value, b.value)::Bool
isequal(a::WeakRef, b) = isequal(a.value, b)::Bool
isequal(a, b::WeakRef) = isequal(a, b.value)::Bool
isequal(::WeakRef, ::Missing) = false
isequal(::Missing, ::WeakRef) = false
hash(a::WeakRef, h::UInt) = hash(a.value, h)
export WeakRef

# Keys that nothing else holds may go; here they stay as long as the dictionary does.
"""
    WeakKeyDict(pairs...)

A dictionary that does not keep its keys alive.
"""
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
WeakKeyDict(itr) = checked_dict((K, V) -> WeakKeyDict{K, V}(), itr)
function weak_key(K, key)
    key isa K || throw_key_type(K, key)
    ismutable(key) || throw(ArgumentError(string("objects of type ", typeof(key), " cannot be finalized")))
    key
end
lock(f, d::WeakKeyDict) = f()
lock(d::WeakKeyDict) = nothing
unlock(d::WeakKeyDict) = nothing
trylock(f, d::WeakKeyDict) = (f(); true)
setindex!(d::WeakKeyDict{K}, v, key) where {K} = (d.ht[weak_key(K, key)] = v; d)
getindex(d::WeakKeyDict, key) = d.ht[key]
get(d::WeakKeyDict, key, default) = (key === nothing && throw(KeyError(nothing)); get(d.ht, key, default))
get(f::Callable, d::WeakKeyDict, key) = (key === nothing && throw(KeyError(nothing)); get(f, d.ht, key))
get!(f::Callable, d::WeakKeyDict{K}, key) where {K} = haskey(d, key) ? d.ht[key] : get!(f, d.ht, weak_key(K, key))
haskey(d::WeakKeyDict, key) = haskey(d.ht, key)
in(key, k::KeySet{<:Any, <:WeakKeyDict}) = haskey(k.dict, key)
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
