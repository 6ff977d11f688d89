# Types whose fields have the names of their parameters.
using Test

struct Factors{L, U, P}
    L::L
    U::U
    p::P
end
mutable struct Cell{value}
    value::value
    Cell(value) = new{typeof(value)}(value)
end
@testset "fields and parameters" begin
    f = Factors(1, 2.0, :a)
    @test f isa Factors{Int, Float64, Symbol} && (f.L, f.U, f.p) === (1, 2.0, :a)
    @test Factors{Float64, Int, Symbol}(1, 2, :a).L === 1.0
    @test fieldnames(Factors) == (:L, :U, :p)
    @test Cell(3).value === 3
end
