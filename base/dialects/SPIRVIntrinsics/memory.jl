# Kinds of memory, and memory of the group.

export AS
module AS
const Function, CrossWorkgroup, UniformConstant, Workgroup, Generic = 0, 1, 2, 3, 4
const DeviceOnlyINTEL, HostOnlyINTEL, Input, Output, CodeSectionINTEL, Private = 5, 6, 7, 8, 9, 10
end

# Memory of the group for `len` elements, as a pointer.
@only_in_kernels @inline emit_localmemory(::Type{T}, ::Val{len}) where {T,len} = Kernels.shared_array(T, Val((Int(len),)), Val(:local)).ptr

# An array in it, one for each place in the code.
@inline local_array(::Type{T}, len::Integer) where {T} = Kernels.shared_array(T, Val((Int(len),)), Val(:local))
@inline local_array(::Type{T}, dims::Tuple) where {T} = Kernels.shared_array(T, Val(map(Int, dims)), Val(:local))
