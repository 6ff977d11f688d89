# oneAPI: files written for oneAPI.jl, run on this machine's processor, or on what other device a session has opened.
module oneAPI

import Adapt
import GPUArraysCore
import GPUArraysCore: allowscalar, @allowscalar
using Random

import SPIRVIntrinsics
SPIRVIntrinsics.@import_all
SPIRVIntrinsics.@reexport_public

export @oneapi, zefunction, kernel_convert, oneL0
export driver, driver!, drivers, device, device!, devices, context, context!, global_stream, global_queue, synchronize, is_integrated
export oneArray, oneVector, oneMatrix, oneVecOrMat, is_device, is_shared, is_host
export oneDenseArray, oneDenseVector, oneDenseMatrix, oneDenseVecOrMat
export oneStridedArray, oneStridedVector, oneStridedMatrix, oneStridedVecOrMat
export oneWrappedArray, oneWrappedVector, oneWrappedMatrix, oneWrappedVecOrMat
export oneDeviceArray, oneDeviceVector, oneDeviceMatrix, oneLocalArray
export @device_code, @device_code_lowered, @device_code_typed, @device_code_warntype, @device_code_llvm, @device_code_spirv
export oneAPIBackend

# What every dialect is built on.
const Kernels = Base.Device

# What kernels see in place of host methods.
Base.Experimental.@MethodTable(method_table)

include("oneAPI/oneL0.jl")
include("oneAPI/array.jl")
include("oneAPI/device.jl")
include("oneAPI/context.jl")
include("oneAPI/launch.jl")
include("oneAPI/kernels.jl")
include("oneAPI/reflection.jl")
include("oneAPI/dialect.jl")
include("oneAPI/workload.jl")

end
