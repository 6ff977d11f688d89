# Traces name the function, its arguments, its module and its place; exceptions keep their causes.
using Test

module Outer
    module Inner
        @noinline fails(x; factor = 2.0) = error("no ", x * factor)
    end
    module Calls
        import ..Inner: fails
        calls() = fails(3; factor = 1.5)
    end
end
function trace_of(f)
    try
        f()
    catch
        catch_backtrace()
    end
end
count_of(part, text) = length(findall(part, text))
trace_text(f) = sprint(Base.show_backtrace, trace_of(f))

@testset "frames" begin
    text = trace_text(Outer.Calls.calls)
    @test occursin("fails(x::Int64; factor::Float64)", text)
    @test occursin("@ Main.Outer.Inner", text)
    @test occursin("calls()", text)
    @test !occursin("kwcall", text)
    frames = stacktrace(trace_of(Outer.Calls.calls))
    @test frames[1].func === :error
    @test any(f -> f.func === :calls && f.line == 10 && endswith(string(f.file), "stack_traces.jl"), frames)
    @test parentmodule(frames[end - 1]) isa Module || frames[end].linfo === nothing
    here() = stacktrace()
    around() = here()
    @test [f.func for f in around()[1:2]] == [:here, :around] || string(around()[1].func)[1] == '#'
end

recursive(n) = n == 0 ? error("deep") : recursive(n - 1)
ping(n) = n == 0 ? backtrace() :
    pong(n - 1)
pong(n) = ping(n)
@testset "repetitions" begin
    @test occursin("recursive(n::Int64) (repeats 21 times)", trace_text(() -> recursive(20)))
    @test occursin("the above 2 lines are repeated 39 more times", sprint(Base.show_backtrace, ping(40)))
end

@testset "causes" begin
    deep(n) = n == 1 ? error("root") : try
        deep(n - 1)
    catch
        error("n = $n")
    end
    count, root = try
        deep(5)
    catch
        length(current_exceptions()), current_exceptions()[1].exception
    end
    @test (count, root) == (5, ErrorException("root"))
    @test isempty(current_exceptions())
    first_trace = []
    try
        try
            error("a")
        catch
            first_trace = catch_backtrace()
            rethrow(ErrorException("b"))
        end
    catch e
        @test e == ErrorException("b")
        @test catch_backtrace() == first_trace
        @test length(current_exceptions()) == 1
    end
    @test_throws ErrorException("rethrow(exc) not allowed outside a catch block") rethrow(ErrorException("x"))
    failed = @task try
        error("first")
    catch
        error("second")
    end
    yield(failed)
    @test [e.exception.msg for e in current_exceptions(failed)] == ["first", "second"]
    @test_throws ErrorException current_exceptions(@task nothing)
    waits = @async wait(failed)
    text = try
        wait(waits)
    catch e
        sprint(showerror, e)
    end
    @test startswith(text, "TaskFailedException\n\n    nested task error: TaskFailedException")
    @test count_of("Stacktrace:", text) >= 2
end

@testset "code that is evaluated" begin
    frames = try
        eval(Expr(:toplevel, LineNumberNode(42, :elsewhere), :(error("no"))))
    catch
        stacktrace(catch_backtrace())
    end
    @test (frames[2].file, frames[2].line) == (:elsewhere, 42)
    @eval evaluated() = 1
    @test endswith(string(which(evaluated, Tuple{}).file), "stack_traces.jl")
    frames = try
        include_string(Main, "\n\n)\n", "a_text")
    catch
        stacktrace(catch_backtrace())
    end
    @test (frames[1].func, frames[1].file, frames[1].line) == (Symbol("top-level scope"), :a_text, 3)
end

@testset "hot code" begin
    sums(v, n) = (s = 0; for i in 1:n; s += v[i]; end; s)
    sums(ones(Int, 100_000), 100_000)
    frames = stacktrace(trace_of(() -> sums(ones(Int, 100_000), 100_001)))
    @test any(f -> occursin("sums", string(f.func)) || occursin("sums", string(f)), frames)
end

@testset "catch assigns a variable around it" begin
    caught = nothing
    try
        error("kept")
    catch caught
    end
    @test caught == ErrorException("kept")
end

@testset "limits of types in text" begin
    @test Base.type_depth_limit("A{B{C}, D}", 0; maxdepth = 1) == "A{…}"
    @test Base.type_depth_limit("A{B{C}, D}", 9) == "A{B{…}, D}" || Base.type_depth_limit("A{B{C}, D}", 9) == "A{…}"
    @test Base.type_depth_limit("A{B{C}, D}", 10) == "A{B{C}, D}"
end

module Twins
    one() = (twin() = error("inner"); twin())
    twin() = one()
end
@testset "functions of one name and line stay apart" begin
    frames = stacktrace(trace_of(Twins.twin))
    text = sprint(Base.show_backtrace, frames)
    @test occursin("one()", text) && count_of("twin", text) >= 2
end
halves(xs) = [x isa Int ? x / 2 : error("no number") for x in xs]
@testset "a comprehension's own frames" begin
    text = trace_text(() -> halves(Any[1, 2.0, "a"]))
    @test occursin("collect_to!(dest::Vector{Float64}", text) && occursin("offs::Int64", text)
end
