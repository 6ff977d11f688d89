# A number times the identity matrix of any size.

struct UniformScaling{T <: Number}
    λ::T
end
const I = UniformScaling(true)
(u::UniformScaling)(n::Integer) = Diagonal(fill(u.λ, n))
Base.eltype(::Type{UniformScaling{T}}) where {T} = T
Base.ndims(::UniformScaling) = 2
Base.convert(::Type{UniformScaling{T}}, u::UniformScaling) where {T} = UniformScaling{T}(convert(T, u.λ))
Base.show(io::IO, ::MIME"text/plain", u::UniformScaling) = print(io, typeof(u), '\n', factor_text(string(u.λ)), "*I")
factor_text(s) = occursin(r"\w+\s*[\+\-]\s*\w+", s) ? string('(', s, ')') : s

getindex(u::UniformScaling, i::Integer, j::Integer) = i == j ? u.λ : zero(u.λ)
getindex(u::UniformScaling, i::Base.CartesianIndex{2}) = u[i[1], i[2]]
getindex(u::UniformScaling, rows::AbstractVector{<:Integer}, j::Integer) = [u[i, j] for i in rows]
getindex(u::UniformScaling, i::Integer, columns::AbstractVector{<:Integer}) = u[columns, i]
getindex(u::UniformScaling, rows::AbstractVector{<:Integer}, columns::AbstractVector{<:Integer}) = [u[i, j] for i in rows, j in columns]

for f in (:copy, :conj, :real, :imag, :float, :adjoint, :inv, :sqrt, :exp, :log, :sin, :cos, :tan)
    @eval Base.$f(u::UniformScaling) = UniformScaling($f(u.λ))
end
Base.transpose(u::UniformScaling) = u
for f in (:one, :oneunit, :zero)
    @eval Base.$f(::Type{UniformScaling{T}}) where {T} = UniformScaling($f(T))
    @eval Base.$f(u::UniformScaling) = $f(typeof(u))
end
isdiag(::UniformScaling) = true
istriu(::UniformScaling) = true
istril(::UniformScaling) = true
Base.issymmetric(::UniformScaling) = true
ishermitian(u::UniformScaling) = isreal(u.λ)
Base.det(u::UniformScaling{T}) where {T} = isone(u.λ) ? one(T) : iszero(u.λ) ? zero(T) :
    throw(ArgumentError("Determinant of UniformScaling is only well-defined when λ = 0 or 1."))
Base.tr(u::UniformScaling{T}) where {T} = iszero(u.λ) ? zero(T) : throw(ArgumentError("Trace of UniformScaling is only well-defined when λ = 0"))

==(u::UniformScaling, v::UniformScaling) = u.λ == v.λ
==(a::AbstractMatrix, u::UniformScaling) = size(a, 1) == size(a, 2) && all(i -> a[i] == u[i], CartesianIndices(a))
==(u::UniformScaling, a::AbstractMatrix) = a == u
Base.isequal(::AbstractMatrix, ::UniformScaling) = false
Base.isequal(::UniformScaling, ::AbstractMatrix) = false

*(u::UniformScaling, v::UniformScaling) = UniformScaling(u.λ * v.λ)
*(u::UniformScaling, a::AbstractArray) = u.λ * a
*(a::AbstractMatrix, u::UniformScaling) = a * u.λ
*(a::AbstractVector, u::UniformScaling) = reshape(a, length(a), 1) * u.λ
*(x::Number, u::UniformScaling) = UniformScaling(x * u.λ)
*(u::UniformScaling, x::Number) = UniformScaling(u.λ * x)
Base.:/(u::UniformScaling, x::Number) = UniformScaling(u.λ / x)
Base.:/(u::UniformScaling, v::UniformScaling) = (check_divisor(v); UniformScaling(u.λ / v.λ))
Base.:/(a::AbstractMatrix, u::UniformScaling) = (check_divisor(u); a / u.λ)
Base.:\(x::Number, u::UniformScaling) = UniformScaling(x \ u.λ)
Base.:\(u::UniformScaling, v::UniformScaling) = (check_divisor(u); UniformScaling(u.λ \ v.λ))
Base.:\(u::UniformScaling, a::AbstractVecOrMat) = (check_divisor(u); u.λ \ a)
check_divisor(u) = iszero(u.λ) && throw(SingularException(1))
Base.:^(u::UniformScaling, x::Number) = UniformScaling(u.λ ^ x)
Base.literal_pow(::typeof(^), u::UniformScaling, x::Val) = UniformScaling(Base.literal_pow(^, u.λ, x))

# Beside a number it is its own; beside a matrix, that of the diagonal.
for op in (:+, :-)
    @eval $op(u::UniformScaling, x::Number) = $op(u.λ, x)
    @eval $op(x::Number, u::UniformScaling) = $op(x, u.λ)
    @eval $op(u::UniformScaling, v::UniformScaling) = UniformScaling($op(u.λ, v.λ))
    @eval $op(u::UniformScaling) = UniformScaling($op(u.λ))
end
+(a::AbstractMatrix, u::UniformScaling) = plus_scaling(a, u.λ)
+(u::UniformScaling, a::AbstractMatrix) = a + u
-(a::AbstractMatrix, u::UniformScaling) = a + (-u)
-(u::UniformScaling, a::AbstractMatrix) = plus_scaling(-a, u.λ)
function plus_scaling(a, s)
    n = Base.square_size(a)
    out = copyto!(similar(a, promote_type(eltype(a), typeof(s))), a)
    for i in 1:n
        out[i, i] += s
    end
    out
end
# Those of a transposed matrix are the sums of its parent.
for (f, A) in ((:adjoint, :Adjoint), (:transpose, :Transpose))
    @eval +(a::$A{<:Any, <:AbstractMatrix}, u::UniformScaling) = $f(parent(a) + $f(u))
    @eval -(u::UniformScaling, a::$A{<:Any, <:AbstractMatrix}) = $f($f(u) - parent(a))
end
# A triangular matrix may not have ones on its diagonal any more, and one that is Hermitian not real numbers.
for (U, A) in ((:UnitUpperTriangular, :UpperTriangular), (:UnitLowerTriangular, :LowerTriangular))
    @eval +(a::$U, u::UniformScaling) = $A(with_diagonal(copy_as(parent(a), u), one(eltype(a)) + u.λ))
    @eval -(u::UniformScaling, a::$U) = $A(with_diagonal(copy_as(-parent(a), u), u.λ - one(eltype(a))))
end
copy_as(a, u) = copyto!(similar(a, promote_type(eltype(a), eltype(u))), a)
with_diagonal(a, x) = (diag_view(a) .= x; a)
for A in (:Symmetric, :Hermitian)
    @eval +(a::$A, u::UniformScaling) = $A(plus_scaling(parent(a), u.λ), Symbol(a.uplo))
    @eval -(u::UniformScaling, a::$A) = $A(plus_scaling(-parent(a), u.λ), Symbol(a.uplo))
end
+(a::Hermitian, u::UniformScaling{<:Complex}) = plus_scaling(Matrix(a), u.λ)
-(u::UniformScaling{<:Complex}, a::Hermitian) = plus_scaling(-Matrix(a), u.λ)

for A in (Matrix, Array)
    @eval (::Type{$A{T}})(u::UniformScaling, m::Integer, n::Integer) where {T} = scaled_matrix(T, u, m, n)
    @eval (::Type{$A{T}})(u::UniformScaling, dims::Dims{2}) where {T} = scaled_matrix(T, u, dims...)
    @eval (::Type{$A})(u::UniformScaling{T}, m::Integer, n::Integer) where {T} = scaled_matrix(T, u, m, n)
    @eval (::Type{$A})(u::UniformScaling{T}, dims::Dims{2}) where {T} = scaled_matrix(T, u, dims...)
end
scaled_matrix(::Type{T}, u, m, n) where {T} = [i == j ? T(u.λ) : zero(T) for i in 1:m, j in 1:n]
Base.copyto!(a::AbstractMatrix, u::UniformScaling) = (fill!(a, zero(eltype(a))); diag_view(a) .= u.λ; a)
Base.copy!(a::AbstractMatrix, u::UniformScaling) = copyto!(a, u)
diag_view(a) = view(a, diagind(a))
mul!(c::AbstractVecOrMat, a::AbstractVecOrMat, u::UniformScaling, alpha::Number = true, beta::Number = false) = mul!(c, a, u.λ, alpha, beta)
mul!(c::AbstractVecOrMat, u::UniformScaling, a::AbstractVecOrMat, alpha::Number = true, beta::Number = false) = mul!(c, u.λ, a, alpha, beta)
function mul!(c::AbstractMatrix, x::Number, u::UniformScaling, alpha::Number, beta::Number)
    Base.square_size(c)
    iszero(beta) ? fill!(c, zero(eltype(c))) : isone(beta) || rmul!(c, beta)
    s = x * u.λ * alpha
    iszero(s) || (diag_view(c) .+= s)
    c
end
mul!(c::AbstractMatrix, u::UniformScaling, x::Number, alpha::Number, beta::Number) = mul!(c, x, u, alpha, beta)
mul!(c::AbstractMatrix, x::Number, u::UniformScaling) = mul!(c, x, u, true, false)
mul!(c::AbstractMatrix, u::UniformScaling, x::Number) = mul!(c, u, x, true, false)
Base.rmul!(a::AbstractMatrix, u::UniformScaling) = rmul!(a, u.λ)
Base.lmul!(u::UniformScaling, a::AbstractVecOrMat) = lmul!(u.λ, a)
