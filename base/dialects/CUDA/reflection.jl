# What stages make of kernels, under CUDA.jl's names. `@device_code_ptx` and `code_ptx` need no GPU: without one they show the
# code for the first NVIDIA GPU in `KILN_TARGETS`, or for an sm_80.

using Base.DeviceCode: DeviceCode, @device_code, @device_code_lowered, @device_code_typed, @device_code_warntype,
    @device_code_llvm, @device_code_native, @device_code_ptx, @device_code_sass

DeviceCode.define_functions(@__MODULE__, :method_table, :native)
code_ptx(io::IO, f, types; cap = nothing, kws...) =
    DeviceCode.print_code(io, :ptx, f, types, DeviceCode.ptx_options(cap))
code_sass(args...; kws...) =
    error("SASS is what NVIDIA's own tools make of PTX: CUDA.code_ptx shows what kiln gives them, and `kiln compile --emit bin` writes a cubin for cuobjdump")
code_ptx(f, types; kws...) = code_ptx(stdout, f, types; kws...)
