# Sparse arrays: what is stored, arithmetic that keeps to it, broadcasts, and how they are shown.
using SparseArrays, LinearAlgebra, Test

a = sparse([1, 3, 2, 3], [1, 1, 2, 2], [1.0, 2.0, 3.0, 4.0], 3, 3)
dense = [1.0 0 0; 0 3 0; 2 4 0]
@test Matrix(a) == dense && nnz(a) == 4 && a[3, 2] == 4 && a[1, 2] == 0
@test rowvals(a) == [1, 3, 2, 3] && SparseArrays.getcolptr(a) == [1, 3, 5, 5] && nzrange(a, 2) == 3:4
b = copy(a)
b[1, 3] = 5
@test findnz(b) == ([1, 3, 2, 3, 1], [1, 1, 2, 2, 3], [1.0, 2, 3, 4, 5])
b[2, 1] = 0
@test nnz(b) == 5
@test a * [1.0, 2, 3] == dense * [1, 2, 3] && a' * [1, 2, 3] == dense' * [1, 2, 3]
@test (a * a)::SparseMatrixCSC == sparse(dense * dense)
@test (a .* 2)::SparseMatrixCSC{Float64, Int} == 2a && (a .+ dense)::SparseMatrixCSC == sparse(2dense)
@test sparse([1, 1], [1, 1], [2, 3]) == sparse([5;;]) && sparse([1, 1], [1, 1], [true, true]) == sparse([true;;])
@test spdiagm(1 => [1, 2])::SparseMatrixCSC == sparse([0 1 0; 0 0 2; 0 0 0])
@test kron(a, a) == sparse(kron(dense, dense)) && copy(transpose(a)) == sparse(permutedims(dense))
@test [a; a] == sparse([dense; dense]) && [a a] == sparse([dense dense]) && blockdiag(a, a)[6, 5] == 4
@test triu(a) == sparse(triu(dense)) && tril(a, -1) == sparse(tril(dense, -1))
@test dropzeros!(sparse([1, 2], [1, 2], [0, 1])).nzval == [1] && droptol!(copy(a), 2.5).nzval == [3.0, 4.0]
# What cancels stays stored.
@test nnz(a - a) == 4 && iszero(a - a)
@test a[:, 2]::SparseVector == [0, 3, 4]
v = sparsevec([2, 4], [1.5, 2.5], 5)
@test v == [0, 1.5, 0, 2.5, 0] && nnz(v + v) == 2 && (v .^ 2)::SparseVector == [0, 2.25, 0, 6.25, 0]
@test issparse(a) && issparse(transpose(a)) && !issparse(dense) && nnz(dense) == 4
@test SparseMatrixCSC(v)::SparseMatrixCSC{Float64, Int} == reshape(Vector(v), 5, 1) && nnz(SparseMatrixCSC{Float32, Int32}(v)) == 2
@test sprandn(Float32, 9, 9, 0.5) isa SparseMatrixCSC{Float32, Int} && sprandn(ComplexF64, 9, 0.5) isa SparseVector{ComplexF64, Int}
@test size(sprandn(9, 8, 0.5)) == (9, 8) && nnz(sprandn(9, 0.0)) == 0
@test_throws MethodError sprandn("")
@test_throws ArgumentError sparse([4], [1], [1], 3, 3)
@test_throws DimensionMismatch a * [1, 2]
@test sprint(show, MIME("text/plain"), a) == """
    3×3 SparseMatrixCSC{Float64, Int64} with 4 stored entries:
     1.0   ⋅    ⋅ 
      ⋅   3.0   ⋅ 
     2.0  4.0   ⋅ """
@test sprint(show, MIME("text/plain"), v) == "5-element SparseVector{Float64, Int64} with 2 stored entries:\n  [2]  =  1.5\n  [4]  =  2.5"
let p = sprand(100, 100, 0.1)
    @test 0 < nnz(p) < 3000 && all(x -> 0 < x < 1, nonzeros(p))
end
