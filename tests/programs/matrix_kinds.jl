# Matrices with few diagonals and with ones on theirs, equations of matrices, and the hooks that packages extend.
using LinearAlgebra, Test

m = [1 2 3; 4 5 6; 7 8 10]
@test UnitUpperTriangular(m) == [1 2 3; 0 1 6; 0 0 1] && UnitLowerTriangular(m) == [1 0 0; 4 1 0; 7 8 1]
@test UnitUpperTriangular(m)' isa UnitLowerTriangular && UpperTriangular(m) isa LinearAlgebra.AbstractTriangular{Int}
@test_throws DimensionMismatch UpperTriangular([1 2 3])
t = Tridiagonal([1, 2], [3, 4, 5], [6, 7])
@test t == [3 6 0; 1 4 7; 0 2 5] && transpose(t) == [3 1 0; 6 4 2; 0 7 5] && t * [1, 1, 1] == [9, 12, 7]
@test SymTridiagonal([1, 2, 3], [4, 5]) == [1 4 0; 4 2 5; 0 5 3] && issymmetric(SymTridiagonal([1, 2], [3]))
@test Bidiagonal([1, 2], [3], :L) == [1 0; 3 2] && Bidiagonal(m, :U) == [1 2 0; 0 5 6; 0 0 10]
@test_throws ArgumentError Tridiagonal([1], [2], [3])
t[1, 1] = 9
@test t.d[1] == 9
@test_throws ArgumentError t[1, 3] = 1

@test sylvester(2.0, 3.0, 10.0) == -2.0 && lyap(2.0, 8.0) == -2.0
let a = [1.0 2; 3 4], b = [5.0 1; 2 6], c = [1.0 0; 2 1], x = sylvester(a, b, c)
    @test a * x + x * b + c ≈ zeros(2, 2) atol = 1e-12
    @test a * lyap(a, c) + lyap(a, c) * a' + c ≈ zeros(2, 2) atol = 1e-12
end
values, vectors = eigen([2.0 1; 1 2])
@test values ≈ [1, 3] && [2.0 1; 1 2] * vectors ≈ vectors * Diagonal(values)
@test lu([1.0 2; 3 4]) isa Factorization{Float64}

# The function that products of arrays of packages may go through, as Julia calls it.
c = zeros(2, 2)
LinearAlgebra.generic_matmatmul!(c, 'T', 'N', [1.0 2; 3 4], [1.0 0; 0 1], 2.0, 0.0)
@test c == [2 6; 4 8]
@test LinearAlgebra.MulAddMul(2, 3)(1, 10) == 32 && LinearAlgebra.wrap([1 2; 3 4], 'S') == [1 2; 2 4]

# What kiln lacks is an error with its name, and a function that packages extend.
struct Own end
LinearAlgebra.svd(::Own) = :own
@test svd(Own()) === :own
@test_throws "kiln lacks `LinearAlgebra.svd`" svd([1.0 2; 3 4])
@test_throws Base.UnsupportedError pinv([1 2; 3 4])
