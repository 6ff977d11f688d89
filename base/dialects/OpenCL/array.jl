# `CLArray`: an array of the device. What it does is what all arrays of devices do: see `GPUArraysCore`.

struct KernelAdaptor <: GPUArraysCore.AbstractKernelAdaptor end

const DevicePointer = CLPtr
GPUArraysCore.@array_type CLArray CLArrayStyle cl.UnifiedDeviceMemory
const CLVector{T} = CLArray{T,1}
const CLMatrix{T} = CLArray{T,2}
const CLVecOrMat{T} = Union{CLVector{T},CLMatrix{T}}
const DenseCLArray, DenseCLVector, DenseCLMatrix, DenseCLVecOrMat = CLArray, CLVector, CLMatrix, CLVecOrMat
const StridedCLArray{T,N,M} = Union{CLArray{T,N,M},SubArray{T,N,<:CLArray{T,<:Any,M}}}
const StridedCLVector{T,M} = StridedCLArray{T,1,M}
const StridedCLMatrix{T,M} = StridedCLArray{T,2,M}
const StridedCLVecOrMat{T,M} = Union{StridedCLVector{T,M},StridedCLMatrix{T,M}}
const WrappedCLArray{T,N} = Union{CLArray{T,N},Adapt.WrappedArray{T,N,CLArray,CLArray{T,N}}}
const WrappedCLVector{T} = WrappedCLArray{T,1}
const WrappedCLMatrix{T} = WrappedCLArray{T,2}
const WrappedCLVecOrMat{T} = Union{WrappedCLVector{T},WrappedCLMatrix{T}}

GPUArraysCore.check_elements(::Type{<:CLArray}, T) =
    T isa Union && error("CLArray does not yet support isbits-union arrays")

memtype(a::CLArray) = memtype(typeof(a))
memtype(::Type{<:CLArray{T,N,M}}) where {T,N,M} = M
const HostMemory = Union{cl.UnifiedHostMemory,cl.UnifiedSharedMemory,cl.SharedVirtualMemory}
device_accessible(a::CLArray) = memtype(a) !== cl.UnifiedHostMemory
host_accessible(a::CLArray) = memtype(a) <: HostMemory
context(::CLArray) = cl.context()
# Memory of the host, whose elements a program may touch one by one, and which it may have as an array of the host.
const HostAccessible{T,N} = CLArray{T,N,<:HostMemory}
Base.getindex(a::HostAccessible, i::Int) = allowscalar(() -> invoke(getindex, Tuple{GPUArraysCore.DialectArray,Int}, a, i))
Base.setindex!(a::HostAccessible, x, i::Int) = allowscalar(() -> invoke(setindex!, Tuple{GPUArraysCore.DialectArray,Any,Int}, a, x, i))
