# Values that hold for a call and the tasks it starts; calling again what failed; finalizers; closures of one world.
using Test
using Base.ScopedValues
using Base.Experimental: @opaque

level = ScopedValue(1)
@test level[] == 1 && with(() -> level[], level => 3) == 3 && level[] == 1
@test (@with level => 4 level[]) == 4
with(level => 5.0) do
    @test level[] === 5 && fetch(Threads.@spawn level[]) == 5
end
@test_throws KeyError ScopedValue{Int}()[]

@test collect(ExponentialBackOff(n = 3, jitter = 0, factor = 2, first_delay = 1)) == [1.0, 2.0, 4.0]
count_calls = Ref(0)
fails_twice() = (count_calls[] += 1; count_calls[] < 3 && error("no"); count_calls[])
@test retry(fails_twice; delays = (0.001, 0.001))() == 3
@test_throws ErrorException retry(() -> error("no"); delays = (0.001,), check = (s, e) -> false)()

mutable struct Handle
    number::Int
end
closed = Int[]
handle = finalizer(h -> push!(closed, h.number), Handle(4))
finalize(handle)
finalize(handle)
@test closed == [4]
@test_throws ErrorException finalizer(identity, 1)

add = @opaque Tuple{Int, Int}->Int (x, y) -> x + y
@test add(1, 2) == 3 && add isa Core.OpaqueClosure{Tuple{Int, Int}, Int}
first_one, others... = 1:4
@test others == [2, 3, 4]
named(a::Real; y = 1) = y
named(a::Float64; y = 1) = 2y
@test invoke(named, Tuple{Real}, 1.0; y = 7) == 7

# Vectors that grow in place get undefined elements.
parts = Vector{Any}(undef, 2)
fill!(parts, 1)
Base._growbeg!(parts, 1)
Base._growend!(parts, 1)
@test length(parts) == 4 && !isassigned(parts, 1) && parts[2:3] == [1, 1] && !isassigned(parts, 4)
Base._deleteend!(parts, 1)
Base._deletebeg!(parts, 1)
@test parts == [1, 1] && unsafe_copyto!([1, 2, 3, 4], 2, [7, 8], 1, 2) == [1, 7, 8, 4]
