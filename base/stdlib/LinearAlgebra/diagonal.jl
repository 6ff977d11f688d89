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
Base.replace_in_print_matrix(d::Diagonal, i::Integer, j::Integer, s::AbstractString) = i == j ? s : Base.replace_with_centered_mark(s)
