# GPUArraysCore: what all arrays of devices have in common. A `CuArray` or a `ROCArray` is an `Array` under another type, so that mixing
# the two is as visible as it is on a GPU; a device with memory of its own has its elements from the first launch on. Operations on
# whole arrays are kernels there, and loops of the host on the processor: see `kernels.jl`.
module GPUArraysCore

import Base.Device
import Adapt
import LinearAlgebra
using Random

export AbstractGPUArray, AbstractGPUVector, AbstractGPUMatrix, AbstractGPUVecOrMat
export WrappedGPUArray, AnyGPUArray, AnyGPUVector, AnyGPUMatrix
public AnyDialectArray
export AbstractGPUArrayStyle, AbstractKernelAdaptor, allowscalar, @allowscalar, assertscalar

include("GPUArraysCore/interface.jl")
include("GPUArraysCore/equations.jl")
include("GPUArraysCore/array.jl")
include("GPUArraysCore/wrappers.jl")
include("GPUArraysCore/kernels.jl")
include("GPUArraysCore/broadcast.jl")
include("GPUArraysCore/copies.jl")
include("GPUArraysCore/folds.jl")
include("GPUArraysCore/scans.jl")
include("GPUArraysCore/parts.jl")
include("GPUArraysCore/shapes.jl")
include("GPUArraysCore/joins.jl")
include("GPUArraysCore/sorting.jl")
include("GPUArraysCore/products.jl")
include("GPUArraysCore/searches.jl")
include("GPUArraysCore/matrices.jl")
include("GPUArraysCore/random.jl")
include("GPUArraysCore/scalars.jl")
include("GPUArraysCore/types.jl")
include("GPUArraysCore/package.jl")

end
