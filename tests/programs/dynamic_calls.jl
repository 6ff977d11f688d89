# Calls between compiled functions that are dispatched when they run.
using Test

abstract type Shape end
struct Square <: Shape; a::Int; end
struct Oblong <: Shape; a::Int; b::Float64; end
struct Named <: Shape; name::String; end
mutable struct Pad <: Shape; n::Int; end
struct Nought <: Shape end
area(s::Square) = s.a * s.a
area(s::Oblong) = s.a * s.b
area(s::Named) = s.name
area(s::Pad) = (s.n += 1; s.n)
area(::Nought) = nothing
const shapes = Shape[Square(3), Oblong(2, 1.5), Named("n"), Pad(0), Nought()]
function areas(n)
    all = Any[]
    for i in 1:n
        push!(all, area(shapes[i % 5 + 1]))
    end
    all
end
found = areas(10_000)
@test length(found) == 10_000 && found[1:5] == [3.0, "n", 1, nothing, 9]
@test found[end-4:end] == [3.0, "n", 2000, nothing, 9]

# Numbers in boxes, unions of plain data, tuples, functions, types, keywords, any number of arguments.
mix(x, y) = (x, y)
mix(x::Int, y::Union{Int, Float64}) = x + y
mix(x::Type, y) = x
mix(f::Function, y) = f(y)
mix(x::Tuple, y::Nothing) = x[1]
pick(i) = i % 2 == 0 ? i : i + 0.5
const operands = Any[1, 2.5, (1, 2), "s", Int, -, nothing, 'c', 0x01, Float32]
function mixes(n)
    all = Any[]
    for i in 1:n
        x, y = operands[i % 10 + 1], pick(i)
        push!(all, x isa Tuple && i % 3 == 0 ? mix(x, nothing) : mix(x, y))
    end
    all
end
const some = mixes(12_000)
@test some[1] === (2.5, 1.5) && some[3] === ("s", 3.5) && some[2] === ((1, 2), 2) && some[4] === Int && some[5] === -5.5
@test some[10] === 11 && some[12] === 1 && some[22] === ((1, 2), 22) && some[9] === Float32
@test some[11_990:12_000] == mixes(12_000)[11_990:12_000]
rest(x, more...) = (x, length(more))
rest(x::String, more...; by = 1) = (x, length(more) + by)
rests(n) = [rest(operands[i % 10 + 1], ntuple(identity, i % 3)...) for i in 1:n]
@test rests(9000)[1:3] == [(2.5, 1), ((1, 2), 2), ("s", 1)]
named(x; scale = 1) = x isa Number ? x * scale : scale
nameds(n) = [named(operands[i % 10 + 1]; scale = i) for i in 1:n]
@test nameds(6000)[[1, 3, 10]] == [2.5, 3, 10]
unspecialized(@nospecialize(x), y::Int) = x isa Int ? x + y : y
specials(n) = sum(i -> unspecialized(operands[i % 10 + 1], i), 1:n)
@test specials(9000) == sum(1:9000) + 900

# What a callee throws passes through, with its place.
risky(x::Int) = x > 0 ? x : throw(DomainError(x, "not positive"))
risky(x::String) = error("a string: ", x)
function risks(values)
    sum = 0
    for v in values
        sum += risky(v)
    end
    sum
end
@test risks(Any[1:20_000;]) == 200010000
@test_throws DomainError risks(Any[1:9000; -1])
@test_throws ErrorException("a string: s") risks(Any[1:9000; "s"])
trace = try
    risks(Any[1:9000; -1])
catch
    stacktrace(catch_backtrace())
end
@test any(it -> it.func === :risky, trace) && any(it -> it.func === :risks, trace)
@test_throws MethodError risks(Any[1:9000; 1.5])

# A new method counts from the next call on; a running loop keeps to its world.
kind(x::Int) = :old
kinds(values) = [kind(v) for v in values]
@test all(==(:old), kinds(Any[1:9000;]))
kind(x::Int) = :new
@test all(==(:new), kinds(Any[1:9000;]))
kind(x::Float64) = :float
@test kinds(Any[1, 1.5]) == [:new, :float]
function while_defined(values)
    all = Symbol[]
    for (i, v) in enumerate(values)
        i == 5000 && eval(:(kind(x::Int) = :newest))
        push!(all, kind(v))
    end
    all
end
@test unique(while_defined(Any[1:9000;])) == [:new]
@test kind(1) === :newest
latest(values) = [Base.invokelatest(kind, v) for v in values]
@test unique(latest(Any[1:9000;])) == [:newest]

# Deep recursion by dispatch ends as any does.
const deeper = Ref{Any}(nothing)
descend(n) = n == 0 ? 0 : 1 + deeper[](n - 1)
deeper[] = descend
@test descend(3000) == 3000
forever(n) = deeper[](n + 1)
deeper[] = forever
@test_throws StackOverflowError forever(1)
deeper[] = descend
@test descend(3000) == 3000

# What is on its way in a call is kept.
keep(x::String, y) = (GC.gc(false); string(x, y))
keep(x::Vector{Int}, y) = (GC.gc(false); x[end] + y)
kept(n) = [keep(i % 2 == 0 ? string("text ", i) : Any[[i, i + 1]][1], i) for i in 1:n]
@test kept(600)[[1, 2, 599, 600]] == [3, "text 22", 1199, "text 600600"]
