# Rational arithmetic at the ends of the parts' types: what is promoted first, and what throws.
using Test

@testset "numbers of two types are promoted before anything else" begin
    @test_throws InexactError (Int8(-1)//Int8(3)) + (0x02//0x01)
    @test_throws InexactError Base.unsafe_rational(Int8, -1, 0) + Base.unsafe_rational(UInt8, 1, 0)
    @test (Int8(1)//Int8(3)) + (1//2) === 5//6
end

@testset "a difference from infinity negates" begin
    @test 1//0 - 5//2 === 1//0
    @test 1//0 - (-1//0) === 1//0
    @test_throws DivideError 1//0 - 1//0
    @test_throws OverflowError 1//0 - typemin(Int)//1
end

@testset "no number of parts stands for infinity times nothing" begin
    @test_throws DivideError false * (1//0)
    @test_throws DivideError (1//0) * 0
    @test true * (1//0) === 1//0
    @test false * (3//4) === 0//1
end
