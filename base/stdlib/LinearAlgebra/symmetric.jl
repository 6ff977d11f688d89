# Eigenvalues of symmetric matrices, and functions of such matrices by way of them.

# Jacobi's rotations make the matrix diagonal; `vectors`, if there is such, takes part in them.
function diagonalize!(m::Matrix, vectors)
    n = size(m, 1)
    for sweep in 1:50
        sum(abs2(m[i, j]) for i in 1:n for j in 1:n if i != j; init = zero(eltype(m))) <= eps(eltype(m))^2 * sum(abs2, m) && break
        for p in 1:(n - 1), q in (p + 1):n
            iszero(m[p, q]) && continue
            theta = (m[q, q] - m[p, p]) / (2 * m[p, q])
            t = (theta < 0 ? -1 : 1) / (abs(theta) + sqrt(theta^2 + 1))
            c = 1 / sqrt(t^2 + 1)
            rotate_columns!(m, p, q, c, t * c)
            rotate_columns!(transpose(m), p, q, c, t * c)
            vectors === nothing || rotate_columns!(vectors, p, q, c, t * c)
        end
    end
    m
end
function rotate_columns!(m, p, q, c, s)
    for k in axes(m, 1)
        x, y = m[k, p], m[k, q]
        m[k, p] = c * x - s * y
        m[k, q] = s * x + c * y
    end
end
is_real_symmetric(a) = eltype(a) <: Real && issymmetric(a)
function eigvals(a::AbstractMatrix)
    is_real_symmetric(a) || throw(Base.UnsupportedError(:eigvals, "only eigenvalues of symmetric matrices of real numbers are implemented"))
    sort!(diag(diagonalize!(Matrix{float(eltype(a))}(a), nothing)))
end

# `f` of a symmetric matrix has the same eigenvectors and `f` of the eigenvalues. Where those leave the domain of the real
# function, the result is complex.
function symmetric_function(f, inside, name, a)
    n = checksquare(a)
    is_real_symmetric(a) || throw(Base.UnsupportedError(name, "only functions of symmetric matrices of real numbers are implemented"))
    vectors = Matrix{float(eltype(a))}(I, n, n)
    values = diag(diagonalize!(Matrix{float(eltype(a))}(a), vectors))
    images = all(inside, values) ? map(f, values) : map(x -> f(complex(x)), values)
    image = (vectors .* transpose(images)) * transpose(vectors)
    # Rounding must not make the result less symmetric than it is.
    (image .+ transpose(image)) ./ 2
end
everywhere(x) = true
in_unit(x) = -1 <= x <= 1
out_of_unit(x) = !(-1 < x < 1)
not_negative(x) = x >= 0
for (f, inside) in ((:exp, everywhere), (:sin, everywhere), (:cos, everywhere), (:tan, everywhere), (:sec, everywhere), (:csc, everywhere),
        (:cot, everywhere), (:sinh, everywhere), (:cosh, everywhere), (:tanh, everywhere), (:sech, everywhere), (:csch, everywhere),
        (:coth, everywhere), (:atan, everywhere), (:acot, everywhere), (:asinh, everywhere), (:acsch, everywhere), (:asin, in_unit),
        (:acos, in_unit), (:asec, out_of_unit), (:acsc, out_of_unit), (:log, not_negative), (:sqrt, not_negative), (:acosh, x -> x >= 1), (:atanh, in_unit),
        (:acoth, out_of_unit), (:asech, x -> 0 <= x <= 1))
    @eval Base.$f(a::AbstractMatrix) = symmetric_function($f, $inside, $(QuoteNode(f)), a)
end
