# `try` in compiled host code: each function runs interpreted first, then so often that it is compiled, and again; the results are
# those of before.
using Test

struct Held <: Exception
    what::Any
end
mutable struct Counted
    n::Int
end

# A body with a loop is compiled after a thousand calls.
function attempt(f::F, x) where {F}
    result = nothing
    for _ in 1:1
        result = try
            f(x)
        catch err
            (typeof(err), sprint(showerror, err), length(current_exceptions()))
        end
    end
    result
end

function same(f, inputs)
    first = [attempt(f, x) for x in inputs]
    for _ in 1:1200, x in inputs
        attempt(f, x)
    end
    again = [attempt(f, x) for x in inputs]
    isequal(first, again) || @show first again
    isequal(first, again) && isempty(current_exceptions())
end

@noinline fails(x) = x % 3 == 0 ? throw(Held(x)) : x
@noinline below(x) = x <= 0 ? error("deep") : below(x - 1) + 1
const LOG = String[]
logged(f, x) = (empty!(LOG); r = f(x); (r, join(LOG, " ")))

@testset "handlers and what comes after them" begin
    kinds(x) = try
        x == 1 ? [1, 2][x + 2] : x == 2 ? sqrt(-1.0) : x == 3 ? div(1, x - 3) : x == 4 ? parse(Int, "x4") :
            x == 5 ? Dict(1 => 2)[x] : x == 6 ? Any["a"][1] + 1 : x == 7 ? (x::Any)::String : x == 8 ? below(3) : x
    catch err
        err isa MethodError ? err.f : sprint(showerror, err)
    end
    @test same(kinds, 0:8)
    with_else(x) = try
        fails(x)
    catch
        -1
    else
        fails(x + 2)
    end
    @test same(with_else, 0:6)
    in_finally(x) = logged(x) do x
        try
            push!(LOG, "body")
            fails(x)
        catch err
            push!(LOG, "caught")
            err.what == 3 && rethrow()
            err.what == 6 && throw(ErrorException("other"))
            -x
        finally
            push!(LOG, "finally")
        end
    end
    @test same(in_finally, 0:7)
    nothing_thrown(x) = try
        x + 1
    catch
        "never"
    end
    @test same(nothing_thrown, 0:2)
end

@testset "variables of a try" begin
    function assigned(x)
        a, b = 1, "b"
        local c
        try
            a = x
            b = a > 2 ? :b : 2.5
            x == 4 && error("early")
            c = [x]
            a = fails(x)
            c = nothing
        catch err
            a = (a, b, @isdefined(c) ? c : :undefined)
        end
        (a, b)
    end
    @test same(assigned, 0:6)
    function undefined(x)
        try
            x > 1 && error("before it")
            late = x
        catch
            late
        end
    end
    @test same(undefined, 0:3)
    function looped(n)
        total, last = 0, nothing
        for i in 1:n
            try
                last = i
                i % 4 == 0 && continue
                i == 9 && break
                total += fails(i)
                last = string(i)
            catch err
                total += 100 * err.what
                i == 6 && continue
                last = last isa Int ? last : 0
            finally
                total += 1000
            end
        end
        (total, last)
    end
    @test same(looped, 0:11)
    # What a handler changes of an object that was thrown, and the object itself.
    function identical(x)
        m = Counted(x)
        seen = nothing
        try
            m.n += 1
            throw(x > 1 ? Held(m) : m)
        catch err
            seen = err isa Held ? err.what : err
            seen.n += 10
        end
        (seen === m, m.n)
    end
    @test same(identical, 0:3)
    function captured(x)
        total = 0
        add(y) = (total += fails(y); total)
        foreach(1:3) do y
            try
                add(x + y)
            catch err
                total -= err.what
            end
        end
        total
    end
    @test same(captured, 0:5)
end

@testset "ways out of a try" begin
    function returned(x)
        for i in 1:3
            try
                x == i && return (:body, i)
                fails(x + i)
            catch err
                x == 5 && return (:handler, i)
            finally
                x == 7 && i == 2 && return (:finally, i)
            end
        end
        :end
    end
    @test same(returned, 0:8)
    function jumped(x)
        n = 0
        @label again
        try
            n += 1
            n < x && @goto again
            fails(x)
        catch
            n < 5 && @goto again
            n = -n
        end
        n
    end
    @test same(jumped, 0:6)
    function nested(x)
        try
            try
                fails(x)
            catch err
                try
                    fails(x + 3)
                catch other
                    (err.what, other.what, length(current_exceptions()))
                end
            finally
                x == 6 && error("from finally")
            end
        catch err
            (sprint(showerror, err), length(current_exceptions()))
        end
    end
    @test same(nested, 0:7)
    rethrown(x) = try
        try
            fails(x)
        catch err
            x == 6 ? rethrow(ErrorException("instead")) : rethrow()
        end
    catch err
        (typeof(err), length(current_exceptions()))
    end
    @test same(rethrown, 0:6)
    # The exception of a handler has the one that it handles as its cause.
    causes(x) = try
        try
            fails(x)
        catch
            error("b")
        end
    catch
        [typeof(it.exception) for it in current_exceptions()]
    end
    @test same(causes, 0:3)
end

@testset "exceptions of the runtime" begin
    endless(x) = endless(x + 1) + 1
    overflows(x) = try
        x == 0 ? 0 : endless(x)
    catch err
        typeof(err)
    end
    @test same(overflows, [0]) && overflows(1) === StackOverflowError && overflows(1) === StackOverflowError
    too_many(x) = try
        length(Vector{Int}(undef, x))
    catch err
        err isa OutOfMemoryError || err isa ArgumentError
    end
    @test same(too_many, [1, typemax(Int) ÷ 16])
    by_key(d) = try
        d[:k]
    catch err
        err.key
    end
    @test same(by_key, [Dict(:k => 1), Dict(:other => 2)])
    undefined_global(x) = try
        x > 0 ? not_defined_anywhere : x
    catch err
        err.var
    end
    @test same(undefined_global, 0:1)
    locked(x) = (l = ReentrantLock(); r = try lock(() -> fails(x), l) catch; :failed end; (r, islocked(l)))
    @test same(locked, 0:3)
    # A trace has the function that threw.
    traced(x) = try
        fails(x)
    catch
        any(it -> it.func === :fails, stacktrace(catch_backtrace()))
    end
    @test same(traced, 0:3)
end

@testset "world age" begin
    @eval newest() = 1
    function sees(x)
        try
            @eval newest() = 2
            fails(x)
        catch
            (newest(), Base.invokelatest(newest))
        end
    end
    @test sees(3) == (1, 2)
    @eval newest() = 1
    @test same(x -> (r = sees(3); @eval(newest() = 1); r), [1])
end

# Loops that are compiled while they run: with a `try`, and in one.
@testset "hot loops" begin
    function each_turn(n)
        total, last = 0, nothing
        for i in 1:n
            try
                last = i
                total += fails(i)
                last = "done"
            catch err
                total -= err.what
                i % 9 == 0 && continue
                total += last
            finally
                total += 1
            end
        end
        (total, last)
    end
    @test each_turn(6) == (6 + 1 + 2 - 3 + 3 + 4 + 5 - 6 + 6, 6)
    @test each_turn(30_001) == (1 + sum(i % 9 == 0 ? 1 - i : i % 3 == 0 ? 1 : i + 1 for i in 1:30_000) + 30_001, "done")
    function left(n, at)
        total = 0
        for i in 1:n
            try
                i == at && return (:returned, i, total)
                total += fails(i)
            catch
                i > 20_000 && break
            finally
                total += 2
            end
        end
        (:ended, total)
    end
    @test left(30_000, 25_000)[1] === :ended && left(30_000, 15_000)[1:2] == (:returned, 15_000)
    function thrown(n)
        seen = 0
        for i in 1:n
            try
                seen = i
                i == 10_000 ? fails(9) : i
            catch err
                throw(Held((err.what, seen)))
            end
        end
    end
    @test_throws Held((9, 10_000)) thrown(20_000)
    @test isempty(current_exceptions())
    # In a `try`: the handler reads nothing that the loop assigns, or it does.
    function within(n)
        log = String[]
        total = 0
        try
            for i in 1:n
                total += i == 15_000 ? fails(9) : 1
            end
            push!(log, "all")
        catch err
            push!(log, string(err.what))
        finally
            push!(log, "finally")
        end
        log
    end
    @test within(10_000) == ["all", "finally"] && within(20_000) == ["9", "finally"]
    function reads(n)
        i = 0
        try
            while i < n
                i += 1
                i == 15_000 && fails(9)
            end
        catch
            return -i
        end
        i
    end
    @test reads(10_000) == 10_000 && reads(20_000) == -15_000
end

hits, misses = 0, 0
for i in 1:5000
    try
        fails(i)
        global hits += 1
    catch
        global misses += 1
    end
end
@test (hits, misses) == (3334, 1666)
