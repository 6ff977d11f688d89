# `CuArray`: an array of the device, which here is an `Array` under another type, so that mixing the two is as visible as
# it is on a GPU.

struct DeviceMemory end
struct UnifiedMemory end
struct HostMemory end

mutable struct CuArray{T,N,M} <: DenseArray{T,N}
    data::Array{T,N}
    function CuArray{T,N,M}(data::Array{T,N}) where {T,N,M}
        Base.allocatedinline(T) || throw(ArgumentError("CuArray only supports element types that are stored inline"))
        return new{T,N,M}(data)
    end
end
const CuVector{T} = CuArray{T,1}
const CuMatrix{T} = CuArray{T,2}
const CuVecOrMat{T} = Union{CuVector{T},CuMatrix{T}}
const StridedCuArray = CuArray
const DenseCuArray = CuArray
const AnyCuArray = CuArray

struct CuPtr{T}
    ptr::Ptr{T}
end

CuArray{T,N,M}(::UndefInitializer, dims::Dims{N}) where {T,N,M} = CuArray{T,N,M}(Array{T,N}(undef, dims))
CuArray{T,N}(::UndefInitializer, dims::Dims{N}) where {T,N} = CuArray{T,N,DeviceMemory}(undef, dims)
CuArray{T,N}(::UndefInitializer, dims::Integer...) where {T,N} = CuArray{T,N}(undef, map(Int, dims))
CuArray{T}(::UndefInitializer, dims::Tuple{Vararg{Integer}}) where {T} = CuArray{T,length(dims)}(undef, map(Int, dims))
CuArray{T}(::UndefInitializer, dims::Integer...) where {T} = CuArray{T}(undef, dims)

CuArray(a::CuArray{T,N,M}) where {T,N,M} = CuArray{T,N,M}(copy(a.data))
CuArray(a::AbstractArray{T,N}) where {T,N} = CuArray{T,N,DeviceMemory}(host_copy(a))
CuArray{T}(a::AbstractArray{S,N}) where {T,S,N} = CuArray{T,N,DeviceMemory}(convert(Array{T,N}, host_copy(a)))
CuArray{T,N}(a::AbstractArray{S,N}) where {T,S,N} = CuArray{T}(a)
CuArray{T,N,M}(a::AbstractArray{S,N}) where {T,S,N,M} = CuArray{T,N,M}(convert(Array{T,N}, host_copy(a)))
host_copy(a::CuArray) = copy(a.data)
host_copy(a::AbstractArray{T,N}) where {T,N} = copyto!(Array{T,N}(undef, size(a)), a)

Base.Array(a::CuArray) = copy(a.data)
Base.Array{T}(a::CuArray{S,N}) where {T,S,N} = convert(Array{T,N}, copy(a.data))
Base.Array{T,N}(a::CuArray{S,N}) where {T,S,N} = convert(Array{T,N}, copy(a.data))
Base.collect(a::CuArray) = copy(a.data)
Base.convert(::Type{T}, a::AbstractArray) where {T<:CuArray} = a isa T ? a : T(a)

Base.size(a::CuArray) = size(a.data)
Base.length(a::CuArray) = length(a.data)
Base.pointer(a::CuArray) = pointer(a.data)
Base.pointer(a::CuArray, i::Integer) = pointer(a.data, i)
Base.IndexStyle(::Type{<:CuArray}) = Base.IndexLinear()
Base.elsize(::Type{<:CuArray{T}}) where {T} = Base.aligned_sizeof(T)
Base.similar(a::CuArray{S,N,M}, ::Type{T}, dims::Dims) where {S,N,M,T} = CuArray{T,length(dims),M}(undef, dims)
Base.copy(a::CuArray{T,N,M}) where {T,N,M} = CuArray{T,N,M}(copy(a.data))

# Whether single elements may be: see `scalars.jl`.
const SCALARS = Ref(true)
@noinline refuse_scalar(what) = error(string(
    "Scalar indexing is disallowed: `", what, "` of a single element of a CuArray, by host code. ",
    "On a GPU each would be a copy of its own. Compute with whole arrays, or allow it with `allowscalar()` or `@allowscalar`."))
# Single elements are read and written where they are; whole arrays by the loops of `Array`.
Base.@propagate_inbounds Base.getindex(a::CuArray, i::Int) = (SCALARS[] || refuse_scalar(:getindex); a.data[i])
Base.@propagate_inbounds Base.setindex!(a::CuArray, x, i::Int) = (SCALARS[] || refuse_scalar(:setindex!); a.data[i] = x; a)
Base.getindex(a::CuArray{T,N,M}, ::Colon) where {T,N,M} = CuArray{T,1,M}(a.data[:])
wrap(a::CuArray{T,N,M}, data::Array{S,K}) where {T,N,M,S,K} = CuArray{S,K,M}(data)
Base.fill!(a::CuArray, x) = (fill!(a.data, x); a)
Base.copyto!(dest::CuArray, src::CuArray) = (copyto!(dest.data, src.data); dest)
Base.copyto!(dest::CuArray, src::AbstractArray) = (copyto!(dest.data, src); dest)
Base.copyto!(dest::Array, src::CuArray) = copyto!(dest, src.data)
Base.copyto!(dest::CuArray, i::Integer, src::Array, j::Integer, n::Integer) = (copyto!(dest.data, i, src, j, n); dest)
Base.copyto!(dest::Array, i::Integer, src::CuArray, j::Integer, n::Integer) = copyto!(dest, i, src.data, j, n)
Base.copyto!(dest::CuArray, i::Integer, src::CuArray, j::Integer, n::Integer) = (copyto!(dest.data, i, src.data, j, n); dest)
Base.reshape(a::CuArray, dims::Dims) = wrap(a, reshape(a.data, dims))
Base.vec(a::CuArray) = wrap(a, vec(a.data))
Base.:(==)(a::CuArray, b::CuArray) = a.data == b.data
Base.resize!(a::CuVector, n::Integer) = (resize!(a.data, n); a)

Base.sum(a::CuArray; kw...) = reduced(a, sum(a.data; kw...))
Base.sum(f, a::CuArray; kw...) = reduced(a, sum(f, a.data; kw...))
Base.prod(a::CuArray; kw...) = reduced(a, prod(a.data; kw...))
Base.maximum(a::CuArray; kw...) = reduced(a, maximum(a.data; kw...))
Base.minimum(a::CuArray; kw...) = reduced(a, minimum(a.data; kw...))
Base.reduce(f, a::CuArray; kw...) = reduced(a, reduce(f, a.data; kw...))
Base.mapreduce(f, op, a::CuArray; kw...) = reduced(a, mapreduce(f, op, a.data; kw...))
Base.map(f, a::CuArray, rest::CuArray...) = wrap(a, map(f, a.data, map(x -> x.data, rest)...))
Base.all(a::CuArray) = all(a.data)
Base.any(a::CuArray) = any(a.data)
Base.:*(a::CuArray, b::CuArray) = wrap(a, a.data * b.data)
reduced(a::CuArray, x::Array) = wrap(a, x)
reduced(a::CuArray, x) = x

# Broadcasting unwraps, runs on the host arrays, and wraps.
struct CuArrayStyle{N} <: Base.Broadcast.AbstractArrayStyle{N} end
CuArrayStyle{M}(::Val{N}) where {M,N} = CuArrayStyle{N}()
Base.Broadcast.BroadcastStyle(::Type{<:CuArray{T,N}}) where {T,N} = CuArrayStyle{N}()
unwrap(x) = x
unwrap(a::CuArray) = a.data
unwrap(b::Base.Broadcast.Broadcasted) = Base.Broadcast.broadcasted(b.f, map(unwrap, b.args)...)
function Base.copy(b::Base.Broadcast.Broadcasted{<:CuArrayStyle})
    data = Base.Broadcast.materialize(unwrap(b))
    data isa Array || (data = collect(data))
    return CuArray{eltype(data),ndims(data),DeviceMemory}(data)
end
copy_broadcast!(dest, b) = (Base.Broadcast.materialize!(dest.data, unwrap(b)); dest)
Base.copyto!(dest::CuArray, b::Base.Broadcast.Broadcasted) = copy_broadcast!(dest, b)
Base.copyto!(dest::CuArray, b::Base.Broadcast.Broadcasted{<:Base.Broadcast.AbstractArrayStyle{0}}) = copy_broadcast!(dest, b)

# What has just been made belongs to nobody else: it becomes an array of the device without a copy.
adopted(data::Array{T,N}) where {T,N} = CuArray{T,N,DeviceMemory}(data)
zeros(::Type{T}, dims::Integer...) where {T} = adopted(Base.zeros(T, dims...))
zeros(::Type{T}, dims::Tuple) where {T} = adopted(Base.zeros(T, dims))
zeros(dims::Integer...) = zeros(Float32, dims...)
ones(::Type{T}, dims::Integer...) where {T} = adopted(Base.ones(T, dims...))
ones(::Type{T}, dims::Tuple) where {T} = adopted(Base.ones(T, dims))
ones(dims::Integer...) = ones(Float32, dims...)
fill(x, dims::Integer...) = adopted(Base.fill(x, dims...))
fill(x, dims::Tuple) = adopted(Base.fill(x, dims))
rand(::Type{T}, dims::Integer...) where {T} = adopted(Random.rand(T, dims...))
rand(::Type{T}, dims::Tuple) where {T} = adopted(Random.rand(T, dims))
rand(dims::Integer...) = rand(Float32, dims...)
randn(::Type{T}, dims::Integer...) where {T} = adopted(Random.randn(T, dims...))
randn(dims::Integer...) = randn(Float32, dims...)

# `cu` moves to the device and narrows floats, as upstream does.
cu(a::AbstractArray{Float64}) = CuArray{Float32}(a)
cu(a::AbstractArray) = CuArray(a)
cu(x) = Adapt.adapt(CuArrayAdaptor(), x)
struct CuArrayAdaptor end
Adapt.adapt_storage(::CuArrayAdaptor, a::AbstractArray) = cu(a)
Adapt.adapt_storage(::Type{<:CuArray}, a::AbstractArray) = CuArray(a)
Adapt.adapt_storage(::Type{<:Array}, a::CuArray) = Array(a)
unsafe_free!(a::CuArray) = nothing
