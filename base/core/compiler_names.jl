# Names of Julia's compiler that programs ask about code: kinds of statements, and functions over typed code. Optimized code
# is what kiln has of a method; the compiler's own forms of it are in Rust, so that a request for one is refused.

Core.eval(Core, :(baremodule IR
    using Core: Core, CodeInfo, MethodInstance, GotoNode, GotoIfNot, ReturnNode, NewvarNode, SSAValue, SlotNumber, Argument,
        PiNode, PhiNode, PhiCNode, UpsilonNode, EnterNode, DebugInfo
    export CodeInfo, MethodInstance, GotoNode, GotoIfNot, ReturnNode, NewvarNode, SSAValue, SlotNumber, Argument,
        PiNode, PhiNode, PhiCNode, UpsilonNode, EnterNode, DebugInfo
end))

# The options of Julia's code generator, of which kiln has none.
struct CodegenParams end

# A compiler in Julia that answers instead: there is none.
const REFLECTION_COMPILER = RefValue{Union{Nothing, Module}}(nothing)

# Compilers in Julia are of this type; kiln has none, and packages have methods for it.
Core.eval(Core.Compiler, :(abstract type AbstractInterpreter end))
@noinline refuse_form(name) = error(name, " is a form of code that kiln's compiler does not show; `code_typed` has the statements")
for name in (:IRCode, :IncrementalCompact, :VarState, :InstructionStream)
    Core.eval(Core.Compiler, :(struct $name
        $name(args...; kws...) = Base.refuse_form($(string(name)))
    end))
end
for name in (:inflate_ir, :verify_ir)
    Core.eval(Core.Compiler, :($name(args...; kws...) = Base.refuse_form("IRCode")))
end

# The type of an operand of typed code; of a constant the type that only it has, if there is one.
function operand_type(x, code::Core.CodeInfo)
    x isa Core.SSAValue && return code.ssavaluetypes isa Vector ? code.ssavaluetypes[x.id] : Any
    x isa Core.Argument && return argument_type(code, x.n)
    x isa Core.SlotNumber && return argument_type(code, x.id)
    x isa QuoteNode && return Core.Typeof(x.value)
    x isa GlobalRef && return isdefined(x.mod, x.name) && isconst(x.mod, x.name) ? Core.Typeof(getglobal(x.mod, x.name)) : Any
    x isa Expr ? Any : Core.Typeof(x)
end
argument_type(code, n) = code.slottypes isa Vector && n <= length(code.slottypes) ? code.slottypes[n] : Any
only_instance(T) = T isa DataType && isdefined(T, :instance) ? T.instance : isType(T) && !(T.parameters[1] isa TypeVar) ? T.parameters[1] : nothing
Core.eval(Core.Compiler, :(begin
    argextype(x, code::Core.CodeInfo, variables) = Base.operand_type(x, code)
    singleton_type(T) = Base.only_instance(T)
    const Compiler = Core.Compiler
end))
for name in names(Core.IR)
    name === :IR || isdefinedglobal(Core.Compiler, name) || Core.eval(Core.Compiler, :(const $name = Core.$name))
end
