# What stages make of kernels, under AMDGPU.jl's names. `@device_code_gcn` and `code_gcn` need no GPU: without one they show the
# code for the first AMD GPU in `KILN_TARGETS`, or for one that kiln chooses.

using Base.DeviceCode: DeviceCode, @device_code, @device_code_lowered, @device_code_typed, @device_code_warntype,
    @device_code_llvm, @device_code_gcn

DeviceCode.define_functions(@__MODULE__, :method_table, :gcn)
const code_gcn = code_native
