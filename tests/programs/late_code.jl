# Code that is generated when compiled code first calls it: functions that have not run when their caller is compiled.
using Test

struct Wide
    a::Float64
    b::Int
    c::NTuple{4,Float64}
    d::String
end

@noinline wide(x, n) = Wide(x, n, (x, 2x, 3x, 4x), "n = $n")
@noinline many(a, b, c, d, e, f, g, h, u, v, w) = a + 2b + 3c + 4d + 5e + 6f + 7g + 8h + u * v - w
@noinline nothing_much(x) = nothing
@noinline function looped(n)
    s = 0
    for i in 1:n
        s += i & 3
    end
    return s
end
@noinline narrow(x::Float32, y::Int8) = x * y
@noinline fails(n) = n > 0 ? throw(ArgumentError("late $n")) : n
@noinline outer_fails(n) = fails(n) + 1
@noinline even(n) = n == 0 ? true : odd(n - 1)
@noinline odd(n) = n == 0 ? false : even(n - 1)

# Each branch is taken once, long after the loop has been compiled.
function branches(n)
    s = 0.0
    text = ""
    for i in 1:n
        s += i % 7
        if i == n - 8
            w = wide(1.5, i)
            s += w.a + w.b + sum(w.c)
            text = w.d
        elseif i == n - 7
            s += many(1, 2.0, 3, 4.0, 5, 6, 7, 8, 0.5, 4.0, 1)
        elseif i == n - 6
            nothing_much(i)
        elseif i == n - 5
            s += looped(100_000)
        elseif i == n - 4
            s += narrow(2.5f0, Int8(-3))
        elseif i == n - 3
            s += even(1001) + 2 * even(1000)
        end
    end
    return s, text
end

function plain(n)
    s = 0.0
    for i in 1:n
        s += i % 7
    end
    w = Wide(1.5, n - 8, (1.5, 3.0, 4.5, 6.0), "")
    s += w.a + w.b + sum(w.c)
    s += 1 + 4.0 + 9 + 16.0 + 25 + 36 + 49 + 64 + 2.0 - 1
    return s + sum(i & 3 for i in 1:100_000) - 7.5 + 2
end

@testset "arguments and results" begin
    for n in (20_000, 20_001)
        s, text = branches(n)
        @test s == plain(n)
        @test text == "n = $(n - 8)"
    end
end

# An exception that late code throws comes through the compiled code that called it.
function catches(n)
    caught = 0
    for i in 1:n
        if i > n - 3
            try
                outer_fails(i)
            catch why
                caught += why isa ArgumentError && why.msg == "late $i"
            end
        end
    end
    return caught
end

throws(n) = (s = 0; for i in 1:n; s += i; i == n && outer_fails(i); end; s)

@testset "exceptions" begin
    @test catches(20_000) == 3
    frames = try
        throws(20_000)
    catch
        string.(getfield.(stacktrace(catch_backtrace()), :func))
    end
    @test "fails" in frames && "outer_fails" in frames && "throws" in frames
end

# The code is of the caller's world, though it is made after a definition.
late_answer() = 1
@noinline calls_answer(n) = late_answer() + n
function defines(n)
    s = 0
    for i in 1:n
        s += 1
        if i == n - 1
            @eval late_answer() = 10
        elseif i == n
            s += calls_answer(0)
        end
    end
    return s
end

@test defines(20_000) == 20_001
@test calls_answer(5) == 15
@test defines(20_000) == 20_010

# A task switches within late code, and other tasks run compiled code meanwhile.
@noinline function waits(c, n)
    put!(c, n)
    yield()
    return take!(c) + n
end
function in_tasks(c, n)
    s = 0
    for i in 1:n
        s += 1
        i == n && (s += waits(c, i))
    end
    return s
end

@testset "tasks" begin
    tasks = [Task(() -> in_tasks(Channel{Int}(1), 20_000 + k)) for k in 1:4]
    foreach(schedule, tasks)
    @test fetch.(tasks) == [3 * (20_000 + k) for k in 1:4]
end

# Objects that only the late call's arguments refer to outlive the collections in which its code is made.
@noinline joined(a, b, c) = string(a, b, c)
function with_objects(n)
    text = ""
    for i in 1:n
        if i > n - 2
            text = joined(string("x", i), [i, i + 1], Ref(i)[])
        end
    end
    return text
end

@testset "objects" begin
    @test with_objects(20_000) == "x20000[20000, 20001]20000"
end
