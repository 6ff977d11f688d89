# Arrays as kernels see them, and memory of the group.

const oneDeviceArray = Kernels.DeviceArray
const oneDeviceVector{T,A} = oneDeviceArray{T,1,A}
const oneDeviceMatrix{T,A} = oneDeviceArray{T,2,A}

SPIRVIntrinsics.@only_in_kernels @inline oneLocalArray(::Type{T}, dims) where {T} = local_array(T, dims)

macro device_override(ex)
    return esc(Kernels.overridden(method_table, macroexpand(__module__, ex)))
end
macro device_function(ex)
    return esc(Kernels.device_function(method_table, macroexpand(__module__, ex)))
end
