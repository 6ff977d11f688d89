# What kernels use of LLVM.jl: `LLVM.Interop`. The rest of that package is an interface to LLVM's library, which is not here.
module LLVM
module Interop
export @typed_ccall, @asmcall, assume, trap

# `ccall` for functions and intrinsics that are LLVM code, by their names.
macro typed_ccall(name, convention, result, types, args...)
    convention === :llvmcall || throw(ArgumentError("@typed_ccall takes the convention llvmcall"))
    esc(Expr(:call, :ccall, name, :llvmcall, result, types, args...))
end

# `@asmcall(assembly, constraints, [side_effects], [Result, Tuple{Args...}, args...])`.
macro asmcall(assembly, args...)
    rest = Any[args...]
    constraints = !isempty(rest) && rest[1] isa String ? popfirst!(rest) : ""
    side_effects = !isempty(rest) && rest[1] isa Bool ? popfirst!(rest) : false
    result = isempty(rest) ? Nothing : esc(popfirst!(rest))
    types = isempty(rest) ? Tuple{} : esc(popfirst!(rest))
    assembly isa String || throw(ArgumentError("@asmcall takes its assembly as a literal"))
    names = Any[QuoteNode(Symbol(assembly)), QuoteNode(Symbol(constraints)), side_effects]
    vals = Any[:(Val($it)) for it in names]
    return Expr(:call, :call_assembly, vals..., result, types, Any[esc(it) for it in rest]...)
end

type_text(::Type{Nothing}) = "void"
type_text(::Type{Float16}) = "half"
type_text(::Type{Float32}) = "float"
type_text(::Type{Float64}) = "double"
type_text(::Type{<:Ptr}) = "ptr"
type_text(::Type{Core.LLVMPtr{T, AS}}) where {T, AS} = "ptr addrspace($AS)"
type_text(::Type{T}) where {T} = isprimitivetype(T) ? "i$(8sizeof(T))" : throw(ArgumentError("assembly takes no $T"))

# An LLVM string: what could end it is written as hexadecimal digits.
escaped(s) = join((it == UInt8('"') || it == UInt8('\\') || !(0x20 <= it < 0x7f) ? "\\" * string(it, base = 16, pad = 2) : string(Char(it)) for it in codeunits(s)))

@generated function call_assembly(::Val{assembly}, ::Val{constraints}, ::Val{side_effects}, ::Type{R}, ::Type{A}, args...) where {assembly, constraints, side_effects, R, A}
    types = [type_text(it) for it in fieldtypes(A)]
    given = join(["$(types[i]) %$(i - 1)" for i in 1:length(types)], ", ")
    keyword = side_effects ? "asm sideeffect" : "asm"
    call = "call $(type_text(R)) $keyword \"$(escaped(string(assembly)))\", \"$(escaped(string(constraints)))\"($given)"
    text = R === Nothing ? "$call\nret void" : "%result = $call\nret $(type_text(R)) %result"
    values = [:(args[$i]) for i in 1:length(types)]
    :(Base.llvmcall($text, R, A, $(values...)))
end

# The compiler may take it that `condition` holds.
@inline assume(condition::Bool) = ccall("llvm.assume", llvmcall, Nothing, (Bool,), condition)
@inline trap() = ccall("llvm.trap", llvmcall, Nothing, ())
end
end
