# Ranges: lengths at the ends of their types, exact fractions, conversions, arithmetic and text.
using Test

@testset "elements and lengths" begin
    @test collect(0:0.1:0.5) == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    @test [0.1:0.1:prevfloat(0.3);] == [0.1, 0.2] && last(0.2:0.2:0.6) === 0.6
    @test length(0x00:0xff) === 256 && length(typemin(Int):typemax(Int)) === 0
    @test_throws OverflowError Base.checked_length(typemin(Int):typemax(Int))
    @test length(false:true) === 2 && step(false:true) === true && collect(true:false) == Bool[]
    @test length(UInt(7):UInt(2)) === UInt(0) && length(1//2:7//2) == 4
    @test 0x09:-2:0x01 == [9, 7, 5, 3, 1]
    @test_throws ArgumentError StepRange(1.5, 1, 4.5)
    @test_throws ArgumentError Base.OneTo(true)
    @test_throws ArgumentError (3:5)[true]
    @test_throws BoundsError (Int8(-100):Int8(100))[300]
    @test Base._findin(2:2:20, 5:11) == 3:1:5 && findall(in(4:6), 1:9) === 4:6
end

@testset "making" begin
    @test range(stop = 9, length = 4) === 6:9 && range(; stop = 4) === Base.OneTo(4)
    @test range(3, step = 0.5, length = 3) == [3, 3.5, 4] && range(1, 2, length = 5)[2] === 1.25
    @test range(-1e308, stop = 1e308, length = 3) == [-1e308, 0.0, 1e308]
    @test first(range(2.5, stop = 7.5, length = 0)) === 2.5 && last(range(2.5, stop = 7.5, length = 0)) === 7.5
    @test_throws ArgumentError range(1, 2, length = 1)
    @test logrange(1, 10_000, 5) ≈ [1, 10, 100, 1000, 10_000] && logrange(3, 7, 4)[end] === 7.0
    @test_throws DomainError logrange(-1, 1, 3)
    @inferred range(1.0, stop = 2.0, length = 3)
end

@testset "conversion and promotion" begin
    @test promote(1:3, 0x02:0x02:0x06) === (1:1:3, 2:2:6)
    @test promote(0:2, 0.0:0.25:1.0)[1] === 0.0:1.0:2.0
    @test convert(StepRangeLen{Float64}, 0.0f0:0.1f0:1.0f0) === 0.0:0.1:1.0
    @test map(Float32, 1:3) === 1.0f0:3.0f0 && UnitRange{Int8}(1:3) === Int8(1):Int8(3)
end

@testset "arithmetic" begin
    @test 0 * (1:3) == [0, 0, 0] && (1:3) .- 0.5 == 0.5:1.0:2.5 && 0.1 * (0:3) == 0:0.1:0.3
    @test (1:3) + (1:3) == 2:2:6 && -(1:3) === -1:-1:-3
    @test reverse(0x02:0x05) == [5, 4, 3, 2] && reverse(1.0:0.5:2.0) == [2.0, 1.5, 1.0]
    @test intersect(1:3:40, 2:5:40) == 7:15:37 && isempty(intersect(1:2:9, 2:2:8)) && intersect(9:-2:1, 3:8) == 7:-2:3
    @test sum(0.1:0.1:1.0) === 5.5 && mod(11, 3:7) == 6 && clamp(12, 3:7) == 7
    @test 1:3 == 1.0:3.0 && hash(1:2:5) == hash([1, 3, 5]) && 0.3 in 0:0.1:1
end

@testset "axes of their own" begin
    r = Base.IdentityUnitRange(-1:9)
    s = Base.IdentityUnitRange(3:5)
    @test r[s] === s && axes(Base.OneTo(9)[s]) == (s,) && r[big(2):big(4)] === 2:4
    @test_throws BoundsError r[Base.IdentityUnitRange(3:10)]
    @test float(1:3) === 1.0:3.0 && findfirst(==(4), big(3):big(9)) === 2
end

@testset "text" begin
    @test repr(LinRange{Float64}(0, 1, 3)) == "LinRange{Float64}(0.0, 1.0, 3)"
    @test repr("text/plain", LinRange(0, 1, 3)) == "3-element LinRange{Float64, Int64}:\n 0.0, 0.5, 1.0"
    @test repr(0 * (1:3)) == "StepRangeLen(0, 0, 3)"
    @test repr(StepRangeLen(CartesianIndex(1, 2), CartesianIndex(0, 1), 2)) ==
        "StepRangeLen(CartesianIndex(1, 2), CartesianIndex(0, 1), 2)"
end
