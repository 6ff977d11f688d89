# Sorted device arrays, products and comparisons are those of arrays of the host; random numbers are spread: by its loops, and by kernels.
using CUDA, Test, LinearAlgebra, Random
const GPUArraysCore = CUDA.GPUArraysCore
CUDA.allowscalar(false)
eq(x, y) = (x = Array(x); typeof(x) == typeof(Array(y)) && isequal(x, y))

for by_kernels in (false, true)
    GPUArraysCore.BY_KERNELS[] = by_kernels
    @testset "sorting" begin
        for n in (0, 1, 2, 5, 255, 256, 257, 600, 5000)
            h = rand(-50:50, n); a = CuArray(h)
            @test eq(sort(a), sort(h)) && eq(sort(a; rev = true), sort(h; rev = true)) && eq(sort(a; by = abs), sort(h; by = abs, alg = MergeSort))
            @test eq(sortperm(a), sortperm(h; alg = MergeSort)) && eq(sort!(copy(a); lt = >), sort(h; lt = >))
        end
        h = Float32.(rand(-50:50, 30, 20)); h[3] = NaN; a = CuArray(h)
        for dims in 1:2
            @test eq(sort(a; dims), sort(h; dims))
            @test eq(sortperm(a; dims), sortperm(h; dims))
        end
        v = CuArray([3, 1, 2, 9]); sort!(view(v, 1:3)); @test eq(v, [1, 2, 3, 9])
        w = CuArray([3, 0, 1, 0, 2]); sort!(view(w, 1:2:5)); @test eq(w, [1, 0, 2, 0, 3])
    end
    @testset "products" begin
        for (m, k, n) in ((1, 1, 1), (5, 7, 3), (16, 16, 16), (33, 40, 17), (70, 130, 90))
            x, y = Float32.(rand(-3:3, m, k)), Float32.(rand(-3:3, k, n)); a, b = CuArray(x), CuArray(y)
            @test eq(a * b, x * y) && eq(b' * a', y' * x') && eq(transpose(b) * transpose(a), transpose(y) * transpose(x))
            # A sum that begins with -0.0 may stay one.
            @test Array(a * view(b, :, 1)) == x * y[:, 1] && Array(a' * view(a, :, 1)) == x' * x[:, 1]
            c = CUDA.ones(m, n); mul!(c, a, b, 2, 3); @test Array(c) == 2 .* (x * y) .+ 3
            c = CUDA.ones(m); mul!(c, a, view(b, :, 1), 2f0, 3f0); @test Array(c) == 2 .* (x * y[:, 1]) .+ 3
            c = CuArray(fill(NaN32, m, n)); mul!(c, a, b); @test Array(c) == x * y
        end
        v = Float32[1, 2, 3]; d = CuArray(v)
        @test dot(d, d) == 14 && norm(d) ≈ norm(v) && norm(d, 1) == 6 && norm(d, Inf) == 3 && d' * d == 14 && eq(d * d', v * v')
        @test norm(CuArray([1e200, 1e200])) ≈ norm([1e200, 1e200])
        z = [1 + 2im, 3 - im]; @test dot(CuArray(z), CuArray(z)) == dot(z, z) && eq(CuArray([z z])' * CuArray([z z]), [z z]' * [z z])
        @test eq(rmul!(copy(d), 2), 2v) && eq(axpy!(2f0, d, copy(d)), 3v) && eq(2 * d, 2v) && eq(d / 2, v / 2)
        @test_throws DimensionMismatch CUDA.ones(2, 3) * CUDA.ones(2, 3)
        @test d == d && d != CuArray([1, 2, 4]) && d ≈ d && d == v && v == d && isequal(d, copy(d))
        @test eq(CUDA.ones(3, 0) * CUDA.ones(0, 2), zeros(Float32, 3, 2))
    end
    @testset "random" begin
        a = CUDA.rand(10000); h = Array(a); @test all(0 .<= h .< 1) && 0.45 < sum(h) / 10000 < 0.55 && length(unique(h)) > 9000
        CUDA.seed!(3); x = Array(CUDA.rand(5)); CUDA.seed!(3); @test x == Array(CUDA.rand(5)) && x != Array(CUDA.rand(5))
        b = CUDA.randn(10000); @test abs(sum(b)) / 10000 < 0.1 && 0.8 < sum(abs2, b) / 10000 < 1.2
        c = CuArray(zeros(Int, 1000)); rand!(c, 3:5); @test extrema(c) == (3, 5)
        @test Array(CUDA.zeros(Int, 3)) == [0, 0, 0] && Array(CUDA.ones(2, 2)) == ones(2, 2) && Array(CUDA.fill(3, 2)) == [3, 3]
        @test all(x -> 0 <= x < 1, CUDA.rand(Float64, 10, 3)) && eltype(CUDA.rand(Int8, 3)) == Int8
        randexp!(a); @test minimum(a) >= 0
    end
end
