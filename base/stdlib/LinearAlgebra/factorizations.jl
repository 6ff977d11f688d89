# The types of factorizations. Those that kiln computes none of are types that packages name and fill.

abstract type Factorization{T} end
Base.eltype(::Type{<:Factorization{T}}) where {T} = T
struct SVD{T, Tr, M <: AbstractArray{T}, C <: AbstractVector{Tr}} <: Factorization{T}
    U::M
    S::C
    Vt::M
end
SVD(U::AbstractArray{T}, S::AbstractVector{Tr}, Vt::AbstractArray{T}) where {T, Tr} = SVD{T, Tr, typeof(U), typeof(S)}(U, S, Vt)
struct Eigen{T, V, S <: AbstractMatrix, U <: AbstractVector} <: Factorization{T}
    values::U
    vectors::S
end
Eigen(values::AbstractVector{V}, vectors::AbstractMatrix{T}) where {T, V} = Eigen{T, V, typeof(vectors), typeof(values)}(values, vectors)
Base.iterate(e::Eigen) = (e.values, 2)
Base.iterate(e::Eigen, k::Int) = k == 2 ? (e.vectors, 3) : nothing
Base.iterate(f::SVD) = (f.U, 2)
Base.iterate(f::SVD, k::Int) = k == 2 ? (f.S, 3) : k == 3 ? (f.V, 4) : nothing
Base.getproperty(f::SVD, name::Symbol) = name === :V ? getfield(f, :Vt)' : getfield(f, name)
for T in (:BunchKaufman, :CholeskyPivoted, :GeneralizedEigen, :GeneralizedSVD, :GeneralizedSchur, :Hessenberg, :LDLt, :LQ, :QRPivoted, :Schur)
    @eval begin
        struct $T{T, S} <: Factorization{T}
            factors::S
            $T(args...) = throw(Base.UnsupportedError($(QuoteNode(T)), $("kiln lacks `LinearAlgebra.$T`")))
        end
    end
end

# How rows and columns are exchanged.
abstract type PivotingStrategy end
struct NoPivot <: PivotingStrategy end
struct RowNonZero <: PivotingStrategy end
struct RowMaximum <: PivotingStrategy end
struct ColumnNorm <: PivotingStrategy end
