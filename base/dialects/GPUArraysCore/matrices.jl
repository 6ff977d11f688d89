# Triangles, diagonals and blocks of matrices, by the indices of their elements.

# Whether an element is kept, by how far it is above the diagonal.
struct Above
    k::Int
end
struct Below
    k::Int
end
@inline keeps(t::Above, I) = I[2] - I[1] >= t.k
@inline keeps(t::Below, I) = I[2] - I[1] <= t.k
struct Kept{S} <: Function
    side::S
end
@inline (t::Kept)(x, I) = keeps(t.side, I) ? x : zero(x)
# Whether what is not kept is zero.
struct ZeroElsewhere{S} <: Function
    side::S
end
@inline (t::ZeroElsewhere)(x, I) = keeps(t.side, I) || iszero(x)

by_index!(f, a) = broadcast_by_kernel!(a, Base.Broadcast.instantiate(Base.Broadcast.broadcasted(f, a, CartesianIndices(a))))
holds_by_index(f, a) = isempty(a) || fold_by_kernel(f, &, true, (a, CartesianIndices(size(a))), :)
for (f, side) in ((:triu!, :Above), (:tril!, :Below))
    @eval LinearAlgebra.$f(a::DialectMatrix, k::Integer = 0) =
        uses_kernels() ? by_index!(Kept($side(Int(k))), a) : (LinearAlgebra.$f(a.data, k); a)
end
for (f, side) in ((:istriu, :Above), (:istril, :Below))
    @eval LinearAlgebra.$f(a::DialectMatrix, k::Integer = 0) =
        uses_kernels() ? holds_by_index(ZeroElsewhere($side(Int(k))), a) : LinearAlgebra.$f(a.data, k)
end
LinearAlgebra.isdiag(a::DialectMatrix) = uses_kernels() ? LinearAlgebra.istriu(a) && LinearAlgebra.istril(a) : LinearAlgebra.isdiag(a.data)
Base.issymmetric(a::DialectMatrix) = size(a, 1) == size(a, 2) && a == transpose(a)
LinearAlgebra.ishermitian(a::DialectMatrix) = size(a, 1) == size(a, 2) && a == a'
Base.tr(a::DialectMatrix) = (Base.square_size(a); sum(LinearAlgebra.diag(a)))

for (f, turned) in ((:transpose!, :transpose), (:adjoint!, :adjoint))
    @eval function LinearAlgebra.$f(dest::DialectMatrix, a::DialectMatrix)
        size(dest) == reverse(size(a)) ||
            throw(DimensionMismatch(string("a matrix of size ", size(dest), " does not take the ", $(string(turned)), " of one of size ", size(a))))
        return copyto!(dest, $turned(a))
    end
end

# Elements of one array times those of the other, each pair in its block.
function Base.kron(a::DialectMatrix, b::DialectMatrix)
    (m, n), (p, q) = size(a), size(b)
    return reshape(reshape(a, 1, m, 1, n) .* reshape(b, p, 1, q, 1), m * p, n * q)
end
Base.kron(a::DialectVector, b::DialectMatrix) = Base.kron(reshape(a, length(a), 1), b)
Base.kron(a::DialectMatrix, b::DialectVector) = Base.kron(a, reshape(b, length(b), 1))
Base.kron(a::DialectVector, b::DialectVector) = vec(Base.kron(reshape(a, length(a), 1), reshape(b, length(b), 1)))

function LinearAlgebra.plus_scaling(a::DialectMatrix, s)
    n = Base.square_size(a)
    out = copyto!(similar(a, promote_type(eltype(a), typeof(s))), a)
    diagonal = view(out, LinearAlgebra.diagind(out))
    n == 0 || (diagonal .+= s)
    return out
end
LinearAlgebra.diagm(v::DialectVector) = LinearAlgebra.diagm(0 => v)
function LinearAlgebra.diagm(p::Pair{<:Integer,<:DialectVector})
    k, v = p
    n = length(v) + abs(k)
    out = fill!(similar(v, n, n), zero(eltype(v)))
    isempty(v) || copyto!(view(out, LinearAlgebra.diagind(out, k)), v)
    return out
end
function Base.one(a::DialectMatrix)
    n = Base.square_size(a)
    out = fill!(similar(a, typeof(one(eltype(a)))), zero(eltype(a)))
    n == 0 || fill!(view(out, LinearAlgebra.diagind(out)), one(eltype(a)))
    return out
end
