# What contains itself is shown as Julia shows it, not for ever.
using Test

@testset "circular references" begin
    x = Any[1]
    push!(x, x)
    @test string(x) == "Any[1, Any[#= circular reference @-1 =#]]"
    y = Any[x]
    @test string(y) == "Any[Any[1, Any[#= circular reference @-1 =#]]]"
    d = Dict{Any, Any}()
    d[:self] = d
    @test string(d) == "Dict{Any, Any}(:self => Dict{Any, Any}(#= circular reference @-1 =#))"
    m = Matrix{Any}(undef, 1, 1)
    m[1] = m
    @test occursin("circular reference @-1", string(m))
    twice = Any[[1], [1]]
    @test string(twice) == "Any[[1], [1]]"
end

mutable struct Node
    next::Any
end

@testset "objects" begin
    n = Node(nothing)
    n.next = n
    @test string(n) == "Node(Node(#= circular reference @-1 =#))"
    n.next = Any[n]
    @test string(n) == "Node(Any[Node(#= circular reference @-2 =#)])"
end

@testset "many operands" begin
    # A call with more operands than a method can be specialized for, one by one.
    @test eval(Expr(:call, :+, 1:500...)) == sum(1:500)
    @test eval(Expr(:call, :*, ["a" for _ in 1:300]...)) == "a"^300
    @test eval(Expr(:call, :max, 1:100...)) == 100
    @test +(1:33...) == sum(1:33) && +(1:34...) == sum(1:34) && +(1:35...) == sum(1:35) && +(1:36...) == sum(1:36)
end
