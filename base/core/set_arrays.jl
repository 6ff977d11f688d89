# Vectors as sets, in order of first appearance; distinct elements; replacing elements.

const (∪) = union
const (∩) = intersect
vectorfilter(T, f, v) = T[x for x in v if f(x)]
union(itr) = unique(itr)
union(itr, itrs...) = unique_of_all(promote_eltypes(itr, itrs...), itr, itrs...)
function unique_of_all(::Type{T}, itrs...) where {T}
    out, seen = Vector{T}(), Set{T}()
    for itr in itrs, x in itr
        in!(x, seen) || push!(out, x)
    end
    out
end
function union!(v::AbstractVector{T}, itrs...) where {T}
    unique!(v)
    seen = Set{T}(v)
    for itr in itrs, x in itr
        y = convert(T, x)
        in!(y, seen) || push!(v, y)
    end
    v
end
# A range answers for itself what is in it, however long it is.
in_range(v, r) = (T = promote_eltype(v, r); unique(T[x for x in v if x in r]))
function intersect(itr, itrs...)
    itr isa AbstractRange && length(itrs) == 1 && itrs[1] isa AbstractVector && !(itrs[1] isa AbstractRange) && return in_range(itrs[1], itr)
    T = promote_eltypes(itr, itrs...)
    isempty(itrs) && return collect(T, unique(itr))
    found = unique(itr)
    for other in itrs
        t = hasfastin(other) ? other : Set(other)
        found = filter(in(t), found)
    end
    collect(T, found)
end
function intersect!(v::AbstractVector, itrs...)
    unique!(v)
    for other in itrs
        filter!(in(hasfastin(other) ? other : Set(other)), v)
    end
    v
end
function setdiff(itr, itrs...)
    found = unique(itr)
    T = eltype(found)
    for other in itrs
        t = hasfastin(other) ? other : Set(other)
        found = filter(!in(t), found)
    end
    found
end
function setdiff!(v::AbstractVector, itrs...)
    unique!(v)
    for other in itrs
        t = hasfastin(other) ? other : Set(other)
        filter!(!in(t), v)
    end
    v
end
symdiff(itr) = unique(itr)
# Elements that an odd number of the collections hold, in order of first appearance.
function symdiff(itr, itrs...)
    T = promote_eltypes(itr, itrs...)
    seen, held = Set{T}(), Set{T}()
    order = Vector{T}()
    for it in (itr, itrs...), x in unique(it)
        in!(x, seen) || push!(order, x)
        x in held ? delete!(held, x) : push!(held, x)
    end
    filter(in(held), order)
end
# Slices along a dimension, each once.
unique(a::AbstractArray; dims::Union{Colon, Integer} = :) = unique_along(a, dims)
unique_along(a, ::Colon) = invoke(unique, Tuple{Any}, a)
function unique_along(a::AbstractArray{T, N}, d::Integer) where {T, N}
    1 <= d <= N || return copy(a)
    seen = Set{Any}()
    kept = [i for i in axes(a, d) if !in!(selectdim(a, d, i), seen)]
    a[ntuple(k -> k == d ? kept : Colon(), Val(N))...]
end
function symdiff!(v::AbstractVector, itrs...)
    unique!(v)
    for other in itrs, x in unique(other)
        i = findfirst(isequal(x), v)
        i === nothing ? push!(v, x) : deleteat!(v, i)
    end
    v
end

# Distinct elements.
function unique(itr)
    if IteratorEltype(itr) isa HasEltype
        T = eltype(itr)
        (isconcretetype(T) || !(T === Any)) && (itr isa AbstractArray || isconcretetype(T)) && return unique_into!(Vector{T}(), Set{T}(), itr)
    end
    T = default_eltype(itr)
    isconcretetype(T) && return unique_into!(Vector{T}(), Set{T}(), itr)
    y = iterate(itr)
    y === nothing && return Vector{IteratorEltype(itr) isa HasEltype ? eltype(itr) : T}()
    unique_growing(typeof(y[1])[y[1]], Set{Any}((y[1],)), itr, y[2])
end
unique(r::AbstractRange) = allunique(r) ? r : oftype(r, r[begin:begin])
function unique_into!(out, seen, itr)
    for x in itr
        in!(x, seen) || push!(out, x)
    end
    out
end
function unique_growing(out::Vector{T}, seen, itr, state) where {T}
    y = iterate(itr, state)
    while y !== nothing
        x, state = y
        # An element that is not new widens the type, too.
        if !(x isa T)
            wide = convert(Vector{promote_typejoin(T, typeof(x))}, out)
            in!(x, seen) || push!(wide, x)
            return unique_growing(wide, seen, itr, state)
        end
        in!(x, seen) || push!(out, x)
        y = iterate(itr, state)
    end
    out
end
function unique(f, itr; seen::Union{Nothing, AbstractSet} = nothing)
    out = Vector{eltype_known(itr)}()
    seen = seen === nothing ? Set{Any}() : seen
    for x in itr
        in!(f(x), seen) || push!(out, x)
    end
    out
end
function unique!(f, v::AbstractVector; seen::Union{Nothing, AbstractSet} = nothing)
    seen = seen === nothing ? Set{Any}() : seen
    k = firstindex(v) - 1
    for x in v
        if !in!(f(x), seen)
            k += 1
            v[k] = x
        end
    end
    resize!(v, k - firstindex(v) + 1)
end
unique!(v::AbstractVector) = unique!(identity, v; seen = Set{eltype(v)}())
allunique(itr) = all_unique(identity, itr)
allunique(s::Union{AbstractSet, AbstractDict}) = true
allunique(r::AbstractRange) = !iszero(step(r)) || length(r) <= 1
allunique(f, itr) = all_unique(f, itr)
allunique(t::Tuple) = length(t) < 32 ? all_unique_args(t...) : all_unique(identity, t)
allunique(f::F, t::Tuple) where {F} = allunique(map(f, t))
all_unique_args() = true
@inline all_unique_args(x, ys...) = !any(isequal(x), ys) && all_unique_args(ys...)
function all_unique(f, itr)
    # Of no element or one nothing need be asked.
    known_length(itr) && length(itr) < 2 && return true
    seen = Set{Any}()
    for x in itr
        in!(f(x), seen) && return false
    end
    true
end
function allequal(itr)
    known_length(itr) && length(itr) <= 1 && return true
    all_equal(identity, itr)
end
allequal(s::AbstractSet) = length(s) <= 1
allequal(d::AbstractDict) = length(d) <= 1
allequal(r::AbstractRange) = iszero(step(r)) || length(r) <= 1
function allequal(f, itr)
    known_length(itr) && length(itr) <= 1 && return true
    all_equal(f, itr)
end
allequal(f, t::Tuple) = length(t) <= 1 || all_equal(f, t)
function all_equal(f, itr)
    y = iterate(itr)
    y === nothing && return true
    x, state = f(y[1]), y[2]
    y = iterate(itr, state)
    while y !== nothing
        isequal(x, f(y[1])) || return false
        y = iterate(itr, y[2])
    end
    true
end

# Replacing elements: by pairs of old and new, or by what a function says of each.
struct Replacements{P <: Tuple}
    pairs::P
end
function (r::Replacements)(x)
    for p in r.pairs
        isequal(p.first, x) && return p.second
    end
    x
end
check_count(count::Integer) = count < 0 ? throw(DomainError(count, "`count` must not be negative (got $count)")) : min(count, typemax(Int)) % Int
check_count(::Nothing) = typemax(Int)
# The element type without those values that are all replaced.
without_replaced(::Type{T}, p::Pair{K}) where {T, K} = issingleton_type(K) ? typesplit(T, K) : T
without_replaced(::Type{T}, p::Pair, ps::Pair...) where {T} = without_replaced(without_replaced(T, p), ps...)
issingleton_type(K) = K isa DataType && isdefined(K, :instance)
replaced_type(A, ps, count) = promote_type(count === nothing ? without_replaced(eltype(A), ps...) : eltype(A), map(p -> typeof(p.second), ps)...)
replace(A, ps::Pair...; count::Union{Integer, Nothing} = nothing) =
    isempty(ps) ? copy_or_collect(A) : replace_into!(Replacements(ps), replaced_container(A, replaced_type(A, ps, count)), A, check_count(count))
replace(f::Callable, A; count::Integer = typemax(Int)) = replace_into!(f, replaced_container(A, eltype(A)), A, check_count(count))
replace!(A, ps::Pair...; count::Integer = typemax(Int)) = replace_into!(Replacements(ps), A, A, check_count(count))
# A pair is no collection.
replace(f::Callable, p::Pair; count::Union{Integer, Nothing} = nothing) = throw(MethodError(replace, (f, p)))
replace!(f::Callable, p::Pair; count::Integer = typemax(Int)) = throw(MethodError(replace!, (f, p)))
replace!(f::Callable, A; count::Integer = typemax(Int)) = replace_into!(f, A, A, check_count(count))
copy_or_collect(A) = copy(A)
replaced_container(A::AbstractArray, ::Type{T}) where {T} = similar(A, T)
replaced_container(s::AbstractSet, ::Type{T}) where {T} = emptymutable(s, T)
replaced_container(d::AbstractDict, ::Type{<:Pair{K, V}}) where {K, V} = empty(d, K, V)
replaced_container(d::AbstractDict, ::Type) = empty(d)
function replace_into!(f, out::AbstractArray, A::AbstractArray, count::Int)
    n = 0
    for i in eachindex(A)
        x = A[i]
        if n < count
            y = f(x)
            x === y || (n += 1)
            out[i] = y
        else
            out[i] = x
        end
    end
    out
end
function replace_into!(f, out::Union{AbstractSet, AbstractDict}, A::Union{AbstractSet, AbstractDict}, count::Int)
    n = 0
    changes = Pair{Any, Any}[]
    out === A || for x in A; push!(out, x); end
    count == 0 && return out
    for x in A
        y = f(x)
        if x !== y
            push!(changes, x => y)
            n += 1
            n == count && break
        end
    end
    # A pair whose key stays is overwritten.
    for c in changes
        out isa AbstractDict ? isequal(c.first.first, c.second.first) || delete!(out, c.first.first) : delete!(out, c.first)
    end
    for c in changes
        push!(out, c.second)
    end
    out
end
replace(t::Tuple, ps::Pair...; count::Integer = typemax(Int)) = replace_in_tuple(Replacements(ps), t, check_count(count))
replace(f::Callable, t::Tuple; count::Integer = typemax(Int)) = replace_in_tuple(f, t, check_count(count))
replace_in_tuple(f, ::Tuple{}, count) = ()
function replace_in_tuple(f, t::Tuple, count)
    count == 0 && return t
    x = t[1]
    y = f(x)
    (y, replace_in_tuple(f, tail(t), x === y ? count : count - 1)...)
end
replace(f::Callable, s::AbstractString) = map(f, s)
# How many values a type has, as far as a word counts.
max_values(::Type) = typemax(Int)
max_values(T::Union{map(X -> Type{X}, Any[Bool, Int8, UInt8, Int16, UInt16, Int32, UInt32])...}) = 1 << (8 * sizeof(T))
max_values(T::Union) = max(max_values(T.a), max_values(T.b)) == typemax(Int) ? typemax(Int) : max_values(T.a) + max_values(T.b)
max_values(::Type{Bool}) = 2
max_values(::Type{Nothing}) = 1
