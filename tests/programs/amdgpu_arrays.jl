# `ROCArray`s: made, copied, broadcast and reduced by host code as AMDGPU.jl does it.
using AMDGPU, Test, Random
import CUDA

@testset "arrays" begin
    a = ROCArray{Float64}(undef, 3, 4)
    @test a isa ROCMatrix{Float64} && size(a) == (3, 4) && sizeof(a) == 96
    @test ROCArray{Int,2,AMDGPU.Runtime.Mem.HIPBuffer}(undef, 2, 2) isa ROCArray
    fill!(a, 2)
    @test a .+ 1 isa ROCMatrix{Float64} && Array(a .+ 1) == fill(3.0, 3, 4)
    @test sum(a) == 24 && Array(sum(a; dims = 1)) == fill(6.0, 1, 4)
    @test AMDGPU.ones(Int, 3) == ROCArray([1, 1, 1]) && eltype(AMDGPU.zeros(2, 2)) == Float32
    @test Array(AMDGPU.fill(0x07, (2, 2))) == fill(0x07, 2, 2)
    @test roc([1.0, 2.0]) isa ROCVector{Float32} && roc(1:3) === 1:3 && roc([1, 2]) isa ROCVector{Int}
    @test roc((x = [1.0], y = 2.5)).x isa ROCVector{Float32}
    b = similar(a)
    @test copyto!(b, a) === b && b == a && copy(a) !== a
    @test a[:, 2] isa ROCVector && view(a, 1:2, :) .* 2 isa ROCMatrix
    @test a' .+ 1 isa ROCMatrix && map(+, a, a) isa ROCMatrix
    xs = copyto!(ROCVector{Int}(undef, 4), 1, collect(1:4), 1, 4)
    @test collect(view(xs, 3:4)) == [3, 4] && reverse(xs) isa ROCVector && Array(cumsum(xs)) == [1, 3, 6, 10]
    @test occursin("ROCArray", string(typeof(xs))) && sprint(show, xs) == "[1, 2, 3, 4]"
    @test_throws ArgumentError ROCArray(["text"])
end

@testset "single elements" begin
    a = ROCArray([1, 2, 3])
    AMDGPU.allowscalar(false)
    @test_throws ErrorException a[1]
    @test (AMDGPU.@allowscalar a[2]) == 2
    AMDGPU.allowscalar(true)
    @test a[3] == 3
end

@testset "random numbers" begin
    AMDGPU.seed!(7)
    a, n = AMDGPU.rand(Float32, 100), AMDGPU.randn(50)
    AMDGPU.seed!(7)
    @test AMDGPU.rand(Float32, 100) == a && AMDGPU.randn(50) == n
    # The host's own numbers are settled by its own seed, and by nothing else.
    Random.seed!(3)
    x = rand()
    Random.seed!(3)
    AMDGPU.seed!(9)
    AMDGPU.rand(10)
    @test rand() == x
    @test all(x -> 0 <= x < 1, Array(a)) && eltype(AMDGPU.rand(UInt8, 3)) == UInt8
end

@testset "devices and streams" begin
    @test AMDGPU.functional() && AMDGPU.functional(:hip) && !AMDGPU.functional(:rocblas) && has_rocm_gpu()
    @test length(AMDGPU.devices()) == 1 && AMDGPU.device_id(AMDGPU.device()) == 1
    @test AMDGPU.HIP.wavefrontsize(AMDGPU.device()) == 32 && AMDGPU.HIP.properties(AMDGPU.device()).maxThreadsPerBlock <= 1024
    @test_throws AMDGPU.HIP.HIPError AMDGPU.device_id!(2)
    s = HIPStream(:high)
    @test s != AMDGPU.stream() && AMDGPU.stream!(() -> AMDGPU.stream(), s) == s && AMDGPU.stream() != s
    @test (AMDGPU.@sync 1 + 1) == 2 && (AMDGPU.@elapsed sum(AMDGPU.ones(10))) isa Float32
    AMDGPU.synchronize(s; blocking = true)
    @test occursin("kernels run on", sprint(AMDGPU.versioninfo))
end

# Arrays of two dialects are of two types.
@testset "dialects" begin
    @test CUDA.CuArray([1, 2]) == ROCArray([1, 2]) && typeof(CUDA.CuArray([1])) != typeof(ROCArray([1]))
    @test CUDA.ones(3) .+ 1 isa CUDA.CuArray && ROCArray(CUDA.ones(3)) isa ROCArray
    CUDA.seed!(1)
    a = CUDA.rand(5)
    CUDA.seed!(1)
    @test CUDA.rand(5) == a && occursin("kernels run on", sprint(CUDA.versioninfo))
end
@testset "structures, other elements and memory that is there" begin
    adapt = AMDGPU.Adapt.adapt
    @test adapt(ROCArray, 1:3) === 1:3 && AMDGPU.roc([1.0 + 2im]) isa ROCVector{ComplexF32}
    @test adapt(ROCArray{Float32}, view([1.0, 2], 1:1)) isa SubArray{Float32, 1, <:ROCArray, Tuple{UnitRange{Int}}}
    a = ROCArray(Float32[1, 2, 3, 4])
    @test reinterpret(Int32, a) isa ROCVector{Int32} && pointer(a) isa Ptr{Float32}
    b = unsafe_wrap(ROCArray, pointer(a), (2, 2))
    b .= 7
    @test b isa ROCMatrix{Float32} && Array(a) == [7, 7, 7, 7]
    @test_throws "4-element ROCArray{Float32, 1, " view(a, 3:5)
end
