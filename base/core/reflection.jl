# Reflection: questions about types, modules, functions and methods.

sizeof(x) = Core.sizeof(x)
sizeof(x::Union{Symbol, Type}) = Core.sizeof(x)
sizeof(a::Array) = length(a) * elsize(typeof(a))
isbitstype(T) = T isa DataType && type_flag(T, :isbits)
isbits(x) = isbitstype(typeof(x))
isconcretetype(T) = T isa DataType && type_flag(T, :concrete)
# The type that a `Vararg` in a tuple type repeats.
unwrapva(@nospecialize(t)) = t isa Core.TypeofVararg ? (isdefined(t, :T) ? t.T : Any) : t
isabstracttype(T) = (U = unwrap_unionall(T); U isa DataType && type_flag(U, :abstract))
isprimitivetype(T) = (U = unwrap_unionall(T); U isa DataType && type_flag(U, :primitive))
ismutabletype(T) = (U = unwrap_unionall(T); U isa DataType && type_flag(U, :mutable))
isstructtype(T) = (U = unwrap_unionall(T); U isa DataType && !type_flag(U, :primitive) && !type_flag(U, :abstract))
ismutable(x) = ismutabletype(typeof(x))
issingletontype(T) = isconcretetype(T) && isbitstype(T) && Core.sizeof(T) == 0
isdispatchtuple(T) = T isa DataType && T <: Tuple && all(isdispatchelem, T.parameters)
type_flag(T, what::Symbol) = getfield(Host.datatype_layout(T), what)
unwrap_unionall(T) = T
unwrap_unionall(T::UnionAll) = unwrap_unionall(T.body)
rewrap_unionall(t, u) = u isa UnionAll ? UnionAll(u.var, rewrap_unionall(t, u.body)) : t
has_free_typevars(T) = Host.has_free_typevars(T)
# The members of a union, in their order; any other type is its only member, and `Union{}` has none.
uniontypes(T) = union_members!(Any[], T)
union_members!(found, T) = T === Union{} ? found : T isa Union ? union_members!(union_members!(found, T.a), T.b) : push!(found, T)
datatype_fieldtypes(T::DataType) = T.types
# Every argument that has to have one type by the diagonal rule may have several: the variables that `u` binds are counted apart.
function widen_diagonal(T, u::UnionAll)
    T isa Union && return Union{widen_diagonal(T.a, u), widen_diagonal(T.b, u)}
    T isa DataType && T <: Tuple || return T
    vars = TypeVar[]
    while u isa UnionAll
        push!(vars, u.var)
        u = u.body
    end
    widened(p) = p isa TypeVar && any(v -> v === p, vars) ? p.ub : p isa TypeofVararg && isdefined(p, :T) && p.T isa TypeVar ?
        (isdefined(p, :N) ? Vararg{widened(p.T), p.N} : Vararg{widened(p.T)}) : p
    occurrences = Any[p isa TypeofVararg && isdefined(p, :T) ? p.T : p for p in T.parameters]
    several(v) = count(p -> p === v, occurrences) > 1 || any(p -> p isa TypeofVararg && isdefined(p, :T) && p.T === v, T.parameters)
    bounds(p) = begin
        q = widened(p)
        while true
            w = rewrap_bound(q, vars)
            w === q && return q
            q = w
        end
    end
    Tuple{Any[(v = p isa TypeofVararg && isdefined(p, :T) ? p.T : p; v isa TypeVar && several(v) ? bounds(p) : p) for p in T.parameters]...}
end
rewrap_bound(p, vars) = p isa TypeVar && any(v -> v === p, vars) ? p.ub :
    p isa TypeofVararg && isdefined(p, :T) && p.T isa TypeVar && any(v -> v === p.T, vars) ?
    (isdefined(p, :N) ? Vararg{p.T.ub, p.N} : Vararg{p.T.ub}) : p
supertype(T::DataType) = T.super
supertype(T::UnionAll) = UnionAll(T.var, supertype(T.body))
typename(T::DataType) = T.name
typename(T::UnionAll) = typename(T.body)
function typename(T::Union)
    name = typename(T.a)
    typename(T.b) === name || throw(Core.TypeNameError(T))
    name
end
typename(T) = throw(Core.TypeNameError(T))
nameof(T::Type) = typename(T).name
nameof(f::Function) = typename(typeof(f)).singletonname
nameof(m::Module) = Host.module_name(m)
fieldnames(T::DataType) = T <: NamedTuple ? named_fields(T) : T <: Tuple ? ntuple(identity, fieldcount(T)) : (fieldcount(T); (T.name.names...,))
fieldnames(::TypeofBottom) = throw(ArgumentError("the empty type does not have field names since it does not have instances"))
fieldnames(T::UnionAll) = fieldnames(unwrap_unionall(T))
# Of a union, the number that all members agree on; of a type that has values of several numbers of fields there is none.
function fieldcount(@nospecialize T)
    T isa TypeofBottom && throw(ArgumentError("the empty type does not have a well-defined number of fields since it does not have instances"))
    n = definite_fieldcount(T)
    n === nothing && throw(ArgumentError("type does not have a definite number of fields"))
    n
end
definite_fieldcount(T::UnionAll) = definite_fieldcount(unwrap_unionall(T))
function definite_fieldcount(T::Union)
    a, b = definite_fieldcount(T.a), definite_fieldcount(T.b)
    # Members of one name alone have the same fields.
    A, B = unwrap_unionall(T.a), unwrap_unionall(T.b)
    A isa DataType && B isa DataType && A.name === B.name && a == b ? a : nothing
end
function definite_fieldcount(T::DataType)
    if T <: NamedTuple
        names, types = T.parameters[1], T.parameters[2]
        names isa Tuple && return length(names)
        return types isa DataType && types <: Tuple ? definite_fieldcount(types) : nothing
    end
    type_flag(T, :abstract) && return nothing
    T <: Tuple && !isempty(T.parameters) && isvarargtype(T.parameters[end]) && !(unwrapva_count(T.parameters[end]) isa Int) && return nothing
    length(T.types)
end
definite_fieldcount(T) = throw(TypeError(:fieldcount, Type, T))
unwrapva_count(T) = isdefined(T, :N) ? T.N : nothing
isvatuple(T::UnionAll) = isvatuple(unwrap_unionall(T))
isvatuple(T::DataType) = T <: Tuple && !isempty(T.parameters) && isvarargtype(T.parameters[end]) && !(unwrapva_count(T.parameters[end]) isa Int)
function fieldname(T::DataType, i::Integer)
    names = T <: NamedTuple ? named_fields(T) : T <: Tuple ? nothing : T.name.names
    names === nothing && type_flag(T, :abstract) && throw(ArgumentError("type does not have definite field names"))
    n = names === nothing ? fieldcount(T) : length(names)
    i > n && throw(ArgumentError(string("Cannot access field ", i, " since type ", T, " only has ", n, " field", n == 1 ? "" : "s", ".")))
    i < 1 && throw(ArgumentError("Field numbers must be positive integers. $i is invalid."))
    names === nothing ? Int(i) : names[i]
end
fieldname(T::UnionAll, i::Integer) = fieldname(unwrap_unionall(T), i)
fieldname(T::Type{<:Tuple}, i::Integer) = i < 1 || i > fieldcount(T) ? throw(BoundsError(T, i)) : Int(i)
named_fields(T) = T.parameters[1] isa Tuple ? T.parameters[1] : throw(ArgumentError("type does not have definite field names"))
fieldtypes(T::Type) = ntuple(i -> fieldtype(T, i), fieldcount(T))
fieldoffset(T::DataType, i::Integer) = UInt(Host.fieldoffset(T, Int(i)))
fieldindex(T::DataType, name::Symbol) = findfirst(n -> n === name, fieldnames(T))
hasfield(T::Type, name::Symbol) = name in fieldnames(T)
datatype_alignment(T::DataType) = getfield(Host.datatype_layout(T), :align)
# Of unions of plain bits, whose elements are as large as the largest member, and followed by bytes that say which it is.
datatype_alignment(T::Union) = max(datatype_alignment(T.a), datatype_alignment(T.b))
isbitsunion(T) = T isa Union && isbits_member(T.a) && isbits_member(T.b)
isbits_member(T) = T isa Union ? isbitsunion(T) : isbitstype(T)
datatype_fieldcount(T::DataType) = definite_fieldcount(T)
# The bytes of a field, as it lies in its object: bits, or an immutable object whose references are always set.
stored_inline(F) = allocatedinline(F) || isconcretetype(F) && !ismutabletype(F) && isstructtype(F) && !(F <: Type) &&
    fieldcount(F) > 0 && datatype_min_ninitialized(F) >= fieldcount(F)
# The fields that every instance has set, from the first on.
datatype_min_ninitialized(T::Type) = fieldcount(T) - Int(typename(T).n_uninitialized)
inline_size(F) = stored_inline(F) ? F isa Union ? Core.sizeof(F) + 1 : Core.sizeof(F) : 8
# Whether bytes of an object belong to none of its fields, their own included.
function datatype_haspadding(T::DataType)
    isprimitivetype(T) && return false
    at = 0
    for i in 1:fieldcount(T)
        F = fieldtype(T, i)
        Int(fieldoffset(T, i)) == at || return true
        stored_inline(F) && (F isa Union || datatype_haspadding(F)) && return true
        at += inline_size(F)
    end
    at != Core.sizeof(T)
end
# The bytes of an object that belong to no field: where each stretch begins, from 0, and how long it is.
struct Padding
    offset::Int
    size::Int
end
function padding(T::DataType)
    found = Padding[]
    at = 0
    for i in 1:fieldcount(T)
        F, start = fieldtype(T, i), Int(fieldoffset(T, i))
        start > at && push!(found, Padding(at, start - at))
        if stored_inline(F) && F isa DataType
            isprimitivetype(F) || append!(found, map(p -> Padding(start + p.offset, p.size), padding(F)))
        end
        at = start + inline_size(F)
    end
    fieldcount(T) > 0 && at < Core.sizeof(T) && push!(found, Padding(at, Core.sizeof(T) - at))
    found
end
# Whether two objects are the same exactly if their bytes are.
function datatype_isbitsegal(T::DataType)
    isprimitivetype(T) && return true
    datatype_haspadding(T) && return false
    for F in fieldtypes(T)
        egal_by_bits(F) || return false
    end
    true
end
egal_by_bits(F) = allocatedinline(F) ? F isa DataType && datatype_isbitsegal(F) : F === Symbol || F === Module || F isa DataType && ismutabletype(F) && F !== String && !(F <: Type)
function ismutationfree(T)
    T = unwrap_unionall(T)
    T isa Union && return ismutationfree(T.a) && ismutationfree(T.b)
    T isa DataType || return false
    (T <: Type || T === Symbol || T === String || T === Module && false) && return true
    T === SimpleVector && return false
    isabstracttype(T) && return false
    ismutabletype(T) && return false
    all(ismutationfree, fieldtypes(T))
end
isidentityfree(T) = isbitstype(T) || T isa DataType && !ismutabletype(T) && !isabstracttype(T) && all(isidentityfree, fieldtypes(T))
isfieldatomic(T, i::Integer) = (U = unwrap_unionall(T); U isa DataType && field_attribute(U, Int(i), :atomic))
isfieldatomic(T, s::Symbol) = (i = field_position(T, s); i !== nothing && isfieldatomic(T, i))
isconst(T::Type, i::Integer) = (U = unwrap_unionall(T); U isa DataType && 1 <= i <= fieldcount(U) && (!ismutabletype(U) || field_attribute(U, Int(i), :const)))
isconst(T::Type, s::Symbol) = (i = field_position(T, s); i !== nothing && isconst(T, i))
field_position(T, s::Symbol) = (U = unwrap_unionall(T); U isa DataType ? findfirst(n -> n === s, fieldnames(U)) : nothing)
field_attribute(T::DataType, i::Int, what::Symbol) = 1 <= i <= length(T.name.names) && Host.field_attribute(T, i, what)
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
function names(m::Module; all::Bool = false, imported::Bool = false, usings::Bool = false)
    found = Host.module_names(m, all, imported, usings)
    # What `using` brings leaves out what its module says not to use.
    usings && !all ? filter!(name -> !isdeprecated(binding_module(m, name), name), found) : found
end
isdefined_in(m::Module, s::Symbol) = isdefinedglobal(m, s)
# The meaning of a name in a module: `kind` (`:undefined`, `:ambiguous`, `:constant`, `:global`), the `mod` and `name` that own it,
# whether it came by `import` or by `using`, and from which world to which.
binding_info(m::Module, s::Symbol, world::UInt = tls_world_age()) = Host.binding_info(m, s, world)
ispublic(m::Module, s::Symbol) = binding_info(m, s).public
isexported(m::Module, s::Symbol) = binding_info(m, s).exported
isbindingresolved(m::Module, s::Symbol) = binding_info(m, s).kind !== :undefined
function binding_module(m::Module, s::Symbol)
    it = binding_info(m, s)
    it.kind === :undefined || it.kind === :ambiguous ? m : it.mod
end
isconst(m::Module, s::Symbol) = Host.isconst(m, s)
isconst(g::GlobalRef) = isconst(g.mod, g.name)
function hasmethod(f, T; world::UInt = tls_world_age())
    types = tuple_type(T)
    Host.hasmethod(f, types, world) && (f isa Builtin || !(Host.method_info(f, types, world) in lacked_methods))
end
# A call with keywords has a method if the method of its positional arguments takes all of them.
function hasmethod(f, T, kwnames::Tuple{Vararg{Symbol}}; world::UInt = tls_world_age())
    types = tuple_type(T)
    isempty(kwnames) && return hasmethod(f, types; world)
    hasmethod(f, types; world) || return false
    full = Tuple{NamedTuple{kwnames}, Core.Typeof(f), unwrap_unionall(types).parameters...}
    full = rewrap_unionall(full, types)
    hasmethod(kwcall, full; world) || return false
    accepted = Host.method_info(kwcall, full).keywords
    any(k -> endswith(String(k), "..."), accepted) || all(k -> k in accepted, kwnames)
end
struct MethodList <: AbstractArray{Method, 1}
    ms::Vector{Any}
    f::Any
end
size(ms::MethodList) = size(ms.ms)
getindex(ms::MethodList, i::Int) = ms.ms[i]
methods(f, m::Union{Module, AbstractArray{Module}, Tuple{Module, Vararg{Module}}, Nothing} = nothing) = methods(f, Tuple{Vararg{Any}}, m)
methods(f, T, m::Module) = methods(f, T, (m,))
methods(f, T, m = nothing) = MethodList(Any[it for it in newest_methods(f, tuple_type(T)) if m === nothing || it.module in m], f)
newest_methods(f, T) = invokelatest(Host.methods_list, f, T)
function which(f, T; world::UInt = tls_world_age())
    types = tuple_type(T)
    f isa Builtin || _which(signature_type(f, types); world, raise = false) === nothing && throw_no_which(f, T, world)
    Host.method_info(f, types, world)
end
@noinline throw_no_which(f, T, world::UInt) =
    error("Calling invoke(f, t, args...) would throw:\n", sprint(showerror, MethodError(f, T, world)))
which(sig::Type; world::UInt = tls_world_age()) = Host.method_info(sig, world)
function which(m::Module, s::Symbol)
    it = binding_info(m, s)
    it.kind === :undefined || it.kind === :ambiguous || it.shared || return it.mod
    error("\"", s, it.shared ? "\" is a constant of several modules that are used in module " : "\" is not defined in module ", m)
end
parentmodule(f, types) = parentmodule(which(f, types))
nameof(f::IntrinsicFunction) = Host.intrinsic_name(f)
# The file and the line of a method.
functionloc(m::Method) = (m.line <= 0 && error("could not determine location of method definition"); (String(m.file), Int(m.line)))
functionloc(f, types) = functionloc(which(f, types))
function functionloc(f)
    ms = methods(f)
    isempty(ms) && error("function has no definitions")
    length(ms) > 1 && error("function has multiple methods; please specify a type signature")
    functionloc(first(ms))
end
default_tt(f) = (ms = methods(f); length(ms) == 1 ? tuple_type_tail(only(ms).sig) : Tuple)
to_tuple_type(T) = tuple_type(T)
isdispatchelem(T) = T === Union{} || T === TypeofBottom || T isa Type && isconcretetype(T) && !(T <: Type) || T isa DataType && T.name === Type.body.name && !has_free_typevars(T)
# The instances of a method that have been called or inferred.
specializations(m::Method) = Host.method_instances(m)
method_instances(f, T, world::UInt = tls_world_age()) = method_instances_of(signature_type(f, T), methods(f, T))
method_instances_of(sig, ms) = Any[i for m in ms for i in specializations(m) if i.specTypes <: sig]
function method_instance(f, T; world::UInt = tls_world_age())
    sig = signature_type(f, T)
    for i in specializations(which(f, T; world))
        i.specTypes == sig && return i
    end
    nothing
end
tuple_type(T::Type) = T
tuple_type(Ts::Tuple{Vararg{Any}}) = Tuple{Ts...}
function promote_op(f, Ts::Type...)
    T = Host.return_type(f, Tuple{Ts...})
    # Inference of this call knows builtins.
    T === Union{} && (f isa Builtin || f isa IntrinsicFunction) ? Host.return_type(inferable(f, Tuple{Ts...}), Tuple{Ts...}) : T
end
typesof(args...) = Tuple{mapany(Core.Typeof, args)...}
# The type of what calls return, as inference tells it, in the world given: of all methods together, and method by method.
# A builtin has no method: what a call of it does is found in a function that does nothing else.
infer_return_type(f, T = default_tt(f); world::UInt = tls_world_age(), interp = nothing) = Host.return_type(inferable(f, T), tuple_type(T), world)
return_types(f, T = default_tt(f); world::UInt = get_world_counter(), interp = nothing) = f isa Builtin || f isa IntrinsicFunction ?
    Any[infer_return_type(f, T; world)] : Host.return_types(f, tuple_type(T), world)
infer_return_type_of(sig, world::UInt) = (U = unwrap_unionall(sig); Host.return_type(instance_of_signature(U.parameters[1]),
    rewrap_unionall(Tuple{U.parameters[2:end]...}, sig), world))
instance_of_signature(F) = F isa DataType && F.name === Type.body.name ? F.parameters[1] : F.instance
isType(T) = T isa DataType && T.name === Type.body.name
function inferable(f, T)
    f isa Builtin || f isa IntrinsicFunction || return f
    types = unwrap_unionall(tuple_type(T)).parameters
    n = isvatuple(tuple_type(T)) ? -1 : length(types)
    n == 0 ? (() -> f()) : n == 1 ? (x -> f(x)) : n == 2 ? ((x, y) -> f(x, y)) : n == 3 ? ((x, y, z) -> f(x, y, z)) :
        n == 4 ? ((x, y, z, w) -> f(x, y, z, w)) : ((args...) -> f(args...))
end
struct Effects
    consistent::Bool
    effect_free::Bool
    nothrow::Bool
    terminates::Bool
    notaskstate::Bool
    inaccessiblememonly::Bool
    noub::Bool
    nonoverlayed::Bool
    nortcall::Bool
end
# The answers of the methods that a call may go to, and whether every such call has one.
function inferred_effects(f, T, world::UInt)
    answer = Host.infer_effects(inferable(f, T), tuple_type(T), world)
    covered = answer[1]
    covered, Any[answer[i] for i in 2:length(answer)]
end
function infer_effects(f, T = default_tt(f); world::UInt = tls_world_age(), optimize::Bool = true, interp = nothing)
    covered, each = inferred_effects(f, T, world)
    promise(i) = all(it -> it[i], each)
    Effects(promise(1), promise(2), promise(3) && covered, (promise(i) for i in 4:9)...)
end
function infer_exception_type(f, T = default_tt(f); world::UInt = tls_world_age(), optimize::Bool = true, interp = nothing)
    covered, each = inferred_effects(f, T, world)
    Union{Any[it[end] for it in each]..., (covered ? () : (MethodError,))...}
end
function infer_exception_types(f, T = default_tt(f); world::UInt = tls_world_age(), optimize::Bool = true, interp = nothing)
    covered, each = inferred_effects(f, T, world)
    Any[covered ? it[end] : Union{it[end], MethodError} for it in each]
end
is_consistent(e::Effects) = e.consistent
is_effect_free(e::Effects) = e.effect_free
is_nothrow(e::Effects) = e.nothrow
is_terminates(e::Effects) = e.terminates
is_notaskstate(e::Effects) = e.notaskstate
is_inaccessiblememonly(e::Effects) = e.inaccessiblememonly
is_noub(e::Effects) = e.noub
is_nonoverlayed(e::Effects) = e.nonoverlayed
is_nortcall(e::Effects) = e.nortcall
is_foldable(e::Effects, check_rtcall::Bool = false) =
    e.consistent && e.effect_free && e.terminates && e.noub && (!check_rtcall || e.nortcall)
is_foldable_nothrow(e::Effects) = is_foldable(e) && e.nothrow
is_total(e::Effects) = is_foldable_nothrow(e)
is_removable_if_unused(e::Effects) = e.effect_free && e.terminates && e.nothrow
gensym() = Host.gensym("")
gensym(name) = Host.gensym(checked_name(string(name)))
isgensym(s::Symbol) = startswith(string(s), "#")
Symbol(x...) = Symbol(String(string(x...)))
Symbol(s::SubString) = Symbol(String(s))
Symbol(c::Char) = Symbol(string(c))
Symbol(n::Integer) = Symbol(string(n))
==(a::Symbol, b::Symbol) = a === b
@assume_effects :total String(s::Symbol) = Host.symbol_name(s)
# Whether a module is Base or inside it.
inbase(m::Module) = m === Base || (p = parentmodule(m); p !== m && inbase(p))
