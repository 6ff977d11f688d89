# Operations on whole arrays are the same for the arrays of all dialects.
using Test, KernelAbstractions
import CUDA, AMDGPU, Metal, oneAPI, OpenCL
const GPUArraysCore = CUDA.GPUArraysCore

GPUArraysCore.BY_KERNELS[] = true
@testset "$A" for A in (CUDA.CuArray, AMDGPU.ROCArray, Metal.MtlArray, oneAPI.oneArray, OpenCL.CLArray)
    h = Float32.(reshape(1:12, 3, 4))
    a = A(h)
    @test a .+ 1 isa A{Float32, 2} && Array(2 .* a .- sqrt.(a)) ≈ 2 .* h .- sqrt.(h)
    @test sum(a) == sum(h) && Array(sum(a; dims = 1)) == sum(h; dims = 1) && maximum(a) == 12
    @test a[:, 2] isa A{Float32, 1} && Array(a[a .> 5]) == h[h .> 5]
    @test a * a' isa A{Float32, 2} && Array(a * a') == h * h'
    @test Array(sort(vec(a); rev = true)) == sort(vec(h); rev = true) && Array(cumsum(a; dims = 2)) == cumsum(h; dims = 2)
    @test_throws "disallowed" a[1]
end
@testset "arrays of a back end" begin
    a = KernelAbstractions.allocate(CUDA.CUDABackend(), Float32, 2, 2)
    fill!(a, 3)
    @test sum(a) == 12 && KernelAbstractions.get_backend(a .+ 1) isa CUDA.CUDABackend
end
