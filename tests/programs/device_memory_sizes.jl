# Sizes of arrays and of the memory of a group: no product of dimensions overflows unseen, and no group uses memory that it
# does not have.
using CUDA, Test

sizes!(o, a) = (o[1] = sizeof(a); o[2] = sizeof(CuStaticSharedArray(Int16, (3, 5))); return)
function dynamic!(o, n, offset)
    s = CuDynamicSharedArray(Float32, n, offset)
    s[1] = 1f0
    o[1] = s[1]
    return
end
two!(o, n) = (a = CuDynamicSharedArray(Int32, n); b = CuDynamicSharedArray(Int32, n, sizeof(a)); a[n] = 3; b[1] = 4; o[1] = a[n]; return)
wide!(o) = (s = CuStaticSharedArray(Float64, 100_000); s[1] = 1; o[1] = s[1]; return)
shaped!(o, n) = (o[1] = size(reshape(o, (n, n)), 1); return)

@testset "sizeof" begin
    o = CUDA.zeros(Int, 2)
    @cuda sizes!(o, CUDA.zeros(Float64, 3, 5))
    @test Array(o) == [120, 30]
    o = CUDA.zeros(Float32, 1)
    @cuda shmem=64 two!(o, 8)
    @test Array(o) == [3f0]
end
@testset "memory that the launch gives" begin
    o = CUDA.zeros(Float32, 1)
    @cuda shmem=64 dynamic!(o, 16, 0)
    @cuda shmem=64 dynamic!(o, 15, 4)
    @test Array(o) == [1f0]
    for (n, offset) in ((17, 0), (16, 4), (1, 64), (1, -4), (1, typemax(Int)))
        @test_throws BoundsError (@cuda shmem=64 dynamic!(o, n, offset); synchronize())
    end
    for n in (-1, 2^62)
        @test_throws ArgumentError (@cuda shmem=64 dynamic!(o, n, 0); synchronize())
    end
    @test_throws BoundsError (@cuda dynamic!(o, 1, 0); synchronize())
    @test_throws Exception @cuda shmem=500_000 dynamic!(o, 1, 0)
    @test_throws Exception @cuda shmem=-1 dynamic!(o, 1, 0)
    @test_throws Exception @cuda wide!(o)
end
@testset "dimensions" begin
    @test_throws ArgumentError CUDA.zeros(Float32, 2^32, 2^32)
    @test_throws ArgumentError zeros(2^32, 2^32)
    @test_throws ArgumentError zeros(2^21, 2^21, 2^22)
    @test_throws ArgumentError Array{Int}(undef, -1, -1)
    @test_throws ArgumentError Array{Int}(undef, 2, -1, 0)
    @test_throws ArgumentError falses(2^33, 2^33)
    @test size(zeros(0, 2^62, 4)) == (0, 2^62, 4)
    o = CUDA.zeros(Int, 4)
    @cuda shaped!(o, 2)
    @test Array(o)[1] == 2
    for n in (-2, 2^32)
        @test_throws Exception (@cuda shaped!(o, n); synchronize())
    end
end
