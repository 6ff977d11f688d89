# Reflection: questions about types, modules, functions and methods.

sizeof(x) = Core.sizeof(x)
sizeof(x::Union{Symbol, Type}) = Core.sizeof(x)
sizeof(a::Array) = length(a) * elsize(typeof(a))
isbitstype(T) = T isa DataType && type_flag(T, :isbits)
isbits(x) = isbitstype(typeof(x))
isconcretetype(T) = T isa DataType && type_flag(T, :concrete)
isabstracttype(T) = (U = unwrap_unionall(T); U isa DataType && type_flag(U, :abstract))
isprimitivetype(T) = (U = unwrap_unionall(T); U isa DataType && type_flag(U, :primitive))
ismutabletype(T) = (U = unwrap_unionall(T); U isa DataType && type_flag(U, :mutable))
isstructtype(T) = (U = unwrap_unionall(T); U isa DataType && !type_flag(U, :primitive) && !type_flag(U, :abstract))
ismutable(x) = ismutabletype(typeof(x))
issingletontype(T) = isconcretetype(T) && isbitstype(T) && Core.sizeof(T) == 0
isdispatchtuple(T) = T isa DataType && T <: Tuple && all(isdispatchelem, T.parameters)
isdispatchelem(T) = isconcretetype(T) && !(T === DataType || T === UnionAll || T === Union) ||
    T isa DataType && T.name === Type.body.name && !has_free_typevars(T)
type_flag(T, what::Symbol) = getfield(Host.datatype_layout(T), what)
unwrap_unionall(T) = T
unwrap_unionall(T::UnionAll) = unwrap_unionall(T.body)
rewrap_unionall(t, u) = u isa UnionAll ? UnionAll(u.var, rewrap_unionall(t, u.body)) : t
has_free_typevars(T) = false
supertype(T::DataType) = T.super
supertype(T::UnionAll) = UnionAll(T.var, supertype(T.body))
typename(T::DataType) = T.name
typename(T::UnionAll) = typename(T.body)
nameof(T::Type) = typename(T).name
nameof(f::Function) = typename(typeof(f)).singletonname
nameof(m::Module) = Host.module_name(m)
fieldnames(T::DataType) = T <: NamedTuple && T.parameters[1] isa Tuple ? T.parameters[1] : T <: Tuple ? ntuple(identity, fieldcount(T)) : (T.name.names...,)
fieldnames(T::UnionAll) = fieldnames(unwrap_unionall(T))
fieldname(T::Type, i::Integer) = fieldnames(T)[i]
fieldcount(T::DataType) = T <: NamedTuple ? length(T.parameters[1]) : length(T.types)
fieldcount(T::UnionAll) = fieldcount(unwrap_unionall(T))
fieldtypes(T::Type) = ntuple(i -> fieldtype(T, i), fieldcount(T))
fieldoffset(T::DataType, i::Integer) = UInt(Host.fieldoffset(T, Int(i)))
fieldindex(T::DataType, name::Symbol) = findfirst(n -> n === name, fieldnames(T))
hasfield(T::Type, name::Symbol) = name in fieldnames(T)
datatype_alignment(T::DataType) = getfield(Host.datatype_layout(T), :align)
# Of unions of plain bits, whose elements are as large as the largest member, and followed by bytes that say which it is.
datatype_alignment(T::Union) = max(datatype_alignment(T.a), datatype_alignment(T.b))
isbitsunion(T) = T isa Union && isbits_member(T.a) && isbits_member(T.b)
isbits_member(T) = T isa Union ? isbitsunion(T) : isbitstype(T)
datatype_fieldcount(T::DataType) = fieldcount(T)
allocatedinline(T) = isbitstype(T) || isbitsunion(T)
aligned_sizeof(T::Type) = (al = datatype_alignment(T); ((Core.sizeof(T) + al - 1) ÷ al) * al)
elsize(::Type{<:Array{T}}) where {T} = allocatedinline(T) ? aligned_sizeof(T) : 8
elsize(a::AbstractArray) = elsize(typeof(a))
moduleroot(m::Module) = (p = parentmodule(m); p === m ? m : moduleroot(p))
parentmodule(m::Module) = Host.module_parent(m)
parentmodule(T::Type) = typename(T).module
parentmodule(f::Function) = Host.module_of(f)
parentmodule(m::Method) = m.module
fullname(m::Module) = (p = parentmodule(m); p === m || m === Base || m === Core ? (nameof(m),) : (fullname(p)..., nameof(m)))
names(m::Module; all::Bool = false, imported::Bool = false) = Host.module_names(m, all)
isdefined_in(m::Module, s::Symbol) = isdefinedglobal(m, s)
ispublic(m::Module, s::Symbol) = s in Host.module_names(m, false)
isconst(m::Module, s::Symbol) = Host.isconst(m, s)
hasmethod(f, T) = Host.hasmethod(f, tuple_type(T))
hasmethod(f, T, kwnames::Tuple) = Host.hasmethod(f, tuple_type(T))
struct MethodList <: AbstractArray{Method, 1}
    ms::Vector{Any}
    f::Any
end
size(ms::MethodList) = size(ms.ms)
getindex(ms::MethodList, i::Int) = ms.ms[i]
methods(f) = MethodList(Host.methods_list(f), f)
methods(f, T) = MethodList(Host.methods_list(f, tuple_type(T)), f)
methods(f, T, m::Module) = methods(f, T, (m,))
methods(f, m::Module) = methods(f, Tuple{Vararg{Any}}, (m,))
methods(f, T, ms) = MethodList(filter(m -> parentmodule(m) in ms, Host.methods_list(f, tuple_type(T))), f)
which(f, T) = Host.method_info(f, tuple_type(T))
tuple_type(T::Type) = T
tuple_type(Ts::Tuple) = Tuple{Ts...}
get_world_counter() = Host.world_counter()
promote_op(f, Ts::Type...) = Host.return_type(f, Tuple{Ts...})
return_types_of(f, T) = Host.return_type(f, T)
typesof(args...) = Tuple{mapany(Core.Typeof, args)...}
infer_return_type(f, T::Type = Tuple{Vararg{Any}}) = Host.return_type(f, T)
return_types(f, T::Type = Tuple{Vararg{Any}}) = Any[Host.return_type(f, T)]
gensym() = Host.gensym("")
gensym(name) = Host.gensym(string(name))
isgensym(s::Symbol) = startswith(string(s), "#")
Symbol(x...) = Symbol(string(x...))
Symbol(s::SubString) = Symbol(String(s))
Symbol(c::Char) = Symbol(string(c))
Symbol(n::Integer) = Symbol(string(n))
==(a::Symbol, b::Symbol) = a === b
isless(a::Symbol, b::Symbol) = isless(String(a), String(b))
String(s::Symbol) = Host.symbol_name(s)
