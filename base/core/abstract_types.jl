# The abstract types and the few plain structs that signatures all over Base mention.

const AbstractVector{T} = AbstractArray{T, 1}
const AbstractMatrix{T} = AbstractArray{T, 2}
const AbstractVecOrMat{T} = Union{AbstractVector{T}, AbstractMatrix{T}}
const DenseVector{T} = DenseArray{T, 1}
const DenseMatrix{T} = DenseArray{T, 2}
const DenseVecOrMat{T} = Union{DenseVector{T}, DenseMatrix{T}}
const VecOrMat{T} = Union{Vector{T}, Matrix{T}}

abstract type AbstractRange{T} <: AbstractArray{T, 1} end
abstract type OrdinalRange{T, S} <: AbstractRange{T} end
abstract type AbstractUnitRange{T} <: OrdinalRange{T, T} end
abstract type AbstractCartesianIndex{N} end
abstract type AbstractDict{K, V} end
abstract type AbstractSet{T} end
abstract type IO end
abstract type AbstractPipe <: IO end
abstract type IndexStyle end
struct IndexLinear <: IndexStyle end
struct IndexCartesian <: IndexStyle end

struct Colon <: Function
end
const (:) = Colon()

struct CartesianIndex{N} <: AbstractCartesianIndex{N}
    I::NTuple{N, Int}
    CartesianIndex{N}(index::NTuple{N, Integer}) where {N} = new{N}(map(Int, index))
end

struct OneTo{T <: Integer} <: AbstractUnitRange{T}
    stop::T
    function OneTo{T}(stop) where {T <: Integer}
        T === Bool && throw_bool_index(stop)
        new{T}(max(zero(T), convert(T, stop)))
    end
    function OneTo{T}(r::AbstractRange) where {T <: Integer}
        first(r) == 1 || throw_oneto_start(r)
        step(r) == 1 || throw_oneto_step(r)
        T === Bool && throw_bool_index(r)
        new{T}(max(zero(T), convert(T, last(r))))
    end
end
OneTo(stop::T) where {T <: Integer} = OneTo{T}(stop)
OneTo(r::AbstractRange{T}) where {T <: Integer} = OneTo{T}(r)
@noinline throw_oneto_start(r) = throw(ArgumentError(string("first element must be 1, got ", first(r))))
@noinline throw_oneto_step(r) = throw(ArgumentError(string("step must be 1, got ", step(r))))

# What `pairs` gives: keys with the values found under them. Keyword arguments arrive as one over a named tuple.
struct Pairs{K, V, I, A} <: AbstractDict{K, V}
    data::A
    itr::I
end

struct SubString{T <: AbstractString} <: AbstractString
    string::T
    offset::Int
    ncodeunits::Int
    SubString{T}(s::T, offset::Int, n::Int, ::Val{:unchecked}) where {T <: AbstractString} = new{T}(s, offset, n)
end

# How much is known of the length and the element type of an iterator.
abstract type IteratorSize end
struct SizeUnknown <: IteratorSize end
struct HasLength <: IteratorSize end
struct HasShape{N} <: IteratorSize end
struct IsInfinite <: IteratorSize end
abstract type IteratorEltype end
struct EltypeUnknown <: IteratorEltype end
struct HasEltype <: IteratorEltype end

struct Generator{I, F}
    f::F
    iter::I
end
Generator(f, I1, I2, Is...) = Generator(Splat(f), Iterators.zip(I1, I2, Is...))
Generator(::Type{T}, iter::I) where {T, I} = Generator{I, Type{T}}(T, iter)
