# Arrays of a device. `types.jl` makes their types; each has a field `data`, the array of the host behind it, and says by
# `wrap(a, data)` how another of its kind is made. `data` holds its memory; `wrap(a, data, owner)` is over memory that `owner` holds.

abstract type DialectArray{T,N} <: AbstractGPUArray{T,N} end
const DialectVector{T} = DialectArray{T,1}
const DialectMatrix{T} = DialectArray{T,2}
const DialectVecOrMat{T} = Union{DialectVector{T},DialectMatrix{T}}

# Copies are noted while a profile is taken.
const Profile = Base.DeviceProfile
copied(f, name, a, n = length(a)) = Profile.taking ? Profile.recorded(f, name, Base.elsize(typeof(a)) * n) : f()
const TO_DEVICE, TO_HOST, ON_DEVICE = "[copy to device]", "[copy to host]", "[copy on device]"

Base.convert(::Type{T}, a::AbstractArray) where {T<:DialectArray} = a isa T ? a : T(a)

Base.size(a::DialectArray) = size(a.data)
Base.length(a::DialectArray) = length(a.data)
Base.sizeof(a::DialectArray) = Base.elsize(typeof(a)) * length(a)
# `address(a, p)` is `p`, a pointer to an element of `a`, as the dialect shows it to the host.
Base.pointer(a::DialectArray) = address(a, pointer(a.data))
Base.pointer(a::DialectArray, i::Integer) = address(a, pointer(a.data, i))
Base.IndexStyle(::Type{<:DialectArray}) = Base.IndexLinear()
Base.elsize(::Type{<:DialectArray{T}}) where {T} = Base.aligned_sizeof(T)
Base.similar(a::DialectArray, ::Type{T}, dims::Dims) where {T} =
    is_cached() ? cached_array(typeof(wrap(a, Array{T,length(dims)}(undef, map(zero, dims)))), T, dims) : wrap(a, new_data(T, dims))

# The array behind a new one. Nothing is in it, so that a device with memory of its own is given none of it.
function new_data(::Type{T}, dims::Dims{N}) where {T,N}
    data = Array{T,N}(undef, dims)
    Core.Host.kernel_reserve(getfield(getfield(data, :ref), :mem))
    return data
end

# A package may keep the memory of arrays for later ones, while a program says so: then it is asked for it (see `package.jl`).
const CACHE = Ref{Any}(nothing)
is_cached() = CACHE[] !== nothing && CACHE[].is_used()
cached_array(::Type{A}, ::Type{T}, dims::Dims) where {A,T} = isbitstype(T) ? A(CACHE[].allocate(A, T, dims)...)::A : A(new_data(T, dims))
new_array(::Type{A}, ::Type{T}, dims::Dims) where {A,T} = is_cached() ? cached_array(A, T, dims) : A(new_data(T, dims))
new_from(::Type{A}, a::AbstractArray) where {A} = is_cached() ? copyto!(new_array(A, eltype(a), size(a)), a) : A(host_copy(a))

# Whether host code may touch single elements: as in CUDA.jl, a script has to ask for it. See `scalars.jl`.
const SCALARS = Ref(false)
@noinline refuse_scalar(a, what) = error(string(
    "Scalar indexing is disallowed: `", what, "` of a single element of a ", nameof(typeof(a)), ", by host code. ",
    "On a GPU each would be a copy of its own. Compute with whole arrays, or allow it with `allowscalar()` or `@allowscalar`."))
# Single elements are read and written where they are; whole arrays by the loops of `Array`.
Base.@propagate_inbounds function Base.getindex(a::DialectArray, i::Int)
    SCALARS[] || refuse_scalar(a, :getindex)
    @boundscheck checkbounds(a, i)
    return @inbounds a.data[i]
end
Base.@propagate_inbounds function Base.setindex!(a::DialectArray, x, i::Int)
    SCALARS[] || refuse_scalar(a, :setindex!)
    @boundscheck checkbounds(a, i)
    @inbounds a.data[i] = x
    return a
end
Base.reshape(a::DialectArray, dims::Dims) = wrap(a, reshape(a.data, dims), a.memory)
Base.reshape(a::DialectArray, ::Tuple{}) = wrap(a, reshape(a.data, ()), a.memory)
Base.vec(a::DialectArray) = wrap(a, vec(a.data), a.memory)
# The same bytes as elements of another type are an array of the device, which keeps the first one from being collected.
function Base.reinterpret(::Type{T}, a::DialectArray{S,N}) where {T,S,N}
    REINTERPRET_CHECK[](T, a)
    T === S && return a
    is_aligned(T, a) || return invoke(reinterpret, Tuple{Type{T},AbstractArray}, T, a)
    dims = sizeof(T) == sizeof(S) ? size(a) : (div(size(a, 1) * sizeof(S), sizeof(T)), Base.tail(size(a))...)
    return wrap(a, unsafe_wrap(Array, Ptr{T}(pointer(a.data)), dims), a)
end
# The parts of an element have a dimension of their own, the first.
function Base.reinterpret(r::typeof(reshape), ::Type{T}, a::DialectArray) where {T}
    other = invoke(reinterpret, Tuple{typeof(reshape),Type{T},AbstractArray}, r, T, a)
    other === a && return a
    return is_aligned(T, a) ? wrap(a, unsafe_wrap(Array, Ptr{T}(pointer(a.data)), size(other)), a) : other
end
# Part of an array may begin where no element of another type can: then a wrapper reads the elements of both.
is_aligned(::Type{T}, a::DialectArray) where {T} = UInt(pointer(a.data)) % Base.datatype_alignment(T) == 0
# Whether elements can be taken as others. GPUArrays has exceptions of its own (see `package.jl`).
const REINTERPRET_CHECK = Ref{Any}(Base.check_reinterpret)
Base.resize!(a::DialectVector, n::Integer) = (resize!(a.data, n); a)

for f in (:vcat, :hcat)
    @eval Base.reduce(::typeof($f), a::DialectVector{<:AbstractVecOrMat}; kw...) = reduced(a, reduce($f, a.data; kw...))
end
reduced(a::DialectArray, x::Array) = wrap(a, x)
reduced(a::DialectArray, x) = x

# The style of a broadcast says which array it makes: `adopted(style, data)` of an array of the host, `made(style, T, dims)` a new one.
abstract type DialectStyle{N} <: AbstractGPUArrayStyle{N} end

# What kernels get in their place. A dialect's adaptor is one of these.
abstract type AbstractKernelAdaptor end
Adapt.adapt_storage(::AbstractKernelAdaptor, a::DialectArray) = Device.whole(a.data)
Adapt.adapt_storage(::Device.ToDevice, a::DialectArray) = Device.whole(a.data)
Adapt.adapt_storage(::Type{<:Array}, a::DialectArray) = Array(a)
