# OpenCL: files written for OpenCL.jl with kernels in Julia, run on this machine's processor, or on what other device a session has
# opened. Programs in OpenCL C are refused.
module OpenCL

import Adapt
import GPUArraysCore
import GPUArraysCore: allowscalar, @allowscalar
using Random

import SPIRVIntrinsics
SPIRVIntrinsics.@import_all
SPIRVIntrinsics.@reexport_public

export @opencl, clfunction, clcall, cl
export CLPtr, CL_NULL, PtrOrCLPtr
export CLArray, CLVector, CLMatrix, CLVecOrMat, device_accessible, host_accessible
export DenseCLArray, DenseCLVector, DenseCLMatrix, DenseCLVecOrMat
export StridedCLArray, StridedCLVector, StridedCLMatrix, StridedCLVecOrMat
export WrappedCLArray, WrappedCLVector, WrappedCLMatrix, WrappedCLVecOrMat
export CLDeviceArray, CLDeviceVector, CLDeviceMatrix, CLLocalArray
export @device_code, @device_code_lowered, @device_code_typed, @device_code_warntype, @device_code_llvm, @device_code_native
export OpenCLBackend

# What every dialect is built on.
const Kernels = Base.Device

# What kernels see in place of host methods.
Base.Experimental.@MethodTable(method_table)

include("OpenCL/cl.jl")
include("OpenCL/array.jl")
include("OpenCL/device.jl")
include("OpenCL/launch.jl")
include("OpenCL/kernels.jl")
include("OpenCL/reflection.jl")
include("OpenCL/dialect.jl")
include("OpenCL/workload.jl")

end
