# The package Test itself: what passes, what counts as broken, and what a set with failures throws.
using Test
@testset "forms" begin
    @test true
    @test 1 < 2 < 3
    @test 1.0 ≈ 1.1 atol = 0.2
    @test isapprox(1.0, 1.05; rtol = 0.1)
    @test !isempty([1])
    @test (1, 2) == (1, 2) && true
    @test_throws DomainError sqrt(-1.0)
    @test_throws ErrorException("no") error("no")
    @test_throws "out" error("out of here")
    @test_broken 1 == 2
    @test_skip error("never run")
    @test 1 == 2 broken = true
    @test (@inferred 1 + 1) == 2
    x = 5
    @test x == 5
end
sets = @testset "loop $i" for i in 1:2
    @test i > 0
end
@test length(sets) == 2
@testset "nested" verbose = true begin
    @testset "inner" begin
        @test true
    end
end
# These fail on purpose.
failed = try
    @testset "failing" begin
        @test 1 == 2
        @test error("inside")
        @test_throws ArgumentError 1
        @test true
    end
    nothing
catch e
    e
end
@test failed isa TestSetException
@test (failed.pass, failed.fail, failed.error, failed.broken) == (1, 2, 1, 0)
