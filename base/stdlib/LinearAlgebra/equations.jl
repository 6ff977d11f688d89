# Equations of matrices, solved as linear equations of the elements.

"""
    sylvester(a, b, c)

The solution `x` of `a * x + x * b + c = 0`.
"""
sylvester(a::Number, b::Number, c::Number) = -c / (a + b)
function sylvester(a::AbstractMatrix, b::AbstractMatrix, c::AbstractMatrix)
    m, n = checksquare(a), checksquare(b)
    size(c) == (m, n) || throw(DimensionMismatch(string("the size of the third matrix must be ", (m, n), ", got ", size(c))))
    both = kron(Matrix(one(b)), a) + kron(transpose(b), Matrix(one(a)))
    reshape(both \ -vec(c), m, n)
end
"""
    lyap(a, c)

The solution `x` of `a * x + x * a' + c = 0`.
"""
lyap(a::Number, c::Number) = -c / (2 * real(a))
lyap(a::AbstractMatrix, c::AbstractMatrix) = sylvester(a, adjoint(a), c)

"""
    eigen(a)

The eigenvalues and eigenvectors of a symmetric matrix of real numbers, the least first.
"""
function eigen(a::AbstractMatrix; kws...)
    is_real_symmetric(a) || throw(Base.UnsupportedError(:eigen, "only eigenvectors of symmetric matrices of real numbers are implemented"))
    vectors = Matrix{float(eltype(a))}(I, size(a)...)
    values = diag(diagonalize!(Matrix{float(eltype(a))}(a), vectors))
    order = sortperm(values)
    Eigen(values[order], vectors[:, order])
end
eigvecs(a::AbstractMatrix; kws...) = eigen(a; kws...).vectors
eigvecs(e::Eigen) = e.vectors
eigvals(e::Eigen) = e.values
eigmax(a::AbstractMatrix) = maximum(eigvals(a))
eigmin(a::AbstractMatrix) = minimum(eigvals(a))
logabsdet(a::AbstractMatrix) = (d = det(a); (log(abs(d)), sign(d)))
logabsdet(x::Number) = (log(abs(x)), sign(x))
