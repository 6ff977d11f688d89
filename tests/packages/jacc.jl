# JACC from a checkout, on the back ends that its extensions and its threads are: loops and folds over one and two dimensions.
using JACC, Test
import CUDA, AMDGPU, Metal, oneAPI

axpy(i, alpha, x, y) = (@inbounds x[i] += alpha * y[i]; nothing)
axpy(i, j, alpha, x, y) = (@inbounds x[i, j] += alpha * y[i, j]; nothing)
dot(i, x, y) = @inbounds x[i] * y[i]
dot(i, j, x, y) = @inbounds x[i, j] * y[i, j]

@testset "extensions" begin
    @test all(e -> Base.get_extension(JACC, e) isa Module, (:CUDAExt, :AMDGPUExt, :MetalExt, :oneAPIExt))
end
@testset "$A" for (backend, A) in ((CUDA.CUDABackend(), CUDA.CuArray), (AMDGPU.ROCBackend(), AMDGPU.ROCArray),
        (Metal.MetalBackend(), Metal.MtlArray), (oneAPI.oneAPIBackend(), oneAPI.oneArray), (JACC.get_backend(Val(:threads)), Array))
    for dims in (1000, (50, 20))
        h, k = reshape(Float32.(1:1000), dims), reshape(Float32.(1000:-1:1), dims)
        x, y = JACC.array(backend, copy(h)), JACC.array(backend, copy(k))
        @test x isa A
        JACC.parallel_for(axpy, backend, dims, 2.0f0, x, y)
        @test Array(x) == h .+ 2 .* k
        @test JACC.parallel_reduce(dot, backend, dims, x, y; op = +, init = 0.0f0) ≈ sum((h .+ 2 .* k) .* k)
    end
    @test Array(JACC.zeros(backend, Float32, 3)) == zeros(3) && Array(JACC.ones(backend, Float32, 2, 2)) == ones(2, 2)
    @test Array(JACC.fill(backend, 2.0f0, 3)) == fill(2, 3)
end
