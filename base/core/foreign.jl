# Foreign code. `ccall` is syntax: it becomes a call of one of the intrinsics `llvmcall` and `foreigncall`, whose arguments
# have been converted to the types that the call declares. What the host does not run is an exception where control comes to it.

struct UnsupportedError <: Exception
    what::Symbol
    help::String
end
showerror(io::IO, e::UnsupportedError) = print(io, "UnsupportedError: unsupported: `", e.what, "`", isempty(e.help) ? "" : "\n", e.help)
@noinline unsupported_foreign_call(what::Symbol) =
    throw(UnsupportedError(what, "kiln runs no foreign code; call a Julia function instead"))
@noinline unsupported_foreign_call(what::Symbol, help::String) = throw(UnsupportedError(what, help))

VecElement{T}(value) where {T} = VecElement{T}(convert(T, value))
convert(::Type{T}, x::T) where {T <: VecElement} = x
convert(::Type{T}, x) where {T <: VecElement} = T(x)
convert(::Type{VecElement{T}}, value) where {T} = VecElement{T}(convert(T, value))
convert(::Type{VecElement{T}}, value::VecElement{T}) where {T} = value

# The name of a function that is no literal.
foreign_name(name::Symbol) = name
foreign_name(name::String) = Symbol(name)
foreign_name(name::Ptr) = name
foreign_name(name::Tuple{Any, Any}) = foreign_name(name[1])
foreign_name(name) = throw(TypeError(:ccall, "first argument not a pointer or valid constant expression", Ptr, name))

# Where a method with a foreign call is defined, its types are known: `nothing` stands for one that depends on a local variable.
function check_foreign_types(call::Symbol, types...)
    types[1] === nothing && error("could not evaluate ", call, " return type (it might depend on a local variable)")
    any(t -> t === nothing, tail(types)) && error("could not evaluate ", call, " argument type (it might depend on a local variable)")
    check_foreign_type(call, "return type", types[1])
    for i in 2:length(types)
        types[i] isa Core.TypeofVararg && error(call, " method definition: Vararg not allowed for argument list")
        check_foreign_type(call, string("argument ", i - 1, " type"), types[i])
    end
end
function check_foreign_type(call, what, T)
    T isa Type || throw(TypeError(Symbol(call, " method definition"), "", Type, T))
    has_c_type(T) || error(call, " method definition: ", what, " doesn't correspond to a C type")
end
has_c_type(T) = T === Any || T === Union{} || T <: Type || T <: Array
has_c_type(T::DataType) = isconcretetype(T) || T === Any || T <: Type || T <: Array || T.name === Ref.body.name || T.name === Ptr.body.name

# `@ccall library.name(a::A, b::B; rest::C...)::R`.
is_expr(x, head::Symbol) = x isa Expr && x.head === head
"""
    @ccall name(arg::T, ...)::R

Calls a C function with arguments and a result of the types given. kiln calls those of C's `math.h` and a few others.
"""
macro ccall(ex)
    usage = "@ccall needs a function signature with a return type"
    is_expr(ex, :(::)) && length(ex.args) == 2 && is_expr(ex.args[1], :call) || throw(ArgumentError(usage))
    call, result = ex.args
    name = ccall_name(call.args[1])
    fixed, rest = Any[], Any[]
    for arg in call.args[2:end]
        is_expr(arg, :parameters) ? append!(rest, arg.args) : push!(fixed, arg)
    end
    types, values = Any[], Any[]
    for arg in append!(fixed, rest)
        is_expr(arg, :(::)) && length(arg.args) == 2 || throw(ArgumentError("args in @ccall need type annotations"))
        push!(values, esc(arg.args[1]))
        push!(types, esc(arg.args[2]))
    end
    return Expr(:call, :ccall, name, esc(result), Expr(:tuple, types...), values...)
end
function ccall_name(name)
    name isa Symbol && return QuoteNode(name)
    is_expr(name, :.) && return Expr(:tuple, name.args[2], esc(name.args[1]))
    is_expr(name, :$) && return esc(name.args[1])
    throw(ArgumentError("@ccall function name must be a symbol, a `.` node or an interpolated function pointer"))
end
# Functions behind pointers. No C code runs here, so only a `ccall` follows such a pointer: it finds the function by the address,
# which is that of an object that stands for it.
struct CFunction <: Ref{CFunction}
    ptr::Ptr{Cvoid}
    f::Any
    target::Any
end
unsafe_convert(::Type{Ptr{Cvoid}}, c::CFunction) = c.ptr
unsafe_convert(::Type{Ptr{Any}}, c::CFunction) = reinterpret(Ptr{Any}, c.ptr)
const FUNCTIONS_BY_ADDRESS = Dict{UInt, Any}()
function function_pointer(f, R, types)
    for T in types
        T isa Type || throw(TypeError(:cfunction, Type, T))
    end
    R isa Type || throw(TypeError(:cfunction, Type, R))
    foreach((k, T) -> check_foreign_type(:cfunction, string("argument ", k, " type"), T), 1:length(types), types)
    check_foreign_type(:cfunction, "return type", R)
    target = RefValue{Any}((args...) -> convert_result(R, f(map(convert_argument, types, args)...)))
    p = Host.pointer_from_objref(target)
    FUNCTIONS_BY_ADDRESS[UInt(p)] = target
    CFunction(reinterpret(Ptr{Cvoid}, p), f, target)
end
# Arguments come as the call converted them: those of `Any` and `Ref` parameters are the objects.
convert_argument(T, x) = x isa T || T <: Ref ? x isa RefValue && !(x isa T) ? x[] : x : convert(T, x)
convert_result(R, x) = R === Cvoid ? nothing : R <: Ref && !(R <: Ptr) ? x : x isa R ? x : throw(TypeError(:cfunction, R, x))
runtime_function(p::Ptr) = p === C_NULL || UInt(p) == 0 ? throw(UndefRefError()) :
    (found = get(FUNCTIONS_BY_ADDRESS, UInt(p), nothing); found === nothing ? nothing : found[])
# `$f` makes an object that keeps a closure alive; otherwise the pointer itself is the value.
"""
    @cfunction(f, R, (T, ...))

A pointer with which `ccall` calls a Julia function.
"""
macro cfunction(f, rt, at)
    is_closure = is_expr(f, :$)
    is_expr(at, :tuple) || throw(ArgumentError("@cfunction argument types must be a literal tuple"))
    made = :(function_pointer($(esc(is_closure ? f.args[1] : f)), $(esc(rt)), ($(map(esc, at.args)...),)))
    is_closure ? made : :($made.ptr)
end
# Texts of C, which end with a zero byte.
primitive type Cstring 64 end
Cstring(p::Union{Ptr{Int8}, Ptr{UInt8}, Ptr{Cvoid}}) = bitcast(Cstring, p)
convert(::Type{Cstring}, p::Union{Ptr{Int8}, Ptr{UInt8}, Ptr{Cvoid}}) = bitcast(Cstring, p)
(::Type{Ptr{T}})(s::Cstring) where {T <: Union{Int8, UInt8, Cvoid}} = bitcast(Ptr{T}, s)
pointer(s::Cstring) = bitcast(Ptr{Int8}, s)
eltype(::Type{Cstring}) = Int8
unsafe_string(s::Cstring) = unsafe_string(pointer(s))
==(s::Cstring, p::Ptr) = pointer(s) == p
==(p::Ptr, s::Cstring) = s == p
# The same of wide characters.
primitive type Cwstring 64 end
Cwstring(p::Union{Ptr{Int32}, Ptr{Cvoid}}) = bitcast(Cwstring, p)
convert(::Type{Cwstring}, p::Union{Ptr{Int32}, Ptr{Cvoid}}) = bitcast(Cwstring, p)
(::Type{Ptr{T}})(s::Cwstring) where {T <: Union{Int32, Cvoid}} = bitcast(Ptr{T}, s)
pointer(s::Cwstring) = bitcast(Ptr{Int32}, s)
cconvert(::Type{Cstring}, s::AbstractString) = String(s)::String
cconvert(::Type{Cstring}, s::Symbol) = String(s)
cconvert(::Type{Cstring}, v::AbstractVector{UInt8}) = v
function unsafe_convert(::Type{Cstring}, s::String)
    contains_zero(s) && throw(ArgumentError(string("embedded NULs are not allowed in C strings: ", repr(s))))
    bitcast(Cstring, unsafe_convert(Ptr{UInt8}, s))
end
contains_zero(s) = any(==(0x00), codeunits(s))
unsafe_convert(::Type{Cstring}, v::AbstractVector{UInt8}) = bitcast(Cstring, unsafe_convert(Ptr{UInt8}, v))
unsafe_convert(::Type{Cstring}, p::Ptr) = bitcast(Cstring, p)
cglobal(args...) = unsupported_foreign_call(:cglobal)
