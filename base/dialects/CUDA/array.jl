# `CuArray`: an array of the device. What it does is what all arrays of devices do: see `GPUArraysCore`.

struct DeviceMemory end
struct UnifiedMemory end
struct HostMemory end

GPUArraysCore.@array_type CuArray CuArrayStyle DeviceMemory
const CuVector{T} = CuArray{T,1}
const CuMatrix{T} = CuArray{T,2}
const CuVecOrMat{T} = Union{CuVector{T},CuMatrix{T}}
const StridedCuArray = CuArray
const DenseCuArray = CuArray
const DenseCuVector, DenseCuMatrix, DenseCuVecOrMat = CuVector, CuMatrix, CuVecOrMat
const AnyCuArray = CuArray

struct CuPtr{T}
    ptr::Ptr{T}
end

# `cu` moves to the device and narrows floats, as upstream does.
cu(a::AbstractArray{Float64}) = CuArray{Float32}(a)
cu(a::AbstractArray) = CuArray(a)
cu(x) = Adapt.adapt(CuArrayAdaptor(), x)
struct CuArrayAdaptor end
Adapt.adapt_storage(::CuArrayAdaptor, a::AbstractArray) = cu(a)
