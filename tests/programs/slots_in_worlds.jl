# Compiled code runs only in worlds that its slots and its method are for, however it is reached: by kept callees of dynamic calls,
# by old entries that are called often, by statements that the host runs, and after finalizers that define something.
using Test

# Twelve calls that no compiled loop is around, a hundred times and more.
macro often(call)
    esc(:(for _ in 1:110
        $(fill(call, 12)...)
    end))
end
@noinline untyped(x) = Base.inferencebarrier(x)

@noinline callee(x) = x + 1
@noinline function twice(x)
    s = 0
    for i in 1:2
        s += callee(x)
    end
    return s
end
@noinline function by_dispatch(n)
    f = untyped(twice)
    s = 0
    for i in 1:n
        s += f(i)::Int
    end
    return s
end
@noinline function first_caller(n)
    s = 0
    for i in 1:n
        s += by_dispatch(10)
    end
    return s
end
@noinline function second_caller(n)
    s = 0
    for i in 1:n
        s += by_dispatch(10) + 1000
    end
    return s
end
warm() = @often twice(1)
warm_second() = @often second_caller(0)
@testset "a callee that a site keeps" begin
    answers, go_on = Channel{Int}(0), Channel{Int}(0)
    task = @async begin
        warm()
        first_caller(3000)
        put!(answers, first_caller(1))
        take!(go_on)
        put!(answers, second_caller(1) - 1000)
    end
    @test take!(answers) == 130
    Core.eval(@__MODULE__, :(@noinline callee(x) = x + 2))
    Base.invokelatest(warm)
    @test Base.invokelatest(twice, 1) == 6
    Base.invokelatest(warm_second)
    put!(go_on, 1)
    @test take!(answers) == 130
    wait(task)
end

@noinline leaf(x) = x + 1
@noinline function replaced(x)
    s = 0
    for i in 1:2
        s += leaf(x) + 1
    end
    return s
end
@noinline unrelated(x) = x + 1
@noinline function other(x)
    s = 0
    for i in 1:2
        s += unrelated(x) + 1
    end
    return s
end
@often replaced(1)
warm_other() = @often other(1)
warm_other()
const BEFORE = Base.get_world_counter()
@noinline function replaced(x)
    s = 0
    for i in 1:2
        s += leaf(x) + 100
    end
    return s
end
@noinline unrelated(x) = x + 10
warm_other()
@noinline never_called(x) = x + 1
const WITH_FIRST = Base.get_world_counter()
@noinline never_called(x) = x + 2
@testset "a method that was replaced, called often in its world" begin
    @test (replaced(1), other(1)) == (204, 24)
    @test all(_ -> Base.invoke_in_world(BEFORE, replaced, 1) == 6, 1:3000)
    @test all(_ -> Base.invoke_in_world(WITH_FIRST, never_called, 10) == 11, 1:3000)
    @test never_called(10) == 12
end

@noinline fail(x) = throw(ArgumentError("old"))
@noinline function check(x)
    s = 0
    for i in 1:2
        x > 10^6 && fail(x)
        s += x
    end
    return s
end
function message()
    for q in 1:110
        @often check(q)
    end
    try
        check(10^7)
    catch e
        e.msg
    end
end
@testset "a call that leads to a throw" begin
    @test message() == "old"
    for r in 1:3
        Core.eval(@__MODULE__, :(@noinline fail(x) = throw(ArgumentError($"new $r"))))
        @test Base.invokelatest(message) == "new $r"
        @test Base.invokelatest(message) == "new $r"
    end
end

@noinline step(x) = x + 1
@noinline function steps(n)
    s = 0
    for i in 1:n
        s += step(i)
    end
    return s
end
mutable struct Box
    x::Int
end
warm_steps() = @often Base.invokelatest(steps, 10)
const finalized = Int[]
function redefine(box)
    Core.eval(Main, :(@noinline step(x) = x + $(box.x)))
    warm_steps()
    push!(finalized, box.x)
    return nothing
end
@noinline drop(r) = (finalizer(redefine, Box(r)); nothing)
function under_finalizers(r)
    expected = steps(10)
    drop(r)
    wrong = 0
    for i in 1:1500
        garbage = Core.memorynew(Memory{Int}, 40000)
        wrong += steps(10) != expected
    end
    return wrong
end
@testset "finalizers that redefine" begin
    warm_steps()
    for r in 2:12
        @test Base.invokelatest(under_finalizers, r) == 0
    end
    @test !isempty(finalized)
end
