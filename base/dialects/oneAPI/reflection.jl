# What stages make of kernels, under oneAPI.jl's names.

using Base.DeviceCode: DeviceCode, @device_code, @device_code_lowered, @device_code_typed, @device_code_warntype,
    @device_code_llvm, @device_code_native, @device_code_spirv

DeviceCode.define_functions(@__MODULE__, :method_table, :spirv)
const code_spirv = code_native
