# What stages make of kernels, under CUDA.jl's names. `@device_code_ptx` and `code_ptx` need no GPU: without one they show the
# code for the first GPU of NVIDIA's in `KILN_TARGETS`, or for an sm_80.

using Base.DeviceCode: DeviceCode, @device_code, @device_code_lowered, @device_code_typed, @device_code_warntype,
    @device_code_llvm, @device_code_native, @device_code_ptx, @device_code_sass

const REFLECTED = (; method_tables = (method_table,))

code_lowered(f, types; kws...) = [DeviceCode.Shown(:lowered, string(f), DeviceCode.code(:lowered, f, types, REFLECTED))]
code_typed(f, types; kws...) = [DeviceCode.Shown(:typed, string(f), DeviceCode.code(:typed, f, types, REFLECTED))]
code_warntype(io::IO, f, types; kws...) = DeviceCode.print_code(io, :warntype, f, types, REFLECTED)
code_llvm(io::IO, f, types; optimize::Bool = true, kws...) =
    DeviceCode.print_code(io, optimize ? :llvm : :emitted, f, types, REFLECTED)
code_native(io::IO, f, types; kws...) = DeviceCode.print_code(io, :native, f, types, REFLECTED)
code_ptx(io::IO, f, types; cap = nothing, kws...) =
    DeviceCode.print_code(io, :ptx, f, types, DeviceCode.ptx_options(cap))
code_sass(args...; kws...) =
    error("SASS is what NVIDIA's own tools make of PTX: CUDA.code_ptx shows what kiln gives them, and `kiln compile --emit bin` writes a cubin for cuobjdump")
for name in (:code_warntype, :code_llvm, :code_native, :code_ptx)
    @eval $name(f, types; kws...) = $name(stdout, f, types; kws...)
end
