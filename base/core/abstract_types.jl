# The abstract types and the few plain structs that signatures all over Base mention.

"""
    AbstractVector{T}

An array of one dimension: `AbstractArray{T, 1}`.
"""
const AbstractVector{T} = AbstractArray{T, 1}
"""
    AbstractMatrix{T}

An array of two dimensions: `AbstractArray{T, 2}`.
"""
const AbstractMatrix{T} = AbstractArray{T, 2}
"""
    AbstractVecOrMat{T}

An array of one or two dimensions.
"""
const AbstractVecOrMat{T} = Union{AbstractVector{T}, AbstractMatrix{T}}
"""
    DenseVector{T}

A `DenseArray` of one dimension.
"""
const DenseVector{T} = DenseArray{T, 1}
"""
    DenseMatrix{T}

A `DenseArray` of two dimensions.
"""
const DenseMatrix{T} = DenseArray{T, 2}
"""
    DenseVecOrMat{T}

A `DenseArray` of one or two dimensions.
"""
const DenseVecOrMat{T} = Union{DenseVector{T}, DenseMatrix{T}}
"""
    VecOrMat{T}

An `Array` of one or two dimensions.
"""
const VecOrMat{T} = Union{Vector{T}, Matrix{T}}

"""
    AbstractRange{T}

The supertype of ranges: vectors of equally spaced elements.
"""
abstract type AbstractRange{T} <: AbstractArray{T, 1} end
"""
    OrdinalRange{T, S}

The supertype of ranges of exact elements, such as integers.
"""
abstract type OrdinalRange{T, S} <: AbstractRange{T} end
"""
    AbstractUnitRange{T}

The supertype of ranges with a step of one.
"""
abstract type AbstractUnitRange{T} <: OrdinalRange{T, T} end
abstract type AbstractCartesianIndex{N} end
"""
    AbstractDict{K, V}

The supertype of dictionaries with keys of type `K` and values of type `V`.
"""
abstract type AbstractDict{K, V} end
"""
    AbstractSet{T}

The supertype of sets with elements of type `T`.
"""
abstract type AbstractSet{T} end
abstract type IO end
abstract type AbstractPipe <: IO end
"""
    IndexStyle(A)
    IndexStyle(typeof(A))

Whether an array is quickest with one index or with one for each dimension.
"""
abstract type IndexStyle end
"""
    IndexLinear()

The style of arrays that are quickest with one index.
"""
struct IndexLinear <: IndexStyle end
"""
    IndexCartesian()

The style of arrays that are quickest with one index for each dimension.
"""
struct IndexCartesian <: IndexStyle end

struct Colon <: Function
end
const (:) = Colon()

"""
    CartesianIndex(i, j, ...)

An index of an array of several dimensions, as one value.
"""
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

"""
    SubString(s, i, j = lastindex(s))

A part of a string that shares its bytes.
"""
struct SubString{T <: AbstractString} <: AbstractString
    string::T
    offset::Int
    ncodeunits::Int
    SubString{T}(s::T, offset::Int, n::Int, ::Val{:unchecked}) where {T <: AbstractString} = new{T}(s, offset, n)
end
# Strings whose bytes can be read one by one.
const ByteString = Union{String, SubString{String}}

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
