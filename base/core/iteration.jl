# What iterators tell of themselves, generators and how they are collected, pairs.

IteratorSize(x) = IteratorSize(typeof(x))
IteratorSize(::Type) = HasLength()
IteratorSize(::Type{Union{}}) = throw(ArgumentError("Union{} does not have elements"))
IteratorSize(::Type{Any}) = SizeUnknown()
IteratorSize(::Type{<:AbstractArray{T, N}}) where {T, N} = HasShape{N}()
IteratorSize(::Type{<:AbstractArray}) = HasLength()
IteratorSize(::Type{<:Number}) = HasShape{0}()
IteratorSize(::Type{<:Generator{I}}) where {I} = IteratorSize(I)
haslength(x) = IteratorSize(x) isa Union{HasShape, HasLength}
IteratorEltype(x) = IteratorEltype(typeof(x))
IteratorEltype(::Type) = HasEltype()
IteratorEltype(::Type{Any}) = EltypeUnknown()
IteratorEltype(::Type{Generator{I, T}}) where {I, T} = EltypeUnknown()
isdone(itr, state...) = missing
isdone(g::Generator, state...) = isdone(g.iter, state...)
isdone(a::Array) = isempty(a)
isdone(s::Union{String, SubString}) = ncodeunits(s) == 0
isdone(s::Union{String, SubString}, i::Int) = i > ncodeunits(s)
isdone(a::Array, i::Int) = i > length(a)
IteratorEltype(::Type{Union{}}) = throw(ArgumentError("Union{} does not have elements"))

length(g::Generator) = length(g.iter)
size(g::Generator) = size(g.iter)
axes(g::Generator) = axes(g.iter)
ndims(g::Generator) = ndims(g.iter)
keys(g::Generator) = keys(g.iter)
last(g::Generator) = g.f(last(g.iter))
@inline function iterate(g::Generator, s...)
    y = iterate(g.iter, s...)
    y === nothing && return nothing
    (g.f(y[1]), y[2])
end
function isempty(itr)
    d = isdone(itr)
    d === missing ? iterate(itr) === nothing : d
end
isempty(g::Generator) = isempty(g.iter)

# An array of what an iterator gives. Without a known element type the array widens as it grows.
collect(itr) = collect_as(IteratorEltype(itr), IteratorSize(itr), itr)
collect(::Type{T}, itr) where {T} = collect_typed(T, IteratorSize(itr), itr)
collect(a::AbstractArray{T, N}) where {T, N} = copyto_plain!(Array{T, N}(undef, size(a)), a)
collect(a::Array) = copy(a)
collect(t::Tuple) = T_vector(eltype(t) === Union{} ? Any : eltype(t), t)
collect_as(::HasEltype, size, itr) = collect_typed(eltype(itr), size, itr)
collect_as(::EltypeUnknown, size, itr) = collect_widening(size, itr)
function collect_typed(::Type{T}, ::HasShape{N}, itr) where {T, N}
    out = shaped_array(T, axes(itr))
    k = firstindex(out) - 1
    for x in itr
        k += 1
        @inbounds out[k] = x
    end
    out
end
function collect_typed(::Type{T}, ::HasLength, itr) where {T}
    out = Vector{T}(undef, Int(length(itr)))
    k = 0
    for x in itr
        k += 1
        @inbounds out[k] = x
    end
    out
end
# Of an iterator without end there is no array.
function collect_typed(::Type{T}, ::SizeUnknown, itr) where {T}
    out = Vector{T}()
    for x in itr
        push!(out, x)
    end
    out
end
function collect_widening(sz, itr)
    y = iterate(itr)
    y === nothing && return empty_result(default_eltype(itr), sz, itr)
    x, st = y
    dest = result_array(typeof(x), sz, itr)
    sz isa SizeUnknown && return grow_to!(push!(dest, x), itr, st)
    offs = firstindex(dest)
    @inbounds dest[offs] = x
    collect_to!(dest, itr, offs + 1, st)
end
empty_result(::Type{T}, ::HasShape{N}, itr) where {T, N} = shaped_array(T, axes(itr))
empty_result(::Type{T}, ::IteratorSize, itr) where {T} = Vector{T}()
# What inference tells of the elements of an iterator.
default_eltype(itr) = joined_members(promote_op(some_element, typeof(itr)))
macro default_eltype(itr)
    :(default_eltype($(esc(itr))))
end
# A constructor names the type.
default_eltype(g::Generator) = joined_members(g.f isa Type ? g.f : promote_op(some_element, typeof(g)))
function some_element(itr)
    y = iterate(itr)
    while y !== nothing
        x, st = y
        Core.compilerbarrier(:const, true) && return x
        y = iterate(itr, st)
    end
    throw(ArgumentError("an iterator without elements has no element"))
end
# Whether values of a type can be iterated.
isiterable(T)::Bool = hasmethod(iterate, Tuple{T})
# One type in place of a union, element by element of a tuple.
joined_members(T) = T isa Union ? promote_typejoin(joined_members(T.a), joined_members(T.b)) : T
joined_members(T::Type{Union{}}) = T
joined_members(::Type{T}) where {N, T <: NTuple{N, Any}} = Tuple{ntuple(k -> typejoin_members(fieldtype(T, k)), Val(N))...}
typejoin_members(T) = T isa Union ? typejoin(typejoin_members(T.a), typejoin_members(T.b)) : T
result_array(::Type{T}, ::HasShape{N}, itr) where {T, N} = shaped_array(T, axes(itr))
result_array(::Type{T}, ::HasLength, itr) where {T} = Vector{T}(undef, Int(length(itr)))
result_array(::Type{T}, ::SizeUnknown, itr) where {T} = Vector{T}()
# Stores the elements that follow a state from index `offs` on, or appends them. An element of another type goes into a
# wider array, in which the rest is collected.
function collect_to!(dest::AbstractArray{T}, itr, offs, st) where {T}
    y = iterate(itr, st)
    while y !== nothing
        x, st = y
        x isa T || return collect_to!(widened(dest, x, offs), itr, offs + 1, st)
        @inbounds dest[offs] = x
        offs += 1
        y = iterate(itr, st)
    end
    dest
end
function grow_to!(dest::Vector{T}, itr, st) where {T}
    y = iterate(itr, st)
    while y !== nothing
        x, st = y
        x isa T || return grow_to!(widened(resize!(dest, length(dest) + 1), x, length(dest)), itr, st)
        push!(dest, x)
        y = iterate(itr, st)
    end
    dest
end
# The elements before index `k` and there `x`.
function widened(dest::AbstractArray{T}, x, k) where {T}
    wide = similar(dest, promote_typejoin(T, typeof(x)))
    for i in firstindex(dest):k - 1
        @inbounds wide[i] = dest[i]
    end
    @inbounds wide[k] = x
    wide
end

foreach(f, itr) = (for x in itr; f(x); end; nothing)
foreach(f, itr, itrs...) = (for xs in Iterators.zip(itr, itrs...); f(xs...); end; nothing)
function in(x, itr)
    anymissing = false
    for y in itr
        e = y == x
        if e === missing
            anymissing = true
        elseif e
            return true
        end
    end
    anymissing ? missing : false
end
const (∈) = in
function only(itr)
    y = iterate(itr)
    y === nothing && throw(ArgumentError("Collection is empty, must contain exactly 1 element"))
    iterate(itr, y[2]) === nothing || throw(ArgumentError("Collection has multiple elements, must contain exactly 1 element"))
    y[1]
end
only(x::Number) = x
only(x::Ref) = x[]
only(t::Tuple{Any}) = t[1]
only(t::Tuple) = throw(ArgumentError(isempty(t) ? "Tuple is empty, must contain exactly 1 element" : "Tuple contains multiple elements, must contain exactly 1 element"))
map(f, itr) = collect(Generator(f, itr))
map(f, itr, itrs...) = collect(Generator(f, itr, itrs...))

map(f, a::AbstractArray) = collect(Generator(f, a))
map(f, ::AbstractDict) = error("map is not defined on dictionaries")
map(f, ::AbstractSet) = error("map is not defined on sets")
function map!(f, dest::AbstractArray, a::AbstractArray)
    for (i, j) in zip(eachindex(dest), eachindex(a))
        v = f(@inbounds a[j])
        @inbounds dest[i] = v
    end
    dest
end
function map!(f, dest::AbstractArray, a::AbstractArray, bs::AbstractArray...)
    inds = eachindex(dest)
    st = iterate(inds)
    for xs in Iterators.zip(a, bs...)
        st === nothing && break
        dest[st[1]] = f(xs...)
        st = iterate(inds, st[2])
    end
    dest
end
function map!(f, dest::AbstractArray)
    for i in eachindex(dest)
        dest[i] = f(dest[i])
    end
    dest
end

# Pairs of keys and values.
Pairs(data::A, itr::I) where {A, I} = Pairs{eltype(I), eltype(A), I, A}(data, itr)
pairs(a::AbstractArray) = Pairs(a, keys(a))
pairs(::IndexLinear, a) = Pairs(a, LinearIndices(a))
pairs(::IndexCartesian, a) = Pairs(a, CartesianIndices(axes(a)))
pairs(t::Tuple) = Pairs(t, keys(t))
# The keys of a named tuple are in its type.
@assume_effects :foldable pairs(nt::NamedTuple) = Pairs{Symbol, eltype(typeof(nt)), Nothing, typeof(nt)}(nt, nothing)
pairs(v::SimpleVector) = Pairs(v, keys(v))
pairs(d::AbstractDict) = d
pairs(p::Pairs) = p
values(itr) = itr
pairs(itr) = Generator(=>, keys(itr), values(itr))
values(p::Pairs) = getfield(p, :data)
keys(p::Pairs) = getfield(p, :itr)
keys(p::Pairs{<:Any, <:Any, Nothing}) = keys(getfield(p, :data))
last(p::Pairs) = (k = last(keys(p)); k => values(p)[k])
length(p::Pairs) = length(keys(p))
size(p::Pairs) = size(keys(p))
axes(p::Pairs) = axes(keys(p))
eltype(::Type{Pairs{K, V, I, A}}) where {K, V, I, A} = Pair{K, V}
isdone(p::Pairs, state...) = isdone(keys(p), state...)
isempty(p::Pairs) = isempty(keys(p))
@inline function iterate(p::Pairs, state...)
    y = iterate(keys(p), state...)
    y === nothing && return nothing
    (y[1] => getfield(p, :data)[y[1]], y[2])
end
getindex(p::Pairs, key) = getfield(p, :data)[key]
getindex(p::Pairs, ::Colon) = collect(p)
setindex!(p::Pairs, v, key) = (getfield(p, :data)[key] = v; p)
haskey(p::Pairs, key) = key in keys(p)
haskey(p::Pairs{<:Any, <:Any, <:Any, <:NamedTuple}, key::Symbol) = haskey(getfield(p, :data), key)
get(p::Pairs, key, default) = haskey(p, key) ? p[key] : default
get(f::Callable, p::Pairs, key) = haskey(p, key) ? p[key] : f()
merge(p::Pairs, others...) = merge(values(p), others...)
function ==(a::Pairs, b::Pairs)
    values(a) == values(b)
end
IteratorSize(::Type{<:Pairs{<:Any, <:Any, I}}) where {I} = IteratorSize(I)
IteratorSize(::Type{<:Pairs{<:Any, <:Any, <:Any, <:AbstractArray{<:Any, N}}}) where {N} = HasShape{N}()
IteratorSize(::Type{<:Pairs{<:Any, <:Any, <:Any, <:Union{Tuple, NamedTuple}}}) = HasLength()
