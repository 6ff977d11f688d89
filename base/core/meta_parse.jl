# Text to expressions, and what is wrong with a text.

# The parser's finding on a text that is wrong; `incomplete_tag` is `:none` if more text could not mend it.
struct ParseDetail
    message::String
    incomplete_tag::Symbol
end
showerror(io::IO, e::ParseDetail) = print(io, e.message)
function showerror(io::IO, e::Meta.ParseError)
    e.detail === nothing || return showerror(io, e.detail)
    # The message of a file that did not parse is the whole text.
    startswith(e.msg, "ParseError:") ? print(io, e.msg) : print(io, "ParseError(", repr(e.msg), ")")
end

function _parse_string(text::AbstractString, filename::AbstractString, lineno::Integer, index::Integer, options::Symbol)
    1 <= index <= ncodeunits(text) + 1 || throw(BoundsError(text, index))
    ex, next, problem, absent = Host.parse_string(String(text), Int(index), options, String(filename), Int(lineno))
    problem === nothing && return ex, next
    tag = absent === nothing ? :none : absent
    bad = Expr(tag === :none ? :error : :incomplete, Meta.ParseError(problem, ParseDetail(problem, tag)))
    options === :all || return bad, next
    push!(ex.args, bad)
    ex, next
end
Meta._parse_string(text, filename, lineno, index, options) = _parse_string(text, filename, lineno, index, options)
function Core._parse(text, filename::String, lineno::Int, offset::Int, options::Symbol)
    ex, next = _parse_string(text, filename, lineno, offset + 1, options)
    Core.svec(ex, next - 1)
end

function raise_parse_error(ex)
    problem = ex.args[1]
    throw(problem isa Exception ? problem : Meta.ParseError(string(problem)))
end
function Meta.parse(str::AbstractString, pos::Integer; filename = "none", greedy::Bool = true, raise::Bool = true,
                    depwarn::Bool = true)
    ex, next = _parse_string(str, String(filename), 1, pos, greedy ? :statement : :atom)
    raise && isexpr(ex, :error) && raise_parse_error(ex)
    ex, next
end
function Meta.parse(str::AbstractString; filename = "none", raise::Bool = true, depwarn::Bool = true)
    ex, next = Meta.parse(str, 1; filename, raise, depwarn)
    isexpr(ex, :error) && return ex
    next > ncodeunits(str) && return ex
    raise && throw(Meta.ParseError("extra token after end of expression"))
    Expr(:error, "extra token after end of expression")
end
Meta.parseatom(text::AbstractString, pos::Integer; filename = "none", lineno = 1) =
    _parse_string(text, String(filename), lineno, pos, :atom)
Meta.parseall(text::AbstractString; filename = "none", lineno = 1) =
    _parse_string(text, String(filename), lineno, 1, :all)[1]
parse_input_line(s::AbstractString; filename::AbstractString = "none", depwarn::Bool = true) =
    Meta.parseall(s; filename)

incomplete_tag(ex) = :none
incomplete_tag(e::ParseDetail) = e.incomplete_tag
incomplete_tag(e::Meta.ParseError) = incomplete_tag(e.detail)
incomplete_tag(ex::Expr) = !isexpr(ex, :incomplete) ? :none : ex.args[1] isa Meta.ParseError ? incomplete_tag(ex.args[1]) : :other

function include_string(mapexpr::Function, m::Module, text::AbstractString, filename::AbstractString = "string")
    line = 1
    result = nothing
    try
        for ex in Meta.parseall(text; filename).args
            if ex isa LineNumberNode
                line = ex.line
            else
                result = Core.eval(m, Expr(:toplevel, LineNumberNode(line, Symbol(filename)), mapexpr(ex)))
            end
        end
    catch problem
        rethrow(LoadError(String(filename), line, problem))
    end
    result
end
include_string(m::Module, text::AbstractString, filename::AbstractString = "string") =
    include_string(identity, m, text, filename)

is_line(x) = x isa LineNumberNode || isexpr(x, :line)
# Takes line numbers out of blocks, for trees that are compared.
function remove_linenums!(ex::Expr)
    (ex.head === :block || ex.head === :quote) && filter!(x -> !is_line(x), ex.args)
    for part in ex.args
        part isa Expr && remove_linenums!(part)
    end
    ex
end
remove_linenums!(x) = x

export include_string
