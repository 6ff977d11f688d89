# Runs a package's test/runtests.jl, which ARGS[1] names, statement by statement, and reports on standard error what became of each
# test in the text, one line an event that starts with the byte 1: `file`, `site` and `thrown`, with tabs between fields.
using Test
Base.isdefined(Base, :DEPWARN_MODE) && (Base.DEPWARN_MODE[] = 1)

module Sites
using Test

event(fields...) = Base.Host.write_bytes(2, string("\x01", join(map(f -> replace(first(string(f), 300), r"[\t\n]" => " "), fields), "\t"), "\n"))

const REPORTED = Dict{Any, Nothing}()
function log_result(t)
    t.source isa LineNumberNode || return t
    key = (t.source.file, t.source.line, typeof(t))
    haskey(REPORTED, key) && return t
    REPORTED[key] = nothing
    t isa Test.Error && t.test_type === :nontest_error ? event("thrown", t.source.file, t.source.line, t.value) :
        event("site", passes(t) ? "pass" : "fail", t.source.file, t.source.line, passes(t) ? "" : what(t))
    t
end
passes(t) = t isa Test.Pass || t isa Test.Broken || t isa Test.Error && t.test_type === :test_unbroken
what(t::Test.Fail) = string(t.orig_expr, "  =>  ", t.data, " ", t.value)
what(t::Test.Error) = string(t.orig_expr, "  =>  ", t.value)

# The lines of tests in an expression; those of macros in quoted code are no tests.
const NAMES = (Symbol("@test"), Symbol("@test_throws"), Symbol("@test_broken"), Symbol("@test_skip"), Symbol("@test_logs"),
    Symbol("@test_warn"), Symbol("@test_nowarn"), Symbol("@test_deprecated"))
lines_of_tests!(lines, ex) = lines
function lines_of_tests!(lines, ex::Expr)
    ex.head === :quote && return lines
    ex.head === :macrocall && ex.args[1] in NAMES && ex.args[2] isa LineNumberNode && push!(lines, ex.args[2].line)
    foreach(arg -> lines_of_tests!(lines, arg), ex.args)
    lines
end

# A `using` of several packages, of which some may be missing, is one of each.
parts(ex) = Meta.isexpr(ex, (:using, :import)) && !Meta.isexpr(ex.args[1], :(:)) ? [Expr(ex.head, arg) for arg in ex.args] : [ex]

# A file is included, so that code in it finds its own place; each statement is evaluated, and what it throws is reported.
const FOLDERS = String[]
function run_file(path, into = Main)
    full = isempty(FOLDERS) ? abspath(path) : normpath(joinpath(FOLDERS[end], path))
    event("file", full, length(lines_of_tests!(Set{Int}(), Meta.parseall(read(full, String); filename = full))))
    push!(FOLDERS, dirname(full))
    try
        Base.include(ex -> Expr(:call, run_statement, into, full, QuoteNode(ex)), into, full)
    finally
        pop!(FOLDERS)
    end
    nothing
end
function run_statement(into, file, ex)
    for part in parts(ex)
        try
            Meta.isexpr(part, :module) ? run_module(into, file, part) : Core.eval(into, part)
        catch e
            event("thrown", file, line_of(ex), sprint(showerror, e isa LoadError ? e.error : e))
        end
    end
end
# The statements of a module, one by one.
function run_module(into, file, ex)
    Core.eval(into, Expr(:module, ex.args[1], ex.args[2], Expr(:block)))
    inner = Core.eval(into, ex.args[2])
    ex.args[1] && Core.eval(inner, :(include(path::AbstractString) = $run_file(path, $inner)))
    foreach(it -> it isa LineNumberNode || run_statement(inner, file, it), ex.args[3].args)
end
line_of(ex) = 0
line_of(ex::Expr) = (k = findfirst(arg -> arg isa LineNumberNode, ex.args); k !== nothing ? ex.args[k].line :
    maximum(line_of, ex.args; init = 0))
end

# The methods of `Test` that these replace have the same signatures.
Test.record(ts::Test.DefaultTestSet, t::Test.Pass) = Sites.log_result(t)
Test.record(ts::Test.DefaultTestSet, t::Test.Broken) = Sites.log_result(t)
Test.record(ts::Test.DefaultTestSet, t::Union{Test.Fail, Test.Error}) = Sites.log_result(t)
Test.push_testset(Test.DefaultTestSet("file"))
include(path::String) = Sites.run_file(path)
const TESTS = abspath(popfirst!(ARGS))
cd(dirname(TESTS))
Sites.run_file(basename(TESTS))
