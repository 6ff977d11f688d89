# `MtlArray`: an array of the device. What it does is what all arrays of devices do: see `GPUArraysCore`.

# Storage of arrays. Here all memory is the processor's, whatever it is called.
struct PrivateStorage end
struct SharedStorage end
struct ManagedStorage end

struct Adaptor <: GPUArraysCore.AbstractKernelAdaptor end

const DevicePointer = Ptr
GPUArraysCore.@array_type MtlArray MtlArrayStyle PrivateStorage Float32 storage
const MtlVector{T,S} = MtlArray{T,1,S}
const MtlMatrix{T,S} = MtlArray{T,2,S}
const MtlVecOrMat{T,S} = Union{MtlVector{T,S},MtlMatrix{T,S}}

# The device has neither doubles nor integers of 128 bits.
const WIDE = (Float64 => "Float32", Int128 => "Int64", UInt128 => "UInt64")
function GPUArraysCore.check_elements(::Type{<:MtlArray}, T)
    T isa Union && error("MtlArray does not yet support isbits-union arrays")
    for (wide, narrow) in WIDE
        holds(wide, T) && error("Metal does not support ", wide, " values, try using ", narrow, " instead")
    end
    return nothing
end
holds(wide, T) = T === wide || isstructtype(T) && isbitstype(T) && any(F -> holds(wide, F), fieldtypes(T))

storagemode(a::MtlArray) = storagemode(typeof(a))
storagemode(::Type{<:MtlArray{T,N,S}}) where {T,N,S} = S
is_shared(a::MtlArray) = storagemode(a) === SharedStorage
is_managed(a::MtlArray) = storagemode(a) === ManagedStorage
is_private(a::MtlArray) = storagemode(a) === PrivateStorage

# Memory that the host and the device share, as an array of the host.
Base.unsafe_wrap(::Union{Type{Array},Type{Array{T}},Type{Array{T,N}}}, a::MtlArray{T,N,<:Union{SharedStorage,ManagedStorage}},
    dims = size(a); own::Bool = false) where {T,N} = reshape(a.data, dims)

# `mtl` moves to the device and narrows floats, as upstream does.
struct Float32Adaptor{S} end
narrowed(::Type{Float64}) = Float32
narrowed(::Type{ComplexF64}) = ComplexF32
narrowed(::Type{T}) where {T} = T
Adapt.adapt_storage(::Float32Adaptor{S}, a::AbstractArray{T,N}) where {S,T,N} =
    isbitstype(typeof(a)) ? a : MtlArray{narrowed(T),N,S}(a)
mtl(x; storage = PrivateStorage) = Adapt.adapt(Float32Adaptor{storage}(), x)

# Upstream these are its own, and not the functions of Base that they do the same as.
fill!(a, x) = Base.fill!(a, x)
rand!(a::MtlArray, args...) = Random.rand!(a, args...)
randn!(a::MtlArray, args...) = Random.randn!(a, args...)
