# Reductions of device arrays are those of arrays of the host, whole and along dimensions: by loops of the host, and by kernels.
using CUDA, Test
const GPUArraysCore = CUDA.GPUArraysCore
CUDA.allowscalar(false)

for by_kernels in (false, true)
    GPUArraysCore.BY_KERNELS[] = by_kernels
    @testset "reductions, by kernels: $by_kernels" begin
        for n in (1, 2, 5, 255, 257, 4096, 5000, 100003)
            h = Float32.(rand(-3:3, n)); a = CuArray(h)
            @test sum(a) == sum(h) && typeof(sum(a)) == Float32
            @test maximum(a) == maximum(h) && minimum(a) == minimum(h) && extrema(a) == extrema(h)
            @test sum(abs2, a) == sum(abs2, h)
            @test count(>(0), a) == count(>(0), h) && any(==(2), a) == any(==(2), h) && all(>(-5), a)
            @test findmax(a) == findmax(h) && findmin(a) == findmin(h) && argmax(a) == argmax(h)
            i = CuArray(Int8.(h)); @test sum(i) === sum(Int8.(h))
            @test prod(CuArray(fill(1.0, n))) == 1
            @test mapreduce(x -> (x, x), (p, q) -> (p[1], q[2]), a) == (h[1], h[end])
            @test reduce((p, q) -> q, a) == h[end]
            @test sum(a; init = 10f0) == sum(h) + 10
        end
        h = Float32.(rand(-3:3, 7, 300, 4)); a = CuArray(h)
        for dims in (1, 2, 3, (1, 2), (1, 3), (2, 3), (1, 2, 3), 4)
            for f in (sum, prod, maximum, minimum)
                x, y = Array(f(a; dims)), f(h; dims)
                @test size(x) == size(y) && x ≈ y && eltype(x) == eltype(y)
            end
            @test Array(any(==(2), a; dims)) == any(==(2), h; dims)
            @test Array(all(>(-3), a; dims)) == all(>(-3), h; dims)
            @test Array(count(>(0), a; dims)) == count(>(0), h; dims)
            if dims != 4
            v, i = findmax(a; dims); w, j = findmax(h; dims)
            @test Array(v) == w && Array(i) == j
            end
            @test Array(sum(a; dims, init = 2f0)) == sum(h; dims, init = 2f0)
            @test Array(extrema(a; dims)) == extrema(h; dims)
        end
        @test sum(view(a, 2:5, 1:2:300, :)) == sum(h[2:5, 1:2:300, :])
        @test Array(sum(PermutedDimsArray(a, (3, 1, 2)); dims = 2)) == sum(permutedims(h, (3, 1, 2)); dims = 2)
        @test sum(CuArray(Float32[])) == 0 && Array(sum(CUDA.zeros(0, 3); dims = 1)) == zeros(1, 3)
        @test_throws ArgumentError maximum(CuArray(Float32[]))
        out = CUDA.zeros(7, 1, 4); sum!(out, a); @test Array(out) == sum(h; dims = 2)
        out = CUDA.zeros(7, 1, 4); maximum!(out, a); @test Array(out) == maximum(h; dims = 2)
        @test mapreduce(*, +, a, a) == mapreduce(*, +, h, h)
        m = CUDA.ones(3, 3)'
        @test sum(m) == 9 && maximum(m; dims = 1) isa CuArray
        z = ComplexF32[1 + 2im, 3]; @test sum(CuArray(z)) == sum(z) && sum(abs2, CuArray(z)) == sum(abs2, z)
        @test maximum(abs, CuArray([-5, 3])) == 5
        @test findmax(CuArray([1.0, NaN, 3.0]))[2] == 2 && isnan(maximum(CuArray([1.0, NaN, 3.0])))
        @test argmax(abs, CuArray([1, -7, 3])) == -7
        @test findmax(CuArray([1, 9, 9])) == (9, 2)
        @test sum(CuArray([true, false, true])) === 2
        @test ifelse.(CuArray([true, false]), 1, 2) isa CuArray{Int}
    end
end
