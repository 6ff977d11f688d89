# Products, norms, solving and factorizations of small matrices.
using LinearAlgebra, Test
a = [4.0 2.0; 1.0 3.0]
@testset "products" begin
    @test dot([1, 2], [3, 4]) == 11 && [1, 2] ⋅ [3, 4] == 11 && cross([1, 0, 0], [0, 1, 0]) == [0, 0, 1]
    @test a * [1, 1] == [6, 4] && a * a == [18 14; 7 11] && a' == [4 1; 2 3] && [1, 2]' * [3, 4] == 11
    @test mul!(zeros(2), a, [1.0, 0.0]) == [4, 1] && mul!(ones(2, 2), a, a, 2, 1) == 2 * a * a .+ 1
    @test I * a == a && a + I == [5 2; 1 4] && a - 2I == [2 2; 1 1] && Matrix(1.0I, 2, 2) == [1 0; 0 1]
    @test Diagonal([1, 2]) * a == [4 2; 2 6] && diagm([1, 2]) == [1 0; 0 2] && kron([1 2], [1 1]) == [1 1 2 2]
end
@testset "numbers of a matrix" begin
    @test norm([3, 4]) == 5 && norm([1, -2], 1) == 3 && norm([1, -2], Inf) == 2 && normalize([3.0, 4.0]) == [0.6, 0.8]
    @test tr(a) == 7 && det(a) ≈ 10 && rank([1 2; 2 4]) == 1 && rank(a) == 2 && diag(a) == [4, 3]
    @test issymmetric([1 2; 2 1]) && !issymmetric(a) && istriu([1 2; 0 3]) && isdiag([1 0; 0 2]) && opnorm([3 0; 0 4]) ≈ 4
    @test eigvals([2.0 1.0; 1.0 2.0]) ≈ [1, 3]
end
@testset "solving" begin
    @test a \ [8.0, 7.0] ≈ [1, 2] && inv(a) * a ≈ [1 0; 0 1] && a / a ≈ [1 0; 0 1]
    f = lu(a)
    @test f.L * f.U ≈ a[f.p, :] && f \ [8.0, 7.0] ≈ [1, 2] && det(f) ≈ 10
    q, r = qr(a)
    @test q * r ≈ a && q' * q ≈ [1 0; 0 1] && istriu(round.(r; digits = 12))
    c = cholesky([4.0 2.0; 2.0 3.0])
    @test c.L * c.L' ≈ [4 2; 2 3] && isposdef([2 0; 0 1]) && !isposdef([1 2; 2 1])
    @test_throws SingularException lu([1.0 2.0; 2.0 4.0])
    @test_throws DimensionMismatch a * [1, 2, 3]
end
