# What stages make of kernels, under Metal.jl's names. `@device_code_air` and `code_air` need no GPU: they show the module for the first
# target of Metal in `KILN_TARGETS`, or for one that kiln chooses.

using Base.DeviceCode: DeviceCode, @device_code, @device_code_lowered, @device_code_typed, @device_code_warntype,
    @device_code_llvm, @device_code_native, @device_code_air, @device_code_metal

DeviceCode.define_functions(@__MODULE__, :method_table, :metal)
const code_air = code_native
