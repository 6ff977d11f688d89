# Sorting: stable by default, by any order, along dimensions, in part.
using Test

@testset "orders" begin
    @test sort([3, 1, 2]) == [1, 2, 3] && sort([3, 1, 2], rev = true) == [3, 2, 1]
    @test sortperm([2.0, 1.0, 1.0]) == [2, 3, 1]
    @test sort(["bb", "a", "ccc", "dd"], by = length) == ["a", "bb", "dd", "ccc"]
    @test isequal(sort([2, missing, 1]), [1, 2, missing])
    @test isequal(sort([2, missing, 1], rev = true), [missing, 2, 1])
    @test sort((3, 1, 2)) === (1, 2, 3)
    v = [(i * 7919) % 1009 for i in 1:2000]
    for alg in (InsertionSort, MergeSort, QuickSort)
        @test issorted(sort(v; alg = alg))
    end
    p = sortperm(v, by = x -> x % 10)
    @test all(i -> v[p[i]] % 10 != v[p[i + 1]] % 10 || p[i] < p[i + 1], 1:1999)
end
@testset "parts and places" begin
    v = [40, 10, 30, 20]
    @test partialsort(v, 2) == 20 && partialsort(v, 2:3) == [20, 30]
    @test partialsortperm(v, 1:2) == [2, 4]
    @test searchsorted([1, 2, 2, 3], 2) == 2:3 && searchsortedfirst([1, 3], 2) == 2
    @test_throws ArgumentError sortperm!([1, 2], [3, 2, 1])
    @test sort([3 1; 2 4], dims = 2) == [1 3; 2 4]
    @test_throws ArgumentError invperm([1, 1])
end
