# Sets, and the relations between collections as sets.

"""
    Set(itr)

A set by hash values. Its order is arbitrary.
"""
struct Set{T} <: AbstractSet{T}
    dict::Dict{T, Nothing}
    Set{T}() where {T} = new{T}(Dict{T, Nothing}())
    Set{T}(s::Set{T}) where {T} = new{T}(copy(s.dict))
    Set{T}(itr) where {T} = union!(new{T}(Dict{T, Nothing}()), itr)
end
Set() = Set{Any}()
Set(s::Set{T}) where {T} = Set{T}(s)
Set(itr) = set_of(IteratorEltype(itr), itr)
set_of(::HasEltype, itr) = Set{eltype(itr)}(itr)
function set_of(::EltypeUnknown, itr)
    T = default_eltype(itr)
    (isconcretetype(T) || T === Union{}) && return Set{T}(itr)
    grow_to!(Set{T}(), itr)
end
length(s::Set) = length(s.dict)
isempty(s::Set) = isempty(s.dict)
in(x, s::Set) = haskey(s.dict, x)
iterate(s::Set, state...) = (y = iterate(s.dict, state...); y === nothing ? nothing : (y[1].first, y[2]))
eltype(::Type{<:AbstractSet{T}}) where {T} = T
push!(s::Set, x) = (s.dict[x] = nothing; s)
push!(s::AbstractSet, x, y, zs...) = push!(push!(s, x), y, zs...)
append!(s::AbstractSet, itrs...) = union!(s, itrs...)
delete!(s::Set, x) = (delete!(s.dict, x); s)
pop!(s::Set) = (isempty(s) && throw(ArgumentError("set must be non-empty")); pop!(s.dict).first)
# The element of the set that equals `x` comes out.
function pop!(s::Set, x)
    e = find_entry(s.dict, x)
    e == 0 && throw(KeyError(x))
    y = s.dict.keys[e]
    remove_entry!(s.dict, e)
    y
end
pop!(s::Set, x, default) = x in s ? pop!(s, x) : default
pop!(s::AbstractSet, x) = x in s ? (delete!(s, x); x) : throw(KeyError(x))
pop!(s::AbstractSet, x, default) = x in s ? pop!(s, x) : default
function pop!(s::AbstractSet)
    isempty(s) && throw(ArgumentError("set must be non-empty"))
    x = first(s)
    delete!(s, x)
    x
end
empty!(s::Set) = (empty!(s.dict); s)
# A set of the kind of `dest` with the elements of an iterator, whose type is found one by one.
function grow_to!(dest::AbstractSet, itr)
    y = iterate(itr)
    y === nothing && return dest
    x, state = y
    of_first = empty(dest, typeof(x))
    push!(of_first, x)
    grow_to!(of_first, itr, state)
end
function grow_to!(dest::AbstractSet{T}, itr, state) where {T}
    y = iterate(itr, state)
    while y !== nothing
        x, state = y
        if x isa T
            push!(dest, x)
        else
            wider = union!(empty(dest, promote_typejoin(T, typeof(x))), dest)
            push!(wider, x)
            return grow_to!(wider, itr, state)
        end
        y = iterate(itr, state)
    end
    dest
end
empty(s::AbstractSet{T}, ::Type{U} = T) where {T, U} = Set{U}()
emptymutable(s::AbstractSet{T}, ::Type{U} = T) where {T, U} = Set{U}()
copy(s::Set{T}) where {T} = Set{T}(s)
copymutable(s::Set) = copy(s)
copymutable(s::AbstractSet) = union!(emptymutable(s), s)
copy(s::AbstractSet) = copymutable(s)
convert(::Type{T}, s::T) where {T <: AbstractSet} = s
convert(::Type{T}, s::AbstractSet) where {T <: AbstractSet} = T(s)::T
copy!(s::AbstractSet, src::AbstractSet) = s === src ? s : union!(empty!(s), src)
sizehint!(s::Set, n::Integer; shrink::Bool = true) = (sizehint!(s.dict, n; shrink); s)
sizehint!(s::AbstractSet, n::Integer; shrink::Bool = true) = s
rehash!(s::Set) = (rehash!(s.dict); s)
function in!(x, s::AbstractSet)
    x in s && return true
    push!(s, x)
    false
end
first(s::Set) = (y = iterate(s); y === nothing ? throw(ArgumentError("collection must be non-empty")) : y[1])
iterate(r::Iterators.Reverse{<:Set}, state...) =
    (y = iterate(Iterators.reverse(r.itr.dict), state...); y === nothing ? nothing : (y[1].first, y[2]))

"""
    IdSet(itr)

A set that tells elements apart by `===`.
"""
struct IdSet{T} <: AbstractSet{T}
    dict::IdDict{T, Nothing}
    IdSet{T}() where {T} = new{T}(IdDict{T, Nothing}())
    IdSet{T}(itr) where {T} = union!(new{T}(IdDict{T, Nothing}()), itr)
end
IdSet() = IdSet{Any}()
IdSet(itr) = IdSet{eltype_known(itr)}(itr)
length(s::IdSet) = length(s.dict)
isempty(s::IdSet) = isempty(s.dict)
in(x, s::IdSet) = haskey(s.dict, x)
iterate(s::IdSet, state...) = (y = iterate(s.dict, state...); y === nothing ? nothing : (y[1].first, y[2]))
push!(s::IdSet, x) = (s.dict[x] = nothing; s)
delete!(s::IdSet, x) = (delete!(s.dict, x); s)
empty!(s::IdSet) = (empty!(s.dict); s)
empty(s::IdSet{T}, ::Type{U} = T) where {T, U} = IdSet{U}()
emptymutable(s::IdSet{T}, ::Type{U} = T) where {T, U} = IdSet{U}()
copy(s::IdSet{T}) where {T} = IdSet{T}(s)
copymutable(s::IdSet) = copy(s)
sizehint!(s::IdSet, n::Integer) = (sizehint!(s.dict, n); nothing)
export IdSet

# Union, intersection, difference: of sets as sets, of other collections in order of first appearance.
union!(s::AbstractSet, itrs...) = (for itr in itrs; union!(s, itr); end; s)
function union!(s::AbstractSet, itr)
    for x in itr
        push!(s, x)
    end
    s
end
union() = Set()
union(s::AbstractSet) = copy(s)
union(s::AbstractSet, itrs...) = union!(copymutable_as(s, promote_eltypes(s, itrs...)), itrs...)
copymutable_as(s::AbstractSet, T) = T === eltype(s) ? copymutable(s) : union!(emptymutable(s, T), s)
promote_eltypes(itrs...) = promote_type(map(eltype, itrs)...)
intersect(s::AbstractSet) = copy(s)
function intersect(s::AbstractSet, itr, itrs...)
    out = intersect!(copymutable_as(s, promote_eltypes(s, itr, itrs...)), itr)
    isempty(itrs) ? out : intersect!(out, itrs...)
end
# The shorter of two sets says what may be in both.
intersect(a::Set, b::Set) = (T = promote_type(eltype(a), eltype(b)); length(b) < length(a) ?
    union!(Set{T}(), Iterators.filter(in(a), b)) : union!(Set{T}(), Iterators.filter(in(b), a)))
intersect!(s::AbstractSet, itr) = (t = itr isa AbstractSet ? itr : Set(itr); filter!(in(t), s))
intersect!(s::AbstractSet, itr, itrs...) = (intersect!(s, itr); intersect!(s, itrs...))
intersect!(s::AbstractSet) = s
setdiff(s::AbstractSet, itrs...) = setdiff!(copymutable(s), itrs...)
setdiff!(s::AbstractSet) = s
setdiff!(s::AbstractSet, itrs...) = (for itr in itrs; setdiff!(s, itr); end; s)
function setdiff!(s::AbstractSet, itr)
    s === itr && return empty!(s)
    for x in itr
        delete!(s, x)
    end
    s
end
symdiff(s::AbstractSet, itrs...) = symdiff!(copymutable_as(s, promote_eltypes(s, itrs...)), itrs...)
symdiff!(s::AbstractSet, itrs...) = (for itr in itrs; symdiff!(s, itr); end; s)
function symdiff!(s::AbstractSet, itr)
    s === itr && return empty!(s)
    for x in Set(itr)
        x in s ? delete!(s, x) : push!(s, x)
    end
    s
end
filter!(f, s::AbstractSet) = (for x in collect(s); f(x) || delete!(s, x); end; s)
function filter!(f, s::Set)
    d = s.dict
    for i in 1:length(d.keys)
        i <= length(d.keys) && d.live[i] && !f(d.keys[i]) && remove_entry!(d, i)
    end
    s
end
function filter(f, s::AbstractSet)
    out = emptymutable(s)
    for x in s
        f(x) && push!(out, x)
    end
    out
end

# Relations.
==(a::AbstractSet, b::AbstractSet) = length(a) == length(b) && issubset(a, b)
isequal(a::AbstractSet, b::AbstractSet) = a == b
<(a::AbstractSet, b::AbstractSet) = length(a) < length(b) && issubset(a, b)
<=(a::AbstractSet, b::AbstractSet) = issubset(a, b)
hash(s::AbstractSet, h::UInt) = (x = UInt(0x852a_da37); for y in s; x ⊻= hash(y); end; hash(x, h))
const LongTest = 70
hasfastin(::Type) = false
hasfastin(::Union{Type{<:AbstractSet}, Type{<:AbstractDict}, Type{<:AbstractRange}}) = true
hasfastin(x) = hasfastin(typeof(x))
known_length(itr) = IteratorSize(itr) isa Union{HasLength, HasShape}
function issubset(a, b)
    if known_length(b)
        known_length(a) && a isa AbstractSet && b isa AbstractSet && length(a) > length(b) && return false
        !hasfastin(b) && length(b) > LongTest && return issubset(a, Set(b))
    end
    for x in a
        in(x, b) || return false
    end
    true
end
issubset(a) = Fix2(issubset, a)
const (⊆) = issubset
⊇(a, b) = issubset(b, a)
⊇(a) = Fix2(⊇, a)
⊈(a, b) = !issubset(a, b)
⊈(a) = Fix2(⊈, a)
⊉(a, b) = b ⊈ a
⊉(a) = Fix2(⊉, a)
⊊(a, b) = Set(a) < Set(b)
⊊(a::AbstractSet, b::AbstractSet) = a < b
⊊(a) = Fix2(⊊, a)
⊋(a, b) = b ⊊ a
⊋(a) = Fix2(⊋, a)
issetequal(a::AbstractSet, b::AbstractSet) = a == b
issetequal(a::AbstractSet, b) = issetequal(a, Set(b))
issetequal(a, b::AbstractSet) = issetequal(Set(a), b)
issetequal(a, b) = issetequal(Set(a), Set(b))
issetequal(a) = Fix2(issetequal, a)
function isdisjoint(a, b)
    if known_length(a) && known_length(b)
        hasfastin(b) && !hasfastin(a) && return !any(in(b), a)
        hasfastin(a) && !hasfastin(b) && return !any(in(a), b)
        hasfastin(b) || length(b) <= LongTest || return !any(in(Set(b)), a)
    end
    !any(in(b), a)
end
isdisjoint(a) = Fix2(isdisjoint, a)
# Two ranges meet in every least common multiple of their steps, or never. In the wide type nothing overflows.
function isdisjoint(a::OrdinalRange{<:BitInteger64, <:BitInteger64}, b::OrdinalRange{<:BitInteger64, <:BitInteger64})
    (isempty(a) || isempty(b)) && return true
    (a1, an), (b1, bn) = minmax(Int128(first(a)), Int128(last(a))), minmax(Int128(first(b)), Int128(last(b)))
    s, t = abs(Int128(step(a))), abs(Int128(step(b)))
    g, u, _ = gcdx(s, t)
    n, rest = divrem(b1 - a1, g)
    rest == 0 || return true
    period = s * div(t, g)
    meeting = a1 + s * mod(mod(n, div(t, g)) * mod(u, div(t, g)), div(t, g))
    lo = max(a1, b1)
    meeting < lo && (meeting += cld(lo - meeting, period) * period)
    meeting > min(an, bn)
end
