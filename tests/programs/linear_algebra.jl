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
    # Powers that leave the range of the type are scaled; norms have the type of the elements' norms.
    @test norm([floatmax() / 2, 1], 1.5) ≈ floatmax() / 2 && norm(fill(2floatmin(), 2), 3) ≈ 2floatmin() * cbrt(2)
    @test norm([4.0, 8.0], -2) ≈ (1 / 16 + 1 / 64)^-0.5 && norm([0.0, 1], -1.5) == 0 && norm([Inf, 1], 3) == Inf && isnan(norm([NaN, 1], 3))
    @test map(p -> norm(Float32[1, 2], p), (0, 0.5, 1.5)) == (2, (1 + sqrt(2.0))^2, (1 + 2^1.5)^(2 / 3)) .|> Float32
    @test norm(Float16[1, 2], 1.5) isa Float16 && norm(ComplexF32[1, 2im], 0) === 2.0f0
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
    u = UpperTriangular(a)
    b = copy(a)
    @test rdiv!(b, u) === b && b ≈ a / u && rdiv!(copy(a), u') ≈ a / u' && rdiv!(copy(a), Diagonal([2, 4])) == [2 0.5; 0.5 0.75]
    @test_throws SingularException rdiv!(ones(2, 2), UpperTriangular([1.0 1; 0 0]))
    @test_throws SingularException lu([1.0 2.0; 2.0 4.0])
    @test_throws DimensionMismatch a * [1, 2, 3]
end
@testset "flipped matrices keep their kind" begin
    h, s = Hermitian([1 2im; 0 3]), Symmetric([1 2im; 0 3])
    @test h' === h && transpose(s) === s && Symmetric([1 2; 2 3])' isa Symmetric && transpose(Hermitian([1 2; 2 3])) isa Hermitian
    @test s' isa Adjoint && s' == Matrix(s)' && transpose(h) isa Transpose && transpose(h)[2, 1] == 2im
    @test copy(s') isa Symmetric && copy(s') == s' && copy(transpose(h)) isa Hermitian && copy(transpose(h)) == transpose(h)
    @test h + h isa Hermitian && h - h isa Hermitian && -s isa Symmetric && h + h == 2 * Matrix(h) && tr(h) === 4
    u = UpperTriangular([1 2; 3 4])
    @test u' isa LowerTriangular && u' == [1 0; 2 4] && transpose(LowerTriangular([1 2; 3 4])) isa UpperTriangular
    @test Diagonal([1im, 2])' == Diagonal([-1im, 2]) && transpose(Diagonal([1, 2])) isa Diagonal
end
@testset "factorizations that fail" begin
    @test issuccess(cholesky([4.0 2.0; 2.0 3.0])) && !issuccess(cholesky([1.0 2.0; 2.0 1.0]; check = false))
    @test !issuccess(cholesky(Symmetric([1.0 2.0; 2.0 1.0]); check = false)) && cholesky([1.0 2.0; 3.0 4.0]; check = false).info == -1
    @test cholesky([1.0 2.0; 2.0 1.0]; check = false).info == 2
    @test_throws PosDefException cholesky([1.0 2.0; 2.0 1.0]; check = false) \ [1.0, 2.0]
    @test_throws PosDefException cholesky([1.0 2.0; 2.0 1.0])
    @test_throws DimensionMismatch cholesky([1.0 2.0 3.0; 4.0 5.0 6.0])
    c = cholesky([4.0 2.0; 2.0 3.0])
    l, u = c
    @test c.U isa UpperTriangular && c.L isa LowerTriangular && u' == l && c.uplo == 'U' && cholesky(Hermitian([4 2; 2 3], :L)).uplo == 'L'
    @test det(c) ≈ 8 && logdet(c) ≈ log(8) && inv(c) ≈ inv([4.0 2.0; 2.0 3.0]) && c \ [8.0, 7.0] ≈ [1.25, 1.5]
    @test sprint(show, MIME("text/plain"), c) == "Cholesky{Float64, Matrix{Float64}}\nU factor:\n2×2 UpperTriangular{Float64, Matrix{Float64}}:\n 2.0  1.0\n  ⋅   1.41421"
end
@testset "numbers times arrays, into arrays" begin
    a = [1.0 2; 3 4]
    @test mul!(fill(NaN, 2, 2), 2, a) == 2a && mul!(fill(NaN, 2, 2), a, 2) == 2a && mul!(ones(2, 2), 2, a, 3, 4) == 6a .+ 4 && mul!(ones(2), [1, 2], 2, 3, 4) == [10, 16]
    @test mul!(zeros(4), a, 2) == 2vec(a) && mul!(zeros(2, 2), 2, [1, 2, 3, 4]) == [2 6; 4 8]
    @test_throws DimensionMismatch mul!(zeros(2, 2), [1, 2], 2)
    @test mul!(fill(NaN, 2, 2), a, 3I) == 3a && mul!(ones(2, 2), 3I, a, 2, 1) == 6a .+ 1 && mul!(zeros(2), 2I, [1, 2]) == [2, 4]
    @test mul!(fill(NaN, 2, 2), 3, I) == [3 0; 0 3] && mul!(ones(2, 2), 2I, 3, 2, 4) == [16 4; 4 16] && mul!(fill(2.0, 2, 2), 0, I, 1, 1) == fill(2, 2, 2)
    @test_throws DimensionMismatch mul!(ones(2, 3), 3, I)
    @test mul!(view(zeros(4, 4), 1:2, 1:2), 5, a) == 5a
    x, y = [1.0, 2im], [3, 4.0 + 0im]
    @test rotate!(copy(x), copy(y), 2, 1im) == (2x + 1im * y, 2y + 1im * x) && reflect!(copy(x), copy(y), 2, 1im) == (2x + 1im * y, -1im * x - 2y)
    @test_throws DimensionMismatch rotate!([1.0], [1.0, 2.0], 1, 1)
    @test lmul!(2, [1, 2]) == [2, 4] && axpby!(2, [1, 2], 3, [1, 1]) == [5, 7]
    @test isone([1 0; 0 1]) && !isone([1 0 0; 0 1 0])
end
