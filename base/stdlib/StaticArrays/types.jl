# The types and how they are made: from tuples, numbers and arrays.

abstract type StaticArray{S <: Tuple, T, N} <: AbstractArray{T, N} end
const StaticScalar{T} = StaticArray{Tuple{}, T, 0}
const StaticVector{N, T} = StaticArray{Tuple{N}, T, 1}
const StaticMatrix{M, N, T} = StaticArray{Tuple{M, N}, T, 2}
const StaticVecOrMat{T} = Union{StaticArray{<:Tuple, T, 1}, StaticArray{<:Tuple, T, 2}}

struct SArray{S <: Tuple, T, N, L} <: StaticArray{S, T, N}
    data::NTuple{L, T}
    SArray{S, T, N, L}(x::NTuple{L, T}) where {S <: Tuple, T, N, L} = new{S, T, N, L}(x)
    SArray{S, T, N, L}(x::NTuple{L, Any}) where {S <: Tuple, T, N, L} = new{S, T, N, L}(converted(T, x))
end
mutable struct MArray{S <: Tuple, T, N, L} <: StaticArray{S, T, N}
    data::NTuple{L, T}
    MArray{S, T, N, L}(x::NTuple{L, T}) where {S <: Tuple, T, N, L} = new{S, T, N, L}(x)
    MArray{S, T, N, L}(x::NTuple{L, Any}) where {S <: Tuple, T, N, L} = new{S, T, N, L}(converted(T, x))
    MArray{S, T, N, L}(::UndefInitializer) where {S <: Tuple, T, N, L} = new{S, T, N, L}(ntuple(i -> zero(T), Val(L)))
end
const SVector{N, T} = SArray{Tuple{N}, T, 1, N}
const SMatrix{M, N, T, L} = SArray{Tuple{M, N}, T, 2, L}
const MVector{N, T} = MArray{Tuple{N}, T, 1, N}
const MMatrix{M, N, T, L} = MArray{Tuple{M, N}, T, 2, L}
const Scalar{T} = SArray{Tuple{}, T, 0, 1}
const SizedArray = MArray
const SizedVector = MVector
const SizedMatrix = MMatrix

@inline converted(::Type{T}, x::Tuple{}) where {T} = ()
@inline converted(::Type{T}, x::Tuple) where {T} = (convert(T, x[1]), converted(T, tail(x))...)
# One type for all elements.
@inline promoted(x::NTuple{L, T}) where {L, T} = x
@inline promoted(x::Tuple) = converted(common_type(x), x)
@inline common_type(x::NTuple{L, T}) where {L, T} = T
common_type(x::Tuple{}) = Float64
@inline common_type(x::Tuple) = promote_type(map(typeof, x)...)

# Facts that the size type holds.
rank(::Type{Tuple{}}) = 0
rank(::Type{Tuple{A}}) where {A} = 1
rank(::Type{Tuple{A, B}}) where {A, B} = 2
rank(::Type{Tuple{A, B, C}}) where {A, B, C} = 3
rank(::Type{Tuple{A, B, C, D}}) where {A, B, C, D} = 4
dims(::Type{Tuple{}}) = ()
dims(::Type{Tuple{A}}) where {A} = (A,)
dims(::Type{Tuple{A, B}}) where {A, B} = (A, B)
dims(::Type{Tuple{A, B, C}}) where {A, B, C} = (A, B, C)
dims(::Type{Tuple{A, B, C, D}}) where {A, B, C, D} = (A, B, C, D)
count_of(::Type{Tuple{}}) = 1
count_of(::Type{Tuple{A}}) where {A} = A
count_of(::Type{Tuple{A, B}}) where {A, B} = A * B
count_of(::Type{Tuple{A, B, C}}) where {A, B, C} = A * B * C
count_of(::Type{Tuple{A, B, C, D}}) where {A, B, C, D} = A * B * C * D
@noinline throw_count(S, n) = throw(DimensionMismatch("No precise constructor for an array of size $(dims(S)) found. Length of input was $n."))
@inline checked_count(::Type{S}, x::Tuple) where {S} = count_of(S) == length(x) ? nothing : throw_count(S, length(x))

# A static array from a tuple, with as much of the type given as the caller wrote.
for (A, V, M) in ((:SArray, :SVector, :SMatrix), (:MArray, :MVector, :MMatrix))
    @eval begin
        @inline from_tuple(::Type{<:$A}, ::Type{S}, x::NTuple{L, T}) where {S, L, T} =
            (checked_count(S, x); $A{S, T, rank(S), L}(x))
        @inline from_tuple(::Type{<:$A}, ::Type{S}, ::Type{T}, x::NTuple{L, Any}) where {S, T, L} =
            (checked_count(S, x); $A{S, T, rank(S), L}(converted(T, x)))
        # Tuples of the right length are taken where the type is defined.
        (::Type{$A{S, T, N, L}})(x::Tuple) where {S, T, N, L} = throw_count(S, length(x))
        @inline (::Type{$A{S, T, N}})(x::Tuple) where {S, T, N} = from_tuple($A, S, T, x)
        @inline (::Type{$A{S, T}})(x::Tuple) where {S, T} = from_tuple($A, S, T, x)
        @inline (::Type{$A{S}})(x::Tuple) where {S} = from_tuple($A, S, promoted(x))
        @inline (::Type{$V})(x::NTuple{L, Any}) where {L} = from_tuple($A, Tuple{L}, promoted(x))
        @inline (::Type{$V{N}})(x::Tuple) where {N} = from_tuple($A, Tuple{N}, promoted(x))
        @inline (::Type{$M{R, C}})(x::Tuple) where {R, C} = from_tuple($A, Tuple{R, C}, promoted(x))
        @inline (::Type{$M{R, C, T}})(x::Tuple) where {R, C, T} = from_tuple($A, Tuple{R, C}, T, x)
        @inline (::Type{$A})(a::StaticArray{S, T}) where {S, T} = from_tuple($A, S, T, data(a))
        @inline (::Type{$V})(a::StaticArray{Tuple{N}, T, 1}) where {N, T} = from_tuple($A, Tuple{N}, T, data(a))
        @inline (::Type{$M})(a::StaticArray{Tuple{R, C}, T, 2}) where {R, C, T} = from_tuple($A, Tuple{R, C}, T, data(a))
    end
end
@inline (::Type{A})(x, xs...) where {A <: StaticArray} = A((x, xs...))
@inline (::Type{A})() where {A <: StaticArray} = A(())
@inline (::Type{A})(a::StaticArray) where {A <: StaticArray} = A(data(a))
@inline (::Type{A})(a::AbstractArray) where {A <: StaticArray} = from_array(A, a)
@inline (::Type{A})(g::Base.Generator) where {A <: StaticArray} = A(Tuple(g))
@noinline throw_array_length(want, got) = throw(DimensionMismatch("expected input array of length $want, got length $got"))
function from_array(::Type{A}, a) where {A}
    length(a) == static_length(A) || throw_array_length(static_length(A), length(a))
    from_checked(A, a)
end
from_checked(::Type{A}, a) where {A} = A(ntuple(i -> a[firstindex(a) + i - 1], Val(static_length(A))))
(::Type{A})(::UndefInitializer) where {S, A <: MArray{S}} = undefined(A)
undefined(::Type{<:MArray{S, T}}) where {S, T} = MArray{S, T, rank(S), count_of(S)}(undef)
static_length(::Type{<:StaticArray{S}}) where {S} = count_of(S)
sacollect(::Type{A}, g) where {A <: StaticArray} = A(Tuple(g))

# The tuple of the elements, in column order.
@inline data(a::SArray) = getfield(a, :data)
@inline data(a::MArray) = getfield(a, :data)
@inline Tuple(a::StaticArray) = data(a)
convert(::Type{A}, a::A) where {A <: StaticArray} = a
convert(::Type{A}, a::AbstractArray) where {A <: StaticArray} = A(a)
convert(::Type{A}, a::StaticArray) where {A <: StaticArray} = A(data(a))
convert(::Type{A}, x::Tuple) where {A <: StaticArray} = A(x)
promote_rule(::Type{<:SArray{S, T, N, L}}, ::Type{<:SArray{S, U, N, L}}) where {S, T, U, N, L} =
    SArray{S, promote_type(T, U), N, L}

# An array of the same kind with other elements or another size.
@inline like(::StaticArray, ::Type{S}, x::Tuple) where {S} = from_tuple(SArray, S, promoted(x))
@inline like(::MArray, ::Type{S}, x::Tuple) where {S} = from_tuple(MArray, S, promoted(x))
@inline like(::StaticArray, ::Type{S}, ::Type{T}, x::Tuple) where {S, T} = from_tuple(SArray, S, T, x)
@inline like(::MArray, ::Type{S}, ::Type{T}, x::Tuple) where {S, T} = from_tuple(MArray, S, T, x)

# Vectors with named fields: subtypes hold one field for each element.
abstract type FieldArray{S, T, N} <: StaticArray{S, T, N} end
abstract type FieldMatrix{M, N, T} <: FieldArray{Tuple{M, N}, T, 2} end
abstract type FieldVector{N, T} <: FieldArray{Tuple{N}, T, 1} end
@inline data(a::FieldVector{N}) where {N} = ntuple(i -> getfield(a, i), Val(N))
@inline like(a::FieldVector{N}, ::Type{Tuple{N}}, x::Tuple) where {N} = typeof(a).name.wrapper(promoted(x)...)
@inline (::Type{A})(x::Tuple) where {N, A <: FieldVector{N}} = length(x) == N ? A(promoted(x)...) : throw_count(Tuple{N}, length(x))

# Sizes as values of a type of their own.
struct Size{S}
    Size{S}() where {S} = new{S}()
end
Size(dims::Int...) = Size{dims}()
Size(::StaticArray{S}) where {S} = Size{dims(S)}()
Size(::Type{<:StaticArray{S}}) where {S} = Size{dims(S)}()
Tuple(::Size{S}) where {S} = S
getindex(::Size{S}, i::Int) where {S} = S[i]
length(::Size{S}) where {S} = length(S)
iterate(::Size{S}, i = 1) where {S} = iterate(S, i)
Base.prod(::Size{S}) where {S} = prod(S)
struct Length{L} end
Length(::StaticArray{S}) where {S} = Length{count_of(S)}()
Length(::Type{<:StaticArray{S}}) where {S} = Length{count_of(S)}()
const SOneTo = Base.OneTo
similar_type(::Type{<:SArray{S}}, ::Type{T}) where {S, T} = SArray{S, T, rank(S), count_of(S)}
similar_type(::Type{<:MArray{S}}, ::Type{T}) where {S, T} = MArray{S, T, rank(S), count_of(S)}
similar_type(::Type{A}) where {A <: StaticArray} = similar_type(A, eltype(A))
similar_type(::Type{<:StaticArray}, ::Type{T}, ::Size{S}) where {T, S} = SArray{Tuple{S...}, T, length(S), prod(S)}
similar_type(::Type{A}, s::Size) where {A <: StaticArray} = similar_type(A, eltype(A), s)
similar_type(a::StaticArray, args...) = similar_type(typeof(a), args...)

# Literals: `SA[1, 2]`, `SA_F32[1 2; 3 4]`.
struct SA{T} end
const SA_F32 = SA{Float32}
const SA_F64 = SA{Float64}
@inline getindex(::Type{SA}, xs...) = SVector(xs)
@inline getindex(::Type{SA{T}}, xs...) where {T} = from_tuple(SArray, Tuple{length(xs)}, T, xs)
Base.typed_vcat(::Type{SA}, xs...) = literal(Val(:vcat), nothing, xs)
Base.typed_vcat(::Type{SA{T}}, xs...) where {T} = literal(Val(:vcat), T, xs)
Base.typed_hcat(::Type{SA}, xs...) = literal(Val(:hcat), nothing, xs)
Base.typed_hcat(::Type{SA{T}}, xs...) where {T} = literal(Val(:hcat), T, xs)
literal(::Val{:vcat}, ::Nothing, xs::NTuple{N, Any}) where {N} = SVector(xs)
literal(::Val{:vcat}, ::Type{T}, xs::NTuple{N, Any}) where {T, N} = from_tuple(SArray, Tuple{N}, T, xs)
literal(::Val{:hcat}, ::Nothing, xs::NTuple{N, Any}) where {N} = from_tuple(SArray, Tuple{1, N}, promoted(xs))
literal(::Val{:hcat}, ::Type{T}, xs::NTuple{N, Any}) where {T, N} = from_tuple(SArray, Tuple{1, N}, T, xs)
# Elements come row by row.
function by_columns(rows::Tuple{Vararg{Int}}, xs)
    m = length(rows)
    n = rows[1]
    ntuple(k -> xs[rem(k - 1, m) * n + div(k - 1, m) + 1], m * n)
end
Base.typed_hvcat(::Type{SA}, rows::Tuple{Vararg{Int}}, xs...) =
    from_tuple(SArray, Tuple{length(rows), rows[1]}, promoted(by_columns(rows, xs)))
Base.typed_hvcat(::Type{SA{T}}, rows::Tuple{Vararg{Int}}, xs...) where {T} =
    from_tuple(SArray, Tuple{length(rows), rows[1]}, T, by_columns(rows, xs))
