# What compiled host code does before it throws: in its order, once, with the values of that moment, in its world.
using Test

# Effects stay before those that follow them, and where they are.
@noinline noted(log, x) = (push!(log, x); x)
struct Failed <: Exception; first::Int; second::Int; end
function in_order(i, log)
    if i % 3 == 0
        a = noted(log, 1)
        b = noted(log, 2)
        throw(Failed(b, a))
    end
    i
end
caught(f, args...) = try f(args...) catch err; err end
function all_in_order(n)
    for i in 1:n
        log = Int[]
        got = caught(in_order, i, log)
        i % 3 == 0 || (got == i && isempty(log) || return i; continue)
        got == Failed(2, 1) && log == [1, 2] || return i
    end
end
@test all_in_order(9000) === nothing

mutable struct Account; balance::Int; log::Vector{String}; end
@noinline describe(a) = "balance was $(a.balance)"
function withdraw(a, k)
    a.balance -= k
    if a.balance < 0
        message = describe(a)
        a.balance += k
        push!(a.log, "undone")
        error(message)
    end
    a.balance
end
function undone(n)
    for i in 1:n
        a = Account(5, String[])
        err = caught(withdraw, a, 10)
        err == ErrorException("balance was -5") && a.balance == 5 && a.log == ["undone"] || return i
    end
end
@test undone(9000) === nothing

@noinline effect(log, i) = (push!(log, i); string(i))
function some_twice(i, log)
    m = effect(log, i)
    n = effect(log, i + 1)
    isempty(m) && return 3
    error(m * n)
end
function some_before(i, log)
    m = effect(log, i)
    length(log) == 1 || error("never")
    error(m * "!")
end
function once(n)
    for i in 1:n
        log = Int[]
        caught(some_twice, i, log) == ErrorException(string(i, i + 1)) && log == [i, i + 1] || return i
        log = Int[]
        caught(some_before, i, log) == ErrorException(string(i, "!")) && log == [i] || return -i
    end
end
@test once(6000) === nothing

# What was read before a write is what is thrown.
mutable struct Holder; x::Any; end
struct Kept <: Exception; what::Any; end
setting = 1
function saved(i, m, v)
    t = (m.x, i)
    m.x = nothing
    c = copy(v)
    v[1] = 0
    g = setting
    global setting = -1
    throw(Kept((t, c, g)))
end
function all_saved(n)
    for i in 1:n
        global setting = i
        got = caught(saved, i, Holder("x"), [7, 8])
        got.what == (("x", i), [7, 8], i) || return i
    end
end
@test all_saved(6000) === nothing

# Objects on their way to an exception are kept.
struct Many <: Exception; a::Any; b::Any; c::Any; d::Any; e::Any; end
@noinline text_of(i) = string("text ", i)
@noinline text_and_collect(i) = (i % 500 == 0 && GC.gc(); string("last ", i))
function many(i)
    throw(Many(text_of(i), text_of(i + 1), text_of(i + 2), text_of(i + 3), text_and_collect(i)))
end
function all_many(n)
    for i in 1:n
        got = caught(many, i)
        got.a == "text $i" && got.d == "text $(i + 3)" && got.e == "last $i" || return i
    end
end
@test all_many(6000) === nothing

# A call that never returns is one of the running world.
@noinline fail(x) = error("old $x")
function fails_at_end(n)
    r = 0
    for i in 1:n
        i == n - 1 && @eval fail(x) = error("new")
        i == n && (r = fail(i))
    end
    r
end
@test caught(fails_at_end, 20_000) == ErrorException("old 20000")
@test caught(fail, 1) == ErrorException("new")

# Recursion that never returns, in a task, too.
@noinline deeper(n) = 1 + deeper(n + 1)
@noinline die(n) = n == 0 ? error("deep") : die(n - 1)
for i in 1:3000
    caught(die, 3)
end
in_task(f, args...) = fetch(@async caught(f, args...))
@test caught(deeper, 1) isa StackOverflowError && in_task(deeper, 1) isa StackOverflowError
@test caught(die, 5000) == in_task(die, 5000) == ErrorException("deep")

# A loop that was compiled while a variable had no value is not that with a value.
function counted(flag, n)
    local x
    flag && (x = 7)
    count = 0
    for i in 1:n
        @isdefined(x) && (count += x)
    end
    count
end
@test counted(false, 20_000) == 0
@test counted(true, 20_000) == 140_000

# A global that is declared with a type while code of an older world assigns it keeps to the type.
mutable struct Point; a::Int; b::Vector{Int}; end
global point
@noinline set_point(v) = (global point = v; nothing)
function retyping(n)
    for i in 1:n
        i == n - 1 && Core.eval(Main, :(global point::Point))
        i >= n - 1 && set_point((0x1234, 0x5678, 0x9abc, 0x1111))
    end
end
@test caught(retyping, 20_000) isa MethodError
@test !@isdefined(point)
set_point(Point(1, [2, 3]))
length_of(n) = (s = 0; for i in 1:n; s += length(point.b); end; s)
@test length_of(20_000) == 40_000
