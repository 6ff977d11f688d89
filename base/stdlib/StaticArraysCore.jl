# The types of StaticArrays under the name of the package that other packages take them from: they are the same.
module StaticArraysCore

import StaticArrays: StaticArray, StaticScalar, StaticVector, StaticMatrix, StaticVecOrMat, SArray, SVector, SMatrix, MArray, MVector,
    MMatrix, SizedArray, SizedVector, SizedMatrix, FieldArray, FieldMatrix, FieldVector, Size, similar_type
export SArray, SMatrix, SVector, MArray, MMatrix, MVector, SizedArray, SizedMatrix, SizedVector, FieldArray, FieldMatrix, FieldVector, Size

# Dimensions whose size is not part of the type.
struct Dynamic end
const StaticDimension = Union{Int, Dynamic}
tuple_length(T::Type{<:Tuple}) = length(T.parameters)
tuple_length(t::Tuple) = length(t)
tuple_prod(T::Type{<:Tuple}) = prod(size_to_tuple(T); init = 1)
tuple_prod(t::Tuple) = prod(t)
tuple_minimum(T::Type{<:Tuple}) = minimum(size_to_tuple(T); init = length(T.parameters) == 0 ? 0 : typemax(Int))
tuple_minimum(t::Tuple) = minimum(t)
size_to_tuple(::Type{S}) where {S <: Tuple} = tuple(S.parameters...)

end
