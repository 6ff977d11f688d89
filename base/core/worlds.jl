# World ages: which definitions running code sees, and calls that choose a world or a method.

get_world_counter() = Host.world_counter()
tls_world_age() = Host.running_world()
invoke_in_world(world::UInt, @nospecialize(f), @nospecialize args...; kwargs...) =
    isempty(kwargs) ? Host.call_in_world(world, f, args...) : Host.call_in_world(world, kwcall, NamedTuple(kwargs), f, args...)
# The world that the library's own reflection would be compiled in, where code of an older world asks.
invoke_default_compiler(f, args...) = invokelatest(f, args...)

"""
    Base.delete_method(m)

Removes a method: calls no longer find it, and a method of equal signature that it replaced is found again.
"""
delete_method(m::Method) = Host.delete_method(m)

# `@invoke f(x::T, y; k)`: the method for the types given; an argument without a type counts with its own.
# `x.f`, `x.f = v`, `x[i]` and `x[i] = v` are calls as well.
"""
    @invoke f(x::T, ...)

Calls the method of `f` for the types given, whatever the types of the arguments are.
"""
macro invoke(ex)
    annotated = ex isa Expr && ex.head === :(::) && ex.args[1] isa Expr
    place = annotated ? ex.args[1] : ex
    call = latest_call(place)
    call === nothing && throw(ArgumentError("expected a `:call` expression `f(args...; kwargs...)`"))
    f, rest = call.args[1], call.args[2:end]
    keywords = filter(a -> a isa Expr && a.head === :parameters, rest)
    args = filter(a -> !(a isa Expr && (a.head === :parameters || a.head === :kw)), rest)
    inline = filter(a -> a isa Expr && a.head === :kw, rest)
    types, values = Any[], Any[]
    for arg in args
        if arg isa Expr && arg.head === :(::)
            push!(values, arg.args[1])
            push!(types, arg.args[2])
        else
            push!(values, arg)
            push!(types, Expr(:call, GlobalRef(Core, :Typeof), arg))
        end
    end
    signature = Expr(:curly, GlobalRef(Core, :Tuple), types...)
    esc(Expr(:call, GlobalRef(Core, :invoke), keywords..., f, signature, values..., inline...))
end

"""
    @world(name, world)

The value that a name has in a world, such as `@world(Main.Foo, 3)`. The world `∞` stands for all worlds to come.
"""
macro world(name, world)
    where = world === :∞ ? :(get_world_counter()) : world isa Expr && world.head === :call && world.args[1] === :(:) ? world.args[2] : world
    reference = name isa Symbol ? GlobalRef(__module__, name) :
        name isa Expr && name.head === :. ? :(GlobalRef($(esc(name.args[1])), $(esc(name.args[2])))) : error("`@world` expects a name, got `", name, "`")
    reference isa GlobalRef && (reference = QuoteNode(reference))
    :(Host.global_in_world($reference.mod, $reference.name, UInt($(where === world ? esc(where) : where))))
end

export @invoke, @world

# Names of `Core` besides those that the runtime and boot.jl put there.
Core.eval(Core, :(macro latestworld()
    Expr(:latestworld)
end))
Core.eval(Core, :(function get_binding_type(m::Module, s::Symbol)
    it = Base.binding_info(m, s)
    it.kind === :global ? it.type : Any
end))
# The names that programs use of the compiler. Inference is written in Rust: these ask it.
Core.eval(Core, :(baremodule Compiler
    using Base: Base, Effects, is_consistent, is_effect_free, is_nothrow, is_terminates, is_foldable, is_foldable_nothrow, is_total,
        is_removable_if_unused, is_notaskstate, is_inaccessiblememonly, is_noub, is_nonoverlayed, is_nortcall, infer_exception_type,
        infer_exception_types, datatype_min_ninitialized, get_world_counter, return_types, infer_effects, widen_diagonal, isType, tls_world_age
    using Core: Core, @latestworld, donotdelete, compilerbarrier
    using Base
    using Core.Intrinsics: have_fma
    return_type(f, T::Core.DataType) = Base.infer_return_type(f, T)
    return_type(T::Core.DataType) = Base.infer_return_type_of(T, tls_world_age())
    return_type(f, T::Core.DataType, world::Core.UInt) = Base.infer_return_type(f, T; world)
    eval(x) = Core.eval(Compiler, x)
end))
Core.eval(Base, :(const Compiler = Core.Compiler))

# The meaning of a binding, in the terms that Julia has for the parts of its history.
const PARTITION_KIND_CONST = 0x0
const PARTITION_KIND_CONST_IMPORT = 0x1
const PARTITION_KIND_GLOBAL = 0x2
const PARTITION_KIND_IMPLICIT_GLOBAL = 0x3
const PARTITION_KIND_IMPLICIT_CONST = 0x4
const PARTITION_KIND_EXPLICIT = 0x5
const PARTITION_KIND_IMPORTED = 0x6
const PARTITION_KIND_FAILED = 0x7
const PARTITION_KIND_DECLARED = 0x8
const PARTITION_KIND_GUARD = 0x9
function binding_kind(m::Module, s::Symbol, world::UInt = tls_world_age())
    it = Host.binding_info(m, s, world)
    it.kind === :undefined ? PARTITION_KIND_GUARD : it.kind === :ambiguous ? PARTITION_KIND_FAILED :
    it.implicit ? (it.kind === :constant ? PARTITION_KIND_IMPLICIT_CONST : PARTITION_KIND_IMPLICIT_GLOBAL) :
    it.mod !== m ? (it.imported ? PARTITION_KIND_IMPORTED : PARTITION_KIND_EXPLICIT) :
    it.kind === :constant ? PARTITION_KIND_CONST : it.declared ? PARTITION_KIND_DECLARED : PARTITION_KIND_GLOBAL
end
"""
Ends what a name means in a module: from the next world on it is undefined there, and may be defined as anything.
"""
delete_binding(m::Module, s::Symbol) = (Host.delete_binding(m, s); nothing)

# A name in a module, and what it means there from one world to another.
Core.eval(Core, :(struct Binding
    globalref::GlobalRef
    partitions::Any
    Binding(g::GlobalRef) = new(g)
    Binding(g::GlobalRef, partitions) = new(g, partitions)
end))
Core.eval(Core, :(struct BindingPartition
    restriction::Any
    min_world::UInt
    max_world::UInt
    kind::UInt
    next::Any
    BindingPartition(restriction, min_world::UInt, max_world::UInt, kind::UInt) = new(restriction, min_world, max_world, kind)
    BindingPartition(p::BindingPartition, next) = new(p.restriction, p.min_world, p.max_world, p.kind, next)
end))
# A name that a module defines or imports has its history, the newest part first; of what `using` brings a binding has none.
function convert(::Type{Core.Binding}, g::GlobalRef)
    newest = lookup_binding_partition(get_world_counter(), g)
    own = binding_kind(newest) in (PARTITION_KIND_CONST, PARTITION_KIND_GLOBAL, PARTITION_KIND_DECLARED, PARTITION_KIND_EXPLICIT, PARTITION_KIND_IMPORTED)
    own ? Core.Binding(g, with_history(newest, g)) : Core.Binding(g)
end
function with_history(p::Core.BindingPartition, g::GlobalRef)
    p.min_world <= 1 && return p
    Core.BindingPartition(p, with_history(lookup_binding_partition(p.min_world - 1, g), g))
end
lookup_binding_partition(world::UInt, b::Core.Binding) = lookup_binding_partition(world, b.globalref)
function lookup_binding_partition(world::UInt, g::GlobalRef)
    m, s = g.mod, g.name
    it = binding_info(m, s, world)
    restriction = it.kind === :constant ? Host.global_in_world(m, s, world) : it.kind === :global ? it.type : nothing
    Core.BindingPartition(restriction, it.min_world, it.max_world, UInt(binding_kind(m, s, world)))
end
binding_kind(p::Core.BindingPartition) = UInt8(p.kind)
getproperty(b::Core.Binding, name::Symbol) =
    name === :partitions && !isdefined(b, :partitions) ? lookup_binding_partition(get_world_counter(), b) : getfield(b, name)

# The log of invalidations, as it grows while `jl_debug_method_invalidation` has it on: what a definition ended, and why.
const INVALIDATIONS = RefValue{Union{Nothing, Vector{Any}}}(nothing)
function log_invalidations(on::Bool)
    list = INVALIDATIONS[]
    list === nothing && !on && return nothing
    if list === nothing
        list = INVALIDATIONS[] = Any[]
    else
        append!(list, Any[it isa Tuple ? ended_partition(it...) : it for it in Host.invalidation_log(false)])
    end
    on ? Host.invalidation_log(true) : (INVALIDATIONS[] = nothing)
    list
end
ended_partition(m::Module, s::Symbol, world::UInt) = lookup_binding_partition(world, GlobalRef(m, s))

# No signal interrupts running code, so there is none to hold back.
const SIGATOMIC_DEPTH = Ref(0)
sigatomic_begin() = (SIGATOMIC_DEPTH[] += 1; nothing)
function sigatomic_end()
    SIGATOMIC_DEPTH[] == 0 && error("sigatomic_end called in non-sigatomic region")
    SIGATOMIC_DEPTH[] -= 1
    nothing
end

Module(name::Symbol = :anonymous, std_imports::Bool = true, default_names::Bool = true) = Host.new_module(name, std_imports, default_names)

# Closures that carry the world that made them: calls see its definitions, and no later ones.
Core.eval(Core, :(struct OpaqueClosure{A <: Tuple, R} <: Function
    code::Any
    world::UInt
end))
using Core: OpaqueClosure
function (c::OpaqueClosure{A, R})(args...) where {A, R}
    args isa A || throw_opaque_arguments(c, A, args)
    Host.call_in_world(getfield(c, :world), getfield(c, :code), args...)::R
end
@noinline function throw_opaque_arguments(c, A, args)
    fixed = length(A.parameters) - (Base.isvatuple(A) ? 1 : 0)
    matches = Base.isvatuple(A) ? length(args) >= fixed : length(args) == fixed
    throw(matches ? TypeError(:OpaqueClosure, "", A, args) : MethodError(c, args, getfield(c, :world)))
end
function show(io::IO, c::OpaqueClosure{A, R}) where {A, R}
    types = map(T -> T isa Core.TypeofVararg ? string("::", T.T, "...") : string("::", T), A.parameters)
    print(io, "(", join(types, ", "), ")->◌::", R)
end
# The types of the arguments as they are written; what is not is `Any`.
function opaque_types(args)
    types = Any[]
    for arg in args
        if arg isa Expr && arg.head === :...
            inner = opaque_types(Any[arg.args[1]])[1]
            push!(types, :(Vararg{$inner}))
        else
            push!(types, arg isa Expr && arg.head === :(::) ? arg.args[end] : GlobalRef(Core, :Any))
        end
    end
    types
end
Core.eval(Experimental, :(macro opaque(ex)
    Base.opaque_closure(__module__, :_, :_, ex)
end))
# With the types of arguments and result: `@opaque Tuple{Int}->Int x -> x`, or those of the arguments alone.
Core.eval(Experimental, :(macro opaque(types, ex)
    Base.isexpr(types, :->) ? Base.opaque_closure(__module__, types.args[1], types.args[2].args[end], ex) :
        Base.opaque_closure(__module__, types, :_, ex)
end))
function opaque_closure(m::Module, argt, rt, ex)
    # `@opaque @noinline x -> ...`, `@opaque function (x) ... end`
    isexpr(ex, :macrocall) && (ex = macroexpand(m, ex; recursive = false))
    isexpr(ex, :function) && isexpr(ex.args[1], :tuple) && (ex = Expr(:->, ex.args...))
    ex isa Expr && ex.head === :-> || error("Opaque closures must be created with `->` syntax")
    # Variables of a signature would have to be those of the tuple type.
    isexpr(ex.args[1], :where) && return :($throw_opaque_types())
    args = isexpr(ex.args[1], :tuple) ? ex.args[1].args : Any[ex.args[1]]
    typed = any(arg -> isexpr(arg, :(::)) || isexpr(arg, :...) && isexpr(arg.args[1], :(::)), args)
    if argt === :_
        argt = :(Tuple{$(opaque_types(args)...)})
    elseif typed
        error("Argument types of an opaque closure are given either with its arguments or in front of it")
    end
    variadic = !isempty(args) && isexpr(args[end], :...)
    esc(:($make_opaque($argt, $(rt === :_ ? nothing : rt), $ex, $tls_world_age(), $(length(args) - variadic), $variadic)))
end
@noinline throw_opaque_types() = error("OpaqueClosure argument tuple must be a tuple type")
# The type of the result is what inference finds, unless it is given.
# The types have to be those of as many arguments as the code takes.
function make_opaque(A, R, f, world::UInt, count::Int, variadic::Bool)
    A isa DataType && A <: Tuple || throw_opaque_types()
    given = length(A.parameters) - isvatuple(A)
    isvatuple(A) && !variadic && error("Argument type tuple of an opaque closure is variadic, its code is not")
    (variadic ? given < count : given != count) && error("Argument type tuple of an opaque closure has ", given, " elements; its code takes ", count)
    OpaqueClosure{A, R === nothing ? infer_return_type(f, A; world) : R}(f, world)
end

import Core: Intrinsics
# The names that `Core` exports are exports of `Base`, too.
for name in names(Core)
    isexported(Core, name) && Core.eval(Base, Expr(:export, name))
end
