# Linear algebra under its package's name: what Base holds, and factorizations and matrix types built on it.
module LinearAlgebra

import Base: Transpose, Adjoint, SingularException, dot, cross, norm, normalize, normalize!, tr,
    det, diag, triu, tril, mul!, axpy!, axpby!, rmul!, lmul!, issymmetric, kron, diagind
import Base: promote_op, ==, \, *, +, -, size, getindex, inv, show, copy

export Transpose, Adjoint, Diagonal, UniformScaling, Symmetric, UpperTriangular, LowerTriangular, SingularException,
    dot, cross, norm, normalize, normalize!, tr, det, logdet, diag, diagm, triu, tril, mul!, axpy!, axpby!, rmul!, lmul!,
    issymmetric, ishermitian, isdiag, isbanded, istriu, istril, kron, I, transpose, adjoint, lu, LU, rank, opnorm, cholesky, Cholesky, qr,
    ldiv!, rdiv!, BLAS, eigvals, ⋅, ×, copy_transpose!, Hermitian, issuccess, isposdef, PosDefException, diagind, transpose!, adjoint!,
    UnitUpperTriangular, UnitLowerTriangular, Tridiagonal, SymTridiagonal, Bidiagonal, Factorization, SVD, Eigen,
    BunchKaufman, CholeskyPivoted, GeneralizedEigen, GeneralizedSVD, GeneralizedSchur, Hessenberg, LDLt, LQ, QR, QRPivoted, Schur,
    NoPivot, RowNonZero, RowMaximum, ColumnNorm, sylvester, lyap, eigen, eigvecs, eigmax, eigmin, logabsdet, triu!, tril!, copytrito!,
    bunchkaufman, bunchkaufman!, cholesky!, cond, condskeel, eigen!, eigvals!, factorize, givens, hermitianpart, hermitianpart!,
    hessenberg, hessenberg!, isposdef!, kron!, ldlt, ldlt!, lowrankdowndate, lowrankdowndate!, lowrankupdate, lowrankupdate!, lq, lq!,
    lu!, ZeroPivotException, nullspace, ordschur, ordschur!, peakflops, pinv, qr!, reflect!, rotate!, schur, schur!, svd, svd!, svdvals, svdvals!

# Of anything that has a size: some types have one.
function checksquare(a)
    m, n = size(a)
    m == n || throw(DimensionMismatch(string("matrix is not square: dimensions are ", size(a))))
    m
end
checksquare(as...) = [checksquare(a) for a in as]
include("LinearAlgebra/diagonal.jl")
include("LinearAlgebra/factorizations.jl")

const (⋅) = dot
const (×) = cross

isdiag(a::AbstractMatrix) = isbanded(a, 0, 0)
isbanded(a::AbstractMatrix, lowest::Integer, highest::Integer) = istriu(a, lowest) && istril(a, highest)
istriu(a::AbstractMatrix, k::Integer = 0) = all(i -> i[2] - i[1] >= k || iszero(a[i]), CartesianIndices(a))
istril(a::AbstractMatrix, k::Integer = 0) = all(i -> i[2] - i[1] <= k || iszero(a[i]), CartesianIndices(a))
ishermitian(a::AbstractMatrix) = size(a, 1) == size(a, 2) && all(i -> a[i] == adjoint(a[i[2], i[1]]), CartesianIndices(a))
ishermitian(x::Number) = x == conj(x)
isdiag(::Number) = true
istriu(::Number, k::Integer = 0) = k <= 0
istril(::Number, k::Integer = 0) = k >= 0
function diagm(v::AbstractVector)
    n = length(v)
    out = zeros(eltype(v), n, n)
    for i in 1:n
        out[i, i] = v[i]
    end
    out
end
function diagm(p::Pair{<:Integer, <:AbstractVector})
    k = p.first
    n = length(p.second) + abs(k)
    out = zeros(eltype(p.second), n, n)
    for i in 1:length(p.second)
        out[i + max(-k, 0), i + max(k, 0)] = p.second[i]
    end
    out
end
diagm(ps::Pair...) = reduce(add_padded, map(diagm, ps))
function add_padded(a, b)
    n = max(size(a, 1), size(b, 1))
    out = zeros(promote_type(eltype(a), eltype(b)), n, n)
    for m in (a, b), i in axes(m, 1), j in axes(m, 2)
        out[i, j] += m[i, j]
    end
    out
end
logdet(a::AbstractMatrix) = log(det(a))

include("LinearAlgebra/triangular.jl")
struct Symmetric{T, S <: AbstractMatrix{T}} <: AbstractMatrix{T}
    data::S
    uplo::Char
    Symmetric(data::S, uplo::Symbol = :U) where {T, S <: AbstractMatrix{T}} = new{T, S}(data, uplo === :U ? 'U' : 'L')
    Symmetric{T, S}(data, uplo::Char) where {T, S <: AbstractMatrix{T}} = new{T, S}(data, uplo)
end
# The conjugate of what is on the other side of the diagonal, which is real.
struct Hermitian{T, S <: AbstractMatrix{T}} <: AbstractMatrix{T}
    data::S
    uplo::Char
    Hermitian(data::S, uplo::Symbol = :U) where {T, S <: AbstractMatrix{T}} = new{T, S}(data, uplo === :U ? 'U' : 'L')
    Hermitian{T, S}(data, uplo::Char) where {T, S <: AbstractMatrix{T}} = new{T, S}(data, uplo)
end
const RealHermSymComplexHerm{T <: Real, S} = Union{Hermitian{T, S}, Symmetric{T, S}, Hermitian{Complex{T}, S}}
size(a::Hermitian) = size(a.data)
getindex(a::Hermitian{T}, i::Int, j::Int) where {T} = i == j ? convert(T, real(a.data[i, i])) :
    (a.uplo == 'U') == (i < j) ? a.data[i, j] : conj(a.data[j, i])
ishermitian(::Hermitian) = true
issymmetric(a::Hermitian{<:Real}) = true
ishermitian(::Symmetric{<:Real}) = true
Base.parent(a::Union{Symmetric, Hermitian}) = a.data
Base.similar(a::Union{Symmetric, Hermitian}, ::Type{T}, dims::Dims) where {T} = similar(parent(a), T, dims)
Symmetric(a::Symmetric, uplo::Symbol = :U) = a
Hermitian(a::Hermitian, uplo::Symbol = :U) = a
size(a::Symmetric) = size(a.data)
getindex(a::Symmetric, i::Int, j::Int) = (a.uplo == 'U') == (i <= j) ? a.data[i, j] : a.data[j, i]
issymmetric(::Symmetric) = true
# Flipped, a matrix of a kind is one of that kind where the kind says what it becomes.
Base.adjoint(a::Hermitian) = a
Base.transpose(a::Hermitian{<:Real}) = a
Base.transpose(a::Symmetric) = a
Base.adjoint(a::Symmetric{<:Real}) = a
flipped_uplo(a) = a.uplo == 'U' ? :L : :U
copy(a::Adjoint{<:Any, <:Symmetric}) = Symmetric(copy(adjoint(parent(a).data)), flipped_uplo(parent(a)))
copy(a::Transpose{<:Any, <:Hermitian}) = Hermitian(copy(transpose(parent(a).data)), flipped_uplo(parent(a)))
for flip in (:adjoint, :transpose)
    @eval begin
        Base.$flip(a::Diagonal) = Diagonal(map($flip, a.diag))
    end
end
for T in (:Symmetric, :Hermitian)
    @eval begin
        copy(a::$T) = $T(copy(a.data), Symbol(a.uplo))
        +(a::$T, b::$T) = $T(Matrix(a) + Matrix(b), a.uplo == b.uplo ? Symbol(a.uplo) : :U)
        -(a::$T, b::$T) = $T(Matrix(a) - Matrix(b), a.uplo == b.uplo ? Symbol(a.uplo) : :U)
        -(a::$T) = $T(-a.data, Symbol(a.uplo))
    end
end
tr(a::Hermitian) = real(tr(a.data))

# LU with row exchanges, kept in one matrix: below the diagonal L, the rest U.
struct LU{T, S <: AbstractMatrix{T}, P <: AbstractVector{<:Integer}} <: Factorization{T}
    factors::S
    ipiv::P
    info::Int
end
function lu(a::AbstractMatrix, pivot::Union{RowMaximum, NoPivot, RowNonZero} = RowMaximum(); check::Bool = true, allowsingular::Bool = false)
    m, n = size(a)
    f = Matrix{typeof(one(eltype(a)) / one(eltype(a)))}(a)
    p = collect(1:m)
    info = 0
    for k in 1:min(m, n)
        best = pivot_row(pivot, f, k)
        if iszero(f[best, k])
            info == 0 && (info = k)
            continue
        end
        if best != k
            for j in 1:n
                f[k, j], f[best, j] = f[best, j], f[k, j]
            end
            p[k], p[best] = p[best], p[k]
        end
        for i in (k + 1):m
            f[i, k] /= f[k, k]
            for j in (k + 1):n
                f[i, j] -= f[i, k] * f[k, j]
            end
        end
    end
    check && !allowsingular && info > 0 && throw(pivot isa NoPivot ? ZeroPivotException(info) : SingularException(info))
    LU(f, p, info)
end
struct ZeroPivotException <: Exception
    info::Int
end
Base.showerror(io::IO, e::ZeroPivotException) =
    print(io, "ZeroPivotException: factorization encountered one or more zero pivots. Consider switching to a pivoted LU factorization.")
# The row that is exchanged with row `k`.
pivot_row(::NoPivot, f, k) = k
pivot_row(::RowNonZero, f, k) = something(findfirst(i -> !iszero(f[i, k]), k:size(f, 1)), 1) + k - 1
function pivot_row(::RowMaximum, f, k)
    best = k
    for i in (k + 1):size(f, 1)
        abs(f[i, k]) > abs(f[best, k]) && (best = i)
    end
    best
end
issuccess(f::LU) = f.info == 0
function Base.getproperty(f::LU, name::Symbol)
    m = getfield(f, :factors)
    k = min(size(m)...)
    if name === :L
        [i == j ? one(m[i, j]) : i > j ? m[i, j] : zero(m[i, j]) for i in 1:size(m, 1), j in 1:k]
    elseif name === :U
        triu(m[1:k, :])
    elseif name === :P
        [i == j ? one(eltype(m)) : zero(eltype(m)) for j in getfield(f, :ipiv), i in 1:size(m, 1)]
    elseif name === :p
        getfield(f, :ipiv)
    else
        getfield(f, name)
    end
end
Base.iterate(f::LU) = (f.L, 2)
Base.iterate(f::LU, k::Int) = k == 2 ? (f.U, 3) : k == 3 ? (f.p, 4) : nothing
size(f::LU) = size(f.factors)
size(f::LU, k::Integer) = size(f.factors, k)
function \(f::LU, b::AbstractVector)
    m = f.factors
    n = checksquare(m)
    x = [b[i] / one(eltype(m)) for i in f.p]
    for i in 1:n, j in 1:(i - 1)
        x[i] -= m[i, j] * x[j]
    end
    for i in n:-1:1
        for j in (i + 1):n
            x[i] -= m[i, j] * x[j]
        end
        x[i] /= m[i, i]
    end
    x
end
\(f::LU, b::AbstractMatrix) = reduce(hcat, [f \ b[:, j] for j in axes(b, 2)])
function det(f::LU)
    m = f.factors
    checksquare(m)
    order = copy(f.p)
    d = one(eltype(m))
    for i in 1:size(m, 1)
        d *= m[i, i]
        while order[i] != i
            j = order[i]
            order[i], order[j] = order[j], order[i]
            d = -d
        end
    end
    d
end
# Integers without a limit need no quotients that are not exact: Bareiss's elimination.
function det(a::AbstractMatrix{BigInt})
    m, n = Matrix(a), Base.square_size(a)
    before, sign_of = one(BigInt), 1
    for k in 1:(n - 1)
        pivot = findfirst(i -> !iszero(m[i, k]), k:n)
        pivot === nothing && return zero(BigInt)
        row = k + pivot - 1
        if row != k
            m[k, :], m[row, :] = m[row, :], m[k, :]
            sign_of = -sign_of
        end
        for i in (k + 1):n, j in (k + 1):n
            m[i, j] = div(m[i, j] * m[k, k] - m[i, k] * m[k, j], before)
        end
        before = m[k, k]
    end
    n == 0 ? before : sign_of * m[n, n]
end
inv(f::LU) = f \ Matrix(one(f.factors))
ldiv!(f, b::AbstractVecOrMat) = copyto!(b, f \ b)
ldiv!(y::AbstractVecOrMat, f, b::AbstractVecOrMat) = copyto!(y, f \ b)
rdiv!(a::AbstractArray, s::Number) = rmul!(a, inv(s))
rdiv!(a::AbstractVecOrMat, b::AbstractMatrix) = copyto!(a, a / b)

# The Cholesky factor of a positive definite matrix.
struct PosDefException <: Exception
    info::Int
end
Base.showerror(io::IO, e::PosDefException) =
    print(io, "PosDefException: matrix is not ", e.info == -1 ? "Hermitian" : "positive definite", "; Factorization failed.")
struct Cholesky{T, S <: AbstractMatrix{T}} <: Factorization{T}
    factors::S
    uplo::Char
    info::Int
end
function cholesky(a::AbstractMatrix, ::NoPivot = NoPivot(); check::Bool = true)
    checksquare(a)
    ishermitian(a) && return factored(a, 'U', check)
    check && throw(PosDefException(-1))
    Cholesky(Matrix{quotient_root(eltype(a))}(a), 'U', -1)
end
cholesky(a::Union{Hermitian, Symmetric{<:Real}}, ::NoPivot = NoPivot(); check::Bool = true) = factored(a, a.uplo, check)
cholesky(a::Diagonal, p::NoPivot = NoPivot(); check::Bool = true) =
    cholesky!(Diagonal(copyto!(similar(a.diag, quotient_root(eltype(a))), a.diag)), p; check)
# The factor takes the place of the matrix.
function cholesky!(a::Diagonal, ::NoPivot = NoPivot(); check::Bool = true)
    info = something(findfirst(x -> !(isreal(x) && real(x) > 0), a.diag), 0)
    check && info != 0 && throw(PosDefException(info))
    roots = info == 0 ? eachindex(a.diag) : 1:(info - 1)
    a.diag[roots] = map(sqrt, a.diag[roots])
    Cholesky(a, 'U', info)
end
cholesky!(a::AbstractMatrix, p::NoPivot = NoPivot(); check::Bool = true) = factored_in_place!(a, a, cholesky(a, p; check))
cholesky!(a::Union{Hermitian, Symmetric{<:Real}}, p::NoPivot = NoPivot(); check::Bool = true) =
    factored_in_place!(a.data, a, cholesky(a, p; check))
# The other triangle stays as it is.
function factored_in_place!(data, a, c)
    kept = c.uplo == 'U' ? tril(data, -1) : triu(data, 1)
    data .= c.factors .+ kept
    Cholesky(data, c.uplo, c.info)
end
quotient_root(::Type{T}) where {T} = float(T)
# The factor is that of the other triangle where the matrix keeps its upper one. `info` is the column at which it ends that has no
# root, or 0.
function factored(a, uplo, check)
    n = checksquare(a)
    l = zeros(quotient_root(eltype(a)), n, n)
    info = 0
    for j in 1:n
        d = a[j, j] - sum(abs2(l[j, k]) for k in 1:(j - 1); init = zero(eltype(l)))
        if !(real(d) > 0)
            check && throw(PosDefException(j))
            info = j
            break
        end
        l[j, j] = sqrt(d)
        for i in (j + 1):n
            l[i, j] = (a[i, j] - sum(l[i, k] * conj(l[j, k]) for k in 1:(j - 1); init = zero(eltype(l)))) / l[j, j]
        end
    end
    Cholesky(uplo == 'U' ? Matrix(adjoint(l)) : l, uplo, info)
end
issuccess(c::Cholesky) = c.info == 0
function Base.getproperty(c::Cholesky, name::Symbol)
    name in (:U, :L, :UL) || return getfield(c, name)
    factors, upper = getfield(c, :factors), getfield(c, :uplo) == 'U'
    name === :U || name === :UL && upper ? UpperTriangular(upper ? factors : copy(adjoint(factors))) :
        LowerTriangular(upper ? copy(adjoint(factors)) : factors)
end
# A diagonal factor is upper and lower.
Base.getproperty(c::Cholesky{<:Any, <:Diagonal}, name::Symbol) = getfield(c, name in (:U, :L, :UL) ? :factors : name)
Base.propertynames(c::Cholesky, private::Bool = false) = (:U, :L, :UL, (private ? fieldnames(typeof(c)) : ())...)
Base.iterate(c::Cholesky) = (c.L, 2)
Base.iterate(c::Cholesky, k::Int) = k == 2 ? (c.U, 3) : nothing
size(c::Cholesky) = size(c.factors)
size(c::Cholesky, k::Integer) = size(c.factors, k)
function Base.show(io::IO, mime::MIME"text/plain", c::Cholesky)
    issuccess(c) || return print(io, "Failed factorization of type ", typeof(c))
    println(io, typeof(c), "\n", c.uplo, " factor:")
    show(io, mime, c.UL)
end
# A factorization that failed solves nothing.
checked(c::Cholesky) = issuccess(c) ? c : throw(PosDefException(c.info))
\(c::Cholesky, b::AbstractVecOrMat) = (checked(c); c.U \ (c.L \ b))
inv(c::Cholesky) = c \ Matrix(one(c.factors))
det(c::Cholesky) = prod(real(c.factors[i, i])^2 for i in axes(checked(c).factors, 1); init = one(real(eltype(c.factors))))
logdet(c::Cholesky) = sum(2 * log(real(c.factors[i, i])) for i in axes(checked(c).factors, 1); init = zero(real(eltype(c.factors))))
isposdef(c::Cholesky) = issuccess(c)
isposdef(a::AbstractMatrix) = ishermitian(a) && isposdef(cholesky(a; check = false))

# QR by Householder's reflections.
struct QR{T} <: Factorization{T}
    Q::Matrix{T}
    R::Matrix{T}
end
function qr(a::AbstractMatrix)
    m, n = size(a)
    r = Matrix{float(eltype(a))}(a)
    q = Matrix(one(zeros(eltype(r), m, m)))
    for k in 1:min(m - 1, n)
        v = r[k:m, k]
        s = norm(v)
        iszero(s) && continue
        v[1] += v[1] < 0 ? -s : s
        normalize!(v)
        for j in k:n
            t = 2 * sum(v[i] * r[k + i - 1, j] for i in 1:length(v))
            for i in 1:length(v)
                r[k + i - 1, j] -= t * v[i]
            end
        end
        for j in 1:m
            t = 2 * sum(q[j, k + i - 1] * v[i] for i in 1:length(v))
            for i in 1:length(v)
                q[j, k + i - 1] -= t * v[i]
            end
        end
    end
    QR(q, triu(r[1:n, :]))
end
Base.iterate(f::QR) = (f.Q, 2)
Base.iterate(f::QR, k::Int) = k == 2 ? (f.R, 3) : nothing
function rank(a::AbstractMatrix; atol::Real = 0, rtol::Real = min(size(a)...) * eps(float(real(eltype(a)))))
    r = Matrix{float(eltype(a))}(a)
    found = 0
    tol = max(atol, rtol * maximum(abs, r))
    for j in axes(r, 2)
        found == size(r, 1) && break
        best = found + 1
        for i in (found + 1):size(r, 1)
            abs(r[i, j]) > abs(r[best, j]) && (best = i)
        end
        abs(r[best, j]) <= tol && continue
        found += 1
        for k in axes(r, 2)
            r[found, k], r[best, k] = r[best, k], r[found, k]
        end
        for i in (found + 1):size(r, 1)
            t = r[i, j] / r[found, j]
            for k in axes(r, 2)
                r[i, k] -= t * r[found, k]
            end
        end
    end
    found
end
# Norms of matrices as operators; the second by iterating on the symmetric product.
function opnorm(a::AbstractMatrix, p::Real = 2)
    p == 1 && return opnorm1(a)
    p == Inf && return opnormInf(a)
    sqrt(maximum(eigvals(Matrix(a' * a))))
end
opnorm1(a::AbstractMatrix) = isempty(a) ? abs(zero(eltype(a))) : maximum(sum(abs, a[:, j]) for j in axes(a, 2))
opnormInf(a::AbstractMatrix) = isempty(a) ? abs(zero(eltype(a))) : maximum(sum(abs, a[i, :]) for i in axes(a, 1))
__normalize!(a::AbstractArray, norm) = rmul!(a, inv(norm))
copymutable_oftype(a::AbstractArray, ::Type{S}) where {S} = copyto!(similar(a, S), a)
include("LinearAlgebra/symmetric.jl")
include("LinearAlgebra/uniform_scaling.jl")
include("LinearAlgebra/banded.jl")
include("LinearAlgebra/equations.jl")
include("LinearAlgebra/products.jl")
include("LinearAlgebra/lacked.jl")
copy_transpose!(b, a) = copyto!(b, transpose(a))
function copy_transpose!(b::AbstractVecOrMat, rows::AbstractRange{Int}, columns::AbstractRange{Int},
        a::AbstractVecOrMat, from_rows::AbstractRange{Int}, from_columns::AbstractRange{Int})
    length(rows) == length(from_columns) || throw(ArgumentError(string("source and destination must have same size (got ",
        length(from_columns), " and ", length(rows), ")")))
    length(columns) == length(from_rows) || throw(ArgumentError(string("source and destination must have same size (got ",
        length(from_rows), " and ", length(columns), ")")))
    checkbounds(b, rows, columns)
    checkbounds(a, from_rows, from_columns)
    for (i, l) in zip(rows, from_columns), (j, k) in zip(columns, from_rows)
        b[i, j] = a[k, l]
    end
    b
end
transpose!(b::AbstractVecOrMat, a::AbstractVecOrMat) = flip!(transpose, b, a)
adjoint!(b::AbstractVecOrMat, a::AbstractVecOrMat) = flip!(adjoint, b, a)
function flip!(f, b, a)
    (size(b, 1), size(b, 2)) == (size(a, 2), size(a, 1)) || throw(DimensionMismatch(string("the size of the destination, ", size(b),
        ", is not that of the flipped source of size ", size(a))))
    for j in axes(a, 2), i in axes(a, 1)
        b[j, i] = f(a[i, j])
    end
    b
end
# The linear indices of a diagonal.
# An array of zeros of a type, with the axes that are given.
zeroslike(::Type{A}, ax) where {A <: AbstractArray} = fill!(similar(A, ax), zero(eltype(A)))

# The libraries of Fortran that packages name: a call of one of their functions is refused with its name.
const libblastrampoline = "libblastrampoline"

module BLAS
    using ..LinearAlgebra: BlasReal, BlasComplex, BlasFloat, BlasInt
    chkuplo(c) = c in ('U', 'L') ? c : throw(ArgumentError(string("uplo argument must be 'U' (upper) or 'L' (lower), got ", repr(c))))
    set_num_threads(n) = nothing
    get_num_threads() = 1
    using ..LinearAlgebra: mul!, dot, axpy!
    export dot, axpy!
    # The elements of a range of places, to those of another.
    function Base.copyto!(dest::Array{T}, to::AbstractRange{I}, src::Array{T}, from::AbstractRange{I}) where {T<:BlasFloat,I<:Integer}
        within(to, dest, "dest")
        within(from, src, "src")
        length(to) == length(from) || throw(ArgumentError("ranges must be of the same length"))
        copyto!(view(dest, to), view(src, from))
        dest
    end
    within(places, a, name) = isempty(places) || 1 <= minimum(places) && maximum(places) <= length(a) ? nothing :
        throw(ArgumentError(string("range out of bounds for ", name, ", of length ", length(a))))
    Base.@lacked gemv gemv! ger! scal! syrk syrk! symm symm! herk herk! hemm hemm! symv symv! trmm trmm! trsm trsm! trmv trmv! trsv trsv! nrm2 asum iamax
    macro blasfunc(name)
        esc(QuoteNode(name))
    end
    gemm!(ta, tb, alpha, a, b, beta, c) =
        mul!(c, ta == 'N' ? a : transpose(a), tb == 'N' ? b : transpose(b), alpha, beta)
    gemm(ta, tb, alpha, a, b) = alpha * ((ta == 'N' ? a : transpose(a)) * (tb == 'N' ? b : transpose(b)))
end

module LAPACK
    using ..LinearAlgebra: SingularException, BlasInt
    struct LAPACKException <: Exception
        info::BlasInt
    end
    Base.@lacked trsyl! getrf! getri! getrs! potrf! potri! potrs! geqrf! geqrt! orgqr! ormqr! gesvd! gesdd! syev! syevr! geev! geevx! trtrs! gels! gesv!
    Base.showerror(io::IO, ex::LAPACKException) = print(io, "LAPACKException(", ex.info, ")")
    chklapackerror(info::BlasInt, f = nothing) = info == 0 ? nothing :
        info < 0 ? throw(ArgumentError(string("invalid argument #", -info, " to LAPACK call"))) : throw(LAPACKException(info))
end

end
