# Expressions as source text.

print(io::IO, e::Union{Expr, QuoteNode}) = (show_unquoted_expr(io, e); nothing)
function show(io::IO, e::Expr)
    if e.head in (:block, :quote) || is_block_form(e)
        print(io, "quote\n    ")
        show_statements(io, e.head === :block ? e.args : Any[e], 4)
        return print(io, "\nend")
    end
    print(io, ":(")
    show_unquoted_expr(io, e)
    print(io, ")")
end
is_block_form(e) = false
show(io::IO, q::QuoteNode) = (print(io, ":("); show_unquoted_expr(io, q); print(io, ")"))
show_unquoted_expr(io::IO, x) = show_unquoted_expr(io, x, 0)

# How tightly each operator binds, from the loosest; an operand that binds looser goes in parentheses.
const OPERATOR_LEVELS = ((:(=), :(+=), :(-=), :(*=), :(/=), :(^=), :(÷=), :(|=), :(&=), :(⊻=), :(<<=), :(>>=)), (:(=>),), (:?,), (:(||),),
    (:(&&),), (:(==), :(!=), :<, :(<=), :>, :(>=), :(===), :(!==), :≈, :≤, :≥, :≠, :in, :∈, :∉, :isa, :(<:), :(>:), :⊆, :≉), (:|>,), (:(:), :..), (:+, :-, :|, :⊻, :∪, :⊕), (:*, :/, :÷, :%, :&, :⋅, :×, :∘, :\, :∩, :⊗), (:(//),), (:<<, :>>, :>>>), (:^,),
    (:(::),))
function operator_level(op)
    # An operator with a dot binds as it does without.
    if op isa Symbol && op !== :. && op !== :.. && op !== :...
        name = string(op)
        startswith(name, ".") && (op = Symbol(name[2:end]))
    end
    for k in 1:length(OPERATOR_LEVELS)
        op in OPERATOR_LEVELS[k] && return k
    end
    0
end
const TIGHT_OPERATORS = (:(:), :(::))

show_unquoted_expr(io::IO, x, level) = show(io, x)
show_unquoted_expr(io::IO, s::Symbol, level) = print(io, isidentifier(s) || isoperator(s) || startswith(string(s), "@") ||
    s in (:begin, :end, :true, :false) ? string(s) : string("var", repr(string(s))))
show_unquoted_expr(io::IO, x::LineNumberNode, level) = show(io, x)
show_unquoted_expr(io::IO, x::GlobalRef, level) = print(io, x.mod, ".", x.name)
function show_unquoted_expr(io::IO, q::QuoteNode, level)
    v = q.value
    v isa Symbol && return show(io, v)
    v isa Expr && return show(io, v)
    print(io, "\$(QuoteNode(")
    show(io, v)
    print(io, "))")
end
function show_unquoted_expr(io::IO, e::Expr, level)
    show_call(io, e, level) || show_bracketed(io, e) || show_binary(io, e, level) || show_form(io, e) || show_unknown(io, e)
    nothing
end
function show_unknown(io, e)
    print(io, "\$(Expr(")
    show(io, e.head)
    for x in e.args
        print(io, ", ")
        show(io, x)
    end
    print(io, "))")
end

function show_infix(io, op, args, mine, level)
    wrap = mine < level || (mine == level && mine == 13)
    wrap && print(io, "(")
    between = op in TIGHT_OPERATORS ? string(op) : string(" ", op, " ")
    for i in 1:length(args)
        i > 1 && print(io, between)
        right_assoc = op === :^ || mine == 1
        show_unquoted_expr(io, args[i], (i == 1) == right_assoc ? mine + 1 : i == 1 ? mine : mine + 1)
    end
    wrap && print(io, ")")
    true
end
function show_call(io, e, level)
    e.head === :call || return false
    a = e.args
    f = a[1]
    if f isa Symbol && isoperator(f)
        mine = operator_level(f)
        if mine > 0 && length(a) == 3 || length(a) > 3 && f in (:+, :*)
            all(x -> !(x isa Expr && x.head in (:..., :parameters, :kw)), a[2:end]) && return show_infix(io, f, a[2:end], mine, level)
        end
        if length(a) == 2 && f in (:-, :+, :!, :~, :√, :∛, :¬)
            print(io, f)
            wrap = a[2] isa Expr && a[2].head === :call && a[2].args[1] isa Symbol && isoperator(a[2].args[1])
            wrap && print(io, "(")
            show_unquoted_expr(io, a[2], wrap ? 0 : 13)
            wrap && print(io, ")")
            return true
        end
    elseif f === :in && length(a) == 3 || f === :isa && length(a) == 3
        return show_infix(io, f, a[2:end], operator_level(f), level)
    end
    wrap = f isa Expr && f.head !== :. && f.head !== :curly
    wrap && print(io, "(")
    f isa Symbol && isoperator(f) ? print(io, "(", f, ")") : show_unquoted_expr(io, f, 0)
    wrap && print(io, ")")
    show_list(io, a[2:end], "(", ")")
    true
end
# Keyword arguments after a semicolon come first in the tree.
function show_list(io, xs, open, close)
    print(io, open)
    named = !isempty(xs) && xs[1] isa Expr && xs[1].head === :parameters
    plain = named ? xs[2:end] : xs
    show_separated(io, plain)
    if named
        print(io, "; ")
        show_separated(io, xs[1].args)
    end
    print(io, close)
end
function show_separated(io, xs)
    for i in 1:length(xs)
        i > 1 && print(io, ", ")
        x = xs[i]
        if x isa Expr && x.head === :kw
            show_unquoted_expr(io, x.args[1], 0)
            print(io, " = ")
            show_unquoted_expr(io, x.args[2], 0)
        else
            show_unquoted_expr(io, x, 0)
        end
    end
end
function show_bracketed(io, e)
    a = e.args
    h = e.head
    if h === :tuple
        show_list(io, a, "(", length(a) == 1 && !(a[1] isa Expr && a[1].head === :parameters) ? ",)" : ")")
    elseif h === :vect
        show_list(io, a, "[", "]")
    elseif h === :braces
        show_list(io, a, "{", "}")
    elseif h === :ref || h === :curly || h === :typed_comprehension
        show_unquoted_expr(io, a[1], 14)
        show_list(io, a[2:end], h === :curly ? "{" : "[", h === :curly ? "}" : "]")
    elseif h === :hcat || h === :vcat || h === :row
        h === :row || print(io, "[")
        for i in 1:length(a)
            i > 1 && print(io, h === :vcat ? "; " : " ")
            show_unquoted_expr(io, a[i], 0)
        end
        h === :row || print(io, "]")
    elseif h === :comprehension
        print(io, "[")
        show_unquoted_expr(io, a[1] isa Expr && a[1].head === :generator ? Expr(:bare_generator, a[1].args...) : a[1], 0)
        print(io, "]")
    elseif h === :generator || h === :bare_generator
        h === :generator && print(io, "(")
        show_unquoted_expr(io, a[1], 0)
        print(io, " for ")
        show_separated(io, a[2:end])
        h === :generator && print(io, ")")
    elseif h === :filter
        show_separated(io, a[2:end])
        print(io, " if ")
        show_unquoted_expr(io, a[1], 0)
    elseif h === :string
        show_interpolated(io, a)
    elseif h === :quote && length(a) == 1
        show(io, a[1] isa Expr ? a[1] : a[1] isa Symbol ? a[1] : QuoteNode(a[1]))
    else
        return false
    end
    true
end
function show_interpolated(io, parts)
    print(io, '"')
    for x in parts
        if x isa AbstractString
            escape_string(io, x, ('"', '$'))
        elseif x isa Symbol
            print(io, "\$(", x, ")")
        else
            print(io, "\$(")
            show_unquoted_expr(io, x, 0)
            print(io, ")")
        end
    end
    print(io, '"')
end
function show_binary(io, e, level)
    a = e.args
    h = e.head
    if h === :comparison
        wrap = level > 6
        wrap && print(io, "(")
        for i in 1:length(a)
            i > 1 && print(io, " ")
            show_unquoted_expr(io, a[i], iseven(i) ? 0 : 7)
        end
        wrap && print(io, ")")
    elseif h === :. && length(a) == 2
        show_unquoted_expr(io, a[1], 14)
        print(io, ".")
        x = a[2]
        x isa QuoteNode ? show_unquoted_expr(io, x.value, 14) : x isa Expr && x.head === :tuple ?
            show_list(io, x.args, "(", ")") : show_unquoted_expr(io, x, 14)
    elseif h === :(::) && length(a) == 1
        print(io, "::")
        show_unquoted_expr(io, a[1], 14)
    elseif length(a) == 2 && operator_level(h) > 0
        return show_infix(io, h, a, operator_level(h), level)
    elseif h === :kw && length(a) == 2
        return show_infix(io, :(=), a, 1, level)
    elseif h === :-> && length(a) == 2
        show_unquoted_expr(io, a[1], 0)
        print(io, "->")
        b = a[2]
        if b isa Expr && b.head === :block
            inner = filter(x -> !(x isa LineNumberNode), b.args)
            length(inner) == 1 && (b = inner[1])
        end
        show_unquoted_expr(io, b, 0)
    elseif h === :where
        show_unquoted_expr(io, a[1], 14)
        print(io, " where ")
        length(a) == 2 ? show_unquoted_expr(io, a[2], 14) : show_list(io, a[2:end], "{", "}")
    elseif h === :... && length(a) == 1
        show_unquoted_expr(io, a[1], 14)
        print(io, "...")
    elseif h === Symbol("'") || h === :&
        h === :& && print(io, "&")
        show_unquoted_expr(io, a[1], 14)
        h === :& || print(io, "'")
    elseif h === :$ && length(a) == 1
        print(io, "\$")
        a[1] isa Symbol ? print(io, a[1]) : (print(io, "("); show_unquoted_expr(io, a[1], 0); print(io, ")"))
    else
        return false
    end
    true
end

# `@r_str "a" "i"` is written `r"a"i`.
is_string_macro(a) = 3 <= length(a) <= 4 && a[1] isa Symbol && startswith(string(a[1]), '@') && endswith(string(a[1]), "_str") &&
    ncodeunits(string(a[1])) > 5 && all(x -> x isa String, a[3:end])

# Forms with a body.
function show_statements(io, xs, indent)
    started = false
    for x in xs
        started && print(io, "\n", " "^indent)
        started = true
        show_unquoted_expr(IOContext(io, :indent => indent), x, 0)
    end
end
function show_body(io, body, indent)
    statements = body isa Expr && body.head === :block ? body.args : Any[body]
    isempty(statements) && return nothing
    print(io, "\n", " "^(indent + 4))
    show_statements(io, statements, indent + 4)
end
function show_form(io, e)
    a = e.args
    h = e.head
    indent = get(io, :indent, 0)
    if h === :block
        print(io, "begin")
        show_body(io, e, indent)
        print(io, "\n", " "^indent, "end")
    elseif h in (:if, :elseif)
        print(io, h, " ")
        show_if_rest(io, a, indent)
        h === :if && print(io, "\n", " "^indent, "end")
    elseif h in (:for, :while, :let, :function, :macro) && length(a) == 2
        print(io, h, " ")
        a[1] isa Expr && a[1].head === :block ? show_separated(io, a[1].args) : show_unquoted_expr(io, a[1], 0)
        show_body(io, a[2], indent)
        print(io, "\n", " "^indent, "end")
    elseif h === :struct || h === :module
        print(io, h === :struct ? (a[1] === true ? "mutable struct " : "struct ") : a[1] === true ? "module " : "baremodule ")
        show_unquoted_expr(io, a[2], 0)
        show_body(io, a[3], indent)
        print(io, "\n", " "^indent, "end")
    elseif h === :try
        print(io, "try")
        show_body(io, a[1], indent)
        if length(a) >= 3 && a[3] !== false
            print(io, "\n", " "^indent, "catch")
            a[2] === false || print(io, " ", a[2])
            show_body(io, a[3], indent)
        end
        if length(a) >= 4 && a[4] !== false
            print(io, "\n", " "^indent, "finally")
            show_body(io, a[4], indent)
        end
        print(io, "\n", " "^indent, "end")
    elseif h in (:return, :const, :global, :local, :export, :using, :import, :break, :continue)
        print(io, h)
        isempty(a) || print(io, " ")
        h in (:return,) && length(a) == 1 && a[1] === nothing ? nothing : show_separated(io, a)
    elseif h === :macrocall && is_string_macro(a)
        print(io, string(a[1])[2:(end - 4)], '"')
        escape_raw_string(io, a[3])
        print(io, '"', a[4:end]...)
    elseif h === :macrocall
        show_unquoted_expr(io, a[1], 0)
        for x in a[2:end]
            x isa Union{LineNumberNode, Nothing} && continue
            print(io, " ")
            show_unquoted_expr(io, x, 1)
        end
    elseif h === :do
        show_unquoted_expr(io, a[1], 0)
        print(io, " do ")
        show_separated(io, a[2].args[1].args)
        show_body(io, a[2].args[2], indent)
        print(io, "\n", " "^indent, "end")
    elseif h === :toplevel
        show_statements(io, a, indent)
    else
        return false
    end
    true
end
function show_if_rest(io, a, indent)
    show_unquoted_expr(io, a[1], 0)
    show_body(io, a[2], indent)
    length(a) == 3 || return nothing
    print(io, "\n", " "^indent)
    if a[3] isa Expr && a[3].head === :elseif
        show_unquoted_expr(io, a[3], 0)
    else
        print(io, "else")
        show_body(io, a[3], indent)
    end
end
