# Arrays of static size: making, reading, arithmetic, broadcasting, linear algebra.
using StaticArrays, LinearAlgebra, Test
v = SVector(1.0, 2.0, 3.0)
m = @SMatrix [1 2; 3 4]
@testset "making" begin
    @test v isa SVector{3, Float64} && isbits(v) && length(v) == 3 && size(m) == (2, 2) && m isa SMatrix{2, 2, Int, 4}
    @test SVector(1, 2.5) === SVector(1.0, 2.5) && SVector{2, Int}(1, 2) === SVector(1, 2) && SVector{3}([1, 2, 3]) === SVector(1, 2, 3)
    @test @SVector([1, 2]) === SVector(1, 2) && @SVector([i^2 for i in 1:3]) === SVector(1, 4, 9) && @SVector(zeros(2)) === SVector(0.0, 0.0)
    @test SMatrix{2, 2}(1, 2, 3, 4) === SMatrix{2, 2}([1 3; 2 4]) && SA[1, 2] === SVector(1, 2) && SA[1 2; 3 4] === m
    @test zero(v) === SVector(0.0, 0.0, 0.0) && one(m) === SA[1 0; 0 1] && ones(SVector{2, Int}) === SVector(1, 1)
    @test_throws DimensionMismatch SVector{3}(1, 2)
end
@testset "reading" begin
    @test v[2] == 2.0 && v.x == 1.0 && v.z == 3.0 && m[1, 2] == 2 && m[:, 1] === SVector(1, 3) && m[2, :] === SVector(3, 4)
    @test Tuple(v) == (1.0, 2.0, 3.0) && collect(v) == [1, 2, 3] && [x for x in v] == [1, 2, 3] && v[SVector(3, 1)] === SVector(3.0, 1.0)
    @test setindex(v, 9, 2) === SVector(1.0, 9.0, 3.0) && push(v, 4) === SVector(1.0, 2.0, 3.0, 4.0)
    @test_throws BoundsError v[4]
    @test_throws ErrorException v[1] = 2
end
@testset "arithmetic" begin
    @test v + v === 2v && v - v === zero(v) && -v === SVector(-1.0, -2.0, -3.0) && v / 2 === SVector(0.5, 1.0, 1.5)
    @test v .* v === SVector(1.0, 4.0, 9.0) && v .+ 1 === SVector(2.0, 3.0, 4.0) && sqrt.(SVector(4.0, 9.0)) === SVector(2.0, 3.0)
    @test m * m === SA[7 10; 15 22] && m * SVector(1, 1) === SVector(3, 7) && m' === SA[1 3; 2 4] && (v .> 1) === SVector(false, true, true)
    @test v' * v == 14 && v * v' == [1 2 3; 2 4 6; 3 6 9] && m .+ SVector(10, 20) === SA[11 12; 23 24]
    @test sum(v) == 6 && prod(v) == 6 && maximum(v) == 3 && any(x -> x > 2, v) && all(x -> x > 0, v) && reduce(max, v) == 3
    @test map(abs, SVector(-1, 2)) === SVector(1, 2) && mapreduce(abs2, +, v) == 14 && sum(m; dims = 1) == [4 6]
end
@testset "linear algebra" begin
    @test dot(v, v) == 14 && norm(SVector(3, 4)) == 5 && cross(SA[1, 0, 0], SA[0, 1, 0]) === SA[0, 0, 1] && normalize(SA[3.0, 4.0]) ≈ SA[0.6, 0.8]
    @test det(m) == -2 && inv(m) ≈ [-2 1; 1.5 -0.5] && tr(m) == 5 && m \ SVector(5, 11) ≈ [1, 2] && m + I === SA[2 2; 3 5]
    a = @SMatrix [2.0 1 0; 0 3 1; 1 0 4]
    b = @SMatrix [4.0 1 0 0; 1 3 1 0; 0 1 2 1; 0 0 1 5]
    @test inv(a) * a ≈ one(a) && det(a) == 25 && inv(b) * b ≈ one(b) && det(b) ≈ det(Matrix(b))
end
@testset "mutable" begin
    w = MVector(1, 2, 3)
    w[2] = 7
    @test w == [1, 7, 3] && w isa MVector{3, Int} && (w .= 1; w) == [1, 1, 1] && SVector(w) === SVector(1, 1, 1)
    a = @MMatrix zeros(2, 2)
    a[1, 2] = 5
    @test a == [0 5; 0 0] && copy(a) !== a && similar(a) isa MMatrix{2, 2, Float64}
end
struct Point <: FieldVector{2, Float64}
    x::Float64
    y::Float64
end
@testset "named fields" begin
    p = Point(1, 2)
    @test p[1] == 1 && p.y == 2 && p + p == Point(2, 4) && norm(Point(3, 4)) == 5
end
@testset "unsigned and narrow elements" begin
    u = SMatrix{2, 2, UInt8}(1, 3, 2, 4)
    @test inv(u) === SA[-2.0 1.0; 1.5 -0.5] && det(u) == -2 && u \ SVector{2, UInt8}(5, 11) == [1, 2]
    @test inv(SMatrix{2, 2, Int8}(100, 0, 0, 100)) === SA[0.01 -0.0; -0.0 0.01]
    w = SMatrix{3, 3, UInt16}(2, 0, 0, 0, 4, 0, 1, 0, 5)
    @test inv(w) ≈ inv(Matrix{Float64}(w)) && inv(SMatrix{4, 4, UInt8}(I)) === SMatrix{4, 4, Float64}(I)
    @test inv(SMatrix{2, 2, Float32}(1, 3, 2, 4)) isa SMatrix{2, 2, Float32} && inv(SA[1//1 2//1; 3//1 4//1]) === SA[-2//1 1//1; 3//2 -1//2]
end
struct Place{T} <: FieldVector{2, T}
    x::T
    y::T
end
@testset "tuples of another length" begin
    @test_throws DimensionMismatch SVector{2, Int}((1, 2, 3))
    @test_throws DimensionMismatch SVector{3, Float64}((1, 2))
    @test_throws DimensionMismatch SMatrix{2, 2, Int, 4}(1, 2, 3)
    @test_throws DimensionMismatch MVector{2, Int}((1, 2, 3))
    @test_throws DimensionMismatch MVector{2, Int}(1)
    @test_throws DimensionMismatch Place{Int}(1)
    @test_throws DimensionMismatch Place((1, 2, 3))
    @test Place(1, 2.5) === Place(1.0, 2.5) && Place{Float64}((1, 2)) === Place(1.0, 2.0)
end
