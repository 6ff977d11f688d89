# Marks in code, `Expr(:meta, ...)`: adding, finding and taking them out; places in macro calls; trees as symbolic expressions.

# The body of what defines a function, inside of other macro calls as well.
function body_of_definition(ex)
    while isexpr(ex, :macrocall) || isexpr(ex, :escape)
        ex = ex.args[end]
    end
    isexpr(ex, :function) || isexpr(ex, :(=)) || isexpr(ex, :->) ? ex : nothing
end
function pushmeta!(ex::Expr, tag::Union{Symbol, Expr})
    definition = body_of_definition(ex)
    body = definition === nothing ? ex : definition.args[end]
    if !isexpr(body, :block)
        definition === nothing && error("cannot add a mark to this expression")
        body = definition.args[end] = Expr(:block, body)
    end
    at, found = findmeta(body)
    at == 0 ? pushfirst!(body.args, Expr(:meta, tag)) : push!(found[at].args, tag)
    ex
end
# Where the first mark is, and the list that holds it; 0 if there is none.
function findmeta(ex)
    ex isa Expr || return 0, Any[]
    if ex.head === :function || ex.head === :(=) && isexpr(ex.args[1], :call) || ex.head === :->
        return findmeta_in(ex.args[end])
    end
    ex.head === :macrocall ? findmeta(ex.args[end]) : findmeta_in(ex)
end
findmeta_in(ex) = isexpr(ex, :block) ? findmeta_in_list(ex.args) : (0, Any[])
function findmeta_in_list(args)
    for (at, x) in enumerate(args)
        isexpr(x, :meta) && return at, args
        if isexpr(x, :block)
            inner, list = findmeta_in_list(x.args)
            inner > 0 && return inner, list
        end
    end
    0, Any[]
end
# Takes a mark out: whether it was there, and its arguments.
function popmeta!(body::Expr, name::Symbol)
    isexpr(body, :block) || return false, Any[]
    for (at, x) in enumerate(body.args)
        if isexpr(x, :block)
            found = popmeta!(x, name)
            found[1] && return found
        elseif isexpr(x, :meta)
            k = findfirst(m -> m === name || isexpr(m, name), x.args)
            k === nothing && continue
            mark = x.args[k]
            deleteat!(x.args, k)
            isempty(x.args) && deleteat!(body.args, at)
            return true, mark isa Expr ? mark.args : Any[]
        end
    end
    false, Any[]
end
popmeta!(body, name::Symbol) = (false, Any[])

"""
    Meta.replace_sourceloc!(place, ex)

Gives every macro call in an expression another place, and returns the expression.
"""
replace_sourceloc!(place, @nospecialize(ex)) = ex
function replace_sourceloc!(place, ex::Expr)
    ex.head === :macrocall && (ex.args[2] = place)
    foreach(k -> ex.args[k] = replace_sourceloc!(place, ex.args[k]), eachindex(ex.args))
    ex
end

"""
    Meta.show_sexpr([io], ex)

Prints an expression as nested lists: a head, then the arguments.
"""
show_sexpr(ex) = show_sexpr(stdout, ex)
show_sexpr(io::IO, ex) = show_sexpr(io, ex, 0)
show_sexpr(io::IO, ex, indent::Int) = show(io, ex)
show_sexpr(io::IO, ex::QuoteNode, indent::Int) = (print(io, "(:quote, #QuoteNode\n", " "^(indent + 2)); show_sexpr(io, ex.value, indent + 2); print(io, "\n", " "^indent, ")"))
function show_sexpr(io::IO, ex::Expr, indent::Int)
    print(io, "(")
    show(io, ex.head)
    for arg in ex.args
        print(io, ex.head === :block ? string(",\n", " "^(indent + 2)) : ", ")
        show_sexpr(io, arg, indent + 2)
    end
    print(io, isempty(ex.args) ? ",)" : ex.head === :block ? string("\n", " "^indent, ")") : ")")
end
for name in (:replace_sourceloc!, :show_sexpr)
    Core.eval(Meta, :(using ..Base: $name; export $name))
end

# Makes code part of other code, in place: its statements and slots are numbered behind those that are there already, the first
# slots are what `slots` says, and static parameters are values. `bounds` is `:on`, `:off` or `:propagate`.
function partially_inline!(code::Vector{Any}, slots::Vector{Any}, @nospecialize(signature), sparams::Vector{Any}, slot_offset::Int,
                           statement_offset::Int, bounds::Symbol)
    move = CodeMove(slots, sparams, slot_offset, statement_offset, bounds)
    for i in eachindex(code)
        isassigned(code, i) && (code[i] = moved(code[i], move))
    end
    code
end
struct CodeMove
    slots::Vector{Any}
    sparams::Vector{Any}
    slot_offset::Int
    statement_offset::Int
    bounds::Symbol
end
moved(@nospecialize(x), m::CodeMove) = x
moved(x::Core.SSAValue, m::CodeMove) = Core.SSAValue(x.id + m.statement_offset)
moved(x::Core.SlotNumber, m::CodeMove) = x.id <= length(m.slots) ? m.slots[x.id] : Core.SlotNumber(x.id + m.slot_offset)
moved(x::Core.Argument, m::CodeMove) = x.n <= length(m.slots) ? m.slots[x.n] : Core.Argument(x.n + m.slot_offset)
moved(x::Core.NewvarNode, m::CodeMove) = Core.NewvarNode(moved(x.slot, m))
moved(x::Core.GotoNode, m::CodeMove) = Core.GotoNode(x.label + m.statement_offset)
moved(x::Core.GotoIfNot, m::CodeMove) = Core.GotoIfNot(moved(x.cond, m), x.dest + m.statement_offset)
moved(x::Core.EnterNode, m::CodeMove) = x.catch_dest == 0 ? x : Core.EnterNode(x.catch_dest + m.statement_offset)
moved(x::Core.ReturnNode, m::CodeMove) = isdefined(x, :val) ? Core.ReturnNode(moved(x.val, m)) : x
moved(x::Core.PiNode, m::CodeMove) = Core.PiNode(moved(x.val, m), x.typ)
moved(x::Core.PhiNode, m::CodeMove) =
    Core.PhiNode(Int32[e + m.statement_offset for e in x.edges], Any[moved(v, m) for v in x.values])
function moved(x::Expr, m::CodeMove)
    x.head === :static_parameter && return x.args[1] <= length(m.sparams) ? code_operand(m.sparams[x.args[1]]) : x
    x.head === :boundscheck && return m.bounds === :propagate ? x : m.bounds === :on
    x.head === :isdefined && return moved_isdefined(x, x.args[1], m)
    x.head in (:copyast, :inbounds, :meta, :loopinfo) && return x
    Expr(x.head, Any[moved(arg, m) for arg in x.args]...)
end
# An argument that has a value is defined.
moved_isdefined(x, slot::Core.SlotNumber, m::CodeMove) =
    slot.id <= length(m.slots) ? true : Expr(:isdefined, Core.SlotNumber(slot.id + m.slot_offset))
moved_isdefined(x, global_::GlobalRef, m::CodeMove) =
    Expr(:call, GlobalRef(Core, :isdefinedglobal), global_.mod, QuoteNode(global_.name))
function moved_isdefined(x, param::Expr, m::CodeMove)
    index = param.args[1]
    param.head === :static_parameter && index <= length(m.sparams) || return x
    !(m.sparams[index] isa TypeVar)
end
moved_isdefined(x, other, m::CodeMove) = Expr(:isdefined, moved(other, m))
Core.eval(Meta, :(using ..Base: partially_inline!))
