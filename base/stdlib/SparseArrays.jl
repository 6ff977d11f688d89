# Arrays of which only some elements are stored: matrices by columns, and vectors.
module SparseArrays

using LinearAlgebra
using Random: Random, AbstractRNG, default_rng
import LinearAlgebra: mul!, lmul!, rmul!, tr, diag, norm, issymmetric, ishermitian, kron, triu, tril

export AbstractSparseArray, AbstractSparseMatrix, AbstractSparseVector, SparseMatrixCSC, SparseVector, blockdiag, droptol!, dropzeros!,
    dropzeros, issparse, nonzeros, nonzeroinds, nzrange, rowvals, sparse, sparsevec, spdiagm, sprand, sprandn, spzeros, nnz, findnz,
    fkeep!, permute, sparse_hcat, sparse_vcat, sparse_hvcat, ftranspose!

include("SparseArrays/types.jl")
include("SparseArrays/building.jl")
include("SparseArrays/indexing.jl")
include("SparseArrays/arithmetic.jl")
include("SparseArrays/broadcast.jl")

# Solvers and reorderings, which packages extend.
Base.@lacked ftranspose! sparse_hvcat permute

end
