# Arithmetic, products, norms, determinants and inverses.

@inline +(a::StaticArray{S}, b::StaticArray{S}) where {S} = map(+, a, b)
@inline -(a::StaticArray{S}, b::StaticArray{S}) where {S} = map(-, a, b)
@inline -(a::StaticArray) = map(-, a)
@inline +(a::StaticArray) = a
@inline *(x::Number, a::StaticArray) = map(y -> x * y, a)
@inline *(a::StaticArray, x::Number) = map(y -> y * x, a)
@inline /(a::StaticArray, x::Number) = map(y -> y / x, a)
@inline \(x::Number, a::StaticArray) = map(y -> x \ y, a)
@inline conj(a::StaticArray) = map(conj, a)
@inline +(a::StaticArray{Tuple{N, N}, <:Any, 2}, u::UniformScaling) where {N} = a + u.λ * one(a)
@inline -(a::StaticArray{Tuple{N, N}, <:Any, 2}, u::UniformScaling) where {N} = a - u.λ * one(a)
@inline +(u::UniformScaling, a::StaticArray{Tuple{N, N}, <:Any, 2}) where {N} = a + u
@inline -(u::UniformScaling, a::StaticArray{Tuple{N, N}, <:Any, 2}) where {N} = u.λ * one(a) - a
@inline *(u::UniformScaling, a::StaticArray) = u.λ * a
@inline *(a::StaticArray, u::UniformScaling) = a * u.λ
@inline (::Type{A})(u::UniformScaling) where {N, A <: StaticArray{Tuple{N, N}, <:Any, 2}} =
    from_tuple(kind(A), Tuple{N, N}, element_or(eltype(A), typeof(u.λ)), identity_tuple(Val(N), element_or(eltype(A), typeof(u.λ)))) * u.λ

# Products. Row `i` of `a` with column `j` of `b`, the sum unrolled.
@inline row_column(a, b, i, j, ::Val{M}, ::Val{K}) where {M, K} =
    fold_map(k -> data(a)[(k - 1) * M + i] * data(b)[(j - 1) * K + k], +, NoInit(), ntuple(identity, Val(K)))
@inline *(a::StaticArray{Tuple{M, K}, T, 2}, b::StaticArray{Tuple{K, N}, U, 2}) where {M, K, N, T, U} =
    like(a, Tuple{M, N}, ntuple(c -> row_column(a, b, rem(c - 1, M) + 1, div(c - 1, M) + 1, Val(M), Val(K)), Val(M * N)))
@inline *(a::StaticArray{Tuple{M, K}, T, 2}, b::StaticArray{Tuple{K}, U, 1}) where {M, K, T, U} =
    like(b, Tuple{M}, ntuple(i -> row_column(a, b, i, 1, Val(M), Val(K)), Val(M)))
@inline *(a::StaticArray{Tuple{M}, T, 1}, b::StaticArray{Tuple{1, N}, U, 2}) where {M, N, T, U} =
    like(a, Tuple{M, N}, ntuple(c -> data(a)[rem(c - 1, M) + 1] * data(b)[div(c - 1, M) + 1], Val(M * N)))
const StaticRow = Union{Base.Adjoint{T, A}, Base.Transpose{T, A}} where {T, A <: StaticArray{<:Tuple{Any}}}
row_values(r::Base.Adjoint) = map(adjoint, data(parent(r)))
row_values(r::Base.Transpose) = map(transpose, data(parent(r)))
@inline *(r::StaticRow, v::StaticArray{Tuple{N}, U, 1}) where {N, U} = fold_map(identity, +, NoInit(), map(*, row_values(r), data(v)))
@inline *(v::StaticArray{Tuple{M}, T, 1}, r::StaticRow) where {M, T} = outer(v, row_values(r))
@inline outer(v::StaticArray{Tuple{M}, <:Any, 1}, r::NTuple{N, Any}) where {M, N} =
    like(v, Tuple{M, N}, ntuple(c -> data(v)[rem(c - 1, M) + 1] * r[div(c - 1, M) + 1], Val(M * N)))
@inline *(r::Base.Adjoint{T, A}, m::StaticArray{Tuple{K, N}, U, 2}) where {T, A <: StaticArray{<:Tuple{Any}}, K, N, U} = adjoint(adjoint(m) * parent(r))
@inline *(r::Base.Transpose{T, A}, m::StaticArray{Tuple{K, N}, U, 2}) where {T, A <: StaticArray{<:Tuple{Any}}, K, N, U} = transpose(transpose(m) * parent(r))
@inline transpose(a::StaticArray{Tuple{M, N}, T, 2}) where {M, N, T} =
    like(a, Tuple{N, M}, ntuple(c -> transpose(data(a)[rem(c - 1, N) * M + div(c - 1, N) + 1]), Val(M * N)))
@inline adjoint(a::StaticArray{Tuple{M, N}, T, 2}) where {M, N, T} =
    like(a, Tuple{N, M}, ntuple(c -> adjoint(data(a)[rem(c - 1, N) * M + div(c - 1, N) + 1]), Val(M * N)))
@inline permutedims(a::StaticArray{Tuple{M, N}, T, 2}) where {M, N, T} =
    like(a, Tuple{N, M}, ntuple(c -> data(a)[rem(c - 1, N) * M + div(c - 1, N) + 1], Val(M * N)))
@inline kron(a::StaticArray{Tuple{M}, T, 1}, b::StaticArray{Tuple{N}, U, 1}) where {M, N, T, U} =
    like(a, Tuple{M * N}, ntuple(c -> data(a)[div(c - 1, N) + 1] * data(b)[rem(c - 1, N) + 1], Val(M * N)))
@inline function kron(a::StaticArray{Tuple{M, N}, T, 2}, b::StaticArray{Tuple{P, Q}, U, 2}) where {M, N, P, Q, T, U}
    return like(a, Tuple{M * P, N * Q}, ntuple(Val(M * N * P * Q)) do c
        i, j = rem(c - 1, M * P), div(c - 1, M * P)
        data(a)[div(j, Q) * M + div(i, P) + 1] * data(b)[rem(j, Q) * P + rem(i, P) + 1]
    end)
end
mul!(c::MArray, a::StaticArray, b::StaticArray) = (setfield!(c, :data, converted(eltype(c), data(a * b))); c)

@inline dot(a::StaticArray{S}, b::StaticArray{S}) where {S} = fold_map(identity, +, NoInit(), map(dot_element, data(a), data(b)))
@inline dot_element(x, y) = dot(x, y)
@inline dot_element(x::Real, y::Real) = x * y
@inline cross(a::StaticArray{Tuple{3}, <:Any, 1}, b::StaticArray{Tuple{3}, <:Any, 1}) = like(a, Tuple{3}, cross_tuple(data(a), data(b)))
@inline cross_tuple(a, b) = (a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1])
@inline cross(a::StaticArray{Tuple{2}, <:Any, 1}, b::StaticArray{Tuple{2}, <:Any, 1}) = data(a)[1] * data(b)[2] - data(a)[2] * data(b)[1]
@inline norm(a::StaticArray) = sqrt(fold_map(squared, +, NoInit(), data(a)))
@inline squared(x::Number) = abs2(float(x))
@inline squared(x) = norm(x)^2
@inline function norm(a::StaticArray, p::Real)
    p == 2 && return norm(a)
    p == 1 && return float(fold_map(norm_element, +, NoInit(), data(a)))
    p == Inf && return float(fold_map(norm_element, max, NoInit(), data(a)))
    fold_map(x -> norm_element(x)^p, +, NoInit(), data(a))^inv(p)
end
@inline norm_element(x) = norm(x)
@inline norm_element(x::Real) = abs(x)
@inline normalize(a::StaticArray) = inv(norm(a)) * a
@inline normalize(a::StaticArray, p::Real) = inv(norm(a, p)) * a
@inline tr(a::StaticArray{Tuple{N, N}, <:Any, 2}) where {N} = fold_map(i -> data(a)[(i - 1) * N + i], +, NoInit(), ntuple(identity, Val(N)))
@inline diag(a::StaticArray{Tuple{M, N}, <:Any, 2}) where {M, N} = like(a, Tuple{min(M, N)}, ntuple(i -> data(a)[(i - 1) * M + i], Val(min(M, N))))
@inline diagm(v::StaticArray{Tuple{N}, T, 1}) where {N, T} =
    like(v, Tuple{N, N}, ntuple(k -> rem(k - 1, N + 1) == 0 ? data(v)[div(k - 1, N + 1) + 1] : zero(T), Val(N * N)))
SDiagonal(v::StaticArray) = Diagonal(v)
SDiagonal(xs::Number...) = Diagonal(SVector(xs))

# Differences of unsigned products are signed.
const UnsignedSquare{N} = StaticArray{Tuple{N, N}, <:Unsigned, 2}
@inline det(a::Union{UnsignedSquare{2}, UnsignedSquare{3}, UnsignedSquare{4}}) = det(map(signed, a))
@inline det(a::StaticArray{Tuple{1, 1}, <:Any, 2}) = data(a)[1]
@inline det(a::StaticArray{Tuple{2, 2}, <:Any, 2}) = (t = data(a); t[1] * t[4] - t[3] * t[2])
@inline det(a::StaticArray{Tuple{3, 3}, <:Any, 2}) = (t = data(a);
    t[1] * (t[5] * t[9] - t[8] * t[6]) - t[4] * (t[2] * t[9] - t[8] * t[3]) + t[7] * (t[2] * t[6] - t[5] * t[3]))
@inline det(a::StaticArray{Tuple{4, 4}, <:Any, 2}) = ((s, c) = minors(data(a));
    s[1] * c[6] - s[2] * c[5] + s[3] * c[4] + s[4] * c[3] - s[5] * c[2] + s[6] * c[1])
det(a::StaticArray{Tuple{N, N}, <:Any, 2}) where {N} = det(Matrix(a))
# The 2x2 minors of the first two rows and of the last two.
@inline function minors(t)
    s = (t[1] * t[6] - t[2] * t[5], t[1] * t[10] - t[2] * t[9], t[1] * t[14] - t[2] * t[13],
        t[5] * t[10] - t[6] * t[9], t[5] * t[14] - t[6] * t[13], t[9] * t[14] - t[10] * t[13])
    c = (t[3] * t[8] - t[4] * t[7], t[3] * t[12] - t[4] * t[11], t[3] * t[16] - t[4] * t[15],
        t[7] * t[12] - t[8] * t[11], t[7] * t[16] - t[8] * t[15], t[11] * t[16] - t[12] * t[15])
    (s, c)
end
# Inverses are computed in a type that has quotients: products and differences of narrow or unsigned integers would wrap.
@inline with_quotients(a::StaticArray{S, T}) where {S, T} = isconcretetype(T) ? like(a, S, quotient_type(T), data(a)) : a
@inline quotient_type(::Type{T}) where {T} = typeof((one(T) * zero(T) + zero(T)) / one(T))
@inline inv(a::StaticArray{Tuple{1, 1}, <:Any, 2}) = like(a, Tuple{1, 1}, (inv(data(a)[1]),))
@inline function inv(m::StaticArray{Tuple{2, 2}, <:Any, 2})
    a = with_quotients(m)
    t = data(a)
    d = inv(det(a))
    like(a, Tuple{2, 2}, (t[4] * d, -t[2] * d, -t[3] * d, t[1] * d))
end
@inline function inv(m::StaticArray{Tuple{3, 3}, <:Any, 2})
    a = with_quotients(m)
    t = data(a)
    d = inv(det(a))
    like(a, Tuple{3, 3}, ((t[5] * t[9] - t[8] * t[6]) * d, (t[8] * t[3] - t[2] * t[9]) * d, (t[2] * t[6] - t[5] * t[3]) * d,
        (t[7] * t[6] - t[4] * t[9]) * d, (t[1] * t[9] - t[7] * t[3]) * d, (t[4] * t[3] - t[1] * t[6]) * d,
        (t[4] * t[8] - t[7] * t[5]) * d, (t[7] * t[2] - t[1] * t[8]) * d, (t[1] * t[5] - t[4] * t[2]) * d))
end
@inline function inv(m::StaticArray{Tuple{4, 4}, <:Any, 2})
    a = with_quotients(m)
    t = data(a)
    s, c = minors(t)
    d = inv(det(a))
    like(a, Tuple{4, 4}, (
        (t[6] * c[6] - t[10] * c[5] + t[14] * c[4]) * d, (-t[2] * c[6] + t[10] * c[3] - t[14] * c[2]) * d,
        (t[2] * c[5] - t[6] * c[3] + t[14] * c[1]) * d, (-t[2] * c[4] + t[6] * c[2] - t[10] * c[1]) * d,
        (-t[5] * c[6] + t[9] * c[5] - t[13] * c[4]) * d, (t[1] * c[6] - t[9] * c[3] + t[13] * c[2]) * d,
        (-t[1] * c[5] + t[5] * c[3] - t[13] * c[1]) * d, (t[1] * c[4] - t[5] * c[2] + t[9] * c[1]) * d,
        (t[8] * s[6] - t[12] * s[5] + t[16] * s[4]) * d, (-t[4] * s[6] + t[12] * s[3] - t[16] * s[2]) * d,
        (t[4] * s[5] - t[8] * s[3] + t[16] * s[1]) * d, (-t[4] * s[4] + t[8] * s[2] - t[12] * s[1]) * d,
        (-t[7] * s[6] + t[11] * s[5] - t[15] * s[4]) * d, (t[3] * s[6] - t[11] * s[3] + t[15] * s[2]) * d,
        (-t[3] * s[5] + t[7] * s[3] - t[15] * s[1]) * d, (t[3] * s[4] - t[7] * s[2] + t[11] * s[1]) * d))
end
inv(a::StaticArray{Tuple{N, N}, <:Any, 2}) where {N} = like(a, Tuple{N, N}, Tuple(inv(Matrix(a))))
@inline \(a::StaticArray{Tuple{N, N}, <:Any, 2}, b::StaticArray{Tuple{N}, <:Any, 1}) where {N} = inv(a) * b
@inline \(a::StaticArray{Tuple{N, N}, <:Any, 2}, b::StaticArray{Tuple{N, K}, <:Any, 2}) where {N, K} = inv(a) * b
@inline /(a::StaticArray{Tuple{M, N}, <:Any, 2}, b::StaticArray{Tuple{N, N}, <:Any, 2}) where {M, N} = a * inv(b)
function isapprox(a::StaticArray{S}, b::StaticArray{S}; atol::Real = 0, rtol::Real = Base.rtoldefault(eltype(a), eltype(b), atol),
        kws...) where {S}
    d = norm(a - b)
    isfinite(d) ? d <= max(atol, rtol * max(norm(a), norm(b))) : a == b
end
