# The common ground of packages of arrays of devices, kiln's own and others: abstract types, for which packages define methods. kiln's
# methods are for its own arrays, `DialectArray`, and no package's method for `AbstractGPUArray` is more specific.

"""
    AbstractGPUArray{T,N}

The supertype of arrays whose elements are on a device.
"""
abstract type AbstractGPUArray{T,N} <: DenseArray{T,N} end
const AbstractGPUVector{T} = AbstractGPUArray{T,1}
const AbstractGPUMatrix{T} = AbstractGPUArray{T,2}
const AbstractGPUVecOrMat{T} = Union{AbstractGPUArray{T,1},AbstractGPUArray{T,2}}

"""
    AnyGPUArray{T,N}

An array of a device, or one in a wrapper that Adapt knows.
"""
const AnyGPUArray{T,N} = Union{AbstractGPUArray{T,N},Adapt.WrappedArray{T,N,AbstractGPUArray,AbstractGPUArray{T,N}}}
const WrappedGPUArray{T,N} = Adapt.WrappedArray{T,N,AbstractGPUArray,AbstractGPUArray{T,N}}
const AnyGPUVector{T} = AnyGPUArray{T,1}
const AnyGPUMatrix{T} = AnyGPUArray{T,2}

# The style of a broadcast over them.
abstract type AbstractGPUArrayStyle{N} <: Base.Broadcast.AbstractArrayStyle{N} end
