# Sets, and the set operations on arrays.

struct Set{T} <: AbstractSet{T}
    dict::Dict{T, Nothing}
    Set{T}() where {T} = new{T}(Dict{T, Nothing}())
    Set{T}(itr) where {T} = union!(new{T}(Dict{T, Nothing}()), itr)
end
Set() = Set{Any}()
Set(itr) = set_of(IteratorEltype(itr), itr)
set_of(::HasEltype, itr) = Set{eltype(itr)}(itr)
set_of(::EltypeUnknown, itr) = (a = collect(itr); Set{eltype(a)}(a))
const IdSet = Set
length(s::Set) = length(s.dict)
isempty(s::Set) = isempty(s.dict)
in(x, s::Set) = haskey(s.dict, x)
iterate(s::Set, state...) = (y = iterate(s.dict, state...); y === nothing ? nothing : (y[1].first, y[2]))
eltype(::Type{<:AbstractSet{T}}) where {T} = T
push!(s::Set, x) = (s.dict[x] = nothing; s)
push!(s::AbstractSet, x, y, zs...) = push!(push!(s, x), y, zs...)
delete!(s::Set, x) = (delete!(s.dict, x); s)
pop!(s::Set) = pop!(s.dict).first
pop!(s::Set, x) = (x in s || throw(KeyError(x)); delete!(s, x); x)
pop!(s::Set, x, default) = x in s ? pop!(s, x) : default
empty!(s::Set) = (empty!(s.dict); s)
empty(s::AbstractSet{T}, ::Type{U} = T) where {T, U} = Set{U}()
copy(s::Set{T}) where {T} = Set{T}(s)
sizehint!(s::Set, n::Integer) = s
function in!(x, s::AbstractSet)
    x in s && return true
    push!(s, x)
    false
end
union!(s::AbstractSet, itrs...) = (for itr in itrs, x in itr; push!(s, x); end; s)
intersect!(s::AbstractSet, itr) = (t = Set(itr); filter!(x -> x in t, s))
setdiff!(s::AbstractSet, itrs...) = (for itr in itrs, x in itr; delete!(s, x); end; s)
filter!(f, s::AbstractSet) = (for x in collect(s); f(x) || delete!(s, x); end; s)
filter(f, s::AbstractSet) = filter!(f, copy(s))
union(s::AbstractSet, itrs...) = union!(Set{promote_typejoin_all(eltype(s), map(eltype, itrs)...)}(s), itrs...)
intersect(s::AbstractSet, itr, itrs...) = (r = intersect!(copy(s), itr); isempty(itrs) ? r : intersect(r, itrs...))
setdiff(s::AbstractSet, itrs...) = setdiff!(copy(s), itrs...)
symdiff(a::AbstractSet, b) = union(setdiff(a, b), setdiff(Set(b), a))
function ==(a::AbstractSet, b::AbstractSet)
    length(a) == length(b) && issubset(a, b)
end
isequal(a::AbstractSet, b::AbstractSet) = a == b
hash(s::AbstractSet, h::UInt) = (x = UInt(0x852a_da37); for y in s; x ⊻= hash(y); end; hash(x, h))
issubset(a, b) = (t = b isa AbstractSet ? b : Set(b); all(x -> x in t, a))
const (⊆) = issubset
⊇(a, b) = issubset(b, a)
⊊(a, b) = issubset(a, b) && !issetequal(a, b)
⊈(a, b) = !issubset(a, b)
issetequal(a, b) = issubset(a, b) && issubset(b, a)
isdisjoint(a, b) = !any(x -> x in b, a)

# On vectors, in order of first appearance.
union(a::AbstractVector) = unique(a)
union(a, bs...) = unique(vcat(collect(a), map(collect, bs)...))
intersect(a, b) = unique(filter(x -> x in b, collect(a)))
intersect(a, b, cs...) = intersect(intersect(a, b), cs...)
setdiff(a, b) = (t = Set(b); unique(filter(x -> !(x in t), collect(a))))
symdiff(a, b) = vcat(setdiff(a, b), setdiff(b, a))
const (∪) = union
const (∩) = intersect
function unique(itr)
    seen = Set{Any}()
    out = Vector{eltype(itr)}()
    for x in itr
        if !(x in seen)
            push!(seen, x)
            push!(out, x)
        end
    end
    out
end
function unique(f, itr)
    seen = Set{Any}()
    out = Vector{eltype(itr)}()
    for x in itr
        y = f(x)
        if !(y in seen)
            push!(seen, y)
            push!(out, x)
        end
    end
    out
end
unique!(a::AbstractVector) = (u = unique(a); resize!(a, length(u)); copyto!(a, u))
allunique(itr) = (a = collect(itr); length(unique(a)) == length(a))
allequal(itr) = (y = iterate(itr); y === nothing || all(x -> isequal(x, y[1]), itr))
function replace(a::AbstractArray, ps::Pair...; count::Integer = typemax(Int))
    [replaced(x, ps) for x in a]
end
replaced(x, ps) = (for p in ps; isequal(x, p.first) && return p.second; end; x)
replace!(a::AbstractArray, ps::Pair...) = (for i in eachindex(a); a[i] = replaced(a[i], ps); end; a)
replace(f::Function, a::AbstractArray) = map(f, a)
⊋(a, b) = b ⊊ a
⊉(a, b) = b ⊈ a
