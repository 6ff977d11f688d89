# Subscripts are bound by Julia's rules: as many as dimensions, one, or fewer whose missing axes have one element.
using Test

struct Shifted{T} <: AbstractVector{T}
    data::Vector{T}
    first::Int
end
Base.size(s::Shifted) = size(s.data)
Base.axes(s::Shifted) = (Base.IdentityUnitRange(s.first:(s.first + length(s.data) - 1)),)
Base.getindex(s::Shifted, i::Int) = (@boundscheck checkbounds(s, i); s.data[i - s.first + 1])

@testset "too few and too many" begin
    a = reshape(collect(1:24), 2, 3, 4)
    @test_throws BoundsError a[1, 3]
    @test_throws BoundsError a[2, 12]
    @test a[24] == 24
    @test a[2, 3, 4, 1] == 24
    @test_throws BoundsError a[2, 3, 4, 2]
    @test reshape(1:6, 2, 3, 1)[2, 3] == 6
    @test_throws BoundsError a[:, :]
    @test_throws BoundsError view(a, 1:2, 1:3)
    @test_throws BoundsError a[[true, false], [true, true]]
    @test size(a[:, [true, false, true], 1]) == (2, 2)
    @test_throws BoundsError a[[true, false, true], 1, 1]
    @test_throws DimensionMismatch a[1:2, 1:2, 1] = [1, 2, 3]
    @test_throws DimensionMismatch a[1:2, 1:3, 1] = [1 2; 3 4; 5 6]
    @test_throws ArgumentError a[1.0]
end
@testset "axes that do not start at one" begin
    s = Shifted([10, 20, 30], -1)
    @test firstindex(s) == -1 && lastindex(s) == 1
    @test s[-1] == 10 && s[end] == 30
    @test_throws BoundsError s[2]
    @test sum(s) == 60 && findmax(s) == (30, 1)
    @test view(s, 0:1) == [20, 30]
    @test axes(view(s, :)) == axes(s)
    @test LinearIndices(s)[-1] == -1
    @test first(pairs(s)) == (-1 => 10)
end
@testset "indices as arrays" begin
    c = CartesianIndices((2, 3))
    @test string(c) == "CartesianIndices((2, 3))"
    @test reverse(c, dims = 1)[1] == CartesianIndex(2, 1)
    @test nextind(zeros(2, 3), CartesianIndex(2, 1)) == CartesianIndex(1, 2)
    @test LinearIndices((2, 3))[2:3] === 2:3
    @test Base._sub2ind((2, 3), 2, 3) == 6 && Base._ind2sub((2, 3), 6) == (2, 3)
    @test CartesianIndex{3}(1, 2) == CartesianIndex(1, 2, 1)
end
@testset "slices" begin
    m = [1 2 3; 4 5 6]
    @test eachrow(m) isa RowSlices && eachrow(m)[2] == [4, 5, 6]
    @test eachcol(m) isa ColumnSlices && length(eachcol(m)) == 3
    @test size(eachslice(reshape(1:24, 2, 3, 4), dims = (1, 3))) == (2, 4)
    eachcol(m)[1] = [7, 8]
    @test m[:, 1] == [7, 8]
    @test sortslices([3 1; 1 2], dims = 1) == [1 2; 3 1]
end
@testset "other shapes and element types" begin
    @test reshape(1:6, 6) === 1:6
    @test reinterpret(reshape, UInt8, [0x0201, 0x0403]) == [0x01 0x03; 0x02 0x04]
    @test strides(PermutedDimsArray(zeros(2, 3), (2, 1))) == (2, 1)
    @test_throws ArgumentError reverse([1, 2], dims = 5)
end
@testset "shapes that no array has" begin
    @test_throws ArgumentError("invalid Array dimensions") reshape([1, 2, 3, 4], -2, -2)
    @test_throws ArgumentError("invalid Array dimensions") reshape([1, 2, 3, 4], 2^32, 2^32)
    @test_throws ArgumentError("invalid Array dimensions") reshape([1, 2, 3, 4], :, -2)
    @test_throws ArgumentError("invalid Array dimensions") reshape(Int[], -1, 0)
    @test_throws DimensionMismatch reshape([1, 2, 3, 4], -4)
    @test_throws DimensionMismatch reshape([1, 2, 3, 4], 3, 2)
    @test_throws DimensionMismatch reshape(1:4, -2, -2)
    p = pointer([1, 2])
    for dims in ((2^32, 2^32), (2^31, 2^31), (-1, -1), -1, 2^62, typemax(Int), (-1, 0))
        @test_throws ArgumentError unsafe_wrap(Array, p, dims)
    end
    @test size(unsafe_wrap(Array, p, (2^62, 2^62, 0))) == (2^62, 2^62, 0)
end
@testset "pointers are equal where they are the same" begin
    v = [1, 2]
    p = pointer(v)
    @test isequal(p, pointer(v, 1)) && !isequal(p, p + 8) && isequal(C_NULL, Ptr{Cvoid}(0)) && !isequal(p, Ptr{UInt8}(p)) && p == Ptr{UInt8}(p)
    @test unique([p, p, p + 8]) == [p, p + 8] && Dict(p => 1)[pointer(v)] == 1 && isless(p, p + 8)
end
