# What a function that kiln lacks answers when it is asked, and the types of pairs of types.
using Test, LinearAlgebra

@testset "functions that kiln lacks have no methods" begin
    @test !hasmethod(svd, (Matrix{Float64},)) && !hasmethod(svd, (Int,), (:full,))
    @test hasmethod(lu, (Matrix{Float64},)) && hasmethod(getfield, (Any, Int))
    @test_throws Base.UnsupportedError svd([1.0 2; 3 4])
end

struct Own end
LinearAlgebra.svd(::Own) = :own
@testset "methods of a program count" begin
    @test hasmethod(svd, (Own,)) && !hasmethod(svd, (Int,)) && svd(Own()) === :own
end

either(::Int, ::Any) = 1
either(::Any, ::Int) = 2
@testset "calls that are ambiguous have no method" begin
    @test !hasmethod(either, (Int, Int)) && hasmethod(either, (Int, String))
end

@testset "pairs of types" begin
    p = :a => Int
    @test typeof(p) === Pair{Symbol, DataType} && p isa Pair{Symbol, DataType}
    @test typeof(Vector => Int) === Pair{UnionAll, DataType} && typeof(Union{Int, Char} => 1) === Pair{Union, Int}
    @test typeof([p, :b => Float64]) === Vector{Pair{Symbol, DataType}}
    @test typeof(Dict(:a => Int)) === Dict{Symbol, DataType} && typeof(Dict(Int => 1)) === Dict{DataType, Int}
    @test repr(p) == ":a => Int64" && p == (:a => Int)
    @test Pair{Symbol, Type{Int}}(:a, Int) isa Pair{Symbol, Type{Int}}
end

# What a pair holds is known where it is made.
zero_of() = zero((:a => Int).second)
@testset "inference of pairs of types" begin
    @test Base.return_types(zero_of, ()) == [Int]
    @test (@inferred zero_of()) === 0
end
