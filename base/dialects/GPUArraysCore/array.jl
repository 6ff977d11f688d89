# Arrays of a device. `types.jl` makes their types; each has a field `data`, the array of the host behind it, and says by
# `wrap(a, data)` how another of its kind is made. `data` holds its memory; `wrap(a, data, owner)` is over memory that `owner` holds.

abstract type AbstractGPUArray{T,N} <: DenseArray{T,N} end
const AbstractGPUVector{T} = AbstractGPUArray{T,1}
const AbstractGPUMatrix{T} = AbstractGPUArray{T,2}
const AbstractGPUVecOrMat{T} = Union{AbstractGPUVector{T},AbstractGPUMatrix{T}}

# Copies are noted while a profile is taken.
const Profile = Base.DeviceProfile
copied(f, name, a, n = length(a)) = Profile.taking ? Profile.recorded(f, name, Base.elsize(typeof(a)) * n) : f()
const TO_DEVICE, TO_HOST, ON_DEVICE = "[copy to device]", "[copy to host]", "[copy on device]"

host_copy(a::AbstractGPUArray) = copied(() -> copy(a.data), ON_DEVICE, a)
host_copy(a::AbstractArray{T,N}) where {T,N} =
    (host = Array{T,N}(undef, size(a)); copied(() -> copyto!(host, a), TO_DEVICE, host))

Base.Array(a::AbstractGPUArray) = copied(() -> copy(a.data), TO_HOST, a)
Base.Array{T}(a::AbstractGPUArray{S,N}) where {T,S,N} = convert(Array{T,N}, copy(a.data))
Base.Array{T,N}(a::AbstractGPUArray{S,N}) where {T,S,N} = convert(Array{T,N}, copy(a.data))
Base.collect(a::AbstractGPUArray) = copy(a.data)
Base.convert(::Type{T}, a::AbstractArray) where {T<:AbstractGPUArray} = a isa T ? a : T(a)

Base.size(a::AbstractGPUArray) = size(a.data)
Base.length(a::AbstractGPUArray) = length(a.data)
Base.sizeof(a::AbstractGPUArray) = Base.elsize(typeof(a)) * length(a)
# `address(a, p)` is `p`, a pointer to an element of `a`, as the dialect shows it to the host.
Base.pointer(a::AbstractGPUArray) = address(a, pointer(a.data))
Base.pointer(a::AbstractGPUArray, i::Integer) = address(a, pointer(a.data, i))
Base.IndexStyle(::Type{<:AbstractGPUArray}) = Base.IndexLinear()
Base.elsize(::Type{<:AbstractGPUArray{T}}) where {T} = Base.aligned_sizeof(T)
Base.similar(a::AbstractGPUArray, ::Type{T}, dims::Dims) where {T} = wrap(a, Array{T,length(dims)}(undef, dims))
Base.copy(a::AbstractGPUArray) = wrap(a, copy(a.data))

# Whether host code may touch single elements: as in CUDA.jl, a script has to ask for it. See `scalars.jl`.
const SCALARS = Ref(false)
@noinline refuse_scalar(a, what) = error(string(
    "Scalar indexing is disallowed: `", what, "` of a single element of a ", nameof(typeof(a)), ", by host code. ",
    "On a GPU each would be a copy of its own. Compute with whole arrays, or allow it with `allowscalar()` or `@allowscalar`."))
# Single elements are read and written where they are; whole arrays by the loops of `Array`.
Base.@propagate_inbounds function Base.getindex(a::AbstractGPUArray, i::Int)
    SCALARS[] || refuse_scalar(a, :getindex)
    @boundscheck checkbounds(a, i)
    return @inbounds a.data[i]
end
Base.@propagate_inbounds function Base.setindex!(a::AbstractGPUArray, x, i::Int)
    SCALARS[] || refuse_scalar(a, :setindex!)
    @boundscheck checkbounds(a, i)
    @inbounds a.data[i] = x
    return a
end
Base.getindex(a::AbstractGPUArray, ::Colon) = wrap(a, a.data[:])
Base.fill!(a::AbstractGPUArray, x) = (fill!(a.data, x); a)
Base.copyto!(dest::AbstractGPUArray, src::AbstractGPUArray) =
    (copied(() -> copyto!(dest.data, src.data), ON_DEVICE, src); dest)
Base.copyto!(dest::AbstractGPUArray, src::AbstractArray) =
    (copied(() -> copyto!(dest.data, src), TO_DEVICE, dest, length(src)); dest)
Base.copyto!(dest::Array, src::AbstractGPUArray) = copied(() -> copyto!(dest, src.data), TO_HOST, src)
Base.copyto!(dest::AbstractGPUArray, i::Integer, src::Array, j::Integer, n::Integer) = (copyto!(dest.data, i, src, j, n); dest)
Base.copyto!(dest::Array, i::Integer, src::AbstractGPUArray, j::Integer, n::Integer) = copyto!(dest, i, src.data, j, n)
Base.copyto!(dest::AbstractGPUArray, i::Integer, src::AbstractGPUArray, j::Integer, n::Integer) =
    (copyto!(dest.data, i, src.data, j, n); dest)
Base.reshape(a::AbstractGPUArray, dims::Dims) = wrap(a, reshape(a.data, dims), a.memory)
Base.reshape(a::AbstractGPUArray, ::Tuple{}) = wrap(a, reshape(a.data, ()), a.memory)
Base.vec(a::AbstractGPUArray) = wrap(a, vec(a.data), a.memory)
# The same bytes as elements of another type are an array of the device, which keeps the first one from being collected.
function Base.reinterpret(::Type{T}, a::AbstractGPUArray{S,N}) where {T,S,N}
    Base.check_reinterpret(T, a)
    T === S && return a
    dims = sizeof(T) == sizeof(S) ? size(a) : (div(size(a, 1) * sizeof(S), sizeof(T)), Base.tail(size(a))...)
    return wrap(a, unsafe_wrap(Array, Ptr{T}(pointer(a.data)), dims), a)
end
Base.:(==)(a::AbstractGPUArray, b::AbstractGPUArray) = a.data == b.data
Base.resize!(a::AbstractGPUVector, n::Integer) = (resize!(a.data, n); a)

Base.sum(a::AbstractGPUArray; kw...) = reduced(a, sum(a.data; kw...))
Base.sum(f, a::AbstractGPUArray; kw...) = reduced(a, sum(f, a.data; kw...))
Base.prod(a::AbstractGPUArray; kw...) = reduced(a, prod(a.data; kw...))
Base.maximum(a::AbstractGPUArray; kw...) = reduced(a, maximum(a.data; kw...))
Base.minimum(a::AbstractGPUArray; kw...) = reduced(a, minimum(a.data; kw...))
Base.reduce(f, a::AbstractGPUArray; kw...) = reduced(a, reduce(f, a.data; kw...))
for f in (:vcat, :hcat)
    @eval Base.reduce(::typeof($f), a::AbstractGPUVector{<:AbstractVecOrMat}; kw...) = reduced(a, reduce($f, a.data; kw...))
end
Base.mapreduce(f, op, a::AbstractGPUArray; kw...) = reduced(a, mapreduce(f, op, a.data; kw...))
Base.map(f, a::AbstractGPUArray, rest::AbstractGPUArray...) = wrap(a, map(f, a.data, map(x -> x.data, rest)...))
Base.all(a::AbstractGPUArray) = all(a.data)
Base.any(a::AbstractGPUArray) = any(a.data)
Base.:*(a::AbstractGPUArray, b::AbstractGPUArray) = wrap(a, a.data * b.data)
reduced(a::AbstractGPUArray, x::Array) = wrap(a, x)
reduced(a::AbstractGPUArray, x) = x

# Broadcasting unwraps, runs on the host arrays, and wraps, as the style says: `adopted(style, data)`.
abstract type AbstractGPUArrayStyle{N} <: Base.Broadcast.AbstractArrayStyle{N} end
unwrap(x) = x
unwrap(a::AbstractGPUArray) = a.data
# A kernel cannot be given an array of the host; ranges and the like are plain bits.
unwrap(a::AbstractArray) = isbits(a) ? a : refuse_host_array(a)
unwrap(x::Base.RefValue) = (unwrap(x[]); x)
@noinline refuse_host_array(a) = throw(Device.KernelError(string(
    "passing an argument that is not plain bits to a kernel: a broadcast over arrays of a device takes `", typeof(a),
    "`, an array of the host. Copy it to the device first, as in `CuArray(x)`.")))
unwrap(b::Base.Broadcast.Broadcasted) = Base.Broadcast.broadcasted(b.f, map(unwrap, b.args)...)
function Base.copy(b::Base.Broadcast.Broadcasted{S}) where {S<:AbstractGPUArrayStyle}
    data = Base.Broadcast.materialize(unwrap(b))
    data isa Array || (data = collect(data))
    return adopted(S, data)
end
copy_broadcast!(dest, b) = (Base.Broadcast.materialize!(dest.data, unwrap(b)); dest)
Base.copyto!(dest::AbstractGPUArray, b::Base.Broadcast.Broadcasted) = copy_broadcast!(dest, b)
Base.copyto!(dest::AbstractGPUArray, b::Base.Broadcast.Broadcasted{<:Base.Broadcast.AbstractArrayStyle{0}}) =
    copy_broadcast!(dest, b)

# What kernels get in their place. A dialect's adaptor is one of these.
abstract type AbstractKernelAdaptor end
Adapt.adapt_storage(::AbstractKernelAdaptor, a::AbstractGPUArray) = Device.whole(a.data)
Adapt.adapt_storage(::Device.ToDevice, a::AbstractGPUArray) = Device.whole(a.data)
Adapt.adapt_storage(::Type{<:Array}, a::AbstractGPUArray) = Array(a)

# Of numbers drawn for arrays of devices: seeding it leaves the host's generator alone, and the other way round.
const RNG = Random.Xoshiro(0, 0, 0, 0)
function rng()
    RNG.s0 | RNG.s1 | RNG.s2 | RNG.s3 == 0x0000000000000000 && Base.seed!(RNG)
    return RNG
end
