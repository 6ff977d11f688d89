# `ROCArray`: an array of the device. What it does is what all arrays of devices do: see `GPUArraysCore`.

module Runtime
module Mem
abstract type AbstractAMDBuffer end
struct HIPBuffer <: AbstractAMDBuffer end
struct HostBuffer <: AbstractAMDBuffer end
end

import GPUArraysCore
struct Adaptor <: GPUArraysCore.AbstractKernelAdaptor end

struct ROCDim3
    x::UInt32
    y::UInt32
    z::UInt32
end
ROCDim3(d::Integer) = ROCDim3(d, 1, 1)
ROCDim3(d::Tuple) = ROCDim3(Base.Device.three(d)...)
Base.getindex(d::ROCDim3, i::Int) =
    i == 1 ? d.x : i == 2 ? d.y : i == 3 ? d.z : error("Invalid dimension: $i")
const ROCDim = Union{Integer,Tuple{Integer},Tuple{Integer,Integer},Tuple{Integer,Integer,Integer}}
end
import .Runtime: Mem, ROCDim, ROCDim3, Adaptor

const DevicePointer = Ptr
GPUArraysCore.@array_type ROCArray ROCArrayStyle Mem.HIPBuffer
const ROCVector{T} = ROCArray{T,1}
const ROCMatrix{T} = ROCArray{T,2}
const ROCVecOrMat{T} = Union{ROCVector{T},ROCMatrix{T}}
const DenseROCArray, StridedROCArray, AnyROCArray = ROCArray, ROCArray, ROCArray
const DenseROCVector, StridedROCVector, AnyROCVector = ROCVector, ROCVector, ROCVector
const DenseROCMatrix, StridedROCMatrix, AnyROCMatrix = ROCMatrix, ROCMatrix, ROCMatrix
const DenseROCVecOrMat, StridedROCVecOrMat, AnyROCVecOrMat = ROCVecOrMat, ROCVecOrMat, ROCVecOrMat

# `roc` moves to the device and narrows floats, as upstream does.
struct Float32Adaptor end
Adapt.adapt_storage(::Float32Adaptor, a::AbstractArray) = isbitstype(typeof(a)) ? a : convert(ROCArray, a)
Adapt.adapt_storage(::Float32Adaptor, a::AbstractArray{Float64}) = isbitstype(typeof(a)) ? a : convert(ROCArray{Float32}, a)
Adapt.adapt_storage(::Float32Adaptor, a::AbstractArray{ComplexF64}) = isbitstype(typeof(a)) ? a : convert(ROCArray{ComplexF32}, a)
roc(x) = Adapt.adapt(Float32Adaptor(), x)

# Upstream these are its own, and not the functions of Base that they do the same as.
fill!(a, x) = Base.fill!(a, x)
rand!(a::ROCArray, args...) = Random.rand!(a, args...)
randn!(a::ROCArray, args...) = Random.randn!(a, args...)
