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
@testset "structures on a device" begin
    adapt = CUDA.Adapt.adapt
    v = adapt(CuArray{Float32}, view([1.0, 2], 1:1))
    @test v isa SubArray{Float32, 1, <:CuArray, Tuple{UnitRange{Int}}} && Array(v) == [1]
    @test adapt(CuArray, 1:3) === 1:3 && adapt(CuArray{Float32}, SVector(1.0)) === SVector(1.0) && cu(1:3) === 1:3
    @test cu([1.0 + 2im]) isa CuVector{ComplexF32} && cu(Float16[1]) isa CuVector{Float16} && cu([1, 2]) isa CuVector{Int}
    @test cu(([1.0], 2)) isa Tuple{CuVector{Float32}, Int} && cu([1.0 2]') isa Adjoint{Float32, <:CuMatrix}
    a = CUDA.ones(3)
    @test adapt(CuArray, a) === a && adapt(CuArray{Float16}, a) isa CuVector{Float16}
end
@testset "other elements in the same memory" begin
    a = CUDA.ones(2, 3)
    b = reinterpret(Int32, a)
    @test b isa CuMatrix{Int32} && size(b) == (2, 3) && Array(b) == reinterpret(Int32, ones(Float32, 2, 3))
    b .= 0
    @test Array(a) == zeros(2, 3) && size(reinterpret(Int64, a)) == (1, 3) && size(reinterpret(UInt8, view(a, :, 1))) == (8,)
    @test reinterpret(Float32, b) isa CuMatrix{Float32} && reinterpret(Float32, a) === a
    @test_throws "non-integral first dimension" reinterpret(Int64, CUDA.ones(3))
    # The memory lives as long as what lies in it.
    parts = [reshape(reinterpret(UInt32, CUDA.fill(1.0f0, 1000)), 10, 100) for _ in 1:20]
    GC.gc()
    junk = [zeros(1000) for _ in 1:200]
    @test all(p -> all(==(0x3f800000), Array(p)), parts) && length(junk) == 200
end
@testset "indices out of bounds name the device array" begin
    a = CUDA.ones(3, 4)
    @test_throws "attempt to access 3×4 CuArray{Float32, 2, CUDA.DeviceMemory} at index [1:3, 5]" view(a, :, 5)
    @test_throws "3-element CuArray{Float32, 1, CUDA.DeviceMemory} at index" CUDA.ones(3)[CuArray([5])]
    @test_throws "3-element CuArray{Float32, 1, CUDA.DeviceMemory} at index [2:4]" CUDA.ones(3)[2:4] = [1, 2, 3]
    @test_throws "3-element CuArray{Float32, 1, CUDA.DeviceMemory} at index [4]" CUDA.allowscalar(() -> CUDA.ones(3)[4])
    m = CuArray([1, 2, 3])
    @test Array(m[CuArray([true, false, true])]) == [1, 3] && Array(m[[3, 1]]) == [3, 1] && Array(a[:, 2:3]) == ones(3, 2)
end
through_pointer(out, p) = (i = threadIdx().x; out[i] = unsafe_load(p, i) + unsafe_load(p + (i - 1) * sizeof(Int)); i == 4 && unsafe_store!(p, 1, 4); return)
@testset "pointers to a device" begin
    a = CuArray([1, 2, 3, 4])
    p = pointer(a)
    @test p isa CuPtr{Int} && pointer(a, 2) == p + 8 && pointer(a, 2) - p == 8 && p < p + 1 && isless(p, p + 1) && UInt(p) != 0
    @test_throws MethodError unsafe_load(p)
    @test_throws MethodError unsafe_store!(p, 1)
    @test_throws "GPU pointer" convert(Ptr{Int}, p)
    b = unsafe_wrap(CuArray, p, (2, 2))
    @test b isa CuMatrix{Int} && Array(b) == [1 3; 2 4] && unsafe_wrap(CuArray{Int}, p, 4) isa CuVector{Int}
    b .= 7
    @test Array(a) == [7, 7, 7, 7] && Array(unsafe_wrap(CuArray{Int, 1}, pointer(a, 3), 2)) == [7, 7]
    @test_throws ArgumentError unsafe_wrap(CuArray, p, (2^32, 2^32))
    @test_throws ArgumentError unsafe_wrap(CuArray, p, -1)
    host = zeros(Int, 4)
    unsafe_copyto!(pointer(host), p, 3)
    @test host == [7, 7, 7, 0]
    unsafe_copyto!(p, pointer([5]), 1)
    out = CUDA.zeros(Int, 4)
    @cuda threads = 4 through_pointer(out, p)
    @test Array(out) == [10, 14, 14, 14] && Array(a) == [5, 7, 7, 1]
end
