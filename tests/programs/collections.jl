# Collections run while a program does: what it cannot reach is freed, finalized, and leaves weak references; what it can reach
# is there.
using Test

mutable struct Node
    value::Int
    next::Union{Node, Nothing}
end

# Memory does not grow while objects are made and dropped, and does while they are kept.
live() = Core.Host.allocated_bytes(:live)
function chain(n)
    first = nothing
    for i in 1:n
        first = Node(i, first)
    end
    first
end
total(node) = (s = 0; while node !== nothing; s += node.value; node = node.next; end; s)
GC.gc()
before = live()
kept = chain(20_000)
for _ in 1:40
    chain(20_000)
end
GC.gc()
@test total(kept) == sum(1:20_000)
@test 20_000 * 24 <= live() - before < 20_000 * 24 + 4_000_000
kept = nothing
GC.gc()
@test live() - before < 4_000_000

# Large arrays go back to the system at once.
function arrays(n)
    s = 0.0
    for i in 1:n
        a = Vector{Float64}(undef, 2_000_000)
        a[end] = i
        s += a[end]
    end
    s
end
@test arrays(100) == 5050.0
@test live() - before < 200_000_000

# A finalizer runs once nothing reaches its object, with the object; or when it is asked for; the last added first.
const log = Any[]
mutable struct Resource
    name::String
end
function abandon(n)
    for i in 1:n
        finalizer(r -> push!(log, r.name), Resource(string("r", i)))
    end
end
abandon(100)
GC.gc()
GC.gc()
@test 95 <= length(log) <= 100
@test allunique(log) && all(startswith("r"), log)
held = Resource("held")
finalizer(r -> push!(log, "first"), held)
finalizer(r -> push!(log, "second"), held)
empty!(log)
GC.gc()
@test "first" ∉ log
finalize(held)
@test log[end-1:end] == ["second", "first"]
finalize(held)
@test count(==("first"), log) == 1
@test_throws ErrorException finalizer(identity, 3)
# A function that refers to its object does not keep it.
function own_closure()
    r = Resource("closed over")
    finalizer(_ -> push!(log, r.name), r)
    nothing
end
empty!(log)
own_closure()
abandon(1)
GC.gc()
GC.gc()
@test "closed over" in log
# One that throws is reported, and the others run.
function throws()
    finalizer(_ -> error("in a finalizer"), Resource("x"))
    finalizer(_ -> push!(log, "after"), Resource("y"))
    nothing
end
throws()
GC.gc()
GC.gc()
@test "after" in log
# While they are inhibited, they wait.
GC.disable_finalizers()
empty!(log)
abandon(10)
GC.gc()
@test isempty(log)
GC.enable_finalizers()
@test length(log) >= 9
# One that runs is not interrupted by others.
const depth, deepest, finalized = Ref(0), Ref(0), Ref(0)
function collecting_ones(n)
    for i in 1:n
        finalizer(Resource("")) do _
            deepest[] = max(deepest[], depth[] += 1)
            finalized[] += 1
            GC.gc()
            depth[] -= 1
        end
    end
end
GC.disable_finalizers()
collecting_ones(10)
GC.gc()
GC.enable_finalizers()
@test deepest[] == 1 && finalized[] >= 9

# Nor do they run while a lock is held, which they may want.
const guard, guarded = ReentrantLock(), Int[]
function guarded_ones(n)
    for i in 1:n
        finalizer(r -> lock(() -> push!(guarded, length(r.name)), guard), Resource(string(i)))
    end
end
lock(guard) do
    lock(guard) do
        guarded_ones(20)
        GC.gc()
    end
    @test isempty(guarded)
end
@test length(guarded) >= 19
# They may start tasks, also while tasks switch.
const told = Channel{Int}(Inf)
function telling(n)
    for i in 1:n
        finalizer(_ -> (@async put!(told, i)), Resource(""))
    end
end
for round in 1:5
    telling(20)
    @sync for i in 1:10
        @async (GC.gc(); yield())
    end
end
GC.gc()
yield()
@test 90 <= length(told.data) <= 100

# A weak reference names its object as long as another does.
strong = Resource("strong")
weak = WeakRef(strong)
lost() = WeakRef(Resource("lost"))
refs = [lost() for _ in 1:20]
GC.gc()
@test weak.value === strong
@test count(r -> r.value === nothing, refs) >= 19
d = WeakKeyDict{Resource, Int}()
d[strong] = 1
for i in 1:20
    d[Resource(string(i))] = i
end
GC.gc()
@test 1 <= length(d) <= 2
@test d[strong] == 1 && haskey(d, strong) && first(d)[1] in (strong,) || length(d) == 2
@test getkey(d, strong, nothing) === strong
@test [k for k in keys(d) if k === strong] == [strong]
delete!(d, strong)
@test !haskey(d, strong)

# Objects that raw addresses name stay while they are preserved.
function sums(n)
    s = 0
    for i in 1:n
        v = collect(1:10)
        GC.@preserve v begin
            p = pointer(v)
            i % 10 == 0 && GC.gc()
            s += unsafe_load(p, 10)
        end
    end
    s
end
@test sums(50) == 500

# Values that only running code has: arguments, elements that are splatted, exceptions, tasks that wait.
deep(n, x) = n == 0 ? (GC.gc(); x) : deep(n - 1, string(x, "") )
@test deep(300, "deep") == "deep"
struct Elements end
Base.iterate(::Elements, i = 1) = i > 5 ? nothing : (GC.gc(); (string("e", i), i + 1))
@test tuple(Elements()..., Elements()...) == ("e1", "e2", "e3", "e4", "e5", "e1", "e2", "e3", "e4", "e5")
caught = try
    error(string("an ", "error"))
catch e
    GC.gc()
    try
        throw(ArgumentError(string("an", "other")))
    catch inner
        GC.gc()
        (e.msg, inner.msg, length(current_exceptions()))
    end
end
@test caught == ("an error", "another", 2)
function pingpong(n)
    there, back = Channel{Any}(0), Channel{Any}(0)
    t = @async for x in there
        mine = string("got ", x)
        GC.gc()
        put!(back, mine)
    end
    out = String[]
    for i in 1:n
        put!(there, string(i))
        push!(out, take!(back))
    end
    close(there)
    wait(t)
    out
end
@test pingpong(5) == ["got 1", "got 2", "got 3", "got 4", "got 5"]

# A dictionary of strings that changes while collections run.
function churn(n)
    d = Dict{String, Vector{String}}()
    for i in 1:n
        k = string(i % 50)
        push!(get!(() -> String[], d, k), string("v", i))
        i % 97 == 0 && delete!(d, string(i % 31))
        i % 200 == 0 && GC.gc(false)
    end
    all(startswith("v"), Iterators.flatten(values(d)))
end
@test churn(2000)

# Measures.
@test Base.summarysize([1, 2, 3]) == 64
@test Base.summarysize("hello") == 13
@test Base.summarysize(1) == 8
shared = [1.0, 2.0]
@test Base.summarysize((shared, shared)) - Base.summarysize((shared,)) == 8
@test @allocated(Node(1, nothing)) == 32
t = @timed GC.gc()
@test 0 < t.gctime <= t.time
@test GC.enable(false)
@test !GC.enable(true)
# More than the system has is an exception, after which a program goes on.
@test_throws OutOfMemoryError zeros(10^13)
@test sum(ones(1000)) == 1000
