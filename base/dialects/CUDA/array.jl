# `CuArray`: an array of the device. What it does is what all arrays of devices do: see `GPUArraysCore`.

struct DeviceMemory end
struct UnifiedMemory end
struct HostMemory end

# A pointer to memory of the device. Host code computes with it and does not follow it; kernels are given what it points to.
struct CuPtr{T}
    ptr::Ptr{T}
    CuPtr{T}(p::Ptr) where {T} = new{T}(p)
end
CuPtr(p::Ptr{T}) where {T} = CuPtr{T}(p)
CuPtr{T}(p::CuPtr) where {T} = CuPtr{T}(p.ptr)
CuPtr{T}(p::Union{Int,UInt} = UInt(0)) where {T} = CuPtr{T}(Ptr{T}(p))
const CU_NULL = CuPtr{Cvoid}()
Base.eltype(::Type{CuPtr{T}}) where {T} = T
Base.UInt(p::CuPtr) = UInt(p.ptr)
Base.Int(p::CuPtr) = Int(p.ptr)
Base.convert(::Type{CuPtr{T}}, p::CuPtr) where {T} = CuPtr{T}(p)
Base.convert(::Type{CuPtr{T}}, p::Union{Int,UInt}) where {T} = CuPtr{T}(p)
Base.convert(::Type{T}, p::CuPtr) where {T<:Integer} = T(UInt(p))
Base.convert(::Type{Ptr{T}}, p::CuPtr) where {T} = throw(ArgumentError("cannot convert a GPU pointer to a CPU pointer"))
Base.reinterpret(::Type{CuPtr{T}}, p::CuPtr) where {T} = CuPtr{T}(p)
Base.reinterpret(::Type{Core.LLVMPtr{T,A}}, p::CuPtr) where {T,A} = Device.as_device_ptr(T, Val(A), reinterpret(Ptr{T}, p.ptr))
Base.:(+)(p::CuPtr, n::Integer) = CuPtr(p.ptr + n)
Base.:(+)(n::Integer, p::CuPtr) = p + n
Base.:(-)(p::CuPtr, n::Integer) = CuPtr(p.ptr - n)
Base.:(-)(p::CuPtr, q::CuPtr) = p.ptr - q.ptr
Base.:(==)(p::CuPtr, q::CuPtr) = p.ptr == q.ptr
Base.isless(p::CuPtr, q::CuPtr) = UInt(p) < UInt(q)
Base.:(<)(p::CuPtr, q::CuPtr) = isless(p, q)
Base.hash(p::CuPtr, h::UInt) = hash(UInt(p), hash(typeof(p), h))
Base.show(io::IO, p::CuPtr) = print(io, typeof(p), "(0x", string(UInt(p); base = 16, pad = 16), ")")
const DevicePointer = CuPtr
Adapt.adapt_storage(::GPUArraysCore.AbstractKernelAdaptor, p::CuPtr{T}) where {T} = Device.as_device_ptr(T, Val(Device.GLOBAL), p.ptr)
Adapt.adapt_storage(::Device.ToDevice, p::CuPtr{T}) where {T} = Device.as_device_ptr(T, Val(Device.GLOBAL), p.ptr)

GPUArraysCore.@array_type CuArray CuArrayStyle DeviceMemory
GPUArraysCore.host_pointer(p::CuPtr) = p.ptr
GPUArraysCore.address(::CuArray, p::Ptr) = CuPtr(p)
Base.unsafe_convert(::Type{CuPtr{T}}, a::CuArray) where {T} = CuPtr{T}(pointer(a))
# So many elements from memory of the one kind to the other.
for (To, From) in ((:CuPtr, :CuPtr), (:CuPtr, :Ptr), (:Ptr, :CuPtr))
    @eval function Base.unsafe_copyto!(dest::$To{T}, src::$From{T}, n::Integer) where {T}
        unsafe_copyto!(GPUArraysCore.host_pointer(dest), GPUArraysCore.host_pointer(src), n)
        return dest
    end
end
const CuVector{T} = CuArray{T,1}
const CuMatrix{T} = CuArray{T,2}
const CuVecOrMat{T} = Union{CuVector{T},CuMatrix{T}}
const StridedCuArray = CuArray
const DenseCuArray = CuArray
const DenseCuVector, DenseCuMatrix, DenseCuVecOrMat = CuVector, CuMatrix, CuVecOrMat
const AnyCuArray = CuArray

# `cu` moves to the device and narrows floats, as upstream does.
cu(x) = Adapt.adapt(CuArrayAdaptor(), x)
struct CuArrayAdaptor end
Adapt.adapt_storage(::CuArrayAdaptor, a::AbstractArray) = isbitstype(typeof(a)) ? a : convert(CuArray, a)
Adapt.adapt_storage(::CuArrayAdaptor, a::AbstractArray{Float64}) = isbitstype(typeof(a)) ? a : convert(CuArray{Float32}, a)
Adapt.adapt_storage(::CuArrayAdaptor, a::AbstractArray{ComplexF64}) = isbitstype(typeof(a)) ? a : convert(CuArray{ComplexF32}, a)
