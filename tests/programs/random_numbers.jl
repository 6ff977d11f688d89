# Random numbers: seeds repeat, values stay in their ranges, shapes and types are those asked for.
using Random, Test
@testset "seeds" begin
    Random.seed!(5)
    a = rand(4)
    Random.seed!(5)
    @test a == rand(4) && a != rand(4)
    @test rand(Xoshiro(7), 3) == rand(MersenneTwister(7), 3)
    r = Xoshiro(1)
    @test rand(copy(r)) == rand(r) && default_rng() isa AbstractRNG
end
@testset "values" begin
    @test all(x -> 0 <= x < 1, rand(500)) && all(x -> 0 <= x < 1, rand(Float32, 500)) && abs(sum(rand(2000)) / 2000 - 0.5) < 0.05
    @test all(in(3:7), rand(3:7, 200)) && sort(unique(rand(1:3, 200))) == [1, 2, 3] && rand([2, 4]) in (2, 4)
    @test rand(Bool) isa Bool && rand(UInt8) isa UInt8 && rand((1, 'a')) in (1, 'a') && rand("xy") in "xy"
    @test rand(ComplexF32) isa ComplexF32 && rand(-5:-5) == -5 && rand(Set([9])) == 9
    @test size(rand(2, 3)) == (2, 3) && size(rand(Int32, (4,))) == (4,) && eltype(rand(Float32, 2, 2)) == Float32
    @test length(rand!(zeros(3))) == 3 && all(!iszero, rand!(zeros(50)))
    @test_throws ArgumentError rand(1:0)
end
@testset "normal numbers" begin
    x = randn(4000)
    @test abs(sum(x) / 4000) < 0.1 && 0.9 < sum(abs2, x) / 4000 < 1.1 && randn(Float32) isa Float32
    @test size(randn(2, 2)) == (2, 2) && all(>=(0), randexp(100))
end
@testset "order" begin
    @test sort(shuffle(1:20)) == 1:20 && sort(randperm(9)) == 1:9 && isperm(randcycle(6))
    @test length(randstring(12)) == 12 && shuffle!([1]) == [1]
end
