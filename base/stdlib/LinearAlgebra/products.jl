# The functions under which arrays of packages take part in products, and the names for kinds of operands.

const BlasReal = Union{Float64, Float32}
const BlasComplex = Union{ComplexF64, ComplexF32}
const BlasFloat = Union{BlasReal, BlasComplex}
const BlasInt = Int
const AdjOrTrans = Base.AdjOrTrans
const HermOrSym{T, S} = Union{Hermitian{T, S}, Symmetric{T, S}}
const AdjointAbsVec{T, V <: AbstractVector} = Adjoint{T, V}
const TransposeAbsVec{T, V <: AbstractVector} = Transpose{T, V}
const AdjOrTransAbsVec{T, V <: AbstractVector} = Union{AdjointAbsVec{T, V}, TransposeAbsVec{T, V}}

# The factors of a product and of what was there, with the cases in which they do nothing.
struct MulAddMul{ais1, bis0, TA, TB}
    alpha::TA
    beta::TB
end
MulAddMul(alpha::TA, beta::TB) where {TA, TB} = MulAddMul{isone(alpha), iszero(beta), TA, TB}(alpha, beta)
MulAddMul() = MulAddMul{true, true, Bool, Bool}(true, false)
(m::MulAddMul{true, true})(x) = x
(m::MulAddMul{false, true})(x) = x * m.alpha
(m::MulAddMul{true, true})(x, y) = x
(m::MulAddMul{false, true})(x, y) = x * m.alpha
(m::MulAddMul{true, false})(x, y) = x + y * m.beta
(m::MulAddMul{false, false})(x, y) = x * m.alpha + y * m.beta
# Another element type keeps the kind of matrix.
Base.AbstractMatrix{T}(d::Diagonal) where {T} = Diagonal(convert(AbstractVector{T}, d.diag))
Base.AbstractMatrix{T}(a::Symmetric) where {T} = Symmetric(convert(AbstractMatrix{T}, a.data), Symbol(a.uplo))
Base.AbstractMatrix{T}(a::Hermitian) where {T} = Hermitian(convert(AbstractMatrix{T}, a.data), Symbol(a.uplo))
# An element of a matrix that is symmetric or Hermitian is so, too.
symmetric(x::Number, uplo::Symbol = :U) = x
symmetric(a::AbstractMatrix, uplo::Symbol = :U) = Symmetric(a, uplo)
hermitian(x::Number, uplo::Symbol = :U) = convert(typeof(x), real(x))
hermitian(a::AbstractMatrix, uplo::Symbol = :U) = Hermitian(a, uplo)
symmetric_type(::Type{T}) where {T <: Number} = T
symmetric_type(::Type{T}) where {S, T <: AbstractMatrix{S}} = Symmetric{Union{S, promote_op(transpose, S), symmetric_type(S)}, T}
hermitian_type(::Type{T}) where {T <: Number} = T
hermitian_type(::Type{T}) where {S, T <: AbstractMatrix{S}} = Hermitian{Union{S, promote_op(adjoint, S), hermitian_type(S)}, T}
# An element of a product of matrices: what packages ask `promote_op` about.
matprod(x, y) = x * y + x * y
macro stable_muladdmul(expr)
    esc(expr)
end

"""
    wrap(a, character)

A matrix as a character of BLAS says it is meant: `N` as it is, `T` transposed, `C` adjoint, `S`, `s`, `H`, `h` symmetric or Hermitian.
"""
function wrap(a::AbstractVecOrMat, c::AbstractChar)
    c == 'N' ? a : c == 'T' ? transpose(a) : c == 'C' ? adjoint(a) : c == 'H' ? Hermitian(a, :U) : c == 'h' ? Hermitian(a, :L) :
        c == 'S' ? Symmetric(a, :U) : Symmetric(a, :L)
end
wrapper_char(::AbstractArray) = 'N'
wrapper_char(::Adjoint) = 'C'
wrapper_char(::Adjoint{<:Real}) = 'T'
wrapper_char(::Transpose) = 'T'
wrapper_char(a::Hermitian) = a.uplo == 'U' ? 'H' : 'h'
wrapper_char(a::Symmetric) = a.uplo == 'U' ? 'S' : 's'
generic_matvecmul!(c::AbstractVector, ta, a::AbstractVecOrMat, x::AbstractVector, alpha::Number = true, beta::Number = false) =
    invoke(Base.matvec!, NTuple{5,Any}, c, wrap(a, ta), x, alpha, beta)
generic_matmatmul!(c::AbstractVecOrMat, ta, tb, a::AbstractVecOrMat, b::AbstractVecOrMat, alpha::Number = true, beta::Number = false) =
    invoke(Base.matmul!, NTuple{5,Any}, c, wrap(a, ta), wrap(b, tb), alpha, beta)
generic_matmatmul_wrapper!(c, ta, tb, a, b, alpha, beta, flag) = generic_matmatmul!(c, ta, tb, a, b, alpha, beta)
_generic_matmatmul_nonadjtrans!(c, a, b, alpha::Number, beta::Number) = invoke(Base.matmul!, NTuple{5,Any}, c, a, b, alpha, beta)

# Numbers times arrays. `beta` of zero reads nothing of `c`. Arrays of as many elements in other shapes are scaled in their order.
mul!(c::AbstractArray, s::Number, x::AbstractArray, alpha::Number, beta::Number) = _lscale_add!(c, s, x, alpha, beta)
mul!(c::AbstractArray, x::AbstractArray, s::Number, alpha::Number, beta::Number) = _rscale_add!(c, x, s, alpha, beta)
mul!(c::AbstractArray, s::Number, x::AbstractArray) = mul!(c, s, x, true, false)
mul!(c::AbstractArray, x::AbstractArray, s::Number) = mul!(c, x, s, true, false)
_lscale_add!(c, s::Number, x, alpha::Number, beta::Number) =
    axes(c) == axes(x) ? scale_add!(v -> s * v * alpha, c, x, beta) : generic_mul!(c, s, x, alpha, beta)
_rscale_add!(c, x, s::Number, alpha::Number, beta::Number) =
    axes(c) == axes(x) ? scale_add!(v -> v * s * alpha, c, x, beta) : generic_mul!(c, x, s, alpha, beta)
scale_add!(f, c, x, beta) = iszero(beta) ? broadcast!(f, c, x) : broadcast!((v, w) -> f(v) + w * beta, c, x, c)
generic_mul!(c, s::Number, x, alpha::Number, beta::Number) = scale_add_in_order!(v -> s * v * alpha, c, x, beta)
generic_mul!(c, x, s::Number, alpha::Number, beta::Number) = scale_add_in_order!(v -> v * s * alpha, c, x, beta)
function scale_add_in_order!(f, c, x, beta)
    length(c) == length(x) || throw(DimensionMismatch(string("first array has length ", length(c),
        " which does not match the length of the second, ", length(x), ".")))
    scale_add!(f, vec(c), vec(x), beta)
    c
end

# Turns of the pairs of elements of `x` and `y`, and reflections of them.
rotate!(x::AbstractVector, y::AbstractVector, c, s) = turn_pairs!((a, b) -> (c * a + s * b, c * b - conj(s) * a), x, y)
reflect!(x::AbstractVector, y::AbstractVector, c, s) = turn_pairs!((a, b) -> (c * a + s * b, conj(s) * a - c * b), x, y)
function turn_pairs!(f, x, y)
    Base.require_one_based_indexing(x, y)
    length(x) == length(y) || throw(DimensionMismatch(string("x has length ", length(x), ", but y has length ", length(y))))
    for i in eachindex(x, y)
        x[i], y[i] = f(x[i], y[i])
    end
    (x, y)
end
# A product of arrays of a package: the methods that the wrappers of its operands choose.
_unwrap(a::AbstractVecOrMat) = a
_unwrap(a::Union{Adjoint, Transpose, Symmetric, Hermitian}) = parent(a)
_mul!(c::AbstractVector, a::AbstractVecOrMat, x::AbstractVector, alpha::Number, beta::Number) =
    generic_matvecmul!(c, wrapper_char(a), _unwrap(a), x, alpha, beta)
_mul!(c::AbstractMatrix, a::AbstractVecOrMat, b::AbstractVecOrMat, alpha::Number, beta::Number) =
    generic_matmatmul_wrapper!(c, wrapper_char(a), wrapper_char(b), _unwrap(a), _unwrap(b), alpha, beta, Val(BlasFlag.NONE))
triangle_of(a, uplo, unit) = uplo == 'U' ? (unit == 'U' ? UnitUpperTriangular(a) : UpperTriangular(a)) :
    (unit == 'U' ? UnitLowerTriangular(a) : LowerTriangular(a))
generic_trimatmul!(c, uplo, unit, f::Function, a, b) = product_by_loops!(c, f(triangle_of(a, uplo, unit)), b)
product_by_loops!(c::AbstractMatrix, a, b) = invoke(Base.matmul!, NTuple{5,Any}, c, a, b, true, false)
product_by_loops!(c::AbstractVector, a, x) = invoke(Base.matvec!, NTuple{5,Any}, c, a, x, true, false)
generic_mattrimul!(c, uplo, unit, f::Function, a, b) = product_by_loops!(c, a, f(triangle_of(b, uplo, unit)))
generic_trimatdiv!(c, uplo, unit, f::Function, a, b) = copyto!(c, invoke(\, Tuple{AbstractMatrix, typeof(b)}, f(triangle_of(a, uplo, unit)), b))
generic_mattridiv!(c, uplo, unit, f::Function, a, b) = copyto!(c, invoke(/, Tuple{typeof(a), AbstractMatrix}, a, f(triangle_of(b, uplo, unit))))

# A triangular matrix as the arguments of these: which triangle counts, whether its diagonal is ones, and how it is turned.
uplo_char(a::UpperOrUnitUpperTriangular) = parent(a) isa AdjOrTrans ? 'L' : 'U'
uplo_char(a::LowerOrUnitLowerTriangular) = parent(a) isa AdjOrTrans ? 'U' : 'L'
isunit_char(::Union{UnitUpperTriangular, UnitLowerTriangular}) = 'U'
isunit_char(::Union{UpperTriangular, LowerTriangular}) = 'N'
wrapperop(_) = identity
wrapperop(::Adjoint) = adjoint
wrapperop(::Transpose) = transpose
triangle_parts(a) = (uplo_char(a), isunit_char(a), wrapperop(parent(a)), _unwrap(parent(a)))
_mul!(c::AbstractVector, a::UpperOrLowerTriangular, x::AbstractVector, alpha::Number, beta::Number) =
    scaled_into!(t -> generic_trimatmul!(t, triangle_parts(a)..., x), c, alpha, beta)
_mul!(c::AbstractMatrix, a::UpperOrLowerTriangular, b::AbstractVecOrMat, alpha::Number, beta::Number) =
    scaled_into!(t -> generic_trimatmul!(t, triangle_parts(a)..., b), c, alpha, beta)
_mul!(c::AbstractMatrix, a::AbstractVecOrMat, b::UpperOrLowerTriangular, alpha::Number, beta::Number) =
    scaled_into!(t -> generic_mattrimul!(t, Base.front(triangle_parts(b))..., a, _unwrap(parent(b))), c, alpha, beta)
_mul!(c::AbstractMatrix, a::UpperOrLowerTriangular, b::UpperOrLowerTriangular, alpha::Number, beta::Number) =
    _generic_matmatmul_nonadjtrans!(c, a, b, alpha, beta)
function scaled_into!(product!, c, alpha, beta)
    isone(alpha) && iszero(beta) && return product!(c)
    t = product!(similar(c))
    iszero(beta) ? (c .= t .* alpha) : (c .= t .* alpha .+ c .* beta)
end
# Which function of BLAS a product would be.
module BlasFlag
    @enum BlasFunction SYRK HERK GEMM SYMM HEMM NONE
    const SyrkHerkGemm = Union{Val{SYRK}, Val{HERK}, Val{GEMM}}
    const SymmHemmGeneric = Union{Val{SYMM}, Val{HEMM}, Val{NONE}}
end
copytri!(a::AbstractMatrix, uplo::AbstractChar, conjugate::Bool = false, diag::Bool = false) = copy_triangle!(a, uplo, conjugate, diag)
function copy_triangle!(a, uplo, conjugate, diag)
    n = checksquare(a)
    f = conjugate ? adjoint : transpose
    for i in 1:n, j in (diag ? i : i + 1):n
        uplo == 'U' ? (a[j, i] = f(a[i, j])) : (a[i, j] = f(a[j, i]))
    end
    a
end
"""
    copytrito!(b, a, uplo)

Writes one triangle of a matrix, `U` or `L`, into another matrix.
"""
function copytrito!(b::AbstractMatrix, a::AbstractMatrix, uplo::AbstractChar)
    uplo in ('U', 'L') || throw(ArgumentError(string("uplo argument must be 'U' (upper) or 'L' (lower), got ", repr(uplo))))
    for j in axes(a, 2), i in axes(a, 1)
        (uplo == 'U' ? i <= j : i >= j) && (b[i, j] = a[i, j])
    end
    b
end
for (f, keeps) in ((:triu!, :(j - i >= k)), (:tril!, :(j - i <= k)))
    @eval function $f(a::AbstractMatrix, k::Integer = 0)
        for j in axes(a, 2), i in axes(a, 1)
            $keeps || (a[i, j] = zero(a[i, j]))
        end
        a
    end
end
diagm_size(::Nothing, pairs::Pair{<:Integer, <:AbstractVector}...) = (n = maximum(p -> length(p.second) + abs(p.first), pairs); (n, n))
diagm_size(size::Tuple{Int, Int}, pairs::Pair{<:Integer, <:AbstractVector}...) = size
diagm_container(size, pairs::Pair{<:Integer, <:AbstractVector}...) =
    zeros(promote_type(map(p -> eltype(p.second), pairs)...), diagm_size(size, pairs...)...)
norm_sqr(x) = norm(x)^2
norm_sqr(x::Number) = abs2(x)
# A plane rotation that turns `(f, g)` into `(r, 0)`: its cosine, sine and `r`.
function givensAlgorithm(f::T, g::T) where {T <: AbstractFloat}
    iszero(g) && return (one(T), zero(T), f)
    iszero(f) && return (zero(T), one(T), g)
    r = copysign(hypot(f, g), abs(f) > abs(g) ? f : one(T))
    (f / r, g / r, r)
end
