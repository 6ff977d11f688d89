# Arrays of a device beside arrays of the host and numbers, and parts of sorted ones, all without single elements.
using CUDA, AMDGPU, LinearAlgebra, Test

function joins(A)
    d, m = A([1, 2, 3]), A([1 2 3; 4 5 6])
    same(x, y) = x isa A && Array(x) == y
    @test same(vcat(m, [7 8 9]), [1 2 3; 4 5 6; 7 8 9]) && same([m; 7 8 9], [1 2 3; 4 5 6; 7 8 9])
    @test same(hcat(d, [4, 5, 6]), [1 4; 2 5; 3 6]) && same([d; 4], [1, 2, 3, 4]) && same([d; [4.5]], [1, 2, 3, 4.5])
    @test same(hcat(m, [1 2; 3 4]', d[1:2]), [1 2 3 1 3 1; 4 5 6 2 4 2])
    @test same(cat(m, ones(Int, 2, 3); dims = 3), cat(Array(m), ones(Int, 2, 3); dims = 3))
    @test same(vcat(m, zeros(Int, 0, 3), view([1 2 3; 4 5 6], 2:2, :)), [1 2 3; 4 5 6; 4 5 6])
    @test_throws DimensionMismatch vcat(m, [1 2])
    # The first part says of which kind the result is; a matrix of the host is no place for single elements of a device.
    @test_throws "Scalar indexing" [1 2 3; 4 5 6; m]
end
function parts(A)
    v = A([3, 1, 2, 5, 4])
    @test partialsort(v, 2) == 2 && partialsort(v, 2; rev = true) == 4 && partialsort(v, 4; by = -) == 2
    @test Array(partialsort(v, 2:3)) == [2, 3] && partialsort(v, 2:3) isa A && Array(v) == [3, 1, 2, 5, 4]
    @test partialsort!(v, 5) == 5 && Array(v) == 1:5
    @test_throws BoundsError partialsort(v, 6)
    places = A(zeros(Int, 5))
    @test Array(sortperm!(places, v; rev = true)) == 5:-1:1 && Array(places) == 5:-1:1
    @test_throws ArgumentError sortperm!(places, v[1:2])
    # As in Julia, these go through the elements one by one.
    for f in (x -> push!(x, 1), x -> foldl(+, x), x -> searchsortedfirst(x, 2), x -> partialsortperm(x, 2), x -> mapfoldl(abs, -, x))
        @test_throws "Scalar indexing" f(v)
    end
end
for by_kernels in (false, true), A in (CuArray, ROCArray)
    CUDA.GPUArraysCore.BY_KERNELS[] = by_kernels
    @testset "joins" joins(A)
    @testset "parts" parts(A)
end
@testset "the diagonal" begin
    m = CuArray([1 2; 3 4])
    @test Array(I + m) == Array(m + I) == [2 2; 3 5] && Array(2I - m) == [1 -2; -3 -2] && Array(m - I) == [0 2; 3 3]
end
