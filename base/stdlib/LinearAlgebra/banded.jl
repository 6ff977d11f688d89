# Matrices with few diagonals.

"""
    Tridiagonal(dl, d, du)

A matrix of three diagonals, from below.
"""
struct Tridiagonal{T, V <: AbstractVector{T}} <: AbstractMatrix{T}
    dl::V
    d::V
    du::V
    function Tridiagonal{T, V}(dl, d, du) where {T, V <: AbstractVector{T}}
        n = length(d)
        length(dl) == length(du) == n - 1 || n == 0 && isempty(dl) && isempty(du) ||
            throw(ArgumentError(string("cannot construct Tridiagonal from incompatible lengths of subdiagonal, diagonal and superdiagonal: (",
                length(dl), ", ", n, ", ", length(du), ")")))
        new{T, V}(dl, d, du)
    end
end
Tridiagonal(dl::V, d::V, du::V) where {T, V <: AbstractVector{T}} = Tridiagonal{T, V}(dl, d, du)
Tridiagonal(a::AbstractMatrix) = Tridiagonal(diag(a, -1), diag(a, 0), diag(a, 1))
"""
    SymTridiagonal(dv, ev)

A symmetric matrix with `dv` on the diagonal and `ev` on both sides of it.
"""
struct SymTridiagonal{T, V <: AbstractVector{T}} <: AbstractMatrix{T}
    dv::V
    ev::V
    function SymTridiagonal{T, V}(dv, ev) where {T, V <: AbstractVector{T}}
        length(dv) - 1 <= length(ev) <= length(dv) ||
            throw(DimensionMismatch(string("subdiagonal has wrong length. Has length ", length(ev), ", but should be either ", length(dv) - 1, " or ", length(dv), ".")))
        new{T, V}(dv, ev)
    end
end
SymTridiagonal(dv::V, ev::V) where {T, V <: AbstractVector{T}} = SymTridiagonal{T, V}(dv, ev)
SymTridiagonal(a::AbstractMatrix) = diag(a, 1) == transpose.(diag(a, -1)) ? SymTridiagonal(diag(a, 0), diag(a, 1)) :
    throw(ArgumentError("matrix is not symmetric; cannot convert to SymTridiagonal"))
"""
    Bidiagonal(dv, ev, uplo)

A matrix with `dv` on the diagonal and `ev` above it (`:U`) or below it (`:L`).
"""
struct Bidiagonal{T, V <: AbstractVector{T}} <: AbstractMatrix{T}
    dv::V
    ev::V
    uplo::Char
    function Bidiagonal{T, V}(dv, ev, uplo::AbstractChar) where {T, V <: AbstractVector{T}}
        uplo in ('U', 'L') || throw(ArgumentError(string("uplo argument must be either 'U' (upper) or 'L' (lower), got ", repr(uplo))))
        length(ev) == max(length(dv) - 1, 0) ||
            throw(DimensionMismatch(string("length of diagonal vector is ", length(dv), ", length of off-diagonal vector is ", length(ev))))
        new{T, V}(dv, ev, uplo)
    end
end
Bidiagonal(dv::V, ev::V, uplo::Symbol) where {T, V <: AbstractVector{T}} = Bidiagonal{T, V}(dv, ev, first(string(uplo)))
Bidiagonal(dv::V, ev::V, uplo::AbstractChar) where {T, V <: AbstractVector{T}} = Bidiagonal{T, V}(dv, ev, uplo)
Bidiagonal(a::AbstractMatrix, uplo::Symbol) = Bidiagonal(diag(a, 0), diag(a, uplo === :U ? 1 : -1), uplo)

size(a::Tridiagonal) = (length(a.d), length(a.d))
size(a::Union{SymTridiagonal, Bidiagonal}) = (length(a.dv), length(a.dv))
function getindex(a::Tridiagonal{T}, i::Int, j::Int) where {T}
    @boundscheck checkbounds(a, i, j)
    i == j ? a.d[i] : i == j + 1 ? a.dl[j] : j == i + 1 ? a.du[i] : zero(T)
end
function getindex(a::SymTridiagonal{T}, i::Int, j::Int) where {T}
    @boundscheck checkbounds(a, i, j)
    i == j ? a.dv[i] : i == j + 1 ? transpose(a.ev[j]) : j == i + 1 ? a.ev[i] : zero(T)
end
function getindex(a::Bidiagonal{T}, i::Int, j::Int) where {T}
    @boundscheck checkbounds(a, i, j)
    i == j ? a.dv[i] : on_other_diagonal(a, i, j) ? a.ev[min(i, j)] : zero(T)
end
on_other_diagonal(a, i, j) = a.uplo == 'U' ? j == i + 1 : i == j + 1
function Base.setindex!(a::Tridiagonal, x, i::Int, j::Int)
    @boundscheck checkbounds(a, i, j)
    i == j ? (a.d[i] = x) : i == j + 1 ? (a.dl[j] = x) : j == i + 1 ? (a.du[i] = x) : iszero(x) ||
        throw(ArgumentError(string("cannot set entry (", i, ", ", j, ") off the tridiagonal band to a nonzero value (", x, ")")))
    a
end
issymmetric(a::SymTridiagonal) = true
issymmetric(a::SymTridiagonal{<:AbstractMatrix}) = all(issymmetric, a.dv)
copy(a::Tridiagonal) = Tridiagonal(copy(a.dl), copy(a.d), copy(a.du))
copy(a::SymTridiagonal) = SymTridiagonal(copy(a.dv), copy(a.ev))
copy(a::Bidiagonal) = Bidiagonal(copy(a.dv), copy(a.ev), a.uplo)
Base.transpose(a::Tridiagonal{<:Number}) = Tridiagonal(a.du, a.d, a.dl)
Base.adjoint(a::Tridiagonal{<:Number}) = Tridiagonal(conj(a.du), conj(a.d), conj(a.dl))
Base.transpose(a::SymTridiagonal{<:Number}) = a
Base.adjoint(a::SymTridiagonal{<:Real}) = a
Base.transpose(a::Bidiagonal{<:Number}) = Bidiagonal(a.dv, a.ev, a.uplo == 'U' ? :L : :U)
Base.adjoint(a::Bidiagonal{<:Number}) = Bidiagonal(conj(a.dv), conj(a.ev), a.uplo == 'U' ? :L : :U)
in_band(a::Union{Tridiagonal, SymTridiagonal}, i, j) = abs(i - j) <= 1
in_band(a::Bidiagonal, i, j) = i == j || on_other_diagonal(a, i, j)
Base.replace_in_print_matrix(a::Union{Tridiagonal, SymTridiagonal, Bidiagonal}, i::Integer, j::Integer, s::AbstractString) =
    in_band(a, i, j) ? s : Base.replace_with_centered_mark(s)
