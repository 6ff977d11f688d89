# Arrays as kernels see them, and memory of the group.

const CLDeviceArray = Kernels.DeviceArray
const CLDeviceVector{T,A} = CLDeviceArray{T,1,A}
const CLDeviceMatrix{T,A} = CLDeviceArray{T,2,A}

SPIRVIntrinsics.@only_in_kernels @inline CLLocalArray(::Type{T}, dims) where {T} = local_array(T, dims)

macro device_override(ex)
    return esc(Kernels.overridden(method_table, macroexpand(__module__, ex)))
end
macro device_function(ex)
    return esc(Kernels.device_function(method_table, macroexpand(__module__, ex)))
end
