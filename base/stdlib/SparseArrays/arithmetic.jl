# Arithmetic on the stored elements.

# The result of a function that keeps zeros, element by element.
on_stored(f, a::SparseMatrixCSC{<:Any, Ti}) where {Ti} = (v = map(f, a.nzval); SparseMatrixCSC{eltype(v), Ti}(a.m, a.n, copy(a.colptr), copy(a.rowval), v))
on_stored(f, v::SparseVector{<:Any, Ti}) where {Ti} = (x = map(f, v.nzval); SparseVector{eltype(x), Ti}(v.n, copy(v.nzind), x))
const Stored = Union{SparseMatrixCSC, SparseVector}
Base.:-(a::Stored) = on_stored(-, a)
Base.conj(a::Stored) = on_stored(conj, a)
Base.real(a::Stored) = on_stored(real, a)
Base.imag(a::Stored) = on_stored(imag, a)
Base.:*(a::Stored, x::Number) = on_stored(y -> y * x, a)
Base.:*(x::Number, a::Stored) = on_stored(y -> x * y, a)
Base.:/(a::Stored, x::Number) = on_stored(y -> y / x, a)
rmul!(a::Stored, x::Number) = (rmul!(a.nzval, x); a)
lmul!(x::Number, a::Stored) = (lmul!(x, a.nzval); a)

# Sums and differences store what either stores.
function combined(f, a::SparseMatrixCSC{Tv, Ti}, b::SparseMatrixCSC{Sv, Si}) where {Tv, Ti, Sv, Si}
    size(a) == size(b) || throw(DimensionMismatch(string("dimensions must match: a has dims ", axes(a), ", b has dims ", axes(b))))
    (i, j, v), (k, l, w) = findnz(a), findnz(b)
    T = typeof(f(zero(Tv), zero(Sv)))
    sparse(vcat(i, k), vcat(j, l), T[map(x -> f(x, zero(Sv)), v); map(x -> f(zero(Tv), x), w)], size(a)..., +)
end
function combined(f, a::SparseVector{Tv}, b::SparseVector{Sv}) where {Tv, Sv}
    length(a) == length(b) || throw(DimensionMismatch(string("dimensions must match: a has dims ", axes(a), ", b has dims ", axes(b))))
    T = typeof(f(zero(Tv), zero(Sv)))
    sparsevec(vcat(a.nzind, b.nzind), T[map(x -> f(x, zero(Sv)), a.nzval); map(x -> f(zero(Tv), x), b.nzval)], length(a), +)
end
for f in (:+, :-)
    @eval Base.$f(a::SparseMatrixCSC, b::SparseMatrixCSC) = combined($f, a, b)
    @eval Base.$f(a::SparseVector, b::SparseVector) = combined($f, a, b)
end

# A transposed matrix is stored anew.
function flipped(f, a::SparseMatrixCSC)
    i, j, v = findnz(a)
    sparse(j, i, map(f, v), size(a, 2), size(a, 1))
end
const FlippedMatrix = Union{Transpose{<:Any, <:SparseMatrixCSC}, Adjoint{<:Any, <:SparseMatrixCSC}}
Base.copy(a::Transpose{<:Any, <:SparseMatrixCSC}) = flipped(transpose, parent(a))
Base.copy(a::Adjoint{<:Any, <:SparseMatrixCSC}) = flipped(adjoint, parent(a))
sparse(a::FlippedMatrix) = copy(a)
SparseMatrixCSC(a::FlippedMatrix) = copy(a)

# Products go through the stored elements.
function Base.:*(a::SparseMatrixCSC, x::AbstractVector)
    size(a, 2) == length(x) || throw(DimensionMismatch(string("matrix A has dimensions ", size(a), ", vector B has length ", length(x))))
    mul!(zeros(product_type(a, x), size(a, 1)), a, x)
end
product_type(a, b) = (z = zero(eltype(a)) * zero(eltype(b)); typeof(z + z))
function Base.:*(a::SparseMatrixCSC, b::StridedMatrix)
    size(a, 2) == size(b, 1) || throw(DimensionMismatch(string("matrix A has dimensions ", size(a), ", matrix B has dimensions ", size(b))))
    mul!(zeros(product_type(a, b), size(a, 1), size(b, 2)), a, b)
end
function mul!(y::StridedVecOrMat, a::SparseMatrixCSC, x::StridedVecOrMat, alpha::Number, beta::Number)
    size(a, 2) == size(x, 1) && size(a, 1) == size(y, 1) && size(x, 2) == size(y, 2) ||
        throw(DimensionMismatch(string("sizes of the product do not fit: ", size(y), ", ", size(a), ", ", size(x))))
    iszero(beta) ? fill!(y, zero(eltype(y))) : isone(beta) || rmul!(y, beta)
    for c in axes(x, 2), j in axes(a, 2)
        factor = x[j, c] * alpha
        for k in nzrange(a, j)
            y[a.rowval[k], c] += a.nzval[k] * factor
        end
    end
    y
end
mul!(y::StridedVecOrMat, a::SparseMatrixCSC, x::StridedVecOrMat) = mul!(y, a, x, true, false)
function Base.:*(a::SparseMatrixCSC, b::SparseMatrixCSC)
    size(a, 2) == size(b, 1) || throw(DimensionMismatch(string("matrix A has dimensions ", size(a), ", matrix B has dimensions ", size(b))))
    i, j, v = Int[], Int[], product_type(a, b)[]
    for column in axes(b, 2), k in nzrange(b, column), l in nzrange(a, b.rowval[k])
        push!(i, a.rowval[l])
        push!(j, column)
        push!(v, a.nzval[l] * b.nzval[k])
    end
    sparse(i, j, v, size(a, 1), size(b, 2), +)
end
Base.:*(a::SparseMatrixCSC, x::SparseVector) = sparse(a * Vector(x))
Base.:*(a::FlippedMatrix, b::AbstractVector) = copy(a) * b
Base.:*(a::FlippedMatrix, b::SparseMatrixCSC) = copy(a) * b
Base.:*(a::SparseMatrixCSC, b::FlippedMatrix) = a * copy(b)
Base.:\(a::SparseMatrixCSC, b::StridedVecOrMat) = Matrix(a) \ b
Base.Matrix(a::SparseMatrixCSC{Tv}) where {Tv} = Matrix{Tv}(a)
function Base.Matrix{T}(a::SparseMatrixCSC) where {T}
    dense = zeros(T, size(a))
    for j in axes(a, 2), k in nzrange(a, j)
        dense[a.rowval[k], j] = a.nzval[k]
    end
    dense
end
Base.Array(a::SparseMatrixCSC) = Matrix(a)
Base.sum(a::Stored) = isempty(a.nzval) ? zero(eltype(a)) : sum(a.nzval)
Base.iszero(a::Stored) = all(iszero, a.nzval)
Base.:(==)(a::SparseMatrixCSC, b::SparseMatrixCSC) = size(a) == size(b) && findnz(dropzeros(a)) == findnz(dropzeros(b))
Base.:(==)(a::SparseVector, b::SparseVector) = length(a) == length(b) && findnz(dropzeros(a)) == findnz(dropzeros(b))
for (f, keeps) in ((:triu, :((i, j) -> j - i >= k)), (:tril, :((i, j) -> j - i <= k)))
    @eval $f(a::SparseMatrixCSC, k::Integer = 0) = (keep = $keeps; fkeep!((i, j, x) -> keep(i, j), copy(a)))
end
kron(a::SparseMatrixCSC, b::SparseMatrixCSC) = kron_stored(a, b)
function kron_stored(a, b)
    i, j, v = Int[], Int[], product_type(a, b)[]
    for (r, c, x) in zip(findnz(a)...), (s, d, y) in zip(findnz(b)...)
        push!(i, (r - 1) * size(b, 1) + s)
        push!(j, (c - 1) * size(b, 2) + d)
        push!(v, x * y)
    end
    sparse(i, j, v, size(a, 1) * size(b, 1), size(a, 2) * size(b, 2))
end
function Base.hcat(as::SparseMatrixCSC...)
    all(a -> size(a, 1) == size(as[1], 1), as) || throw(DimensionMismatch("number of rows of each array must match"))
    shifts = cumsum((0, map(a -> size(a, 2), as[1:(end - 1)])...))
    parts = map(findnz, as)
    sparse(reduce(vcat, map(p -> p[1], parts)), reduce(vcat, map((p, s) -> p[2] .+ s, parts, shifts)), reduce(vcat, map(p -> p[3], parts)),
        size(as[1], 1), sum(a -> size(a, 2), as))
end
function Base.vcat(as::SparseMatrixCSC...)
    all(a -> size(a, 2) == size(as[1], 2), as) || throw(DimensionMismatch("number of columns of each array must match"))
    shifts = cumsum((0, map(a -> size(a, 1), as[1:(end - 1)])...))
    parts = map(findnz, as)
    sparse(reduce(vcat, map((p, s) -> p[1] .+ s, parts, shifts)), reduce(vcat, map(p -> p[2], parts)), reduce(vcat, map(p -> p[3], parts)),
        sum(a -> size(a, 1), as), size(as[1], 2))
end
