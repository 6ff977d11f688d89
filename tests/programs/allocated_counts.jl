# `@allocated` and `@allocations` count what compiled code allocates, also where the code runs for the first time and is
# interpreted: immutable values count when an object refers to them, mutable ones when they are made.
using Test

struct Point
    x::Float64
    y::Float64
end
mutable struct Counter
    n::Int
end
struct Holder
    inner::Any
end

shift(p) = Point(p.x + 1, p.y)
pairs_of(a, b) = ((a, b), (b, a))
total(v) = (s = 0.0; for x in v; s += x; end; s)
keyword(; scale, offset = 1) = 3scale + offset
spread(xs...) = length(xs)
closure_sum(v, k) = sum(x -> k * x, v)

@testset "nothing" begin
    p, v, short = Point(1, 2), rand(50), rand(10)
    @test (@allocated shift(p)) == 0
    @test (@allocated pairs_of(p, 1)) == 0
    @test (@allocated total(v)) == 0
    @test (@allocated keyword(scale = 2)) == 0
    @test (@allocated spread(1, 2.0, p)) == 0
    @test (@allocated closure_sum(v, 2)) == 0
    @test (@allocated 0:0.5:10) == 0
    @test (@allocated foldr(-, v)) == 0
    @test (@allocated sum(Iterators.reverse(v))) == 0
    @test (@allocated sort((3, 1, 2); rev = true)) == 0
    @test (@allocations sort!(short; by = abs)) == 0
    @test (@allocations view(v, 2:3)) == 0
    @test (@allocations Float64[]) <= 1
    many() = hypot(ntuple(_ -> rand(), Val(32))...)
    @test (@allocated many()) == 0
    A = rand(4, 5)
    @test (@allocated maximum!(zeros(1, 5), A)) < 200
    w, u = similar(v), similar(v)
    add!(w, v, u) = @. w = v + 2u
    @test (@allocated add!(w, v, u)) == 0
    @test @timed(shift(p)).bytes == 0
end

@testset "something" begin
    @test (@allocations Counter(1)) == 1
    @test (@allocated Counter(1)) > 0
    @test (@allocations zeros(10)) == 2
    @test (@allocated zeros(1000)) >= 8000
    # A field of any type holds a reference.
    p = Point(1, 2)
    any_of(p) = Any[shift(p), shift(p)]
    @test (@allocations any_of(p)) == 4
    @test (@allocations Holder(100_000)) >= 1
    refs = Vector{Any}(undef, 2)
    keep!(refs, p) = (q = shift(p); refs[1] = q; refs[2] = q)
    @test (@allocations keep!(refs, p)) == 1
    @test (@allocations string(12, "a")) >= 1
end

# The work that makes a method ready to run is not the program's.
@generated spelled(x) = :(x + $(length(string(x, x))))
@test (@allocated spelled(1)) == 0
