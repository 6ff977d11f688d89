# Single elements of device arrays, and what host code does with whole ones when it may not touch them.
using CUDA, Test

add!(y, x) = (i = threadIdx().x; y[i] += x; return)

@testset "single elements" begin
    a = CuArray([1, 2, 3])
    # A script has to ask for it.
    @test_throws "Scalar indexing is disallowed" a[2]
    CUDA.allowscalar(true)
    @test a[2] == 2
    CUDA.allowscalar(false)
    @test_throws "Scalar indexing is disallowed" a[2]
    @test_throws "Scalar indexing is disallowed" a[2] = 5
    @test_throws "Scalar indexing is disallowed" view(a, 2:3)[1]
    @test_throws "Scalar indexing is disallowed" [x for x in a]
    @test CUDA.@allowscalar(a[2]) == 2
    CUDA.@allowscalar x = a[3]
    @test x == 3
    # There is no scope: variables are the function's.
    both() = (CUDA.@allowscalar begin p = a[2]; q = a[3] end; (p, q))
    @test both() == (2, 3)
    @test_throws "Scalar indexing is disallowed" a[2]
    CUDA.@allowscalar a[1] = 7
    @test CUDA.allowscalar(() -> a[1]) == 7
    @test_throws "Scalar indexing is disallowed" a[1]
    @test_throws ErrorException CUDA.@allowscalar error("out")
    @test_throws "Scalar indexing is disallowed" a[1]
    @cuda threads=3 add!(a, 1)
    @test Array(a) == [8, 3, 4]
end

@testset "whole arrays" begin
    CUDA.allowscalar(false)
    a, b = CuArray([3.0, 1.0, 2.0]), CuArray([1.0 2.0; 3.0 4.0])
    @test a == CuArray([3.0, 1.0, 2.0]) && a == [3.0, 1.0, 2.0] && a != b
    @test a ≈ a .+ 1e-12 && isapprox(a, Array(a)) && !(a ≈ 2a)
    @test Array(a .+ 1) == [4, 2, 3] && Array(2 .* view(b, :, 1)) == [2, 6]
    c = copy(b)
    view(c, 1, :) .= 9
    c[:, 2] .+= 1
    @test Array(c) == [9 10; 3 5]
    @test sum(a) == 6 && sum(view(b, 1, :)) == 3 && maximum(b) == 4 && extrema(a) == (1.0, 3.0)
    @test Array(sort(a)) == [1, 2, 3] && Array(reverse(a)) == [2, 1, 3] && Array(cumsum(a)) == [3, 4, 6]
    @test sort(a) isa CuArray && a[1:2] isa CuArray && Array(a[1:2]) == [3, 1] && Array(b[1, :]) == [1, 2]
    @test Array(a[CuArray([3, 1])]) == [2, 3]
    b[:, 1] = [7.0, 8.0]
    b[2, 1:2] = CuArray([5.0, 6.0])
    @test Array(b) == [7 2; 5 6] && b[:] isa CuArray
    @test Array(permutedims(b)) == [7 5; 2 6] && Array(vcat(a, a)) == [3, 1, 2, 3, 1, 2]
    @test findmax(a) == (3.0, 1) && argmin(a) == 2 && any(>(2), a) && count(>(1), a) == 2
    @test sprint(show, a) == "[3.0, 1.0, 2.0]"
    @test occursin("3-element CuArray", sprint(show, MIME("text/plain"), a))
    @test occursin("1.0", sprint(show, MIME("text/plain"), view(a, 2:3)))
    @test Array(fill!(CuArray{Int}(undef, 2), 4)) == [4, 4] && collect(view(a, 2:3)) == [1, 2]
    @test Array(reshape(b, 4)) == [7, 5, 2, 6] && Array(map(+, a, a)) == [6, 2, 4]
    CUDA.allowscalar(true)
    @test a[1] == 3
end
