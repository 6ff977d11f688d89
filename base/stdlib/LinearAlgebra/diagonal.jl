# Diagonal matrices and the identity of any size.

struct Diagonal{T, V <: AbstractVector{T}} <: AbstractMatrix{T}
    diag::V
end
Diagonal(a::AbstractMatrix) = Diagonal(diag(a))
Base.parent(d::Diagonal) = d.diag
Base.similar(d::Diagonal, ::Type{T}, dims::Dims) where {T} = similar(d.diag, T, dims)
size(d::Diagonal) = (length(d.diag), length(d.diag))
@inline function getindex(d::Diagonal{T}, i::Int, j::Int) where {T}
    @boundscheck checkbounds(d, i, j)
    i == j ? (@inbounds d.diag[i]) : zero(T)
end
*(d::Diagonal, a::AbstractMatrix) = broadcast(*, d.diag, a)
*(d::Diagonal, x::AbstractVector) = broadcast(*, d.diag, x)
*(a::AbstractMatrix, d::Diagonal) = broadcast(*, a, transpose(d.diag))
*(a::Adjoint{<:Any, <:AbstractVector}, d::Diagonal) = adjoint(broadcast((x, s) -> adjoint(s) * x, parent(a), d.diag))
*(a::Transpose{<:Any, <:AbstractVector}, d::Diagonal) = transpose(broadcast((x, s) -> transpose(s) * x, parent(a), d.diag))
*(a::Diagonal, b::Diagonal) = Diagonal(broadcast(*, a.diag, b.diag))
Base.rmul!(d::Diagonal, s::Number) = (rmul!(d.diag, s); d)
Base.lmul!(s::Number, d::Diagonal) = (lmul!(s, d.diag); d)
inv(d::Diagonal) = Diagonal(broadcast(inv, d.diag))
for f in (:exp, :log, :sqrt, :cbrt, :sin, :cos, :tan, :sinh, :cosh, :tanh, :asin, :acos, :atan, :asinh, :acosh, :atanh)
    @eval Base.$f(d::Diagonal) = Diagonal(map($f, d.diag))
end
# Outside of the diagonal there are zeros, which may be assigned.
function Base.setindex!(d::Diagonal, v, i::Int, j::Int)
    @boundscheck checkbounds(d, i, j)
    i == j ? (@inbounds d.diag[i] = v) :
        iszero(v) || throw(ArgumentError(string("cannot set off-diagonal entry (", i, ", ", j, ") to a nonzero value (", v, ")")))
    d
end
factorize(d::Diagonal) = d
struct UniformScaling{T <: Number}
    λ::T
end
const I = UniformScaling(true)
getindex(u::UniformScaling, i::Integer, j::Integer) = i == j ? u.λ : zero(u.λ)
(u::UniformScaling)(n::Integer) = Diagonal(fill(u.λ, n))
==(a::AbstractMatrix, u::UniformScaling) = size(a, 1) == size(a, 2) && all(i -> a[i] == u[i[1], i[2]], CartesianIndices(a))
==(u::UniformScaling, a::AbstractMatrix) = a == u
*(u::UniformScaling, a::AbstractArray) = u.λ * a
*(a::AbstractArray, u::UniformScaling) = a * u.λ
*(x::Number, u::UniformScaling) = UniformScaling(x * u.λ)
*(u::UniformScaling, x::Number) = UniformScaling(u.λ * x)
+(a::AbstractMatrix, u::UniformScaling) = plus_scaling(a, u.λ)
+(u::UniformScaling, a::AbstractMatrix) = plus_scaling(a, u.λ)
-(a::AbstractMatrix, u::UniformScaling) = plus_scaling(a, -u.λ)
-(u::UniformScaling, a::AbstractMatrix) = plus_scaling(-a, u.λ)
-(u::UniformScaling) = UniformScaling(-u.λ)
function plus_scaling(a, s)
    n = Base.square_size(a)
    out = copyto!(similar(a, promote_type(eltype(a), typeof(s))), a)
    for i in 1:n
        out[i, i] += s
    end
    out
end
for A in (Matrix, Array)
    @eval (::Type{$A{T}})(u::UniformScaling, m::Integer, n::Integer) where {T} = scaled_matrix(T, u, m, n)
    @eval (::Type{$A{T}})(u::UniformScaling, dims::Dims{2}) where {T} = scaled_matrix(T, u, dims...)
    @eval (::Type{$A})(u::UniformScaling{T}, m::Integer, n::Integer) where {T} = scaled_matrix(T, u, m, n)
    @eval (::Type{$A})(u::UniformScaling{T}, dims::Dims{2}) where {T} = scaled_matrix(T, u, dims...)
end
scaled_matrix(::Type{T}, u, m, n) where {T} = [i == j ? T(u.λ) : zero(T) for i in 1:m, j in 1:n]
Base.replace_in_print_matrix(d::Diagonal, i::Integer, j::Integer, s::AbstractString) = i == j ? s : Base.replace_with_centered_mark(s)
