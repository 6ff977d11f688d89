# Numbers times the identity matrix: their arithmetic, and that beside matrices.
using LinearAlgebra, Test
@testset "numbers times the identity" begin
    @test (2I)[1, 1] == 2 && (2I)[1, 2] == 0 && (2I)[2:3, 2] == [2, 0] && (2I)[1:2, 1:2] == [2 0; 0 2] && (2I)[CartesianIndex(2, 2)] == 2
    @test I + 1 === 2 && 1 - 2I === -1 && I + 2I === 3I && 3I - I === 2I && -(2I) === -2I && +I === UniformScaling(1)
    @test 2I * 3I === 6I && 6I / 3 === 2.0I && (2I)^2 === 4I && inv(2I) === 0.5I && 3 \ 6I === 2.0I && 2I \ 4I === 2.0I
    @test ((1 + 2im)I)' === (1 - 2im)I && transpose(2im * I) === 2im * I && conj(2im * I) === -2im * I
    @test one(2I) === UniformScaling(1) && zero(2I) === UniformScaling(0) && eltype(2I) === Int && ndims(I) == 2
    @test I == UniformScaling(1.0) && [2 0; 0 2] == 2I && I != [1 0 0; 0 1 0] && !isequal([1 0; 0 1], I)
    @test det(I) === true && det(0I) == 0 && tr(0I) == 0 && ishermitian(2I) && !ishermitian(2im * I) && isdiag(I)
    @test_throws ArgumentError det(2I)
    @test_throws SingularException I / 0I
    @test_throws SingularException 0I \ [1, 2]
    @test repr("text/plain", 2I) == "UniformScaling{Int64}\n2*I" && repr("text/plain", (1 + 2im)I) == "UniformScaling{Complex{Int64}}\n(1 + 2im)*I"
end
@testset "beside matrices" begin
    a = [1 2; 3 4]
    @test a + I == I + a == [2 2; 3 5] && a - 2I == [-1 2; 3 2] && 2I - a == [1 -2; -3 -2]
    @test a' + I == (a + I)' && (a' + I) isa Adjoint && transpose(a) - I == transpose(a - I) && I - a' == (I - a)'
    @test a * 2I == 2I * a == [2 4; 6 8] && [1, 2] * 2I == [2; 4;;] && a / 2I == a / 2 && 2I \ a == a / 2
    @test copyto!(ones(2, 3), 2I) == [2 0 0; 0 2 0] && rmul!([1 2; 3 4], 2I) == [2 4; 6 8] && lmul!(2I, [1, 2]) == [2, 4]
    @test Matrix(2I, 2, 2) == [2 0; 0 2] && Matrix{Float64}(I, 2, 3) isa Matrix{Float64} && I(2) isa Diagonal
    @test_throws DimensionMismatch ones(2, 3) + I
    for U in (UnitUpperTriangular, UnitLowerTriangular, UpperTriangular, LowerTriangular, Symmetric, Hermitian)
        b = U([1.0 2; 2 5])
        @test Matrix(b + 2I) == Matrix(b) + 2I && Matrix(2I - b) == 2I - Matrix(b) && Matrix(b - I) == Matrix(b) - I
        @test (b + im * I)[1, 1] == b[1, 1] + im && (im * I - b)[2, 2] == im - b[2, 2]
    end
    @test UnitUpperTriangular(a) + I isa UpperTriangular && Hermitian([1 2; 2 1]) + im * I isa Matrix && Symmetric(a) + I isa Symmetric
end
