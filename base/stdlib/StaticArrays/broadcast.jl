# Broadcasting: the tree of calls is evaluated node by node on tuples, so nothing but the result is left.

struct StaticArrayStyle{N} <: AbstractArrayStyle{N} end
StaticArrayStyle{M}(::Val{N}) where {M, N} = StaticArrayStyle{N}()
BroadcastStyle(::Type{<:StaticArray{S, T, N}}) where {S, T, N} = StaticArrayStyle{N}()
BroadcastStyle(::StaticArrayStyle{M}, ::StaticArrayStyle{N}) where {M, N} = StaticArrayStyle{M > N ? M : N}()
BroadcastStyle(::StaticArrayStyle{N}, ::StaticArrayStyle{N}) where {N} = StaticArrayStyle{N}()
BroadcastStyle(s::StaticArrayStyle, ::DefaultArrayStyle{0}) = s
BroadcastStyle(::StaticArrayStyle{M}, ::DefaultArrayStyle{N}) where {M, N} = DefaultArrayStyle{M > N ? M : N}()
BroadcastStyle(s::StaticArrayStyle, ::Base.Broadcast.Style{Tuple}) = s
# The row that `v'` is keeps its static size.
BroadcastStyle(::Type{<:Union{Base.Adjoint{T, A}, Base.Transpose{T, A}}}) where {T, A <: StaticArray} = StaticArrayStyle{2}()

@inline Base.copy(bc::Broadcasted{<:StaticArrayStyle}) = evaluated(bc)
@inline Base.Broadcast.instantiate(bc::Broadcasted{<:StaticArrayStyle}) = bc
@inline evaluated(x) = x
@inline evaluated(bc::Broadcasted) = static_map(bc.f, map(evaluated, bc.args)...)
@inline evaluated(a::Union{Base.Adjoint{T, A}, Base.Transpose{T, A}}) where {N, T, A <: StaticArray{Tuple{N}, <:Any, 1}} =
    from_tuple(SArray, Tuple{1, N}, ntuple(i -> a[i], Val(N)))

# The size that the operands agree on.
size_of(x) = Tuple{}
size_of(x::StaticArray{S}) where {S} = S
size_of(x::NTuple{N, Any}) where {N} = Tuple{N}
joined(::Type{Tuple{}}, ::Type{Tuple{}}) = Tuple{}
joined(::Type{Tuple{}}, ::Type{S}) where {S <: Tuple} = S
joined(::Type{S}, ::Type{Tuple{}}) where {S <: Tuple} = S
joined(::Type{Tuple{A}}, ::Type{Tuple{B}}) where {A, B} = Tuple{joined_dim(A, B)}
joined(::Type{Tuple{A, B}}, ::Type{Tuple{C}}) where {A, B, C} = Tuple{joined_dim(A, C), B}
joined(::Type{Tuple{C}}, ::Type{Tuple{A, B}}) where {A, B, C} = Tuple{joined_dim(A, C), B}
joined(::Type{Tuple{A, B}}, ::Type{Tuple{C, D}}) where {A, B, C, D} = Tuple{joined_dim(A, C), joined_dim(B, D)}
joined(::Type{S}, ::Type{S}) where {S <: Tuple} = S
joined(::Type{Tuple{A}}, ::Type{Tuple{A}}) where {A} = Tuple{A}
joined(::Type{Tuple{A, B}}, ::Type{Tuple{A, B}}) where {A, B} = Tuple{A, B}
joined_dim(a, b) = a == b ? a : a == 1 ? b : b == 1 ? a :
    throw(DimensionMismatch("arrays could not be broadcast to a common size; got a dimension with lengths $a and $b"))
@inline joined_all(x) = size_of(x)
@inline joined_all(x, xs...) = joined(size_of(x), joined_all(xs...))

# Element number `k` of the result `S`, of an operand that may be shorter in some dimensions.
@inline pick(x, ::Type{S}, k) where {S} = x
@inline pick(x::Ref, ::Type{S}, k) where {S} = x[]
@inline pick(x::StaticArray{S}, ::Type{S}, k) where {S} = data(x)[k]
@inline pick(x::NTuple{N, Any}, ::Type{Tuple{N}}, k) where {N} = x[k]
@inline pick(x::Tuple, ::Type{S}, k) where {S} = x[length(x) == 1 ? 1 : rem(k - 1, dims(S)[1]) + 1]
@inline pick(x::StaticArray{Tuple{}}, ::Type{S}, k) where {S} = data(x)[1]
@inline pick(x::StaticArray{Tuple{A}, <:Any, 1}, ::Type{S}, k) where {A, S} = data(x)[A == 1 ? 1 : rem(k - 1, dims(S)[1]) + 1]
@inline pick(x::StaticArray{Tuple{A, B}, <:Any, 2}, ::Type{Tuple{M, N}}, k) where {A, B, M, N} =
    data(x)[(A == 1 ? 1 : rem(k - 1, M) + 1) + (B == 1 ? 0 : A * div(k - 1, M))]
@inline first_static(x::StaticArray, xs...) = x
@inline first_static(x, xs...) = first_static(xs...)
@inline first_static() = SVector(0)
@inline function static_map(f::F, args...) where {F}
    S = joined_all(args...)
    static_map_sized(f, S, args)
end
@inline static_map_sized(f::F, ::Type{Tuple{}}, args) where {F} = f(map(x -> pick(x, Tuple{}, 1), args)...)
@inline static_map_sized(f::F, ::Type{S}, args) where {F, S} =
    like(first_static(args...), S, ntuple(k -> f(map(x -> pick(x, S, k), args)...), Val(count_of(S))))
@inline static_map_sized(f::F, ::Type{S}, args::Tuple{StaticArray{S}}) where {F, S} = map(f, args[1])
@inline static_map_sized(f::F, ::Type{S}, args::Tuple{StaticArray{S}, StaticArray{S}}) where {F, S} = map(f, args[1], args[2])
