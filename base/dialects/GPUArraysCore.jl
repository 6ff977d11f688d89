# GPUArraysCore: what all arrays of devices have in common. They live in host memory: a `CuArray` or a `ROCArray` is an `Array`
# under another type, so that mixing the two is as visible as it is on a GPU.
module GPUArraysCore

import Base.Device
import Adapt
using Random

export AbstractGPUArray, AbstractGPUVector, AbstractGPUMatrix, AbstractGPUVecOrMat
export WrappedGPUArray, AnyGPUArray, AnyGPUVector, AnyGPUMatrix
export AbstractGPUArrayStyle, AbstractKernelAdaptor, allowscalar, @allowscalar

include("GPUArraysCore/array.jl")
include("GPUArraysCore/scalars.jl")
include("GPUArraysCore/types.jl")

end
