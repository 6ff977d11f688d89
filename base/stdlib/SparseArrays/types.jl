# The types, what is stored, and how it is shown.

abstract type AbstractSparseArray{Tv, Ti, N} <: AbstractArray{Tv, N} end
const AbstractSparseVector{Tv, Ti} = AbstractSparseArray{Tv, Ti, 1}
const AbstractSparseMatrix{Tv, Ti} = AbstractSparseArray{Tv, Ti, 2}
const AbstractSparseVecOrMat = Union{AbstractSparseVector, AbstractSparseMatrix}
abstract type AbstractSparseMatrixCSC{Tv, Ti <: Integer} <: AbstractSparseMatrix{Tv, Ti} end
abstract type AbstractCompressedVector{Tv, Ti <: Integer} <: AbstractSparseVector{Tv, Ti} end

"""
    SparseMatrixCSC(m, n, colptr, rowval, nzval)

A matrix of which each column's stored elements lie side by side, by row: those of column `j` at `colptr[j]:colptr[j + 1] - 1`.
"""
struct SparseMatrixCSC{Tv, Ti <: Integer} <: AbstractSparseMatrixCSC{Tv, Ti}
    m::Int
    n::Int
    colptr::Vector{Ti}
    rowval::Vector{Ti}
    nzval::Vector{Tv}
    function SparseMatrixCSC{Tv, Ti}(m::Integer, n::Integer, colptr::Vector{Ti}, rowval::Vector{Ti}, nzval::Vector{Tv}) where {Tv, Ti <: Integer}
        m >= 0 && n >= 0 || throw(ArgumentError(string("number of rows and columns must be ≥ 0, got ", m, " and ", n)))
        length(colptr) == n + 1 || throw(ArgumentError(string("the length of colptr must be n + 1, ", n + 1, ", got ", length(colptr))))
        colptr[1] == 1 || throw(ArgumentError(string("colptr[1] must be 1, got ", colptr[1])))
        issorted(colptr) || throw(ArgumentError("colptr must not decrease"))
        stored = colptr[end] - 1
        length(rowval) >= stored && length(nzval) >= stored || throw(ArgumentError(string("rowval and nzval must have ", stored, " elements")))
        new{Tv, Ti}(m, n, colptr, rowval, nzval)
    end
end
SparseMatrixCSC(m::Integer, n::Integer, colptr::Vector, rowval::Vector, nzval::Vector) = (Ti = promote_type(eltype(colptr), eltype(rowval));
    SparseMatrixCSC{eltype(nzval), Ti}(m, n, convert(Vector{Ti}, colptr), convert(Vector{Ti}, rowval), nzval))

"""
    SparseVector(n, nzind, nzval)

A vector of `n` elements, of which those at `nzind` are stored.
"""
struct SparseVector{Tv, Ti <: Integer} <: AbstractCompressedVector{Tv, Ti}
    n::Int
    nzind::Vector{Ti}
    nzval::Vector{Tv}
    function SparseVector{Tv, Ti}(n::Integer, nzind::Vector{Ti}, nzval::Vector{Tv}) where {Tv, Ti <: Integer}
        n >= 0 || throw(ArgumentError("The number of elements must be non-negative."))
        length(nzind) == length(nzval) || throw(ArgumentError("index and value vectors must be the same length"))
        new{Tv, Ti}(n, nzind, nzval)
    end
end
SparseVector(n::Integer, nzind::Vector{Ti}, nzval::Vector{Tv}) where {Tv, Ti <: Integer} = SparseVector{Tv, Ti}(n, nzind, nzval)

Base.size(a::SparseMatrixCSC) = (a.m, a.n)
Base.size(v::SparseVector) = (v.n,)
getcolptr(a::SparseMatrixCSC) = a.colptr
getnzval(a::Union{SparseMatrixCSC, SparseVector}) = a.nzval
"""
    nonzeros(a)

The stored elements, some of which may be zero.
"""
nonzeros(a::Union{SparseMatrixCSC, SparseVector}) = a.nzval
nonzeros(v::SubArray{<:Any, 1, <:AbstractSparseMatrixCSC, <:Tuple{Base.Slice, Int}}) = view(nonzeros(parent(v)), nzrange(parent(v), v.indices[2]))
"""
    rowvals(a)

The rows of the stored elements.
"""
rowvals(a::SparseMatrixCSC) = a.rowval
rowvals(v::SparseVector) = v.nzind
nonzeroinds(v::SparseVector) = v.nzind
nonzeroinds(v::SubArray{<:Any, 1, <:AbstractSparseMatrixCSC, <:Tuple{Base.Slice, Int}}) = view(rowvals(parent(v)), nzrange(parent(v), v.indices[2]))
"""
    nzrange(a, column)

Where the stored elements of a column are.
"""
nzrange(a::AbstractSparseMatrixCSC, column::Integer) = Int(getcolptr(a)[column]):(Int(getcolptr(a)[column + 1]) - 1)
nzrange(v::AbstractSparseVector, column::Integer) = column == 1 ? (1:nnz(v)) : throw(BoundsError(v, (:, column)))
"""
    nnz(a)

The number of stored elements.
"""
nnz(a::AbstractSparseMatrixCSC) = Int(getcolptr(a)[size(a, 2) + 1]) - 1
nnz(v::AbstractCompressedVector) = length(nonzeros(v))
nnz(a::Union{Transpose{<:Any, <:AbstractSparseArray}, Adjoint{<:Any, <:AbstractSparseArray}}) = nnz(parent(a))
nnz(a::AbstractArray) = count(!iszero, a)
"""
    issparse(a)

Whether only some elements of an array are stored.
"""
issparse(::AbstractArray) = false
issparse(::AbstractSparseArray) = true
issparse(a::Union{Transpose, Adjoint, Symmetric, Hermitian, UpperTriangular, LowerTriangular, SubArray}) = issparse(parent(a))
Base.count(f, a::SparseMatrixCSC) = count(f, view(a.nzval, 1:nnz(a))) + (f(zero(eltype(a))) ? length(a) - nnz(a) : 0)

function Base.show(io::IO, mime::MIME"text/plain", a::AbstractSparseMatrixCSC)
    print(io, size(a, 1), "×", size(a, 2), " ", typeof(a), " with ", nnz(a), " stored ", nnz(a) == 1 ? "entry" : "entries")
    isempty(a) && return nothing
    println(io, ":")
    Base.print_array(IOContext(io, :compact => true), a)
end
Base.replace_in_print_matrix(a::AbstractSparseMatrixCSC, i::Integer, j::Integer, s::AbstractString) =
    stored_at(a, i, j) == 0 ? Base.replace_with_centered_mark(s) : s
Base.show(io::IO, a::AbstractSparseMatrixCSC) = ((i, j, v) = findnz(a); print(io, "sparse(", i, ", ", j, ", ", v, ", ", size(a, 1), ", ", size(a, 2), ")"))
Base.show(io::IO, v::AbstractSparseVector) = print(io, "sparsevec(", nonzeroinds(v), ", ", nonzeros(v), ", ", length(v), ")")
function Base.show(io::IO, ::MIME"text/plain", v::AbstractSparseVector)
    print(io, length(v), "-element ", typeof(v), " with ", nnz(v), " stored ", nnz(v) == 1 ? "entry" : "entries")
    nnz(v) == 0 && return nothing
    println(io, ":")
    width = ndigits(length(v))
    for (k, (i, x)) in enumerate(zip(nonzeroinds(v), nonzeros(v)))
        print(io, "  [", lpad(i, width), "]  =  ")
        show(IOContext(io, :compact => true), x)
        k == nnz(v) || println(io)
    end
end
