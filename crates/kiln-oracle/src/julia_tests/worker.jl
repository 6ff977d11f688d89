# Reports each site as it is reached, on standard error: a line that starts with the byte 1.
using Test, Random
# Julia's own runner does so too: files register the hints that they test.
isdefined(Base.Experimental, :_hint_handlers) && empty!(Base.Experimental._hint_handlers)
# As with `--depwarn=yes`.
isdefined(Base, :DEPWARN_MODE) && (Base.DEPWARN_MODE[] = 1)
module SiteLog
using Test
const SEEN = Dict{Tuple{Any, String}, Bool}()
function report(kind, source, text)
    source === nothing && return nothing
    key = (source, kind)
    haskey(SEEN, key) && return nothing
    SEEN[key] = true
    Base.Host.write_bytes(2, string("\x01site\t", kind, "\t", source.file, "\t", source.line, "\t",
        replace(first(text, 400), "\n" => " "), "\n"))
    nothing
end
# The lines of one file whose tests have passed.
mutable struct PassedLines
    file::Any
    lines::Vector{Bool}
end
const PASSED = PassedLines(nothing, Bool[])
function passed_before(source)
    source isa LineNumberNode || return false
    if PASSED.file !== source.file
        setfield!(PASSED, :file, source.file)
        empty!(PASSED.lines)
    end
    lines = PASSED.lines
    line = source.line
    while length(lines) < line
        push!(lines, false)
    end
    lines[line] && return true
    lines[line] = true
    false
end
kind_of(::Test.Pass) = "pass"
kind_of(::Test.Broken) = "pass"
function kind_of_exception(text)
    startswith(text, "UndefVarError") && return "no-name"
    startswith(text, "UnsupportedError") || startswith(text, "Base.UnsupportedError") ? "refused" : "exception"
end
function kind_of(t::Test.Fail)
    t.test_type === :test_throws_nothing && return "no-exception"
    t.test_type === :test_throws_wrong ? kind_of_exception(string(t.value)) : "wrong"
end
function kind_of(t::Test.Error)
    t.test_type === :test_unbroken && return "pass"
    t.test_type === :test_nonbool && return "wrong"
    kind_of_exception(string(t.value))
end
text_of(t) = ""
text_of(t::Test.Fail) = string(t.orig_expr, "  =>  ", t.data, t.value === nothing ? "" : string(" / ", t.value))
text_of(t::Test.Error) = string(t.orig_expr, "  =>  ", t.value)
function log_result end
function describe(t)
    try
        return text_of(t)
    catch
        return "?"
    end
end
end
# A site may pass hundred thousands of times; from the second time on it costs a look at a table of lines.
function SiteLog.log_result(t::Test.Pass)
    SiteLog.passed_before(t.source) || SiteLog.report("pass", t.source, "")
    t
end
function SiteLog.log_result(t)
    outside = t isa Test.Error && t.test_type === :nontest_error
    SiteLog.report(outside ? "outside" : SiteLog.kind_of(t), t.source, SiteLog.describe(t))
    t
end
# The methods of `Test` that these replace have the same signatures.
Test.record(ts::Test.DefaultTestSet, t::Test.Pass) = SiteLog.log_result(t)
Test.record(ts::Test.DefaultTestSet, t::Test.Broken) = SiteLog.log_result(t)
Test.record(ts::Test.DefaultTestSet, t::Union{Test.Fail, Test.Error}) = SiteLog.log_result(t)
Test.push_testset(Test.DefaultTestSet("file"))
