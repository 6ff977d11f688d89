# What kernels call, under the name that upstream has for it: `AMDGPU.Device`.
module Device

import Base.DeviceIntrinsics: record
import Base.DeviceLanes
import Base.Experimental
import ..AMDGPU: method_table, gcn_method_table

const Kernels = Base.Device
import Base.Device: @only_in_kernels

export wavefrontsize

macro device_override(ex)
    return esc(Kernels.overridden(method_table, macroexpand(__module__, ex)))
end
macro device_function(ex)
    return esc(Kernels.device_function(method_table, macroexpand(__module__, ex)))
end

include("device/indexing.jl")
include("device/memory.jl")
include("device/wavefront.jl")
include("device/lanes.jl")
include("device/matrices.jl")
include("device/output.jl")

end
import .Device: ROCDeviceArray, ROCDeviceVector, ROCDeviceMatrix, AS
import .Device: @ROCDynamicLocalArray, @ROCStaticLocalArray, @rocprint, @rocprintln, @rocprintf
import .Device: workitemIdx, workgroupIdx, workgroupDim, gridItemDim, gridGroupDim, threadIdx, blockIdx, blockDim
import .Device: sync_workgroup, sync_workgroup_count, sync_workgroup_and, sync_workgroup_or, alloc_local
