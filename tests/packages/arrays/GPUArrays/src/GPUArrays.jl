# Functions that the package asks back ends for, and methods for arrays of all devices that go through them.
module GPUArrays
using Adapt, GPUArraysCore, Random

struct DataRef
    release
    data
end
mutable struct RNG <: AbstractRNG
    next::Int
end
const AbstractArrayOrBroadcasted = Union{AbstractArray,Broadcast.Broadcasted}

storage(::AbstractGPUArray) = error("no storage")
unsafe_free!(a::AbstractGPUArray) = error("not freed")
derive(::Type, ::AbstractGPUArray, dims, offset) = error("not derived")
mapreducedim!(f, op, R::AnyGPUArray, A::AbstractArrayOrBroadcasted; init = nothing) = error("not folded")
Base.mapreduce(f, op, A::AnyGPUArray; dims = :, init = 0) =
    (R = similar(A, typeof(init), ntuple(k -> dims isa Colon || k in dims ? 1 : size(A, k), ndims(A))); mapreducedim!(f, op, R, A; init); R)
Random.rand!(rng::RNG, A::AnyGPUArray{T}) where {T} = fill!(A, rng.next += 1)
Random.randn!(rng::RNG, A::AnyGPUArray{T}) where {T} = fill!(A, -(rng.next += 1))
Random.rand!(rng::AbstractRNG, A::AnyGPUArray) = error("drawn by the host")
end
