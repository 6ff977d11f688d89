# Means, variances, medians and quantiles of small samples whose values are known.
using Statistics, Test
x = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]
@testset "moments" begin
    @test mean(x) == 5.0 && mean([1 2; 3 4]) == 2.5 && mean(abs2, [1, 2, 3]) ≈ 14 / 3 && mean(1:4) == 2.5
    @test mean([1 2; 3 4]; dims = 1) == [2.0 3.0] && mean([1 2; 3 4]; dims = 2) == reshape([1.5, 3.5], 2, 1)
    @test var(x; corrected = false) == 4.0 && std(x; corrected = false) == 2.0 && var([1, 2, 3, 4]) ≈ 5 / 3
    @test var([1.0 2.0; 3.0 6.0]; dims = 1) == [2.0 8.0] && std([1, 1]) == 0.0
    @test cov([1, 2, 3], [2, 4, 6]) == 2.0 && cor([1, 2, 3], [3, 2, 1]) ≈ -1.0
end
@testset "order" begin
    @test median([3, 1, 2]) == 2.0 && median([4, 1, 3, 2]) == 2.5 && isnan(median([1.0, NaN]))
    @test quantile([1, 2, 3, 4, 5], 0.25) == 2.0 && quantile(0:10, [0.1, 0.5]) == [1.0, 5.0] && middle(1, 2) == 1.5
    @test_throws ArgumentError median(Int[])
end
