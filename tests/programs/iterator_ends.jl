# Iterators' knowledge of their length, their end and their reverse.
using Test

@testset "without end" begin
    @test_throws MethodError collect(Iterators.countfrom(1))
    @test collect(Iterators.take(Iterators.countfrom(2), 3)) == [2, 3, 4]
    @test NTuple{3, Int}(Iterators.countfrom(2)) == (2, 3, 4)
    @test length(zip(1:3, Iterators.repeated(0))) == 3
    @test_throws ArgumentError length(zip())
end
@testset "state" begin
    s = Iterators.Stateful("abc")
    @test popfirst!(s) == 'a' && peek(s) == 'b'
    @test isempty(collect(zip("", s))) && collect(s) == ['b', 'c']
    @test isempty(collect(zip(Iterators.Stateful("x"), ""))) 
    @test_throws EOFError popfirst!(s)
end
@testset "reverse, parts, sums" begin
    @test collect(Iterators.reverse(zip(1:2, "ab"))) == [(2, 'b'), (1, 'a')]
    @test_throws ArgumentError Iterators.reverse(zip(1:2, "abc"))
    @test collect(Iterators.reverse(enumerate([5, 6]))) == [(2, 6), (1, 5)]
    @test collect(Iterators.partition("abcde", 2)) == ["ab", "cd", "e"]
    @test collect(Iterators.accumulate(+, 1:4)) == [1, 3, 6, 10]
    @test Iterators.take(Iterators.drop(1:10, 2), 3) === Iterators.drop(Iterators.take(1:10, 5), 2)
    @test last(Iterators.filter(iseven, 1:5)) == 4
end
