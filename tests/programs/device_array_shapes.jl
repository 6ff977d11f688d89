# Broadcasts of device arrays of different ranks stay on the device; contiguous views of them are device arrays.
using Test, CUDA, LinearAlgebra, StaticArrays

@testset "device arrays" begin
    a, b = CuArray(Float32[1 2; 3 4]), CuArray(Float32[10, 20])
    @test a .+ b isa CuMatrix{Float32} && Array(a .+ b) == [11 12; 23 24]
    v = view(a, :, 2)
    @test v isa CuVector
    v .= 7f0
    @test Array(a) == [1 7; 3 7]
    @test !(view(a, 1, :) isa CuArray) && Array(view(a, 1, :)) == [1, 7]
    @test CUDA.Adapt.adapt(CuArray{Float16}, [1.0, 2.0]) isa CuVector{Float16}
    @test_throws "stored inline" CuArray{BigFloat}(undef, 3)
    @test_throws "stored inline" CuArray(Any[1, 2])
end
@testset "matrices" begin
    @test det(SMatrix{2, 2}(UInt8[1 2; 3 4])) == -2
    @test_throws DimensionMismatch SArray{Tuple{1}, Int, 1}([2 3])
    @test Hermitian([1 2im; 3 4])[2, 1] == -2im && Symmetric([1 2im; 3 4])[2, 1] == 2im
    @test_throws PosDefException cholesky([1.0 2.0; 3.0 4.0])
end
