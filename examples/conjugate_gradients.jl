# Conjugate gradients for a sparse matrix in compressed rows: the product is a kernel, the rest operations on arrays.
using CUDA, KernelAbstractions, LinearAlgebra, SparseArrays, Test

struct CSR{I,V}
    rows::I         # where each row begins in `columns` and `values`, and one past the last
    columns::I
    values::V
end

# Rows of a symmetric matrix are its columns.
CSR(a::SparseMatrixCSC) = CSR(CuArray(Int32.(a.colptr)), CuArray(Int32.(a.rowval)), CuArray(a.nzval))

@kernel function multiply!(y, @Const(rows), @Const(columns), @Const(values), @Const(x))
    i = @index(Global)
    s = zero(eltype(y))
    @inbounds for k in rows[i]:rows[i+1]-1
        s += values[k] * x[columns[k]]
    end
    @inbounds y[i] = s
end

function LinearAlgebra.mul!(y::CuVector, a::CSR, x::CuVector)
    multiply!(get_backend(y), 256)(y, a.rows, a.columns, a.values, x; ndrange = length(y))
    return y
end

function conjugate_gradients(a, b; tolerance = 1e-10, iterations = length(b))
    x, r, p, ap = zero(b), copy(b), copy(b), similar(b)
    rr = dot(r, r)
    stop = tolerance^2 * rr
    for iteration in 1:iterations
        mul!(ap, a, p)
        α = rr / dot(p, ap)
        axpy!(α, p, x)
        axpy!(-α, ap, r)
        rr, before = dot(r, r), rr
        rr <= stop && return x, iteration
        p .= r .+ (rr / before) .* p
    end
    error("no convergence after $iterations iterations")
end

# The Laplace operator on a square of n by n points.
function laplacian(n)
    line = spdiagm(-1 => fill(-1.0, n - 1), 0 => fill(2.0, n), 1 => fill(-1.0, n - 1))
    one = sparse(1.0I, n, n)
    return kron(one, line) + kron(line, one)
end

n = 48
a = laplacian(n)
solution = [sin(0.1 * i) for i in 1:n^2]
b = a * solution
x, iterations = conjugate_gradients(CSR(a), CuArray(b))
@test isapprox(Array(x), solution; rtol = 1e-8)
@test norm(b - a * Array(x)) <= 1e-9 * norm(b)
@test iterations < 4n
println("conjugate gradients: ", nnz(a), " entries, ", iterations, " iterations, |x| = ", norm(x), ", x[7] = ", Array(x)[7])
