# Pointers: arithmetic, loads and stores, and reflection on how types lie in memory.

const C_NULL = bitcast(Ptr{Cvoid}, 0)
(::Type{Ptr{T}})() where {T} = bitcast(Ptr{T}, 0)
(::Type{Ptr{T}})(x::Union{Int, UInt, Ptr}) where {T} = bitcast(Ptr{T}, x)
(::Type{Ptr})(x::Union{Int, UInt}) = bitcast(Ptr{Cvoid}, x)
(::Type{Int64})(p::Ptr) = bitcast(Int64, p)
(::Type{UInt64})(p::Ptr) = bitcast(UInt64, p)
convert(::Type{Ptr{T}}, p::Ptr{T}) where {T} = p
convert(::Type{Ptr{T}}, p::Ptr) where {T} = bitcast(Ptr{T}, p)
convert(::Type{Ptr{T}}, x::Union{Int, UInt}) where {T} = bitcast(Ptr{T}, x)
convert(::Type{T}, p::Ptr) where {T <: Integer} = T(UInt(p))
+(p::Ptr, n::Integer) = bitcast(typeof(p), add_int(bitcast(UInt, p), n % UInt))
+(n::Integer, p::Ptr) = p + n
-(p::Ptr, n::Integer) = bitcast(typeof(p), sub_int(bitcast(UInt, p), n % UInt))
-(p::Ptr, q::Ptr) = sub_int(bitcast(Int, p), bitcast(Int, q))
==(p::Ptr, q::Ptr) = UInt(p) == UInt(q)
<(p::Ptr, q::Ptr) = UInt(p) < UInt(q)
isless(p::Ptr, q::Ptr) = UInt(p) < UInt(q)
hash(p::Ptr, h::UInt) = hash(UInt(p), h)
eltype(::Type{<:Ptr{T}}) where {T} = T
eltype(::Type{<:Ref{T}}) where {T} = T
size(::Ref) = ()
axes(::Ref) = ()
length(::Ref) = 1
ndims(::Ref) = 0
ndims(::Type{<:Ref}) = 0
iterate(r::Ref) = (r[], nothing)
iterate(r::Ref, ::Any) = nothing

@inline unsafe_load(p::Ptr{T}, i::Integer = 1) where {T} = pointerref(p, Int(i), 1)
@inline unsafe_store!(p::Ptr{T}, x, i::Integer = 1) where {T} = (pointerset(p, convert(T, x), Int(i), 1); p)
@inline unsafe_store!(p::Ptr{Any}, x, i::Integer = 1) = (pointerset(p, x, Int(i), 1); p)
unsafe_convert(::Type{Ptr{T}}, p::Ptr) where {T} = bitcast(Ptr{T}, p)
unsafe_convert(::Type{Ptr{T}}, r::RefValue) where {T} = Ptr{T}(Host.pointer_from_objref(r))
unsafe_convert(::Type{Ptr{T}}, a::Array) where {T} = Ptr{T}(pointer(a))
unsafe_convert(::Type{Ptr{T}}, s::String) where {T} = Ptr{T}(Host.string_pointer(s))
pointer_from_objref(x) = Ptr{Cvoid}(Host.pointer_from_objref(x))
function unsafe_copyto!(dest::Ptr{T}, src::Ptr{T}, n::Integer) where {T}
    if UInt(dest) <= UInt(src)
        for i in 1:n
            unsafe_store!(dest, unsafe_load(src, i), i)
        end
    else
        for i in n:-1:1
            unsafe_store!(dest, unsafe_load(src, i), i)
        end
    end
    dest
end
macro preserve_all(ex)
    esc(ex)
end

# Reflection.
sizeof(x) = Core.sizeof(x)
sizeof(x::Union{Symbol, Type}) = Core.sizeof(x)
isbitstype(T) = T isa DataType && type_flag(T, :isbits)
isbits(x) = isbitstype(typeof(x))
isconcretetype(T) = T isa DataType && type_flag(T, :concrete)
isabstracttype(T) = (U = unwrap_unionall(T); U isa DataType && type_flag(U, :abstract))
isprimitivetype(T) = (U = unwrap_unionall(T); U isa DataType && type_flag(U, :primitive))
ismutabletype(T) = (U = unwrap_unionall(T); U isa DataType && type_flag(U, :mutable))
isstructtype(T) = (U = unwrap_unionall(T); U isa DataType && !type_flag(U, :primitive) && !type_flag(U, :abstract))
ismutable(x) = ismutabletype(typeof(x))
issingletontype(T) = isconcretetype(T) && isbitstype(T) && Core.sizeof(T) == 0
isdispatchtuple(T) = T isa DataType && T <: Tuple && all(isconcretetype, T.parameters)
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
nameof(f::Function) = Symbol(function_name(f))
nameof(m::Module) = Host.module_name(m)
fieldnames(T::DataType) = T <: Tuple ? ntuple(identity, fieldcount(T)) : (T.name.names...,)
fieldnames(T::UnionAll) = fieldnames(unwrap_unionall(T))
fieldname(T::Type, i::Integer) = fieldnames(T)[i]
fieldcount(T::DataType) = T <: NamedTuple ? length(T.parameters[1]) : length(T.types)
fieldcount(T::UnionAll) = fieldcount(unwrap_unionall(T))
fieldtypes(T::Type) = ntuple(i -> fieldtype(T, i), fieldcount(T))
fieldoffset(T::DataType, i::Integer) = UInt(Host.fieldoffset(T, Int(i)))
fieldindex(T::DataType, name::Symbol) = findfirst(n -> n === name, fieldnames(T))
hasfield(T::Type, name::Symbol) = name in fieldnames(T)
datatype_alignment(T::DataType) = getfield(Host.datatype_layout(T), :align)
datatype_fieldcount(T::DataType) = fieldcount(T)
allocatedinline(T) = isbitstype(T)
aligned_sizeof(T::Type) = (al = datatype_alignment(T); ((Core.sizeof(T) + al - 1) ÷ al) * al)
elsize(::Type{<:Array{T}}) where {T} = isbitstype(T) ? aligned_sizeof(T) : 8
elsize(a::AbstractArray) = elsize(typeof(a))
moduleroot(m::Module) = (p = parentmodule(m); p === m ? m : moduleroot(p))
parentmodule(m::Module) = Host.module_parent(m)
parentmodule(T::Type) = typename(T).module
parentmodule(f::Function) = Host.module_of(f)
fullname(m::Module) = (p = parentmodule(m); p === m || m === Base || m === Core ? (nameof(m),) : (fullname(p)..., nameof(m)))
names(m::Module; all::Bool = false, imported::Bool = false) = Host.module_names(m, all)
isdefined_in(m::Module, s::Symbol) = isdefinedglobal(m, s)
isconst(m::Module, s::Symbol) = Host.isconst(m, s)
hasmethod(f, T::Type) = Host.hasmethod(f, T)
hasmethod(f, T::Type, kwnames::Tuple) = Host.hasmethod(f, T)
methods(f) = Host.methods_list(f)
methods(f, T) = Host.methods_list(f, T)
which(f, T) = Host.method_info(f, T)
get_world_counter() = Host.world_counter()
promote_op(f, Ts::Type...) = Host.return_type(f, Tuple{Ts...})
return_types_of(f, T) = Host.return_type(f, T)
gensym() = Host.gensym("")
gensym(name) = Host.gensym(string(name))
function_name(f) = (s = string(nameof(typeof(f))); startswith(s, "#") ? s : s)
isgensym(s::Symbol) = startswith(string(s), "#")
Symbol(x...) = Symbol(string(x...))
Symbol(s::SubString) = Symbol(String(s))
Symbol(c::Char) = Symbol(string(c))
Symbol(n::Integer) = Symbol(string(n))
==(a::Symbol, b::Symbol) = a === b
isless(a::Symbol, b::Symbol) = isless(String(a), String(b))
String(s::Symbol) = Host.symbol_name(s)

# Simple vectors: lists of types and parameters.
length(v::SimpleVector) = _svec_len(v)
getindex(v::SimpleVector, i::Int) = _svec_ref(v, i)
getindex(v::SimpleVector, r::AbstractUnitRange) = svec((v[i] for i in r)...)
iterate(v::SimpleVector, i::Int = 1) = i > _svec_len(v) ? nothing : (_svec_ref(v, i), i + 1)
firstindex(v::SimpleVector) = 1
lastindex(v::SimpleVector) = length(v)
keys(v::SimpleVector) = OneTo(length(v))
isempty(v::SimpleVector) = length(v) == 0
eltype(::Type{SimpleVector}) = Any
axes(v::SimpleVector) = (OneTo(length(v)),)
eachindex(v::SimpleVector) = OneTo(length(v))
map(f, v::SimpleVector) = Any[f(x) for x in v]
function ==(a::SimpleVector, b::SimpleVector)
    length(a) == length(b) || return false
    for i in 1:length(a)
        a[i] == b[i] || return false
    end
    true
end
==(a::Expr, b::Expr) = a.head === b.head && isequal(a.args, b.args)
==(a::QuoteNode, b::QuoteNode) = isequal(a.value, b.value)
copy(e::Expr) = Host.copy_ast(e)
isexpr(ex, head::Symbol) = ex isa Expr && ex.head === head
isexpr(ex, heads) = ex isa Expr && ex.head in heads
isexpr(ex, head::Symbol, n::Int) = ex isa Expr && ex.head === head && length(ex.args) == n
