# Size, reading and writing elements, parts.

@inline size(a::StaticArray{S}) where {S} = dims(S)
@inline size(::Type{<:StaticArray{S}}) where {S} = dims(S)
@inline size(::Type{<:StaticArray{S}}, k::Int) where {S} = dims(S)[k]
@inline length(a::StaticArray{S}) where {S} = count_of(S)
length(::Type{<:StaticArray{S}}) where {S} = count_of(S)
@inline axes(a::StaticArray{S}) where {S} = map(Base.OneTo, dims(S))
IndexStyle(::Type{<:StaticArray}) = IndexLinear()
Base.IteratorSize(::Type{<:StaticArray{S, T, N}}) where {S, T, N} = Base.HasShape{N}()

Base.@propagate_inbounds function getindex(a::StaticArray, i::Int)
    @boundscheck checkbounds(a, i)
    @inbounds data(a)[i]
end
Base.@propagate_inbounds getindex(a::FieldVector, i::Int) = getfield(a, i)
@inline getindex(a::StaticArray{Tuple{}}) = data(a)[1]
@inline getindex(a::StaticArray) = data(a)[1]
# The tuple is written anew; of a tuple in registers only one element changes.
Base.@propagate_inbounds function setindex!(a::MArray{S, T, N, L}, x, i::Int) where {S, T, N, L}
    @boundscheck checkbounds(a, i)
    setfield!(a, :data, replaced(data(a), convert(T, x), i))
    a
end
@inline replaced(t::NTuple{L, T}, x::T, i::Int) where {L, T} = ntuple(k -> ifelse(k == i, x, t[k]), Val(L))
@noinline throw_immutable(a) =
    error("setindex!(::$(typeof(a)), value, ::Int) is not defined.\n Hint: Use `MArray` or `SizedArray` to create a mutable static array")
setindex!(a::SArray, x, i::Int) = throw_immutable(a)
setindex!(a::FieldVector, x, i::Int) = (setfield!(a, i, convert(eltype(a), x)); a)
@inline iterate(a::StaticArray, i::Int = 1) = i > length(a) ? nothing : (data(a)[i], i + 1)
first(a::StaticArray) = data(a)[1]
last(a::StaticArray) = data(a)[end]

@inline setindex(a::StaticArray{S, T}, x, i::Int) where {S, T} =
    (checkbounds(a, i); like(a, S, T, replaced(data(a), convert(T, x), i)))
@inline setindex(a::StaticArray, x, i::Int, j::Int, ks::Int...) = setindex(a, x, LinearIndices(size(a))[i, j, ks...])
Base.setindex(a::StaticArray, x, i::Int) = setindex(a, x, i)

# `v.x` to `v.w`.
@inline function getproperty(a::Union{SArray{Tuple{N}, T, 1}, MArray{Tuple{N}, T, 1}}, name::Symbol) where {N, T}
    name === :x ? data(a)[1] : name === :y ? data(a)[2] : name === :z ? data(a)[3] : name === :w ? data(a)[4] :
        getfield(a, name)
end

# Whole rows and columns, and parts named by static indices.
@inline getindex(a::StaticArray, ::Colon) = like(a, Tuple{length(a)}, data(a))
@inline getindex(a::StaticArray{Tuple{M, N}, <:Any, 2}, ::Colon, j::Int) where {M, N} =
    (checkbounds(a, :, j); like(a, Tuple{M}, ntuple(i -> data(a)[(j - 1) * M + i], Val(M))))
@inline getindex(a::StaticArray{Tuple{M, N}, <:Any, 2}, i::Int, ::Colon) where {M, N} =
    (checkbounds(a, i, :); like(a, Tuple{N}, ntuple(j -> data(a)[(j - 1) * M + i], Val(N))))
@inline getindex(a::StaticArray{Tuple{M, N}, <:Any, 2}, ::Colon, ::Colon) where {M, N} = a
@inline getindex(a::StaticArray, is::StaticArray{Tuple{N}, Int, 1}) where {N} =
    like(a, Tuple{N}, eltype(a), map(i -> a[i], data(is)))
@inline getindex(a::AbstractArray, is::StaticArray{Tuple{N}, Int, 1}) where {N} =
    from_tuple(SArray, Tuple{N}, eltype(a), map(i -> a[i], data(is)))
@inline getindex(a::StaticArray{Tuple{M, N}, <:Any, 2}, is::StaticArray{Tuple{P}, Int, 1}, js::StaticArray{Tuple{Q}, Int, 1}) where {M, N, P, Q} =
    like(a, Tuple{P, Q}, ntuple(k -> a[is[rem(k - 1, P) + 1], js[div(k - 1, P) + 1]], Val(P * Q)))
@inline getindex(a::StaticArray{Tuple{M, N}, <:Any, 2}, is::StaticArray{Tuple{P}, Int, 1}, j::Int) where {M, N, P} =
    like(a, Tuple{P}, map(i -> a[i, j], data(is)))

# Arrays one longer or shorter.
push(a::StaticArray{Tuple{N}, T, 1}, x) where {N, T} = like(a, Tuple{N + 1}, (data(a)..., convert(T, x)))
pushfirst(a::StaticArray{Tuple{N}, T, 1}, x) where {N, T} = like(a, Tuple{N + 1}, (convert(T, x), data(a)...))
pop(a::StaticArray{Tuple{N}, T, 1}) where {N, T} = like(a, Tuple{N - 1}, T, Base.front(data(a)))
popfirst(a::StaticArray{Tuple{N}, T, 1}) where {N, T} = like(a, Tuple{N - 1}, T, tail(data(a)))
insert(a::StaticArray{Tuple{N}, T, 1}, i::Int, x) where {N, T} =
    like(a, Tuple{N + 1}, T, ntuple(k -> k < i ? data(a)[k] : k == i ? convert(T, x) : data(a)[k - 1], Val(N + 1)))
deleteat(a::StaticArray{Tuple{N}, T, 1}, i::Int) where {N, T} =
    like(a, Tuple{N - 1}, T, ntuple(k -> data(a)[k < i ? k : k + 1], Val(N - 1)))

copy(a::SArray) = a
copy(a::MArray) = typeof(a)(data(a))
similar(a::StaticArray{S, T}) where {S, T} = MArray{S, T}(undef)
similar(a::StaticArray{S}, ::Type{T}) where {S, T} = MArray{S, T}(undef)
similar(::Type{<:StaticArray{S, T}}) where {S, T} = MArray{S, T}(undef)
vec(a::StaticArray) = a[:]
reshape(a::StaticArray, ::Size{S}) where {S} = like(a, Tuple{S...}, data(a))
reshape(a::StaticArray, ::Type{S}) where {S <: Tuple} = like(a, S, data(a))
reverse(a::StaticArray{Tuple{N}, T, 1}) where {N, T} = like(a, Tuple{N}, T, reverse(data(a)))
vcat(a::StaticArray{Tuple{M}, T, 1}, b::StaticArray{Tuple{N}, U, 1}) where {M, N, T, U} =
    like(a, Tuple{M + N}, (data(a)..., data(b)...))
hcat(a::StaticArray{Tuple{N}, T, 1}, b::StaticArray{Tuple{N}, U, 1}) where {N, T, U} =
    like(a, Tuple{N, 2}, (data(a)..., data(b)...))
hcat(a::StaticArray{Tuple{N}, T, 1}, b::StaticArray{Tuple{N}, U, 1}, c::StaticArray{Tuple{N}, V, 1}) where {N, T, U, V} =
    like(a, Tuple{N, 3}, (data(a)..., data(b)..., data(c)...))
hcat(a::StaticArray{Tuple{M, P}, T, 2}, b::StaticArray{Tuple{M, Q}, U, 2}) where {M, P, Q, T, U} =
    like(a, Tuple{M, P + Q}, (data(a)..., data(b)...))
==(a::StaticArray{S}, b::StaticArray{S}) where {S} = data(a) == data(b)
sort(a::StaticArray{Tuple{N}, T, 1}; kws...) where {N, T} = like(a, Tuple{N}, T, Tuple(sort(collect(T, data(a)); kws...)))
