# Tests and sets of tests: counting, reporting failures with the values involved, and the summary table.
module Test

export @test, @test_throws, @testset, @test_broken, @test_skip, @inferred, @test_logs, @test_warn, @test_nowarn,
    @test_deprecated, TestSetException, GenericArray, GenericString, GenericDict, GenericSet, GenericOrder,
    detect_ambiguities, detect_unbound_args, TestLogger, LogRecord

# Whether no bit is set beyond the last element.
function _check_bitarray_consistency(b::BitArray)
    length(b) == prod(size(b)) && length(b.chunks) == Base.num_bit_chunks(length(b)) || return false
    r = length(b) & 63
    r == 0 || b.chunks[end] >> r == 0
end

abstract type AbstractTestSet end
abstract type Result end

struct Pass <: Result
    test_type::Symbol
    orig_expr::Any
    value::Any
    source::Any
end
struct Fail <: Result
    test_type::Symbol
    orig_expr::String
    data::Any
    value::Any
    source::Any
end
struct Error <: Result
    test_type::Symbol
    orig_expr::String
    value::Any
    source::Any
end
struct Broken <: Result
    test_type::Symbol
    orig_expr::Any
    source::Any
end

# What the expression of a test gave: a value with how it was computed, or an exception.
struct Returned
    value::Any
    data::Any
end
struct Threw
    exception::Any
end

# Reports.
place(source) = source === nothing ? "none:0" : string(source.file === nothing ? "none" : source.file, ":", source.line)
function Base.show(io::IO, t::Fail)
    print(io, "Test Failed at ", place(t.source), "\n  Expression: ", t.orig_expr)
    if t.test_type === :test_throws_wrong
        print(io, "\n    Expected: ", t.data, "\n      Thrown: ", t.value)
    elseif t.test_type === :test_throws_nothing
        print(io, "\n    Expected: ", t.data, "\n  No exception thrown")
    elseif t.test_type === :test_logs
        print(io, "\n  Log Pattern: ", t.data, "\n  Captured Logs: ", t.value)
    elseif t.test_type === :test_warn
        print(io, "\n    Expected: ", t.data, "\n     Written: ", t.value)
    elseif t.test_type === :test && t.data !== nothing
        print(io, "\n   Evaluated: ", t.data)
    end
    nothing
end
function Base.show(io::IO, t::Error)
    if t.test_type === :test_unbroken
        print(io, "Error During Test at ", place(t.source), "\n Unexpected Pass\n Expression: ", t.orig_expr,
            "\n Got correct result, please change to @test if no longer broken.\n")
        return nothing
    end
    print(io, "Error During Test at ", place(t.source))
    if t.test_type === :test_nonbool
        print(io, "\n  Expression evaluated to non-Boolean\n  Expression: ", t.orig_expr, "\n       Value: ", t.value)
    elseif t.test_type === :nontest_error
        print(io, "\n  Got exception outside of a @test\n  ", indented(t.value))
    else
        print(io, "\n  Test threw exception\n  Expression: ", t.orig_expr, "\n  ", indented(t.value))
    end
    nothing
end
Base.show(io::IO, t::Pass) = print(io, "Test Passed")
Base.show(io::IO, t::Broken) = print(io, "Test Broken\n  Expression: ", t.orig_expr)
indented(text) = replace(text, "\n" => "\n  ")
function error_text(e)
    try
        return sprint(showerror, e)
    catch
        return string(typeof(e))
    end
end

# Outside every set a failure ends the program at once.
struct FallbackTestSetException <: Exception
    msg::String
end
Base.showerror(io::IO, e::FallbackTestSetException) = print(io, e.msg)
struct TestSetException <: Exception
    pass::Int
    fail::Int
    error::Int
    broken::Int
    errors_and_fails::Vector{Any}
end
Base.show(io::IO, e::TestSetException) = print(io, "Some tests did not pass: ", e.pass, " passed, ", e.fail, " failed, ",
    e.error, " errored, ", e.broken, " broken.")
Base.showerror(io::IO, e::TestSetException) = show(io, e)

mutable struct DefaultTestSet <: AbstractTestSet
    description::String
    results::Vector{Any}
    passed::Int
    verbose::Bool
    time_start::Float64
    time_end::Float64
end
DefaultTestSet(description::AbstractString; verbose::Bool = false, kws...) =
    DefaultTestSet(String(description), Any[], 0, verbose, time(), 0.0)

const OPEN_SETS = Any[]
# The innermost open set, apart from the list because each passing test asks for it.
const INNERMOST = Ref{Any}(nothing)
get_testset_depth() = length(OPEN_SETS)
get_testset() = INNERMOST.x
push_testset(ts) = (push!(OPEN_SETS, ts); INNERMOST.x = ts)
function pop_testset()
    ts = pop!(OPEN_SETS)
    INNERMOST.x = isempty(OPEN_SETS) ? nothing : OPEN_SETS[end]
    ts
end

record(ts::DefaultTestSet, t::Pass) = (setfield!(ts, :passed, ts.passed + 1); t)
record(ts::DefaultTestSet, t::Broken) = (push!(ts.results, t); t)
record(ts::DefaultTestSet, t::AbstractTestSet) = (push!(ts.results, t); t)
function record(ts::DefaultTestSet, t::Union{Fail, Error})
    println(ts.description, ": ", t)
    println()
    push!(ts.results, t)
    t
end
record(::Nothing, t::Union{Pass, Broken}) = t
function record(::Nothing, t::Union{Fail, Error})
    println(t)
    println()
    throw(FallbackTestSetException("There was an error during testing"))
end

struct Counts
    passes::Int
    fails::Int
    errors::Int
    broken::Int
end
total(c::Counts) = c.passes + c.fails + c.errors + c.broken
one_of(::Fail) = Counts(0, 1, 0, 0)
one_of(::Error) = Counts(0, 0, 1, 0)
one_of(::Broken) = Counts(0, 0, 0, 1)
one_of(::Any) = Counts(0, 0, 0, 0)
one_of(ts::DefaultTestSet) = counts(ts)
plus(a::Counts, b::Counts) = Counts(a.passes + b.passes, a.fails + b.fails, a.errors + b.errors, a.broken + b.broken)
function counts(ts)
    c = Counts(ts.passed, 0, 0, 0)
    for r in ts.results
        c = plus(c, one_of(r))
    end
    c
end
any_bad(ts) = (c = counts(ts); c.fails + c.errors > 0)
shows_children(ts) = any_bad(ts) || ts.verbose
function failures!(out, ts)
    for r in ts.results
        r isa DefaultTestSet ? failures!(out, r) : r isa Union{Fail, Error} && push!(out, r)
    end
    out
end

# The table.
function duration_text(ts)
    s = ts.time_end - ts.time_start
    minutes = floor(Int, s / 60)
    minutes == 0 && return string(tenths(s), "s")
    string(minutes, "m", lpad(tenths(s - 60 * minutes), 4, "0"), "s")
end
tenths(s) = (n = round(Int, 10 * s); string(div(n, 10), ".", rem(n, 10)))
name_width(ts, depth) = max(2 * depth + textwidth(ts.description), maximum(
    Int[name_width(r, depth + 1) for r in ts.results if r isa DefaultTestSet && shows_children(ts)]; init = 0))
column_width(title, n) = n == 0 ? 0 : max(length(title), ndigits(n))
function print_test_results(ts)
    c = counts(ts)
    titles = ("Pass", "Fail", "Error", "Broken")
    widths = map(column_width, titles, (c.passes, c.fails, c.errors, c.broken))
    total_width = max(5, ndigits(total(c)))
    time_width = max(4, textwidth(duration_text(ts)))
    align = max(name_width(ts, 0), textwidth("Test Summary:"))
    print(rpad("Test Summary:", align), " | ")
    for k in 1:4
        widths[k] > 0 && print(lpad(titles[k], widths[k]), "  ")
    end
    println(lpad("Total", total_width), "  ", lpad("Time", time_width))
    print_counts(ts, 0, align, widths, total_width, time_width)
end
function print_counts(ts, depth, align, widths, total_width, time_width)
    c = counts(ts)
    print(rpad(string("  "^depth, ts.description), align), " | ")
    numbers = (c.passes, c.fails, c.errors, c.broken)
    for k in 1:4
        widths[k] > 0 && print(lpad(numbers[k] == 0 ? " " : string(numbers[k]), widths[k]), "  ")
    end
    println(lpad(total(c) == 0 ? "None" : string(total(c)), total_width), "  ", lpad(duration_text(ts), time_width))
    shows_children(ts) || return nothing
    for r in ts.results
        r isa DefaultTestSet && print_counts(r, depth + 1, align, widths, total_width, time_width)
    end
    nothing
end
function finish(ts::DefaultTestSet)
    ts.time_end = time()
    if get_testset_depth() != 0
        record(get_testset(), ts)
        return ts
    end
    print_test_results(ts)
    c = counts(ts)
    c.fails + c.errors > 0 && throw(TestSetException(c.passes, c.fails, c.errors, c.broken, failures!(Any[], ts)))
    ts
end
finish(ts) = ts

# Judging one test. While an image is built no kernel runs, so that what is tested means nothing. An expression becomes text
# where a report shows it: printing it takes longer than most tests.
function do_test(result, ex, source)
    if Base.building_image() || result === nothing
        t = Pass(:test, ex, true, source)
    elseif result isa Threw
        result.exception isa InterruptException && throw(result.exception)
        t = Error(:test_error, string(ex), error_text(result.exception), source)
    elseif result.value isa Bool
        t = result.value ? Pass(:test, ex, true, source) : Fail(:test, string(ex), result.data, false, source)
    else
        t = Error(:test_nonbool, string(ex), repr(result.value), source)
    end
    record(get_testset(), t)
end
# A test that passed; `nothing` if the test set may look at its expression.
function do_pass(source)
    ts = get_testset()
    ts isa Union{DefaultTestSet, Nothing} ? record(ts, Pass(:test, nothing, true, source)) : nothing
end
function do_broken_test(result, ex, source)
    good = !Base.building_image() && (result === nothing || (result isa Returned && result.value === true))
    record(get_testset(), good ? Error(:test_unbroken, string(ex), "", source) : Broken(:test, ex, source))
end
do_skipped_test(ex, source) = record(get_testset(), Broken(:skipped, ex, source))

# Computing the expression so that the values in it can be told. The common forms are computed in place by what the
# macro expands to; only a value other than `true` is described here.
function compared(value, name, a, b)
    Returned(value, Base.building_image() ? nothing : string(repr(a), " ", name, " ", repr(b)))
end
function called(value, negated, name, args)
    value isa Bool && !Base.building_image() || return Returned(value, nothing)
    Returned(value, string(negated ? "!" : "", "(", name, ")(", join(map(repr, args), ", "), ")"))
end
function compare(op, name, a, b; kws...)
    value = op(a, b; kws...)
    Returned(value, value === true || Base.building_image() ? nothing : string(repr(a), " ", name, " ", repr(b), options_text(kws)))
end
function compare_chain(operands, ops, names)
    value = true
    for i in 1:length(ops)
        value = ops[i](operands[i], operands[i + 1])
        value === true || break
    end
    (value === true || Base.building_image()) && return Returned(value, nothing)
    text = repr(operands[1])
    for i in 1:length(ops)
        text = string(text, " ", names[i], " ", repr(operands[i + 1]))
    end
    Returned(value, text)
end
options_text(kws) = isempty(kws) ? "" : string(" (", join([string(k, "=", repr(v)) for (k, v) in kws], ", "), ")")
function call_function(negated, f, name, args...; kws...)
    value = f(args...; kws...)
    negated && value isa Bool && (value = !value)
    (value === true || !(value isa Bool) || Base.building_image()) && return Returned(value, nothing)
    text = join(map(repr, args), ", ")
    isempty(kws) || (text = string(text, "; ", join([string(k, " = ", repr(v)) for (k, v) in kws], ", ")))
    Returned(value, string(negated ? "!" : "", "(", name, ")(", text, ")"))
end

const COMPARISONS = (:(==), :(!=), :<, :(<=), :>, :(>=), :(===), :(!==), :≈, :≉, :≤, :≥, :≠, :≡, :≢, :isa, :in, :∈, :∉,
    :⊆, :⊇, :(<:), :(>:), :∋, :isequal)
is_comparison(x) = x isa Symbol && x !== :isequal && x in COMPARISONS
is_splat(x) = x isa Expr && x.head === :...
plain_argument(x) = !(x isa Expr && (x.head === :... || x.head === :kw || x.head === :parameters || x.head === :do))
# The expression whose value is a `Returned`, or `nothing` if the test passes.
function returned_expr(ex, kws)
    options = Any[Expr(:kw, k.args[1], esc(k.args[2])) for k in kws]
    if ex isa Expr && ex.head === :call && length(ex.args) == 3 && is_comparison(ex.args[1]) &&
            !is_splat(ex.args[2]) && !is_splat(ex.args[3])
        isempty(options) && return compare_expr(esc(ex.args[1]), ex.args[1], ex.args[2], ex.args[3])
        call = Expr(:call, compare, Expr(:parameters, options...))
        push!(call.args, esc(ex.args[1]), QuoteNode(ex.args[1]), esc(ex.args[2]), esc(ex.args[3]))
        return call
    elseif ex isa Expr && ex.head in (:(<:), :(>:)) && length(ex.args) == 2
        return compare_expr(esc(ex.head), ex.head, ex.args[1], ex.args[2])
    elseif ex isa Expr && ex.head === :comparison && isempty(kws)
        operands = Any[esc(x) for x in ex.args[1:2:end]]
        ops = Any[esc(x) for x in ex.args[2:2:end]]
        names = Any[QuoteNode(x) for x in ex.args[2:2:end]]
        plain = all(x -> x isa Symbol && !startswith(string(x), "."), ex.args[2:2:end])
        plain && return Expr(:call, compare_chain, Expr(:tuple, operands...), Expr(:tuple, ops...), Expr(:tuple, names...))
    end
    function_expr(ex, options)
end
compare_expr(op, name, a, b) = :(let op = $op, a = $(esc(a)), b = $(esc(b)), value = op(a, b)
    value === true ? nothing : $compared(value, $(QuoteNode(name)), a, b)
end)
function call_expr(negated, f, args)
    names = Symbol[gensym("argument") for _ in args]
    bindings = Any[Expr(:(=), name, esc(a)) for (name, a) in zip(names, args)]
    value = negated ? :($negate(f($(names...)))) : :(f($(names...)))
    Expr(:let, Expr(:block, :(f = $(esc(f))), bindings..., :(value = $value)), quote
        value === true ? nothing : $called(value, $negated, $(QuoteNode(f)), $(Expr(:tuple, names...)))
    end)
end
negate(value) = value isa Bool ? !value : value
function function_expr(ex, options)
    negated = ex isa Expr && ex.head === :call && length(ex.args) == 2 && ex.args[1] === :! &&
        ex.args[2] isa Expr && ex.args[2].head === :call
    inner = negated ? ex.args[2] : ex
    if inner isa Expr && inner.head === :call && inner.args[1] isa Symbol && named_function(inner.args[1])
        args = Any[]
        named = copy(options)
        for a in inner.args[2:end]
            if a isa Expr && a.head === :parameters
                append!(named, Any[esc(p) for p in a.args])
            elseif a isa Expr && a.head === :kw
                push!(named, Expr(:kw, a.args[1], esc(a.args[2])))
            else
                push!(args, esc(a))
            end
        end
        isempty(named) && !any(a -> is_splat(a.args[1]), args) &&
            return call_expr(negated, inner.args[1], Any[a.args[1] for a in args])
        call = Expr(:call, call_function)
        isempty(named) || push!(call.args, Expr(:parameters, named...))
        push!(call.args, negated, esc(inner.args[1]), QuoteNode(inner.args[1]))
        append!(call.args, args)
        return call
    end
    if !isempty(options) && ex isa Expr && ex.head === :call
        ex = Expr(:call, ex.args[1], Expr(:parameters, (Expr(:kw, o.args[1], o.args[2].args[1]) for o in options)...),
            ex.args[2:end]...)
    end
    Expr(:call, Returned, esc(ex), nothing)
end
# `&`, `|` and their like show nothing worth the reading.
named_function(f::Symbol) = Base.isidentifier(f)

caught(ex) = :(try
    $ex
catch err
    $Threw(err)
end)

macro test(ex, kws...)
    Base.@keep_expansions place
    broken = nothing
    skip = nothing
    options = Any[]
    for kw in kws
        kw isa Expr && kw.head === :(=) || error("invalid test macro call: @test ", ex, " ", kw)
        if kw.args[1] === :broken
            broken = esc(kw.args[2])
        elseif kw.args[1] === :skip
            skip = esc(kw.args[2])
        elseif kw.args[1] !== :context
            push!(options, kw)
        end
    end
    shown = isempty(options) ? QuoteNode(ex) : join([ex, (string(kw.args[1], " = ", kw.args[2]) for kw in options)...], " ")
    run = caught(returned_expr(ex, options))
    source = QuoteNode(__source__)
    judged = :(let outcome = $run
        passed = outcome === nothing ? $do_pass($source) : nothing
        passed === nothing ? $do_test(outcome, $shown, $source) : passed
    end)
    broken === nothing || (judged = :($broken ? $do_broken_test($run, $shown, $source) : $judged))
    skip === nothing || (judged = :($skip ? $do_skipped_test($shown, $source) : $judged))
    judged
end
macro test_broken(ex, kws...)
    Base.@keep_expansions place
    options = Any[kw for kw in kws]
    :($do_broken_test($(caught(returned_expr(ex, options))), $(QuoteNode(ex)), $(QuoteNode(__source__))))
end
macro test_skip(ex, kws...)
    Base.@keep_expansions place
    :($do_skipped_test($(QuoteNode(ex)), $(QuoteNode(__source__))))
end

macro test_throws(expected, ex)
    Base.@keep_expansions place
    run = :(try
        $Returned($(esc(ex)), nothing)
    catch err
        $Threw(err)
    end)
    :($do_test_throws($run, $(esc(expected)), $(QuoteNode(ex)), $(QuoteNode(__source__))))
end
macro test_throws(ex)
    Base.@keep_expansions place
    :(error("@test_throws needs the expected exception and an expression"))
end
function do_test_throws(result, expected, ex, source)
    Base.building_image() && return record(get_testset(), Pass(:test_throws, ex, nothing, source))
    if result isa Returned
        return record(get_testset(), Fail(:test_throws_nothing, string(ex), expected_text(expected), nothing, source))
    end
    e = result.exception
    ok = matches_expected(e, expected) || (e isa LoadError && matches_expected(e.error, expected)) || was_expected_before(e, expected, ex)
    ok && return record(get_testset(), Pass(:test_throws, ex, e, source))
    thrown = expected isa Type || expected isa Exception ? exception_text(e, expected) : error_text(e)
    record(get_testset(), Fail(:test_throws_wrong, string(ex), expected_text(expected), thrown, source))
end
# Exceptions that had another type in earlier versions of Julia, as its own tests accept them.
was_expected_before(e, expected, ex) = expected === ErrorException && e isa FieldError ||
    expected === LoadError && ex isa Expr && ex.head === :call && ex.args[1] in (:macroexpand, :macroexpand1, :(Base.macroexpand))
expected_text(expected) = expected isa AbstractString ? repr(expected) : string(expected)
exception_text(e, ::Type) = string(typeof(e))
exception_text(e, expected) = repr(e)
matches_expected(e, T::Type) = e isa T
matches_expected(e, text::AbstractString) = occursin(text, error_text(e))
matches_expected(e, pattern::Regex) = occursin(pattern, error_text(e))
matches_expected(e, f::Function) = f(error_text(e))
matches_expected(e, texts::Union{Tuple, AbstractArray}) = all(t -> matches_expected(e, t), texts)
function matches_expected(e, expected::Exception)
    typeof(e) === typeof(expected) || return false
    for i in 1:nfields(expected)
        isdefined(expected, i) == isdefined(e, i) || return false
        isdefined(e, i) && !isequal(getfield(e, i), getfield(expected, i)) && return false
    end
    true
end
matches_expected(e, expected) = isequal(e, expected)

# Sets.
macro testset(args...)
    Base.@keep_expansions place
    isempty(args) && error("No arguments to @testset")
    body = args[end]
    name = nothing
    options = Any[]
    for a in args[1:(end - 1)]
        if a isa AbstractString || a isa Expr && a.head === :string
            name = a
        elseif a isa Expr && a.head === :(=)
            push!(options, Expr(:kw, a.args[1], esc(a.args[2])))
        end
    end
    body isa Expr || error("Expected begin/end block or for loop as argument to @testset")
    body.head === :for && return testset_loop(name, options, body, __source__)
    if name === nothing
        name = body.head === :call ? string(body.args[1]) : "test set"
    end
    testset_run(esc(name), options, esc(body), __source__)
end
function testset_run(name, options, body, source)
    quote
        local ts = $(DefaultTestSet)($name; $(options...))
        $push_testset(ts)
        try
            let
                $body
            end
        catch err
            err isa InterruptException && rethrow()
            $record(ts, $Error(:nontest_error, "", $error_text(err), $(QuoteNode(source))))
        finally
            $pop_testset()
        end
        $finish(ts)
    end
end
function testset_loop(name, options, loop, source)
    spec = loop.args[1]
    specs = spec.head === :block ? spec.args : Any[spec]
    name === nothing && (name = Expr(:string, "test set", (Expr(:string, " ", s.args[1], " = ", s.args[1]) for s in specs)...))
    sets = gensym("sets")
    body = :(push!($sets, $(testset_run(esc(name), options, esc(loop.args[2]), source))))
    for s in reverse(specs)
        body = Expr(:for, esc(s), Expr(:block, body))
    end
    :(let $sets = Any[]
        $body
        $sets
    end)
end

include("Test/inferred.jl")
include("Test/records.jl")
include("Test/workload.jl")
include("Test/methods.jl")

# Wrappers that have nothing but the interface of their kind.
struct GenericArray{T, N} <: AbstractArray{T, N}
    a::Array{T, N}
end
GenericArray{T}(args...) where {T} = GenericArray(Array{T}(args...))
GenericArray{T, N}(args...) where {T, N} = GenericArray(Array{T, N}(args...))
Base.size(a::GenericArray) = size(a.a)
Base.getindex(a::GenericArray, i::Int...) = a.a[i...]
Base.setindex!(a::GenericArray, x, i::Int...) = (a.a[i...] = x; a)
Base.similar(a::GenericArray, ::Type{T}, dims::Tuple{Vararg{Int}}) where {T} = GenericArray(Array{T}(undef, dims))
struct GenericString <: AbstractString
    string::AbstractString
end
Base.ncodeunits(s::GenericString) = ncodeunits(s.string)
Base.codeunit(s::GenericString) = codeunit(s.string)::Type{<:Union{UInt8, UInt16, UInt32}}
Base.codeunit(s::GenericString, i::Integer) = codeunit(s.string, i)::Union{UInt8, UInt16, UInt32}
Base.isvalid(s::GenericString, i::Integer) = isvalid(s.string, i)::Bool
Base.iterate(s::GenericString, i::Integer = 1) = iterate(s.string, i)::Union{Nothing, Tuple{AbstractChar, Int}}
Base.reverse(s::GenericString) = GenericString(reverse(s.string))
Base.reverse(s::SubString{GenericString}) = GenericString(reverse(String(s)))
struct GenericDict{K, V} <: AbstractDict{K, V}
    s::AbstractDict{K, V}
end
Base.iterate(s::GenericDict, state...) = iterate(s.s, state...)
Base.length(s::GenericDict) = length(s.s)
Base.get(s::GenericDict, k, d) = get(s.s, k, d)
Base.pop!(s::GenericDict, k) = pop!(s.s, k)
Base.setindex!(s::GenericDict, v, k) = setindex!(s.s, v, k)
Base.isempty(s::GenericDict) = isempty(s.s)
# Values that have an order and nothing else.
struct GenericOrder{T}
    val::T
end
Base.isless(a::GenericOrder, b::GenericOrder) = isless(a.val, b.val)
struct GenericSet{E} <: AbstractSet{E}
    s::AbstractSet{E}
end
Base.iterate(s::GenericSet, state...) = iterate(s.s, state...)
Base.length(s::GenericSet) = length(s.s)

end
