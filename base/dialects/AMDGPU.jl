# AMDGPU: files written for AMDGPU.jl, run on this machine's processor, or on what other device a session has opened.
module AMDGPU

import Adapt
import Atomix
import Atomix: @atomic, @atomicswap, @atomicreplace
import GPUArraysCore
import GPUArraysCore: allowscalar, @allowscalar
using Random

export @roc, roc, rocconvert
export HIPDevice, HIPContext, HIPStream, has_rocm_gpu
export ROCArray, ROCVector, ROCMatrix, ROCVecOrMat
export DenseROCArray, DenseROCVector, DenseROCMatrix, DenseROCVecOrMat
export StridedROCArray, StridedROCVector, StridedROCMatrix, StridedROCVecOrMat
export AnyROCArray, AnyROCVector, AnyROCMatrix, AnyROCVecOrMat
export ROCDeviceArray, ROCDeviceVector, ROCDeviceMatrix, @ROCDynamicLocalArray, @ROCStaticLocalArray
export @rocprint, @rocprintln, @rocprintf
export workitemIdx, workgroupIdx, workgroupDim, gridItemDim, gridGroupDim
export sync_workgroup, sync_workgroup_count, sync_workgroup_and, sync_workgroup_or
export @device_code, @device_code_lowered, @device_code_typed, @device_code_warntype, @device_code_llvm, @device_code_gcn
export ROCBackend

# What every dialect is built on. `Device` is a module of this one, as upstream.
const Kernels = Base.Device

# What kernels see in place of host methods; `gcn_method_table` stands in front of it for AMD GPUs.
Base.Experimental.@MethodTable(method_table)
Base.Experimental.@MethodTable(gcn_method_table)

include("AMDGPU/array.jl")
include("AMDGPU/device.jl")
include("AMDGPU/hip.jl")
include("AMDGPU/launch.jl")
include("AMDGPU/kernels.jl")
include("AMDGPU/reflection.jl")
include("AMDGPU/dialect.jl")
include("AMDGPU/workload.jl")

end
