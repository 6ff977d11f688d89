# The linear algebra that needs no package: transposes, products, norms, diagonal and triangular matrices, solving.

transpose(a::AbstractVecOrMat) = Transpose(a)
adjoint(a::AbstractVecOrMat) = Adjoint(a)
# `a'` calls this name, which a program may have of its own.
const var"'" = adjoint
export var"'"
struct Transpose{T, S} <: AbstractMatrix{T}
    parent::S
    Transpose{T, S}(a) where {T, S} = new{T, S}(a)
end
struct Adjoint{T, S} <: AbstractMatrix{T}
    parent::S
    Adjoint{T, S}(a) where {T, S} = new{T, S}(a)
end
Transpose(a::AbstractVecOrMat{T}) where {T} = Transpose{T, typeof(a)}(a)
Adjoint(a::AbstractVecOrMat{T}) where {T} = Adjoint{T, typeof(a)}(a)
const AdjOrTrans{T, S} = Union{Adjoint{T, S}, Transpose{T, S}}
const AdjOrTransVector = Union{Adjoint{<:Any, <:AbstractVector}, Transpose{<:Any, <:AbstractVector}}
transpose(a::Transpose) = a.parent
adjoint(a::Adjoint) = a.parent
adjoint(a::Transpose{<:Real}) = a.parent
transpose(a::Adjoint{<:Real}) = a.parent
parent(a::AdjOrTrans) = a.parent
size(a::AdjOrTrans) = flipped_size(a.parent)
(::Type{AbstractArray{T, 2}})(a::Adjoint{S}) where {T, S} = adjoint(convert(AbstractArray{T}, a.parent))
(::Type{AbstractArray{T, 2}})(a::Transpose{S}) where {T, S} = transpose(convert(AbstractArray{T}, a.parent))
flipped_size(p::AbstractVector) = (1, length(p))
flipped_size(p::AbstractMatrix) = (size(p, 2), size(p, 1))
@inline axes(a::AdjOrTrans) = (axes(a.parent, 2), axes(a.parent, 1))
IndexStyle(::Type{<:AdjOrTransVector}) = IndexLinear()
dataids(a::AdjOrTrans) = dataids(a.parent)
similar(a::AdjOrTrans, ::Type{T}, dims::Dims) where {T} = similar(a.parent, T, dims)
wrap_element(::Transpose, x) = transpose(x)
wrap_element(::Adjoint, x) = adjoint(x)
wrap_element(::Transpose, x::Number) = x
wrap_element(::Adjoint, x::Number) = conj(x)
@propagate_inbounds getindex(a::AdjOrTrans{T, <:AbstractMatrix}, i::Int, j::Int) where {T} = wrap_element(a, a.parent[j, i])
@propagate_inbounds getindex(a::AdjOrTransVector, i::Int) = wrap_element(a, a.parent[parent_index(a.parent, i)])
@propagate_inbounds getindex(a::AdjOrTransVector, i::Int, j::Int) = (@boundscheck checkbounds(a, i, j); wrap_element(a, a.parent[j]))
@propagate_inbounds setindex!(a::AdjOrTrans{T, <:AbstractMatrix}, v, i::Int, j::Int) where {T} = (a.parent[j, i] = wrap_element(a, v); a)
@propagate_inbounds setindex!(a::AdjOrTransVector, v, i::Int) = (a.parent[parent_index(a.parent, i)] = wrap_element(a, v); a)
elsize(::Type{<:AdjOrTrans{T, S}}) where {T, S} = elsize(S)
strides(a::Union{Transpose{T, <:AbstractMatrix}, Adjoint{T, <:AbstractMatrix}}) where {T} = reverse(strides(a.parent))
strides(a::AdjOrTransVector) = (st = stride(a.parent, 1); (st * length(a.parent), st))
# Elements of an adjoint lie in memory as they are only if they are real.
pointer(a::Union{Transpose, Adjoint{<:Real}}) = pointer(a.parent)
# Rows that stand beside each other are one row.
hcat(xs::Adjoint{<:Any, <:AbstractVector}...) = adjoint(vcat(map(parent, xs)...))
hcat(xs::Transpose{<:Any, <:AbstractVector}...) = transpose(vcat(map(parent, xs)...))
*(x::Number, a::AdjOrTransVector) = typeof(a).name.wrapper(x * a.parent)
-(a::AdjOrTransVector) = typeof(a).name.wrapper(-a.parent)

# Products.
@noinline throw_matmul(a, b) = throw(DimensionMismatch(string("incompatible dimensions for matrix multiplication: tried to multiply a matrix of size ",
    size(a), " with a ", b isa AbstractVector ? "vector of length " : "matrix of size ", b isa AbstractVector ? length(b) : size(b),
    ". The second dimension of the matrix: ", size(a, 2), ", does not match the ", b isa AbstractVector ? "length of the vector: " : "first dimension of the second matrix: ", size(b, 1), ".")))
*(a::AbstractMatrix) = a
product_eltype(a, b) = product_type(eltype(a), eltype(b))
product_type(::Type{T}, ::Type{S}) where {T, S} = T <: Number && S <: Number && isconcretetype(T) && isconcretetype(S) ?
    typeof(sum_of_products(zero(T), zero(S))) : promote_op(sum_of_products, T, S)
sum_of_products(x, y) = x * y + x * y
*(a::AbstractMatrix, b::AbstractMatrix) = mul!(similar(b, product_eltype(a, b), (size(a, 1), size(b, 2))), a, b)
*(a::AbstractMatrix, x::AbstractVector) = mul!(similar(x, product_eltype(a, x), (size(a, 1),)), a, x)
*(x::AbstractVector, a::AbstractMatrix) = reshape(x, (length(x), 1)) * a
*(a::AdjOrTransVector, x::AbstractVector) = dot_plain(a, x)
*(x::AbstractVector, a::AdjOrTransVector) = broadcast(*, x, a)
*(a::AdjOrTransVector, b::AbstractMatrix) = transpose(transpose(b) * transpose_vector(a))
*(a::AdjOrTransVector, b::AdjOrTransVector) = throw_matmul(a, b)
transpose_vector(a) = vec(collect(a))
function dot_plain(a, x)
    length(a) == length(x) || throw(DimensionMismatch(string("dot product arguments have lengths ", length(a), " and ", length(x))))
    isempty(x) && return zero(product_eltype(a, x))
    s = a[1] * x[1]
    for i in 2:length(x)
        s += a[i] * x[i]
    end
    s
end
mul!(c::AbstractMatrix, a::AbstractMatrix, b::AbstractMatrix) = matmul!(c, a, b, true, false)
mul!(c::AbstractVector, a::AbstractMatrix, x::AbstractVector) = matvec!(c, a, x, true, false)
mul!(c::AbstractMatrix, a::AbstractMatrix, b::AbstractMatrix, alpha::Number, beta::Number) = matmul!(c, a, b, alpha, beta)
mul!(c::AbstractVector, a::AbstractMatrix, x::AbstractVector, alpha::Number, beta::Number) = matvec!(c, a, x, alpha, beta)
# Products of narrow numbers are formed as numbers of the result.
@inline add_product(c, x, y) = c + x * y
@inline add_product(c::T, x::T, y::T) where {T <: Union{Real, Complex}} = c + x * y
@inline add_product(c::Union{Real, Complex}, x::Union{Real, Complex}, y::Union{Real, Complex}) =
    c + as_wide(real(typeof(c)), x) * as_wide(real(typeof(c)), y)
@inline as_wide(::Type{T}, x::S) where {T, S <: Real} = convert(promote_type(T, S), x)
@inline as_wide(::Type{T}, x::Complex{S}) where {T, S} = convert(Complex{promote_type(T, S)}, x)
function matmul!(c, a, b, alpha, beta)
    m, n, k = size(a, 1), size(b, 2), size(a, 2)
    k == size(b, 1) || throw_matmul(a, b)
    size(c) == (m, n) || throw(DimensionMismatch(string("destination has size ", size(c), ", product has size ", (m, n))))
    (c === a || c === b) && throw(ArgumentError("output matrix must not be aliased with input matrix"))
    T = eltype(c)
    # The zero of blocks is one of their size, which their type does not say.
    T <: Number || iszero(beta) && k > 0 && return block_products!(c, a, b, alpha)
    for j in 1:n, i in 1:m
        @inbounds c[i, j] = iszero(beta) ? zero(T) : c[i, j] * beta
    end
    # Down columns, for these lie in one piece.
    for j in 1:n, l in 1:k
        @inbounds x = alpha === true ? b[l, j] : b[l, j] * alpha
        for i in 1:m
            @inbounds c[i, j] = add_product(c[i, j], a[i, l], x)
        end
    end
    c
end
function block_products!(c, a, b, alpha)
    for j in axes(b, 2), i in axes(a, 1)
        c[i, j] = sum_of_blocks(view(a, i, :), view(b, :, j), alpha)
    end
    c
end
function sum_of_blocks(x, y, alpha)
    s = x[1] * y[1]
    for l in 2:length(x)
        s += x[l] * y[l]
    end
    alpha === true ? s : s * alpha
end
function matvec!(c, a, x, alpha, beta)
    m, k = size(a, 1), size(a, 2)
    k == length(x) || throw_matmul(a, x)
    length(c) == m || throw(DimensionMismatch(string("destination has length ", length(c), ", product has length ", m)))
    T = eltype(c)
    if !(T <: Number) && iszero(beta) && k > 0
        for i in 1:m
            c[i] = sum_of_blocks(view(a, i, :), x, alpha)
        end
        return c
    end
    for i in 1:m
        @inbounds c[i] = iszero(beta) ? zero(T) : c[i] * beta
    end
    for l in 1:k
        @inbounds v = alpha === true ? x[l] : x[l] * alpha
        for i in 1:m
            @inbounds c[i] += a[i, l] * v
        end
    end
    c
end
^(a::AbstractMatrix, p::Integer) = p < 0 ? inv(a)^(-p) : p == 0 ? one(a) : power_by_squaring(a, p)
kron(a::AbstractMatrix, b::AbstractMatrix) = [a[i, j] * b[k, l] for (k, i) in pairs_of(size(b, 1), size(a, 1)), (l, j) in pairs_of(size(b, 2), size(a, 2))]
kron(a::AbstractVector, b::AbstractMatrix) = kron(reshape(a, length(a), 1), b)
kron(a::AbstractMatrix, b::AbstractVector) = kron(a, reshape(b, length(b), 1))
kron(a::AbstractVector, b::AbstractVector) = [x * y for x in a for y in b]
pairs_of(m, n) = vec([(k, i) for k in 1:m, i in 1:n])

# Inner products and norms.
dot(x::Number, y::Number) = conj(x) * y
function dot(x::AbstractArray, y::AbstractArray)
    length(x) == length(y) || throw(DimensionMismatch(string("first array has length ", length(x), " which does not match the length of the second, ", length(y), ".")))
    isempty(x) && return dot(zero(eltype(x)), zero(eltype(y)))
    s = zero(dot(x[firstindex(x)], y[firstindex(y)]))
    for (a, b) in zip(x, y)
        s += dot(a, b)
    end
    s
end
dot(x::Tuple, y::Tuple) = sum(map(dot, x, y))
dot(x::AbstractVector, a::AbstractMatrix, y::AbstractVector) = dot(x, a * y)
const (⋅) = dot
function cross(a::AbstractVector, b::AbstractVector)
    length(a) == length(b) == 3 || throw(DimensionMismatch("cross product is only defined for vectors of length 3"))
    a1, a2, a3 = a
    b1, b2, b3 = b
    [a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1]
end
const (×) = cross
norm(x::Number) = abs(float(x))
norm(x::Number, p::Real) = p == 0 ? (iszero(x) ? zero(abs(float(x))) : one(abs(float(x)))) : norm(x)
function norm(x, p::Real = 2)
    isempty(x) && return float(norm(zero(eltype(x))))
    if p == 2
        norm2(x)
    elseif p == 1
        sum(norm, x)
    elseif p == Inf
        maximum(norm, x)
    elseif p == -Inf
        minimum(norm, x)
    elseif p == 0
        convert(norm_type(x), count(!iszero, x))
    else
        T = norm_type(x)
        normp(x, convert(power_type(x, T), p), T)
    end
end
# The types of norms of `x`, and of the powers that are added up.
norm_type(x) = typeof(float(norm(first(x))))
power_type(x, ::Type{T}) where {T} = promote_type(Float64, T)
# Sums of powers, of the exponent's type. Scaled only where powers would leave its range.
function normp(x, p, ::Type{T}) where {T}
    if abs(p) > 1
        m = p > 1 ? maximum(norm, x) : minimum(norm, x)
        (ismissing(m) || iszero(m) || isinf(m)) && return m
        power = m^p
        (iszero(power) || !isfinite(length(x) * power)) && return convert(T, m * sum(v -> (norm(v) / m)^p, x)^inv(p))
    end
    convert(T, sum(v -> norm(v)^p, x)^inv(p))
end
# Scaled only where squares would leave the range of the type.
function norm2(x)
    s = sum(v -> abs2_of(v), x)
    T = typeof(float(s))
    (isfinite(s) && s >= floatmin_of(T)) && return sqrt(s)
    m = maximum(norm, x)
    (iszero(m) || !isfinite(m)) && return float(m)
    m * sqrt(sum(v -> abs2_of(v / m), x))
end
abs2_of(v::Number) = float(abs2(v))
abs2_of(v) = norm(v)^2
floatmin_of(::Type{T}) where {T <: AbstractFloat} = floatmin(T) / eps(T)
floatmin_of(T) = 0
normalize(x::AbstractArray) = x / norm(x)
normalize(x::AbstractArray, p::Real) = x / norm(x, p)
normalize!(x::AbstractArray) = (n = norm(x); for i in eachindex(x); x[i] /= n; end; x)
tr(a::AbstractMatrix) = sum(a[i, i] for i in 1:square_size(a))
diag(a::AbstractMatrix, k::Integer = 0) = a[diagind(a, k)]
# The linear indices of a diagonal.
function diagind(m::Integer, n::Integer, k::Integer = 0)
    from = k <= 0 ? 1 - k : 1 + k * m
    range(from, step = m + 1, length = max(0, k <= 0 ? min(m + k, n) : min(m, n - k)))
end
diagind(a::AbstractMatrix, k::Integer = 0) = diagind(size(a, 1), size(a, 2), k)
function square_size(a::AbstractMatrix)
    size(a, 1) == size(a, 2) || throw(DimensionMismatch(string("matrix is not square: dimensions are ", size(a))))
    size(a, 1)
end
triu(a::AbstractMatrix, k::Integer = 0) = [j - i >= k ? a[i, j] : zero(a[i, j]) for i in axes(a, 1), j in axes(a, 2)]
tril(a::AbstractMatrix, k::Integer = 0) = [j - i <= k ? a[i, j] : zero(a[i, j]) for i in axes(a, 1), j in axes(a, 2)]
issymmetric(a::AbstractMatrix) = size(a, 1) == size(a, 2) && all(I -> a[I] == transpose(a[I[2], I[1]]), CartesianIndices(a))
axpy!(alpha, x::AbstractArray, y::AbstractArray) = (for i in eachindex(x, y); y[i] += alpha * x[i]; end; y)
axpby!(alpha, x::AbstractArray, beta, y::AbstractArray) = (for i in eachindex(x, y); y[i] = alpha * x[i] + beta * y[i]; end; y)
rmul!(a::AbstractArray, s::Number) = (for i in eachindex(a); a[i] *= s; end; a)
lmul!(s::Number, a::AbstractArray) = (for i in eachindex(a); a[i] = s * a[i]; end; a)

# Elimination with partial pivoting.
struct SingularException <: Exception
    info::Int
end
showerror(io::IO, e::SingularException) = print(io, "SingularException(", e.info, ")")
function eliminate(a::AbstractMatrix)
    n = square_size(a)
    # Quotients of rationals are exact.
    T = typeof(one(eltype(a)) / one(eltype(a)))
    u = Matrix{T}(undef, n, n)
    copyto_plain!(u, a)
    p = collect(1:n)
    sign_of = 1
    for k in 1:n
        best = k
        for i in (k + 1):n
            abs(u[i, k]) > abs(u[best, k]) && (best = i)
        end
        if best != k
            for j in 1:n
                u[k, j], u[best, j] = u[best, j], u[k, j]
            end
            p[k], p[best] = p[best], p[k]
            sign_of = -sign_of
        end
        iszero(u[k, k]) && return (u, p, sign_of, k)
        for i in (k + 1):n
            u[i, k] /= u[k, k]
            for j in (k + 1):n
                u[i, j] -= u[i, k] * u[k, j]
            end
        end
    end
    (u, p, sign_of, 0)
end
function solve(a, b::AbstractVector)
    u, p, _, bad = eliminate(a)
    bad == 0 || throw(SingularException(bad))
    n = length(p)
    n == length(b) || throw(DimensionMismatch(string("right hand side has length ", length(b), ", needs ", n)))
    x = [b[p[i]] * one(eltype(u)) for i in 1:n]
    for i in 1:n, j in 1:(i - 1)
        x[i] -= u[i, j] * x[j]
    end
    for i in n:-1:1
        for j in (i + 1):n
            x[i] -= u[i, j] * x[j]
        end
        x[i] /= u[i, i]
    end
    x
end
# One triangle is solved by substitution, column by column.
is_lower(a) = all(I -> I[1] >= I[2] || iszero(a[I]), CartesianIndices(a))
is_upper(a) = all(I -> I[1] <= I[2] || iszero(a[I]), CartesianIndices(a))
function substitute(a, b::AbstractVector, columns)
    n = square_size(a)
    n == length(b) || throw(DimensionMismatch(string("right hand side has length ", length(b), ", needs ", n)))
    T = typeof(zero(eltype(b)) / one(eltype(a)))
    x = T[b[i] for i in 1:n]
    for j in columns
        iszero(a[j, j]) && throw(SingularException(j))
        x[j] = x[j] / a[j, j]
        for i in 1:n
            i == j || iszero(a[i, j]) || (x[i] -= a[i, j] * x[j])
        end
    end
    x
end
function \(a::AbstractMatrix, b::AbstractVector)
    n = size(a, 1)
    n == size(a, 2) || return least_squares(a, b)
    is_lower(a) ? substitute(a, b, 1:n) : is_upper(a) ? substitute(a, b, n:-1:1) : solve(a, b)
end
\(a::AbstractMatrix, b::AbstractMatrix) = stack(a \ b[:, j] for j in axes(b, 2))
# By reflections that leave a triangle of `a`. Of fewer equations than unknowns the least solution is not known here.
function least_squares(a, b)
    m, n = size(a)
    m == length(b) || throw(DimensionMismatch(string("right hand side has length ", length(b), ", needs ", m)))
    m < n && throw(UnsupportedError(:least_squares, "a matrix with fewer rows than columns divides no vector"))
    T = typeof(sqrt(abs2(one(eltype(a)) / one(eltype(a))) + abs2(one(eltype(b)))) * one(eltype(a)) * one(eltype(b)))
    r, y = Matrix{T}(undef, m, n), T[x for x in b]
    copyto_plain!(r, a)
    for k in 1:n
        v = r[k:m, k]
        size_of = sqrt(sum(abs2, v))
        iszero(size_of) && throw(SingularException(k))
        v[1] += iszero(v[1]) ? size_of : size_of * v[1] / abs(v[1])
        square = sum(abs2, v)
        for column in Any[(view(r, k:m, j) for j in k:n)..., view(y, k:m)]
            column .-= (2 * sum(conj(v[i]) * column[i] for i in eachindex(v)) / square) .* v
        end
    end
    substitute(r[1:n, 1:n], y[1:n], n:-1:1)
end
/(a::AbstractMatrix, b::AbstractMatrix) = transpose(collect(transpose(b)) \ collect(transpose(a)))
inv(a::AbstractMatrix) = a \ one(Matrix{typeof(one(eltype(a)) / one(eltype(a)))}(a))
function det(a::AbstractMatrix)
    u, _, s, bad = eliminate(a)
    bad == 0 ? s * prod(u[i, i] for i in axes(u, 1); init = one(eltype(u))) : zero(eltype(u))
end
