# Expressions as source text. What `print` writes parses to the expression again; what `show` writes evaluates to it.

# Where an expression stands: the indentation of its lines, how tightly its surroundings bind, and the depth of quotation.
struct ExprPlace
    indent::Int
    level::Int
    quotes::Int
end
const STATEMENT_LEVEL = -1
const INDENT = 4
at_level(p::ExprPlace, level) = ExprPlace(p.indent, level, p.quotes)
argument(p::ExprPlace) = at_level(p, 0)
statement(p::ExprPlace) = at_level(p, STATEMENT_LEVEL)
deeper(p::ExprPlace, n = INDENT) = ExprPlace(p.indent + n, p.level, p.quotes)
quoted_more(p::ExprPlace, n = 1) = ExprPlace(p.indent, p.level, p.quotes + n)

# The parts of lowered and typed code are shown as expressions are: `print_code` of code_info.jl has their text.
const CodeNode = Union{Core.SSAValue, Core.SlotNumber, Core.GotoNode, Core.GotoIfNot, Core.ReturnNode, Core.PhiNode,
    Core.PhiCNode, Core.UpsilonNode}
const ExprNode = Union{Expr, QuoteNode, LineNumberNode, GlobalRef, CodeNode}
# `:unquote_fallback` says whether a `$` outside quotes is shown as the call that makes it. Only then does the text evaluate.
print(io::IO, x::ExprNode) = (show_at(IOContext(io, :unquote_fallback => false), x, ExprPlace(0, STATEMENT_LEVEL, 0)); nothing)
show(io::IO, x::ExprNode) = (show_quotation(IOContext(io, :unquote_fallback => true), x, ExprPlace(0, STATEMENT_LEVEL, 0)); nothing)
show(io::IO, s::Symbol) = (show_quotation(io, s, ExprPlace(0, 0, 0)); nothing)
show_unquoted(io::IO, x, indent::Int = 0, level::Int = 0, quotes::Int = 0) = (show_at(io, x, ExprPlace(indent, level, quotes)); nothing)

show_at(io, x, place) = show(io, x)
show_at(io, s::Symbol, place) = show_sym(io, s)
# A complex number is a sum.
function show_at(io, z::Complex, place)
    wrap = place.level >= operator_precedence(:+)
    print(io, wrap ? "(" : "")
    show(io, z)
    print(io, wrap ? ")" : "")
end
show_at(io, x::LineNumberNode, place) = show_linenumber(io, x.line, x.file)
show_at(io, x::GlobalRef, place) = show_globalref(io, x)
show_at(io, x::Union{CodeNode, Core.Argument}, place) = print_code(io, x, nothing)
function show_at(io, q::QuoteNode, place)
    q.value isa Symbol && return show_quotation(io, q.value, argument(place))
    print(io, "\$(QuoteNode(")
    show(io, q.value)
    print(io, "))")
end
function show_at(io, e::Expr, place)
    if e.head in INFIX_HEADS && length(e.args) == 2
        show_joined(io, e.args, e.head in TIGHT_HEADS ? string(e.head) : string(" ", e.head, " "), operator_precedence(e.head), place; operators = true)
    else
        form = get(EXPR_FORMS, e.head, nothing)
        form !== nothing && form(io, e.head, e.args, place)::Bool || show_constructed(io, e)
    end
    nothing
end
# The call that makes the expression, for what has no syntax.
function show_constructed(io, e::Expr)
    print(io, "\$(Expr(")
    show(io, e.head)
    for x in e.args
        print(io, ", ")
        show(io, x)
    end
    print(io, "))")
end
show_linenumber(io, line, file = nothing) =
    printstyled(io, file === nothing ? "#= line " : string("#= ", file, ":"), line, " =#"; color = :light_black)

# A symbol as a name, in `var"..."` if nothing else makes it one.
function show_sym(io::IO, s::Symbol; allow_macroname::Bool = false)
    if is_valid_identifier(s)
        print(io, s)
    elseif allow_macroname && startswith(string(s), '@')
        print(io, '@')
        show_sym(io, Symbol(string(s)[2:end]))
    else
        print(io, "var", repr(string(s)))
    end
end
# Operators whose quotation needs parentheses.
const PARENTHESIZED_QUOTES = (:(:), :(::), Symbol(":="), :(=), :(==), :(===), :(=>))
function show_globalref(io::IO, x::GlobalRef; allow_macroname::Bool = false)
    print(io, x.mod, '.')
    quoted = !isidentifier(x.name) && !startswith(string(x.name), '@')
    wrapped = quoted && (!isoperator(x.name) || x.name in PARENTHESIZED_QUOTES)
    print(io, quoted ? ":" : "", wrapped ? "(" : "")
    show_sym(io, x.name; allow_macroname)
    print(io, wrapped ? ")" : "")
end
function show_quotation(io, x, place)
    if x isa Symbol
        x in PARENTHESIZED_QUOTES && return print(io, ":(", x, ")")
        isidentifier(x) || _isoperator(x) && x !== Symbol("'") ? print(io, ":", x) : print(io, "Symbol(", repr(string(x)), ")")
    elseif isexpr(x, :block)
        show_body(outside_index(io), "quote", nothing, x, place)
        print(io, "end")
    else
        print(io, ":(")
        show_at(io, x, statement(deeper(place, 2)))
        print(io, ")")
    end
    nothing
end

is_quoted(x) = x isa QuoteNode || x isa Expr && x.head in (:quote, :inert) && length(x.args) == 1
unquoted(x) = x isa QuoteNode ? x.value : x.args[1]
is_headed(x, heads...) = x isa Expr && x.head in heads
# Whether `begin` would be read as the first index here.
outside_index(io) = IOContext(io, :in_index => false)

# Items with a separator between them. `operators` puts operators in parentheses, `kw` writes `a = b` for keyword arguments.
const UNARY_CALLS = (:+, :-, :!, :¬, :~, :(<:), :(>:), :√, :∛, :∜, :∓, :±)
function show_items(io, items, separator, place; operators = false, kw = false)
    inner = deeper(place)
    for i in eachindex(items)
        i > 1 && print(io, separator)
        x = items[i]
        wrap = i == 1 && place.level >= 15 && is_negated(x) || operators && x isa Symbol && isoperator(x) && is_valid_identifier(x)
        wrap && print(io, '(')
        at = wrap ? argument(inner) : inner
        if kw && is_headed(x, :kw) && length(x.args) == 2
            show_at(io, Expr(:(=), x.args...), at)
        elseif kw && is_headed(x, :(=)) && length(x.args) == 2
            show_constructed(io, x)
        else
            show_at(io, x, at)
        end
        wrap && print(io, ')')
    end
end
is_negated(x) = is_headed(x, :call) && x.args[1] isa Symbol && x.args[1] in UNARY_CALLS || x isa Real && x < 0
function show_enclosed(io, open, items, separator, close, place; kws...)
    print(io, open)
    show_items(io, items, separator, place; kws...)
    print(io, close)
end
# Operands between operators of a level, in parentheses where the surroundings bind as tightly.
function show_joined(io, items, separator, level, place; operators = false)
    at = at_level(place, level)
    level <= place.level ? show_enclosed(io, '(', items, separator, ')', at; operators) : show_items(io, items, separator, at; operators)
    true
end

const TIGHT_HEADS = (:(:), :->, :(::))
const INFIX_HEADS = Set{Symbol}([TIGHT_HEADS..., :(=), :&&, :||, :(<:), :(>:), :-->, Symbol(":="), :≔, :⩴, :≕])
for op in (:+, :-, :*, :/, :\, :^, :&, :|, :÷, :%, :>>>, :>>, :<<)
    push!(INFIX_HEADS, Symbol(op, :(=)), Symbol(:., op, :(=)))
end
push!(INFIX_HEADS, :(.=), :($=), :(⊻=))

# The forms of each head: a function of the stream, the head, the arguments and the place, which returns false for what it cannot write.
const EXPR_FORMS = Dict{Symbol, Any}()
expr_form!(f, heads::Symbol...) = for h in heads
    EXPR_FORMS[h] = f
end

# Calls and what looks like them.
function show_call(io, open, close, f, args, place; kw = false, dot = false)
    wrap = f isa Symbol ? is_valid_identifier(f) && (f === :(:) || dot && isoperator(f)) : !(f isa GlobalRef || is_headed(f, :., :curly, :macroname))
    wrap && print(io, '(')
    show_at(io, f, argument(place))
    print(io, wrap ? ")" : "", dot ? "." : "", open)
    named = !isempty(args) && is_headed(args[1], :parameters)
    show_items(io, named ? args[2:end] : args, ", ", argument(place); kw)
    if named
        print(io, "; ")
        show_items(io, args[1].args, ", ", argument(place); kw)
    end
    print(io, close)
    true
end
is_scalar_product(f, args) = f === :* && length(args) == 2 && args[1] isa Union{Int, Float32, Float64} && args[2] isa Symbol &&
    !(string(args[2])[1] in (args[1] === 0 ? ('e', 'E', 'f', 'b', 'o', 'x') : ('e', 'E', 'f')))
function show_call_form(io, head, a, place)
    isempty(a) && return false
    f, args = a[1], a[2:end]
    name = f isa GlobalRef ? f.name : f
    if name isa Symbol && length(args) == 1 && ispostfixoperator(name) && name !== Symbol("'")
        return show_postfix(io, name, args[1], place)
    end
    level = operator_precedence(name)
    (level > 0 || name isa Symbol && name in UNARY_CALLS) && (f = name)
    if any(x -> is_headed(x, :kw), args) || !isempty(args) && is_headed(args[1], :parameters)
        show_call(io, '(', ')', f, args, place; kw = true)
    elseif is_scalar_product(f, args)
        show_joined(io, args, "", level, place)
    elseif f isa Symbol && length(args) == 1 && f in UNARY_CALLS
        show_sym(io, f)
        x = args[1]
        x isa Expr || x isa Symbol && isoperator(x) && is_valid_identifier(x) ?
            show_enclosed(io, '(', args, ", ", ')', ExprPlace(place.indent, level, 0)) : show_at(io, x, at_level(place, level))
    elseif level > 0 && is_infix_call(f, args)
        show_joined(io, args, f === :(:) ? ":" : string(" ", f, " "), level, place; operators = true)
    elseif level > 0 && length(args) == 1
        print(io, '(')
        show_sym(io, f)
        show_enclosed(io, ")(", args, ", ", ')', argument(place))
    else
        show_call(io, '(', ')', f, args, place; kw = true)
    end
    true
end
is_infix_call(f, args) = (n = length(args); n == 2 || n > 2 && f in (:+, :++, :*) || n == 3 && f === :(:)) && !any(x -> is_headed(x, :...), args)
function show_postfix(io, op, x, place)
    x isa Expr || x isa Symbol && isoperator(x) ? show_enclosed(io, '(', Any[x], ", ", ')', ExprPlace(place.indent, 0, 0)) :
        show_at(io, x, argument(place))
    print(io, op)
    true
end
expr_form!(show_call_form, :call)
expr_form!(Symbol("'")) do io, head, a, place
    length(a) == 1 && show_postfix(io, head, a[1], place)
end
expr_form!(:calldecl, :ref, :curly) do io, head, a, place
    isempty(a) && return false
    open, close = head === :ref ? "[]" : head === :curly ? "{}" : "()"
    show_call(head === :ref ? IOContext(io, :in_index => true) : io, open, close, a[1], a[2:end], place; kw = head !== :curly)
end
expr_form!(:.) do io, head, a, place
    if length(a) == 2 && is_headed(a[2], :tuple)
        show_call(io, '(', ')', a[1], a[2].args, place; kw = true, dot = true)
    elseif length(a) == 1 && a[1] isa Symbol && isoperator(a[1])
        print(io, "(.", a[1], ")")
    elseif length(a) == 2 && is_quoted(a[2])
        show_property(io, a[1], unquoted(a[2]), place)
    else
        return false
    end
    true
end
function show_property(io, x, name, place)
    wrap = !is_quoted(x) && !(x isa Symbol && isidentifier(x)) && !is_headed(x, :.)
    wrap && print(io, '(')
    show_at(io, x, argument(place))
    wrap && print(io, ')')
    wrap_name = !(name isa Symbol) || name in PARENTHESIZED_QUOTES
    print(io, '.', wrap_name || isoperator(name) ? ":" : "", wrap_name ? "(" : "")
    show_at(io, name, argument(place))
    wrap_name && print(io, ')')
    nothing
end
expr_form!(:new, :splatnew) do io, head, a, place
    show_enclosed(io, string('%', head, '('), a, ", ", ')', argument(place))
    true
end
expr_form!(:comparison) do io, head, a, place
    length(a) >= 3 && isodd(length(a)) || return false
    show_joined(io, a, " ", minimum(operator_precedence, a[2:2:end]), place)
end

# Brackets.
expr_form!(:tuple) do io, head, a, place
    print(io, '(')
    named = !isempty(a) && is_headed(a[1], :parameters)
    plain = named ? a[2:end] : a
    show_items(io, plain, ", ", argument(place))
    length(plain) == 1 && print(io, ',')
    if named
        print(io, isempty(a[1].args) ? ";" : "; ")
        show_items(io, a[1].args, ", ", argument(place); kw = true)
    end
    print(io, ')')
    true
end
function show_bracketed(io, head, a, place)
    open, close = head in (:row, :nrow) ? ("", "") : head in (:braces, :bracescat) ? "{}" : "[]"
    separator = head in (:vcat, :bracescat) ? "; " : head in (:hcat, :row) ? " " : ", "
    if head in (:ncat, :nrow)
        separator, a = string(";"^a[1], " "), a[2:end]
    end
    print(io, open)
    show_items(io, a, separator, argument(place))
    head in (:vcat, :ncat) && length(a) <= 1 && print(io, chop(separator))
    print(io, close)
    true
end
expr_form!(show_bracketed, :vect, :vcat, :hcat, :row, :ncat, :nrow, :braces, :bracescat)
expr_form!(:typed_vcat, :typed_hcat, :typed_ncat) do io, head, a, place
    show_at(io, a[1], place)
    show_bracketed(io, head === :typed_vcat ? :vcat : head === :typed_hcat ? :hcat : :ncat, a[2:end], place)
end
function show_generator(io, e, place)
    ranges = Any[]
    while is_headed(e, :flatten)
        push!(ranges, e.args[1].args[2:end])
        e = e.args[1].args[1]
    end
    push!(ranges, e.args[2:end])
    show_at(io, e.args[1], argument(place))
    for r in ranges
        print(io, " for ")
        show_items(io, r, ", ", argument(place))
    end
    true
end
expr_form!(:comprehension, :typed_comprehension) do io, head, a, place
    length(a) == (head === :comprehension ? 1 : 2) || return false
    head === :comprehension || show_at(io, a[1], argument(place))
    print(io, '[')
    show_generator(io, a[end], place)
    print(io, ']')
    true
end
expr_form!(:generator, :flatten) do io, head, a, place
    length(a) >= (head === :generator ? 2 : 1) || return false
    print(io, '(')
    show_generator(io, Expr(head, a...), place)
    print(io, ')')
    true
end
expr_form!(:filter) do io, head, a, place
    length(a) == 2 || return false
    show_at(io, a[2], argument(place))
    print(io, " if ")
    show_at(io, a[1], argument(place))
    true
end

# Statements with a body. The header stands behind the keyword, the body indented below, and the next line begins at the place.
function show_body(io, keyword, header, body, place)
    print(io, keyword)
    items = header === nothing ? Any[] : is_headed(header, :block, :quote) ? header.args : Any[header]
    isempty(items) || print(io, ' ')
    show_items(io, items, keyword === :elseif ? " " : ", ", argument(place))
    inner = keyword in (:module, :baremodule) ? place : deeper(place)
    for x in (is_headed(body, :block, :quote) ? body.args : Any[body])
        print(io, '\n', " "^inner.indent)
        show_at(io, x, statement(inner))
    end
    print(io, '\n', " "^place.indent)
end
function show_to_end(io, keyword, header, body, place)
    show_body(outside_index(io), keyword, header, body, place)
    print(io, "end")
    true
end
expr_form!(:for, :while, :let, :function, :macro, :if, :elseif) do io, head, a, place
    if length(a) == 2
        header = head === :function && is_headed(a[1], :call) ? Expr(:calldecl, a[1].args...) :
            head === :function && is_headed(a[1], :...) ? Expr(:tuple, a[1]) : a[1]
        show_to_end(io, head, header, is_headed(a[2], :block) ? a[2] : Expr(:block, a[2]), place)
    elseif length(a) == 1 && head in (:function, :macro)
        print(io, head, ' ')
        show_at(outside_index(io), a[1], ExprPlace(0, 0, 0))
        print(io, " end")
    elseif length(a) == 3 && head in (:if, :elseif)
        show_body(outside_index(io), head, a[1], a[2], place)
        is_headed(a[3], :elseif) ? show_at(outside_index(io), a[3], place) : show_to_end(io, "else", nothing, a[3], place)
    else
        return false
    end
    true
end
expr_form!(:do) do io, head, a, place
    length(a) == 2 || return false
    io = outside_index(io)
    show_at(io, a[1], statement(place))
    params = a[2].args[1].args
    print(io, isempty(params) ? " do" : " do ")
    show_items(io, params, ", ", ExprPlace(0, 0, place.quotes))
    show_to_end(io, "", nothing, a[2].args[2], place)
end
expr_form!(:module) do io, head, a, place
    length(a) == 3 && a[1] isa Bool && show_to_end(io, a[1] ? :module : :baremodule, a[2], a[3], place)
end
expr_form!(:struct) do io, head, a, place
    length(a) == 3 && show_to_end(io, a[1] ? "mutable struct" : "struct", a[2], a[3], place)
end
expr_form!(:primitive, :abstract) do io, head, a, place
    length(a) == (head === :primitive ? 2 : 1) || return false
    print(io, head, " type ")
    show_items(outside_index(io), a, ' ', argument(place))
    print(io, " end")
    true
end
expr_form!(:try) do io, head, a, place
    3 <= length(a) <= 5 || return false
    inner = outside_index(io)
    show_body(inner, "try", nothing, a[1], place)
    is_headed(a[3], :block) && show_body(inner, "catch", a[2] === false ? nothing : a[2], a[3], place)
    length(a) >= 5 && is_headed(a[5], :block) && show_body(inner, "else", nothing, a[5], place)
    length(a) >= 4 && is_headed(a[4], :block) && show_body(inner, "finally", nothing, a[4], place)
    print(io, "end")
    true
end
expr_form!(:block) do io, head, a, place
    get(io, :in_index, false)::Bool || return show_to_end(io, "begin", nothing, Expr(:block, a...), place)
    # Inside an index, `begin` is a number.
    inner = deeper(place)
    print(io, '(')
    for i in eachindex(a)
        i > 1 && print(io, i == 2 && a[1] isa LineNumberNode ? "" : ";", '\n', " "^inner.indent)
        show_at(io, a[i], statement(inner))
    end
    print(io, isempty(a) ? ";;)" : length(a) == 1 ? ";)" : ")")
    true
end

# Statements of one line.
expr_form!(:return, :const, :local, :global) do io, head, a, place
    head === :return && length(a) == 1 && a[1] === nothing && (print(io, head); return true)
    length(a) == 1 || head in (:local, :global) || return false
    print(io, head, ' ')
    show_items(io, a, ", ", argument(place))
    true
end
expr_form!(:break, :continue) do io, head, a, place
    isempty(a) && (print(io, head); true)
end
expr_form!(:export, :public) do io, head, a, place
    print(io, head, ' ')
    show_items(io, map(as_macro_name, a), ", ", ExprPlace(place.indent, 0, 0))
    true
end
is_import_path(x, renamed = true) = renamed && is_headed(x, :as) && length(x.args) == 2 ? is_import_path(x.args[1], false) :
    is_headed(x, :.) && !isempty(x.args) && all(s -> s isa Symbol, x.args)
is_import_list(x) = is_headed(x, :(:)) && length(x.args) > 1 && all(is_import_path, x.args)
expr_form!(:import, :using) do io, head, a, place
    length(a) == 1 && is_import_list(a[1]) || all(is_import_path, a) || return false
    print(io, head, ' ')
    for i in eachindex(a)
        i > 1 && print(io, ", ")
        show_import(io, a[i], place)
    end
    true
end
function show_import(io, x, place)
    if is_headed(x, :(:))
        show_import(io, x.args[1], place)
        for i in 2:length(x.args)
            print(io, i == 2 ? ": " : ", ")
            show_import(io, x.args[i], place)
        end
    elseif is_headed(x, :.)
        for (i, s) in enumerate(x.args)
            last_one = i == length(x.args)
            s === :. ? print(io, '.') : s === :.. ? print(io, "(..)") : show_sym(io, s; allow_macroname = last_one)
            s === :. || last_one || print(io, '.')
        end
    else
        show_at(io, x, argument(place))
    end
end
expr_form!(:as) do io, head, a, place
    length(a) == 2 && is_import_path(a[1], false) || return false
    show_import(io, a[1], place)
    print(io, " as ")
    show_at(io, a[2], argument(place))
    true
end

# Prefix and postfix marks.
expr_form!(:(::), :(<:), :(>:)) do io, head, a, place
    length(a) == 1 || return false
    print(io, head)
    show_at(io, a[1], argument(place))
    true
end
expr_form!(:...) do io, head, a, place
    length(a) == 1 || return false
    level = operator_precedence(:(:)) - 1
    wrap = level <= place.level
    wrap && print(io, '(')
    show_at(io, a[1], at_level(place, level))
    print(io, wrap ? "...)" : "...")
    true
end
expr_form!(:&, :$) do io, head, a, place
    length(a) == 1 && !(head === :$ && get(io, :unquote_fallback, true)::Bool) || return false
    x = a[1]
    wrap = x isa Expr && !(x.head in (:tuple, :$, :vect, :braces)) || x isa Symbol && isoperator(x)
    print(io, head, wrap ? "(" : "")
    show_at(io, x, ExprPlace(0, 0, place.quotes - (head === :$)))
    wrap && print(io, ')')
    true
end
expr_form!(:where) do io, head, a, place
    length(a) > 1 || return false
    wrap = place.level >= 1
    wrap && print(io, '(')
    show_at(io, a[1], at_level(place, operator_precedence(:(::))))
    print(io, " where ")
    length(a) == 2 ? show_at(io, a[2], at_level(place, 1)) : show_enclosed(io, '{', a[2:end], ", ", '}', argument(place))
    wrap && print(io, ')')
    true
end
expr_form!(:quote) do io, head, a, place
    length(a) == 1 && a[1] isa Symbol && return (show_quotation(outside_index(io), a[1], argument(place)); true)
    get(io, :unquote_fallback, true)::Bool && return false
    inner = quoted_more(place)
    if length(a) == 1 && !is_headed(a[1], :block)
        print(io, ":(")
        show_at(outside_index(io), a[1], argument(deeper(inner, 2)))
        print(io, ')')
        return true
    end
    show_to_end(io, "quote", nothing, Expr(:quote, (length(a) == 1 ? a[1].args : a)...), inner)
end

# Strings with interpolation, and macros.
expr_form!(:string) do io, head, a, place
    length(a) == 1 && a[1] isa AbstractString && return (show(io, a[1]); true)
    print(io, '"')
    for x in a
        if x isa AbstractString
            escape_string(io, x, "\"\$")
        else
            print(io, "\$(")
            x isa Symbol && !(x in PARENTHESIZED_QUOTES) ? show_sym(io, x) : show_at(io, x, ExprPlace(0, 0, place.quotes))
            print(io, ')')
        end
    end
    print(io, '"')
    true
end
# A name that may begin with `@`.
as_macro_name(x) = x isa Symbol && startswith(string(x), '@') || x isa GlobalRef || is_headed(x, :.) && length(x.args) == 2 && is_quoted(x.args[2]) ?
    Expr(:macroname, x) : x
is_core_macro(x, names...) = x isa GlobalRef && x.mod === Core && x.name in names
is_string_macro(a) = a[1] isa Symbol && length(a) >= 3 && a[3] isa String && startswith(string(a[1]), '@') && endswith(string(a[1]), "_str")
expr_form!(:macrocall) do io, head, a, place
    length(a) >= 2 || return false
    if is_core_macro(a[1], Symbol("@cmd"))
        print(io, '`', a[3], '`')
    elseif is_core_macro(a[1], Symbol("@int128_str"), Symbol("@uint128_str"), Symbol("@big_str"))
        print(io, a[3])
    elseif is_string_macro(a)
        name = string(a[1])
        print(io, name[2:prevind(name, lastindex(name), 4)], '"')
        escape_raw_string(io, a[3])
        print(io, '"')
        length(a) == 4 && print(io, a[4])
    else
        (a[2] isa LineNumberNode || is_headed(a[2], :line)) && print(io, a[2], ' ')
        # Where something follows, the call takes parentheses.
        place.level >= 0 ? show_call(io, '(', ')', as_macro_name(a[1]), a[3:end], place) :
            show_items(io, Any[as_macro_name(a[1]), a[3:end]...], ' ', argument(place))
    end
    true
end
expr_form!(:macroname) do io, head, a, place
    x = a[1]
    if x isa Symbol
        show_sym(io, x; allow_macroname = true)
    elseif x isa GlobalRef
        show_globalref(io, x; allow_macroname = true)
    else
        m, name = x.args[1], unquoted(x.args[2])
        wrap = !(m isa Symbol || m isa GlobalRef || is_headed(m, :.) && length(m.args) == 2)
        wrap && print(io, '(')
        show_unquoted(io, m)
        print(io, wrap ? ")." : ".")
        name isa Symbol ? show_sym(io, name; allow_macroname = true) : show_unquoted(io, name)
    end
    true
end
expr_form!(:line) do io, head, a, place
    1 <= length(a) <= 2 && (show_linenumber(io, a...); true)
end
expr_form!(:gotoifnot) do io, head, a, place
    length(a) == 2 && a[2] isa Int || return false
    print(io, "unless ")
    show_at(io, a[1], argument(place))
    print(io, " goto %", a[2])
    true
end
expr_form!(:null) do io, head, a, place
    print(io, "nothing")
    true
end
