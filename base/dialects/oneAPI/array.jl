# `oneArray`: an array of the device. What it does is what all arrays of devices do: see `GPUArraysCore`.

struct KernelAdaptor <: GPUArraysCore.AbstractKernelAdaptor end

const DevicePointer = Ptr
GPUArraysCore.@array_type oneArray oneArrayStyle oneL0.DeviceBuffer Float64
const oneVector{T} = oneArray{T,1}
const oneMatrix{T} = oneArray{T,2}
const oneVecOrMat{T} = Union{oneVector{T},oneMatrix{T}}
const oneDenseArray, oneDenseVector, oneDenseMatrix, oneDenseVecOrMat = oneArray, oneVector, oneMatrix, oneVecOrMat
const oneStridedArray{T,N} = Union{oneArray{T,N},SubArray{T,N,<:oneArray}}
const oneStridedVector{T} = oneStridedArray{T,1}
const oneStridedMatrix{T} = oneStridedArray{T,2}
const oneStridedVecOrMat{T} = Union{oneStridedVector{T},oneStridedMatrix{T}}
const oneWrappedArray{T,N} = Union{oneArray{T,N},Adapt.WrappedArray{T,N,oneArray,oneArray{T,N}}}
const oneWrappedVector{T} = oneWrappedArray{T,1}
const oneWrappedMatrix{T} = oneWrappedArray{T,2}
const oneWrappedVecOrMat{T} = Union{oneWrappedVector{T},oneWrappedMatrix{T}}

GPUArraysCore.check_elements(::Type{<:oneArray}, T) =
    T isa Union && error("oneArray does not yet support isbits-union arrays")

buftype(a::oneArray) = buftype(typeof(a))
buftype(::Type{<:oneArray{T,N,M}}) where {T,N,M} = M
is_device(a::oneArray) = buftype(a) === oneL0.DeviceBuffer
is_shared(a::oneArray) = buftype(a) === oneL0.SharedBuffer
is_host(a::oneArray) = buftype(a) === oneL0.HostBuffer
# Memory of the host, whose elements a program may touch one by one, and which it may have as an array of the host.
const HostAccessible{T,N} = oneArray{T,N,<:Union{oneL0.HostBuffer,oneL0.SharedBuffer}}
Base.getindex(a::HostAccessible, i::Int) = allowscalar(() -> invoke(getindex, Tuple{GPUArraysCore.DialectArray,Int}, a, i))
Base.setindex!(a::HostAccessible, x, i::Int) = allowscalar(() -> invoke(setindex!, Tuple{GPUArraysCore.DialectArray,Any,Int}, a, x, i))
