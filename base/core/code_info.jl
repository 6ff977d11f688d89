# Code as a value: lowered and typed code of methods as `CodeInfo`s, how they are shown, and generators that return them.

slot_flags(unused::Bool, single::Bool) = (unused ? 0x00 : 0x08) | (single ? 0x10 : 0x02)
const PURITY_BITS = (:consistent, :effect_free, :nothrow, :terminates_globally, :terminates_locally, :notaskstate,
    :inaccessiblememonly, :noub, :noub_if_noinbounds)

# The runtime's description of a body, in the fields that Julia has for it.
function Core._code_info(facts::NamedTuple)
    code = facts.code
    n = length(code)
    lines = Int32[it for it in facts.lines]
    typed = facts.types !== nothing
    slotnames = Symbol[it for it in facts.slotnames]
    slotflags = UInt8[slot_flags(facts.unused[i], facts.single[i]) for i in 1:length(slotnames)]
    constprop = facts.constprop === :aggressive ? 0x01 : facts.constprop === :none ? 0x02 : 0x00
    purity = 0x0000
    for (bit, name) in enumerate(PURITY_BITS)
        name in facts.assumed && (purity |= 0x0001 << (bit - 1))
    end
    Core.@new Core.CodeInfo code Core.DebugInfo(facts.name, lines) (typed ? facts.types : n) zeros(UInt32, n) slotnames slotflags nothing (typed ? facts.rettype : Any) nothing nothing UInt(1) typemax(UInt) nothing UInt(facts.nargs) facts.propagate_inbounds calls_foreign(code) false false facts.isva UInt8(facts.inlining) constprop purity typemax(UInt16)
end
calls_foreign(code) = any(is_foreign_call, code)
is_foreign_call(x) = x === GlobalRef(Base, :foreigncall) || x === GlobalRef(Base, :function_pointer) || x === GlobalRef(Base, :llvmcall) ||
    x isa Expr && (x.head === :foreigncall || x.head === :cfunction || any(is_foreign_call, x.args))
# One that a generator fills.
empty_code_info() = Core._code_info((; code = Any[], lines = Any[], name = Symbol(""), slotnames = Any[], unused = Any[], single = Any[],
    nargs = 0, isva = false, propagate_inbounds = false, inlining = 0, constprop = nothing, assumed = Any[], types = nothing, rettype = Any))
function copy(c::Core.CodeInfo)
    Core.@new Core.CodeInfo copy_exprargs(c.code) c.debuginfo copy_types(c.ssavaluetypes) copy(c.ssaflags) copy(c.slotnames) copy(c.slotflags) c.slottypes c.rettype c.parent copy_types(c.edges) c.min_world c.max_world c.method_for_inference_limit_heuristics c.nargs c.propagate_inbounds c.has_fcall c.has_image_globalref c.nospecializeinfer c.isva c.inlining c.constprop c.purity c.inlining_cost
end
copy_types(x) = x isa Vector ? copy(x) : x
copy_exprargs(x::Vector{Any}) = Any[e isa Expr ? copy(e) : e for e in x]

Core.DebugInfo(def::Symbol) = Core.DebugInfo(def, Int32[])
==(a::Core.PhiNode, b::Core.PhiNode) = a.edges == b.edges && a.values == b.values
==(a::Core.DebugInfo, b::Core.DebugInfo) = a.def == b.def && a.lines == b.lines

# Code that a generator may not ask for: what it makes would depend on what is inferred while it is made.
check_generated_context() = Host.generating() && error("code reflection cannot be used from generated functions")

is_generated(m::Method) = Host.method_info(m).is_generated
hasgenerator(m::Method) = is_generated(m)
uncompressed_ir(m::Method) = Host.lowered_code(m)
uncompressed_ast(m::Method) = uncompressed_ir(m)
specialize_method(m::Method, types, sparams::Core.SimpleVector; preexisting::Bool = false) =
    Host.method_instances(m, types, sparams)
specialize_method(m::Core.MethodMatch; kws...) = specialize_method(m.method, m.spec_types, m.sparams; kws...)
is_declared_inline(c::Core.CodeInfo) = c.inlining == 1
is_declared_inline(m::Method) = is_declared_inline(uncompressed_ir(m))
is_declared_noinline(c::Core.CodeInfo) = c.inlining == 2
is_declared_noinline(m::Method) = is_declared_noinline(uncompressed_ir(m))
for name in (:specialize_method, :is_declared_inline, :is_declared_noinline, :method_instances)
    Core.eval(Core.Compiler, :(const $name = Base.$name))
end

_methods(f, T, lim::Int, world::UInt) = _methods_by_ftype(signature_type(f, T), lim, world)
function _which(sig; method_table = nothing, world::UInt = get_world_counter(), raise::Bool = true)
    found = _methods_by_ftype(sig, method_table, -1, world)
    at = found === nothing ? nothing : findfirst(m -> m.fully_covers, found)
    at === nothing || return found[at]
    raise && error("no unique matching method found for the specified argument types")
    nothing
end

function code_lowered(f, T = default_tt(f); generated::Bool = true, debuginfo::Symbol = :default)
    check_debuginfo(debuginfo)
    check_generated_context()
    code_lowered_in(f, T, generated, get_world_counter())
end
code_lowered_in(f, T, generated::Bool, world::UInt) =
    Core.CodeInfo[generated && is_generated(m.method) ? Host.lowered_code(specialize_method(m)) : uncompressed_ir(m.method)
        for m in _methods(f, T, -1, world)::Vector{Any}]
check_debuginfo(debuginfo::Symbol) = debuginfo in (:default, :none, :source) ||
    throw(ArgumentError("'debuginfo' must be either :source or :none"))

# The typed code is what the compiler made: optimized, and nothing else is kept of it. Before optimization the statements are
# the lowered ones, whose types are not kept: `ssavaluetypes` is their number, and `rettype` the type that was inferred.
function code_typed(f, T = default_tt(f); optimize::Bool = true, debuginfo::Symbol = :default,
                    world::UInt = get_world_counter(), interp = nothing)
    check_debuginfo(debuginfo)
    check_generated_context()
    f isa Builtin && throw(ArgumentError("argument is not a generic function"))
    optimize || return unoptimized_code(f, T, world)
    Any[typed_pair(it[1], it[2], it[3]) for it in Host.typed_code(f, tuple_type(T), world)]
end
function unoptimized_code(f, T, world)
    lowered = code_lowered_in(f, T, true, world)
    types = return_types(f, T; world)
    length(lowered) == length(types) || throw(UnsupportedError(:code_typed, "methods that no call reaches have no code before optimization"))
    for (code, R) in zip(lowered, types)
        code.rettype = R
    end
    Any[code => R for (code, R) in zip(lowered, types)]
end
typed_pair(code, T, is_const::Bool) = (is_const ? constant_code(code, T) : code) => T
constant_code(value, T) = Core._code_info((; code = Any[Core.ReturnNode(code_operand(value))], lines = Any[0], name = :constant,
    slotnames = Any[], unused = Any[], single = Any[], nargs = 0, isva = false, propagate_inbounds = false, inlining = 1,
    constprop = nothing, assumed = Any[], types = Any[Any], rettype = T))
code_operand(x) = x isa Union{Symbol, Expr, GlobalRef, QuoteNode, Type, Core.SSAValue, Core.SlotNumber, Core.Argument} ? QuoteNode(x) : x

# The stages after it exist as text alone.
function print_stage(io::IO, stage::Symbol, f, T)
    check_generated_context()
    print(io, Host.kernel_reflect(stage, Core.Typeof(f), tuple_type(T), nothing))
    nothing
end

# How code is shown: a statement a line, with its number.
function show(io::IO, c::Core.CodeInfo)
    println(io, "CodeInfo(")
    width = ndigits(length(c.code))
    typed = c.ssavaluetypes isa Vector
    for (i, stmt) in enumerate(c.code)
        print(io, lpad(string("%", i), width + 1), " = ", sprint(print_code, stmt, c))
        typed && !(stmt isa Union{Core.GotoNode, Core.GotoIfNot, Core.ReturnNode}) && print(io, "::", c.ssavaluetypes[i])
        println(io)
    end
    print(io, ")")
end
function print_code(io::IO, x, c)
    if x isa Core.SSAValue
        print(io, "%", x.id)
    elseif x isa Core.Argument
        print(io, "_", x.n)
    elseif x isa Core.SlotNumber
        name = c !== nothing && 1 <= x.id <= length(c.slotnames) ? c.slotnames[x.id] : Symbol("")
        print(io, name === Symbol("") ? string("_", x.id) : string(name))
    elseif x isa GlobalRef
        print(io, x.mod, ".", isoperator(x.name) ? ":" : "", x.name)
    elseif x isa Core.GotoNode
        print(io, "goto %", x.label)
    elseif x isa Core.GotoIfNot
        print(io, "goto %", x.dest, " if not ")
        print_code(io, x.cond, c)
    elseif x isa Core.ReturnNode
        isdefined(x, :val) || return print(io, "unreachable")
        print(io, "return ")
        print_code(io, x.val, c)
    elseif x isa Core.EnterNode
        print(io, "enter %", x.catch_dest)
    elseif x isa Core.NewvarNode
        print(io, "newvar ")
        print_code(io, x.slot, c)
    elseif x isa Core.PiNode
        print(io, "π (")
        print_code(io, x.val, c)
        print(io, ", ", x.typ, ")")
    elseif x isa Core.PhiNode
        print(io, "φ (")
        for i in 1:length(x.edges)
            print(io, i > 1 ? ", %" : "%", x.edges[i], " => ")
            isassigned(x.values, i) ? print_code(io, x.values[i], c) : print(io, "#undef")
        end
        print(io, ")")
    elseif x isa Core.PhiCNode
        print(io, "φᶜ (")
        for i in 1:length(x.values)
            i > 1 && print(io, ", ")
            isassigned(x.values, i) ? print_code(io, x.values[i], c) : print(io, "#undef")
        end
        print(io, ")")
    elseif x isa Core.UpsilonNode
        print(io, "ϒ (")
        isdefined(x, :val) ? print_code(io, x.val, c) : print(io, "#undef")
        print(io, ")")
    elseif x isa Expr
        print_code_expr(io, x, c)
    elseif x isa Function && isdefined(typeof(x), :instance)
        print(io, "(", nameof(x), ")")
    else
        show(io, x)
    end
    nothing
end
function print_code_expr(io::IO, x::Expr, c)
    args = x.args
    if x.head === :call || x.head === :invoke
        x.head === :invoke && print(io, "invoke ")
        print_code(io, args[x.head === :invoke ? 2 : 1], c)
        args = args[(x.head === :invoke ? 3 : 2):end]
    elseif x.head === :(=)
        print_code(io, args[1], c)
        print(io, " = ")
        return print_code(io, args[2], c)
    elseif x.head === :static_parameter
        return print(io, "\$(Expr(:static_parameter, ", args[1], "))")
    else
        print(io, x.head)
    end
    print(io, "(")
    for (i, arg) in enumerate(args)
        i > 1 && print(io, ", ")
        arg isa Core.CodeInfo ? print(io, "CodeInfo(...)") : print_code(io, arg, c)
    end
    print(io, ")")
end

# A generator is given the world of its caller, the method, the static parameters, the type of the function and those of the
# arguments.
function Core._run_generator(gen, sparams::Tuple, self, args...)
    source, world = Host.generating(:method)
    made = gen(world, source, sparams..., self, args...)
    made isa Core.CodeInfo && check_generated_worlds(made)
    made
end
function check_generated_worlds(c::Core.CodeInfo)
    c.edges === nothing && c.max_world == typemax(UInt) && c.min_world != 1 &&
        error("Generated function result with `edges == nothing` and `max_world == typemax(UInt)` must have `min_world == 1`")
    nothing
end
(g::Core.GeneratedFunctionStub)(world::UInt, source, args...) = g.gen(args...)

export code_lowered, code_typed, functionloc
