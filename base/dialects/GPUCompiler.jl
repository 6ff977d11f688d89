# What programs use of GPUCompiler.jl by name: showing what stages make of kernels, of whatever dialect they are.
module GPUCompiler

using Base.DeviceCode: DeviceCode, @device_code, @device_code_lowered, @device_code_typed, @device_code_warntype,
    @device_code_llvm, @device_code_native, @device_code_ptx, @device_code_gcn, @device_code_spirv

export @device_code, @device_code_lowered, @device_code_typed, @device_code_warntype, @device_code_llvm, @device_code_native
export @device_code_ptx, @device_code_gcn, @device_code_spirv

end
