# Where elements are that satisfy a predicate.

findfirst(a) = findfirst(identity, a)
findlast(a) = findlast(identity, a)
findnext(a, start) = findnext(identity, a, start)
findprev(a, start) = findprev(identity, a, start)
findall(a) = findall(identity, a)
function findfirst(f::Function, a)
    for (k, x) in pairs(a)
        f(x) && return k
    end
    nothing
end
function findlast(f::Function, a)
    for (k, x) in Iterators.reverse(pairs(a))
        f(x) && return k
    end
    nothing
end
findlast(f::Function, a::Union{AbstractArray, AbstractString, Tuple}) = isempty(a) ? nothing : findprev(f, a, lastkey(a))
findfirst(f::Function, a::Union{AbstractArray, AbstractString}) = isempty(a) ? nothing : findnext(f, a, firstkey(a))
firstkey(a) = first(keys(a))
lastkey(a) = last(keys(a))
firstkey(a::AbstractString) = firstindex(a)
lastkey(a::AbstractString) = lastindex(a)
find_key(a, start) = start
find_key(a::Union{AbstractArray, Tuple}, start::Integer) = Int(start)
function findnext(f::Function, a, start)
    l = lastkey(a)
    i = find_key(a, start)
    i > l && return nothing
    while true
        f(a[i]) && return i
        i == l && return nothing
        i = nextind(a, i)
    end
end
function findprev(f::Function, a, start)
    l = firstkey(a)
    i = find_key(a, start)
    i < l && return nothing
    while true
        f(a[i]) && return i
        i == l && return nothing
        i = prevind(a, i)
    end
end
# The names of the numbers from one on.
findfirst(::typeof(iszero), ::OneTo) = nothing
findfirst(::typeof(isone), r::OneTo) = isempty(r) ? nothing : oneunit(eltype(r))
# In a range of integers the place of a value is known without a search.
findfirst(p::Union{Fix2{typeof(isequal), <:Integer}, Fix2{typeof(==), <:Integer}}, r::AbstractUnitRange{<:Integer}) =
    first(r) <= p.x <= last(r) ? Int(p.x - first(r)) + Int(firstindex(r)) : nothing
findfirst(p::Union{Fix2{typeof(isequal), T}, Fix2{typeof(==), T}}, r::StepRange{T, S}) where {T, S} = place_in_steps(p.x, r)
findlast(p::Union{Fix2{typeof(isequal), <:Integer}, Fix2{typeof(==), <:Integer}}, r::AbstractUnitRange{<:Integer}) = findfirst(p, r)
findlast(p::Union{Fix2{typeof(isequal), T}, Fix2{typeof(==), T}}, r::StepRange{T, S}) where {T, S} = place_in_steps(p.x, r)
function place_in_steps(x, r)
    isempty(r) && return nothing
    minimum(r) <= x <= maximum(r) || return nothing
    d = x - first(r)
    iszero(rem(d, step(r))) ? Int(div(d, step(r))) + 1 : nothing
end
function findall(f::Function, a::AbstractArray)
    out = Vector{eltype(keys(a))}()
    for k in keys(a)
        f(@inbounds a[k]) && push!(out, k)
    end
    out
end
function findall(f::Function, a)
    out = Vector{eltype(keys(a))}()
    for (k, x) in pairs(a)
        f(x) && push!(out, k)
    end
    out
end
findall(a::AbstractArray) = findall(identity, a)
findall(x::Bool) = x ? [1] : Int[]
findall(f::Function, x::Number) = f(x) ? [1] : Int[]
# Two ranges have a range of places in common.
findall(p::Fix2{typeof(in), <:AbstractUnitRange}, r::AbstractRange{<:Integer}) = _findin(r, p.x)
findall(p::Fix2{typeof(in), <:AbstractUnitRange}, r::AbstractUnitRange{<:Integer}) = _findin(r, p.x)
findall(p::Fix2{typeof(in)}, x::Number) = x in p.x ? [1] : Int[]
# Members of a collection, found by hash.
findall(p::Fix2{typeof(in)}, a::AbstractArray) = (t = hashed_members(p.x); findall(x -> x in t, a))
hashed_members(s::AbstractSet) = s
hashed_members(x::Number) = Set((x,))
hashed_members(r::AbstractRange) = r
hashed_members(itr) = haslength(itr) ? Set(itr) : itr
function indexin(a, b::AbstractArray)
    inds = keys(b)
    places = Dict{eltype(b), eltype(inds)}()
    for (val, ind) in zip(b, inds)
        haskey(places, val) || (places[val] = ind)
    end
    Union{eltype(inds), Nothing}[get(places, x, nothing) for x in a]
end
