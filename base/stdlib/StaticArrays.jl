# Arrays whose size is part of their type, stored as a tuple: values in registers, with loops unrolled.
module StaticArrays

import Base: getindex, setindex!, size, length, axes, getproperty, propertynames, Tuple, eltype, similar, +, -, *, /, \, ==,
    map, mapreduce, reduce, foldl, sum, prod, maximum, minimum, any, all, transpose, adjoint, zero, one, ones, zeros, fill,
    rand, randn, convert, iterate, vec, copy, inv, dot, norm, normalize, cross, tr, det, diag, vcat, hcat, reshape, reverse,
    IndexStyle, IndexLinear, tail, isapprox, promote_rule, first, last, in, broadcastable, getindex, foreach, extrema, conj,
    count, findfirst, cumsum, diff, mul!, ntuple, axes, map!, sort, kron, permutedims
import LinearAlgebra: Diagonal, UniformScaling, I
import Base.Broadcast: BroadcastStyle, Broadcasted, AbstractArrayStyle, DefaultArrayStyle, instantiate

export StaticArray, StaticVector, StaticMatrix, StaticVecOrMat, SArray, SVector, SMatrix, MArray, MVector, MMatrix, Scalar,
    FieldVector, SizedArray, SizedVector, SizedMatrix, Size, Length, SOneTo, SA, SA_F32, SA_F64, similar_type, setindex,
    push, pushfirst, pop, popfirst, insert, deleteat, @SVector, @SMatrix, @SArray, @MVector, @MMatrix, @MArray,
    dot, norm, normalize, cross, tr, det, ⋅, ×, diagm, SDiagonal, StaticArrays, sacollect

const (⋅) = Base.dot
const (×) = Base.cross

include("StaticArrays/types.jl")
include("StaticArrays/indexing.jl")
include("StaticArrays/mapreduce.jl")
include("StaticArrays/broadcast.jl")
include("StaticArrays/linalg.jl")
include("StaticArrays/macros.jl")

end
