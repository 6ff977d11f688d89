# Products of narrow numbers are formed as numbers of the array that they are stored in, by loops of the host and by kernels.
using LinearAlgebra, Test
import CUDA: CuArray
import CUDA.GPUArraysCore
GPUArraysCore.BY_KERNELS[] = true

wide(T, a) = T <: Integer ? BigInt.(a) : Float64.(a)
fitted(T, a) = T <: Integer ? a .% T : T.(a)
for (Tin, Tout) in ((Int16, Int32), (Int16, Int64), (Int32, Int64), (Float16, Float32), (Int16, ComplexF64))
    n = 20
    A, B, x = rand(Tin, n, n), rand(Tin, n, n), rand(Tin, n)
    C = zeros(Tout, n, n)
    mul!(C, A, B)
    expected = fitted(Tout, wide(Tin, A) * wide(Tin, B))
    @test C ≈ expected
    D = CuArray(zeros(Tout, n, n))
    mul!(D, CuArray(A), CuArray(B))
    @test Array(D) ≈ expected
    c = CuArray(zeros(Tout, n))
    mul!(c, CuArray(A), CuArray(x))
    @test Array(c) ≈ fitted(Tout, wide(Tin, A) * wide(Tin, x))
end
@test muladd(Int16(300), Int16(300), Int32(1)) === Int32(90001)
@test muladd(true, 2, 0x01) === 3
