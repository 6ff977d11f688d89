# Joining arrays along dimensions, and reductions along them.
using Test

@testset "joins" begin
    @test [1 2; 3 4;;; 5 6; 7 8] == cat([1 2; 3 4], [5 6; 7 8], dims = 3)
    @test cat([1], [2 3], dims = (1, 2)) == [1 0 0; 0 2 3]
    @test_throws DimensionMismatch [[1, 2] [3, 4, 5]]
    @test_throws ArgumentError hvcat((2, 2), 1, 2, 3)
    t = (1, 2)
    @test [t...; 3 4] == [1 2; 3 4]
    @test vcat(trues(2), falses(1)) isa BitVector
    @test stack([[1, 2], [3, 4]], dims = 1) == [1 2; 3 4]
    @test_throws DimensionMismatch stack([[1], [2, 3]])
    @test_throws ArgumentError repeat([1 2], inner = (1,))
end
@testset "reductions" begin
    a = [3 1; 2 5]
    @test sum(a, dims = 1) == [5 6] && maximum(a, dims = 2) == [3; 5;;]
    @test findmin(a, dims = 1) == ([2 1], [CartesianIndex(2, 1) CartesianIndex(1, 2)])
    @test findmin([2.0, NaN, 1.0])[2] == 2
    @test sum(zeros(0, 3), dims = 1) == zeros(1, 3)
    @test_throws ArgumentError maximum(zeros(0, 3), dims = 1)
    @test_throws ArgumentError sum(a, dims = 0)
    @test extrema(a, dims = 1) == [(2, 3) (1, 5)]
    @test count!(isodd, [0, 0], a) == [2, 1] && maximum!([0 0], a) == [3 5]
    @test maximum!([0, 0], a) == [3, 5] && minimum!(abs, zeros(Int, 1, 1), -a) == [1;;] && extrema!(fill((0, 0), 2, 1), a) == [(1, 3); (2, 5);;]
    @test maximum!([4, 4], a; init = false) == [4, 5] && all!(isodd, falses(1, 2), a) == [false true] && maximum!(fill(0), fill(2)) == fill(2)
    @test cumsum(a, dims = 2) == [3 4; 2 7] && accumulate(+, [1, 2], init = 10) == [11, 13]
end
