# `map` and `reduce` unrolled over the tuples.

@inline map(f::F, a::StaticArray{S}) where {F, S} = like(a, S, map(f, data(a)))
@inline map(f::F, a::StaticArray{S}, b::StaticArray{S}) where {F, S} = like(a, S, map(f, data(a), data(b)))
@inline map(f::F, a::StaticArray{S}, b::StaticArray{S}, c::StaticArray{S}) where {F, S} =
    like(a, S, map(f, data(a), data(b), data(c)))
@inline foreach(f::F, a::StaticArray) where {F} = foreach(f, data(a))

struct NoInit end
@inline fold_map(f::F, op::O, v, ::Tuple{}) where {F, O} = v
@inline fold_map(f::F, op::O, v, t::Tuple) where {F, O} = fold_map(f, op, op(v, f(t[1])), tail(t))
@inline fold_map(f::F, op::O, ::NoInit, t::Tuple) where {F, O} = fold_map(f, op, first_of(op, f(t[1])), tail(t))
fold_map(f::F, op::O, ::NoInit, t::Tuple{}) where {F, O} = throw(ArgumentError("reducing over an empty collection is not allowed; consider supplying `init` to the reducer"))
first_of(op, x) = x
first_of(::Union{typeof(+), typeof(*)}, x::Union{Bool, Int8, Int16, Int32}) = Int(x)
first_of(::typeof(Base.add_sum), x::Union{Bool, Int8, Int16, Int32}) = Int(x)

@inline mapreduce(f::F, op::O, a::StaticArray; dims = :, init = NoInit()) where {F, O} = mapreduce_over(f, op, a, dims, init)
@inline mapreduce_over(f::F, op::O, a, ::Colon, init) where {F, O} = fold_map(f, op, init, data(a))
@inline mapreduce_over(f::F, op::O, a, d::Int, init) where {F, O} = mapreduce_over(f, op, a, Val(d), init)
@inline mapreduce_over(f::F, op::O, a::StaticArray{Tuple{M, N}, <:Any, 2}, ::Val{D}, init) where {F, O, M, N, D} =
    D == 1 ? like(a, Tuple{1, N}, ntuple(j -> fold_map(f, op, init, ntuple(i -> data(a)[(j - 1) * M + i], Val(M))), Val(N))) :
        like(a, Tuple{M, 1}, ntuple(i -> fold_map(f, op, init, ntuple(j -> data(a)[(j - 1) * M + i], Val(N))), Val(M)))
@inline mapreduce_over(f::F, op::O, a::StaticArray{Tuple{M}, <:Any, 1}, ::Val{1}, init) where {F, O, M} =
    like(a, Tuple{1}, (fold_map(f, op, init, data(a)),))
@inline mapreduce(f::F, op::O, a::StaticArray{S}, b::StaticArray{S}) where {F, O, S} = fold_map(identity, op, NoInit(), map(f, data(a), data(b)))
@inline reduce(op::O, a::StaticArray; kws...) where {O} = mapreduce(identity, op, a; kws...)
for f in (:vcat, :hcat)
    @eval @inline reduce(::typeof($f), a::StaticArray{<:Tuple, <:AbstractVecOrMat, 1}; kws...) = mapreduce(identity, $f, a; kws...)
end
@inline foldl(op::O, a::StaticArray; init = NoInit()) where {O} = fold_map(identity, op, init, data(a))
@inline sum(a::StaticArray{S, T}; dims = :) where {S, T} =
    count_of(S) == 0 ? zero(T) : mapreduce_over(identity, +, a, dims, NoInit())
@inline sum(f::F, a::StaticArray; dims = :) where {F} = mapreduce_over(f, +, a, dims, NoInit())
@inline prod(a::StaticArray{S, T}; dims = :) where {S, T} =
    count_of(S) == 0 ? one(T) : mapreduce_over(identity, *, a, dims, NoInit())
@inline prod(f::F, a::StaticArray; dims = :) where {F} = mapreduce_over(f, *, a, dims, NoInit())
@inline maximum(a::StaticArray; dims = :) = mapreduce_over(identity, max, a, dims, NoInit())
@inline maximum(f::F, a::StaticArray; dims = :) where {F} = mapreduce_over(f, max, a, dims, NoInit())
@inline minimum(a::StaticArray; dims = :) = mapreduce_over(identity, min, a, dims, NoInit())
@inline minimum(f::F, a::StaticArray; dims = :) where {F} = mapreduce_over(f, min, a, dims, NoInit())
extrema(a::StaticArray) = (minimum(a), maximum(a))
@inline any(f::F, a::StaticArray) where {F <: Function} = fold_map(f, |, false, data(a))
@inline all(f::F, a::StaticArray) where {F <: Function} = fold_map(f, &, true, data(a))
@inline any(a::StaticArray{<:Tuple, Bool}) = any(identity, a)
@inline all(a::StaticArray{<:Tuple, Bool}) = all(identity, a)
@inline count(f::F, a::StaticArray) where {F} = fold_map(x -> Int(f(x)), +, 0, data(a))
@inline in(x, a::StaticArray) = any(y -> y == x, a)
diff(a::StaticArray{Tuple{N}, T, 1}) where {N, T} = like(a, Tuple{N - 1}, ntuple(i -> data(a)[i + 1] - data(a)[i], Val(N - 1)))
cumsum(a::StaticArray{Tuple{N}, T, 1}) where {N, T} = like(a, Tuple{N}, ntuple(i -> sum(data(a)[1:i]), Val(N)))

# Arrays of one value, and random ones.
@inline filled(::Type{A}, ::Type{S}, ::Type{T}, x) where {A, S, T} = from_tuple(A, S, T, ntuple(i -> x, Val(count_of(S))))
kind(::Type{<:StaticArray}) = SArray
kind(::Type{<:MArray}) = MArray
element(::Type{A}) where {A <: StaticArray} = element_or(eltype(A), Float64)
element_or(::Type{Any}, ::Type{D}) where {D} = D
element_or(::Type{T}, ::Type{D}) where {T, D} = T
size_type(::Type{<:StaticArray{S}}) where {S} = S
@inline zero(a::StaticArray{S, T}) where {S, T} = like(a, S, T, ntuple(i -> zero(T), Val(count_of(S))))
@inline zero(::Type{A}) where {A <: StaticArray} = filled(kind(A), size_type(A), element(A), zero(element(A)))
@inline zeros(::Type{A}) where {A <: StaticArray} = zero(A)
@inline ones(::Type{A}) where {A <: StaticArray} = filled(kind(A), size_type(A), element(A), one(element(A)))
@inline fill(x, ::Type{A}) where {A <: StaticArray} = filled(kind(A), size_type(A), element_or(eltype(A), typeof(x)), x)
@inline one(a::StaticArray{Tuple{N, N}, T, 2}) where {N, T} = like(a, Tuple{N, N}, T, identity_tuple(Val(N), T))
@inline one(::Type{A}) where {N, A <: StaticArray{Tuple{N, N}, <:Any, 2}} = from_tuple(kind(A), Tuple{N, N}, element(A), identity_tuple(Val(N), element(A)))
@inline identity_tuple(::Val{N}, ::Type{T}) where {N, T} =
    ntuple(k -> rem(k - 1, N + 1) == 0 ? one(T) : zero(T), Val(N * N))
rand(::Type{A}) where {A <: StaticArray} = rand_static(Base.default_rng(), A)
rand(rng::Base.AbstractRNG, ::Type{A}) where {A <: StaticArray} = rand_static(rng, A)
rand_static(rng, ::Type{A}) where {A} =
    from_tuple(kind(A), size_type(A), element(A), ntuple(i -> rand(rng, element(A)), Val(count_of(size_type(A)))))
randn(::Type{A}) where {A <: StaticArray} = from_tuple(kind(A), size_type(A), element(A), ntuple(i -> randn(element(A)), Val(count_of(size_type(A)))))
Base.random_value(rng, ::Type{A}) where {A <: StaticArray} = rand_static(rng, A)
