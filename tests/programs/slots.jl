# Calls between compiled functions go through slots that a redefinition points elsewhere: what runs in an older world keeps what it
# called, and everything newer calls what is newest.
@noinline step(x) = x + 1
@noinline other(x) = 2x

function sum_of_steps(n)
    s = 0
    for i in 1:n
        s += step(i)
    end
    return s
end
function sum_of_both(n)
    s = 0
    for i in 1:n
        s += step(i) + other(i)
    end
    return s
end
println((sum_of_steps(10^4), sum_of_both(10^4)))

# Redefined with the same result type: callers stay as they are.
@noinline step(x) = x + 2
println((sum_of_steps(10^4), sum_of_both(10^4)))

# A function that redefines what it calls goes on with what it began with, its callers' callers, too.
function redefining(n)
    s = 0
    for i in 1:n
        i == n ÷ 2 && @eval @noinline step(x) = x + 3
        s += step(i)
    end
    return s
end
println(redefining(10^4))
println(redefining(10^4))
println((sum_of_steps(10^4), sum_of_both(10^4)))

nested(n, depth) = depth == 0 ? redefining_other(n) + sum_of_both(n) : nested(n, depth - 1) + sum_of_both(n)
@noinline redefining_other(n) = (@eval(@noinline other(x) = 5x); other(n))
for _ in 1:3
    println(nested(10^4, 3))
end

# Older worlds.
const WORLD = Base.get_world_counter()
@noinline step(x) = x - 1
println(sum_of_steps(10^4))
for _ in 1:5
    println(Base.invoke_in_world(WORLD, sum_of_steps, 10^4), " ", sum_of_steps(10^4))
end

# The first definition again.
@noinline step(x) = x + 1
println((sum_of_steps(10^4), sum_of_both(10^4)))

# A task that has begun keeps its world while others go on.
function slowly(n, started)
    s = 0
    for i in 1:n
        s += step(i)
        i == n ÷ 2 && (put!(started, true); yield())
    end
    return s
end
for round in 1:4
    started = Channel{Bool}(1)
    task = @async slowly(5000, started)
    take!(started)
    @eval @noinline step(x) = x + $(10round)
    now = Base.invokelatest(sum_of_steps, 5000)
    println((fetch(task), now, Base.invokelatest(sum_of_steps, 5000)))
end

# Many redefinitions, one slot.
total = 0
for round in 1:200
    @eval @noinline step(x) = x + $round
    global total += sum_of_steps(100) - sum_of_both(50)
end
println(total)

# Another result type: callers are compiled anew; and back.
@noinline step(x) = x + 0.5
println((sum_of_steps(10^4), sum_of_both(10^4)))
@noinline step(x) = x + 1
println((sum_of_steps(10^4), sum_of_both(10^4)))

# Chains of functions that are compiled and stay as they are.
@noinline function three(x)
    s = 0
    for i in 1:3
        s += step(x + i)
    end
    s
end
@noinline function six(x)
    s = 0
    for i in 1:2
        s += three(x + i)
    end
    s
end
function many(n)
    s = 0
    for k in 1:n
        s += six(k)
    end
    s
end
for r in 1:6
    @eval @noinline step(x) = x + $r
    println(Base.invokelatest(many, 3000))
    for k in 1:3000
        Base.invokelatest(six, k)
    end
end

# In `try`, by dispatch, by a function value.
function guarded(f, n)
    s = 0
    for i in 1:n
        s += try
            i % 100 == 0 ? error("no") : f(i) + step(i)
        catch
            step(-i)
        end
    end
    return s
end
for k in 1:3
    @eval @noinline other(x) = $k * x
    println(guarded(other, 5000), " ", guarded(Base.inferencebarrier(step), 5000))
    @eval @noinline step(x) = x * $k
end
