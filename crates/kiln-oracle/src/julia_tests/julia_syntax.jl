# JuliaSyntax's entry points over the session's own parser, as far as `Expr`s go.
module JuliaSyntax
export SyntaxNode, parsestmt, parseall, parseatom
struct SyntaxNode
    ex::Any
end
Core.eval(Base, :(Expr(n::$SyntaxNode) = n.ex))
struct ParseError <: Exception
    ex::Any
end
# Without a file name line nodes name no file.
without_file(x, name) = x
without_file(x::LineNumberNode, name) = x.file === name ? LineNumberNode(x.line) : x
function without_file(ex::Expr, name)
    map!(a -> without_file(a, name), ex.args, ex.args)
    ex
end
function parse_as(rule, text; filename = nothing, first_line = 1, version = v"1.12", keep_parens = true,
                  ignore_errors = false, ignore_trivia = true, ignore_warnings = true)
    # A text for an older version is read as the current one reads it: what differs is wrong.
    ex, next = Base._parse_string(text, filename === nothing ? "none" : filename, first_line, 1, rule)
    Meta.isexpr(ex, (:error, :incomplete)) && throw(ParseError(ex))
    filename === nothing ? without_file(ex, :none) : ex
end
for (name, rule) in ((:parsestmt, :statement), (:parseatom, :atom), (:parseall, :all))
    @eval $name(::Type{Expr}, text; kws...) = parse_as($(QuoteNode(rule)), text; kws...)
    @eval $name(::Type{SyntaxNode}, text; kws...) = SyntaxNode(parse_as($(QuoteNode(rule)), text; kws...))
end
end
using .JuliaSyntax
const isexpr = Meta.isexpr
function remove_macro_linenums!(ex)
    ex isa Expr || return ex
    ex.head === :macrocall && (ex.args[2] = nothing)
    foreach(remove_macro_linenums!, ex.args)
    ex
end
remove_all_linenums!(ex) = (Base.remove_linenums!(ex); remove_macro_linenums!(ex))
