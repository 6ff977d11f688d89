# Operations on device arrays that ask for more than one element at a time, and whose results are those of arrays of the host: overlapping
# parts, joins with numbers, other element types, several wrappers, searches, matrices by their indices.
using CUDA, LinearAlgebra, Test
const GPUArraysCore = CUDA.GPUArraysCore
CUDA.allowscalar(false)
at_host(x) = x isa GPUArraysCore.AnyDialectArray ? Array(x) : x isa AbstractArray ? collect(x) : x
# Both for copies of the arguments, which `f` may change.
same(f, args...) = isequal(at_host(f(map(a -> a isa Array ? CuArray(a) : a, args)...)), at_host(f(map(copy, args)...)))

const v, m, c, d, w = Float32.(1:10), reshape(Float32.(1:12), 3, 4), Float32[5, 6], Float32[1 2; 3 4], Int32[3, 1, 2, 3, 1]
@testset "kernels: $by_kernels" for by_kernels in (true, false)
    GPUArraysCore.BY_KERNELS[] = by_kernels
    @testset "overlapping parts" begin
        @test same(v -> (accumulate!(+, view(v, 2:10), view(v, 1:9)); v), v) && same(v -> (cumsum!(v, view(v, 10:-1:1)); v), v)
        @test same(v -> (map!(x -> 2x, view(v, 2:10), view(v, 1:9)); v), v) && same(v -> (map!(x -> 2x, view(v, 1:9), view(v, 2:10)); v), v)
        @test same(v -> (view(v, 2:10) .= view(v, 1:9) .+ 1; v), v) && same(m -> (cumsum!(view(m, :, 2:4), view(m, :, 1:3); dims = 2); m), m)
        @test same((a, b) -> map!(x -> 2x, a, b), c, v) && same((a, b) -> map!(+, a, b, b), c, v) && same((a, b) -> map!(+, a, b, b), v, c)
        @test map!(+, zeros(2), 1:3, 4:6) == [5, 7]
    end
    @testset "joins" begin
        @test same(c -> [1 c'; 3 4 5], c) && same((c, d) -> [1 c'; d d[:, 1]], c, d) && same(d -> [1 2; d], d) && same(c -> [1; 2; c; 3], c)
        @test [1; 2; CuArray(c)] isa CuVector{Float32} && [1 2; CuArray(d)] isa CuMatrix{Float32}
        @test same(c -> stack([c, 2c]), c) && same(c -> stack([c, 2c]; dims = 1), c) && same(m -> stack((m, m); dims = 2), m)
        @test same(m -> stack(eachcol(m)), m) && stack([CuArray(c), CuArray(c)]) isa CuMatrix
        @test same(m -> permutedims!(similar(m, 4, 3), m, (2, 1)), m) && same(m -> permutedims!(similar(m, 3, 2), view(m, 1:2, 1:3), (2, 1)), m)
        @test_throws DimensionMismatch permutedims!(CuArray(zeros(3, 3)), CuArray(m), (2, 1))
        @test same(m -> circshift!(similar(m), m, (1, -1)), m) && same(m -> transpose!(similar(m, 4, 3), m), m) && same((v, c) -> append!(v, c), v, c)
    end
    @testset "other elements and wrappers" begin
        @test same(m -> reinterpret(reshape, NTuple{3,Float32}, m), m) && same(m -> reinterpret(reshape, UInt32, m), m)
        @test same(m -> reinterpret(reshape, UInt16, m), m) && same(m -> reinterpret(reshape, ComplexF32, view(m, 1:2, :)) .+ 1, m)
        @test reinterpret(reshape, UInt16, CuArray(m)) isa CuArray{UInt16,3} && same(m -> reinterpret(UInt32, view(m, 1:2, 1:2:3)) .+ 0x1, m)
        @test same(m -> view(transpose(view(PermutedDimsArray(m, (2, 1)), 1:3, :)), 1:2, :) .+ 1, m)
        @test same(m -> sum(abs, reshape(view(transpose(view(m, 1:2, 1:3)), 1:2, :), 4)), m)
        @test same(m -> (fill!(view(reshape(view(PermutedDimsArray(m, (2, 1)), 1:2, 1:3), 6), 2:5), 1); m), m)
    end
    @testset "searches" begin
        @test same(v -> 3.0f0 in v, v) && same(v -> 33 in v, v) && same(v -> missing in v, v) && same(m -> 3 in view(m, 1:2, :), m)
        @test same(issorted, v) && same(v -> issorted(v; rev = true), v) && same(v -> issorted(v; by = x -> -x), v) && same(v -> issorted(v[1:0]), v)
        @test same(v -> issorted(view(v, 10:-1:1)), v)
        @test same(unique, w) && same(x -> unique(x -> x % 2, x), w) && same(unique, m) && same(unique, Float32[NaN, 1, NaN, -0.0, 0.0]) && same(unique, v[1:0])
        @test same(allunique, w) && same(allunique, v) && same(allequal, w) && same(v -> allequal(zero(v)), v)
        @test same(v -> filter(>(3), v), v) && same(m -> filter(>(3), m), m) && same(v -> filter!(>(3), v), v) && same(v -> clamp!(v, 2, 5), v)
    end
    @testset "matrices" begin
        @test same(m -> triu(m), m) && same(m -> tril!(m, -1), m) && same(d -> (istriu(d), istril(triu(d)), isdiag(d), issymmetric(d), ishermitian(d + d')), d)
        @test same(m -> diag(m, 1), m) && same(diagm, c) && same(c -> diagm(1 => c), c) && same(tr, d) && same(one, d) && same(d -> d - 2I, d)
        @test same(kron, c, d) && same(kron, d, c) && same(kron, d, d) && same(kron, c, c)
    end
end
