# Products and quotients of arrays of devices with matrices of other kinds: the functions of LinearAlgebra do them that packages define
# methods for, chosen by the wrappers of the operands.

Base.matmul!(c::AnyGPUArray, a, b, alpha, beta) = LinearAlgebra._mul!(c, a, b, alpha, beta)
Base.matvec!(c::AnyGPUArray, a, x, alpha, beta) = LinearAlgebra._mul!(c, a, x, alpha, beta)
Base.triu(a::AnyGPUMatrix, k::Integer = 0) = LinearAlgebra.triu!(copy(a), k)
Base.tril(a::AnyGPUMatrix, k::Integer = 0) = LinearAlgebra.tril!(copy(a), k)
Base.isone(a::AbstractGPUMatrix) =
    size(a, 1) == size(a, 2) && LinearAlgebra.isdiag(a) && all(isone, view(a, LinearAlgebra.diagind(a)))

const TriangularOnDevice = LinearAlgebra.UpperOrLowerTriangular{<:Any,<:AnyGPUMatrix}
LinearAlgebra.ldiv!(c::AnyGPUArray, a::TriangularOnDevice, b::AnyGPUArray) =
    LinearAlgebra.generic_trimatdiv!(c, LinearAlgebra.triangle_parts(a)..., b)
LinearAlgebra.ldiv!(a::TriangularOnDevice, b::AnyGPUArray) = LinearAlgebra.ldiv!(b, a, b)
LinearAlgebra.rdiv!(a::AnyGPUArray, b::TriangularOnDevice) = divided_into!(a, a, b)
Base.:\(a::TriangularOnDevice, b::AnyGPUArray) = LinearAlgebra.ldiv!(quotient_like(b, a), a, b)
Base.:/(a::AnyGPUArray, b::TriangularOnDevice) =
    divided_into!(quotient_like(a, b), a, b)
divided_into!(c, a, b) = LinearAlgebra.generic_mattridiv!(c, Base.front(LinearAlgebra.triangle_parts(b))..., a, LinearAlgebra._unwrap(parent(b)))
quotient_like(x, a) = similar(x, typeof(oneunit(eltype(x)) / oneunit(eltype(a))))
