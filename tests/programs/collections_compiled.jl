# Compiled code holds objects in registers and on the stack alone, sometimes by an address inside of them: a collection in the
# middle finds them. Each function collects where it has nothing else, and makes garbage that would take the place of what is freed.
using Test

collect_now() = (GC.gc(); foreach(i -> string("garbage ", i), 1:20))
const COLLECT = Ref{Any}(collect_now)
pause() = COLLECT[]()

struct Wide
    a::Int
    name::String
    b::Float64
    other::Any
    c::Int
end
mutable struct Cell
    value::Any
    next::Union{Cell, Nothing}
end

# Elements one by one, forwards, backwards and by steps: the array's own address is not used any more.
function forwards(n)
    s = 0
    for x in [string("x", i) for i in 1:n]
        pause()
        s += length(x)
    end
    s
end
function backwards(n)
    v = [string("x", i) for i in 1:n]
    s = 0
    for i in n:-1:1
        @inbounds x = v[i]
        i % 3 == 0 && pause()
        s += length(x)
    end
    s
end
function steps(n)
    v = [Wide(i, string(i), i / 2, (i, string(i)), i) for i in 1:n]
    s = 0.0
    for i in 1:2:n
        w = @inbounds v[i]
        pause()
        s += w.a + length(w.name) + w.b + length(w.other[2]) + w.c
    end
    s
end
function numbers(n)
    v = Float64[i for i in 1:n]
    s = 0.0
    @inbounds for i in eachindex(v)
        i % 7 == 0 && pause()
        s += v[i]
    end
    s
end
# The parts of an immutable value, in registers.
function parts(n)
    s = 0
    for i in 1:n
        w = Wide(i, string("name", i), 1.5, Any[i, string(i)], 2)
        pause()
        s += length(w.name) + length(w.other[2]) + w.a
    end
    s
end
# What a phi or a union holds.
function choices(n)
    x = nothing
    s = 0
    for i in 1:n
        y = i % 2 == 0 ? string("even", i) : Cell(i, nothing)
        pause()
        s += y isa String ? length(y) : y.value::Int
        x = x === nothing ? y : x
    end
    (s, x isa Cell)
end
# A chain whose head moves on, and one that is built backwards.
function chain(n)
    c = nothing
    for i in 1:n
        c = Cell(string(i), c)
        i % 5 == 0 && pause()
    end
    s = 0
    while c !== nothing
        s += length(c.value::String)
        c = c.next
        c !== nothing && c.next === nothing && pause()
    end
    s
end
# References that move between objects while a collection marks.
function swaps(n)
    a, b = Any[string("a", i) for i in 1:n], Any[nothing for _ in 1:n]
    for round in 1:4
        for i in 1:n
            b[n + 1 - i], a[i] = a[i], b[n + 1 - i]
            i % 4 == 0 && pause()
        end
        a, b = b, a
    end
    count(x -> x isa String && startswith(x, "a"), vcat(a, b))
end
# The bytes of a string, and of a memory.
function bytes(n)
    s = 0
    for i in 1:n
        u = codeunits(string("text", i))
        pause()
        for c in u
            s += c
        end
    end
    s
end
function dictionary(n)
    d = Dict{String, Vector{Int}}()
    for i in 1:n
        push!(get!(() -> Int[], d, string(i % 7)), i)
        i % 4 == 0 && pause()
    end
    sum(sum, values(d))
end
function closures(n)
    fs = Any[let t = string(i); x -> length(t) + x; end for i in 1:n]
    s = 0
    for f in fs
        pause()
        s += f(1)::Int
    end
    s
end
function deep(n, x)
    for _ in 1:1
        n == 0 && (pause(); return length(x))
    end
    y = string(x, n % 10)
    r = deep(n - 1, y)
    r + length(y)
end

# They are called until they are compiled.
few(args) = map(x -> x isa Int ? 2 : x, args)
tasks = ((forwards, (30,)), (backwards, (30,)), (steps, (40,)), (numbers, (100,)), (parts, (7,)), (choices, (20,)), (chain, (40,)),
    (swaps, (16,)), (bytes, (20,)), (dictionary, (30,)), (closures, (20,)), (deep, (20, "")))
for (f, args) in tasks
    COLLECT[] = () -> nothing
    expected = f(args...)
    for _ in 1:1100
        f(few(args)...)
    end
    COLLECT[] = collect_now
    for _ in 1:3
        @test f(args...) == expected
    end
end
