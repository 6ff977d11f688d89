# Arrays of a device in wrappers: views, other shapes, transposes, permuted dimensions, and two of them around each other.

const WrappedOnce = Union{
    SubArray{<:Any,<:Any,<:AbstractGPUArray}, Base.ReshapedArray{<:Any,<:Any,<:AbstractGPUArray},
    PermutedDimsArray{<:Any,<:Any,<:Any,<:Any,<:AbstractGPUArray},
    Base.Transpose{<:Any,<:AbstractGPUArray}, Base.Adjoint{<:Any,<:AbstractGPUArray}}
const WrappedGPUArray = Union{WrappedOnce,
    SubArray{<:Any,<:Any,<:WrappedOnce}, Base.ReshapedArray{<:Any,<:Any,<:WrappedOnce},
    PermutedDimsArray{<:Any,<:Any,<:Any,<:Any,<:WrappedOnce},
    Base.Transpose{<:Any,<:WrappedOnce}, Base.Adjoint{<:Any,<:WrappedOnce}}
const AnyGPUArray = Union{AbstractGPUArray,WrappedGPUArray}
const AnyGPUVector{T} = AbstractGPUVector{T}
const AnyGPUMatrix{T} = AbstractGPUMatrix{T}

# The array of the device that is wrapped.
owner(a::AbstractGPUArray) = a
owner(a::WrappedGPUArray) = owner(parent(a))

# The same array on the host, without a copy.
struct OnHost end
Adapt.adapt_storage(::OnHost, a::AbstractGPUArray) = a.data
on_host(a::AbstractGPUArray) = a.data
on_host(a::WrappedGPUArray) = Adapt.adapt(OnHost(), a)
on_host(x) = x
# What came of `a` is where `a` is, if it is an array that can be.
on_device(a, x) = x
on_device(a, x::Array) = isempty(x) || Base.allocatedinline(eltype(x)) ? wrap(owner(a), x) : x

for A in (AbstractGPUArray, WrappedOnce)
    for wrapper in (SubArray, Base.ReshapedArray, PermutedDimsArray)
        params = wrapper === PermutedDimsArray ? (:(<:Any), :(<:Any)) : ()
        @eval Base.Broadcast.BroadcastStyle(::Type{<:$wrapper{T,N,$(params...),A}}) where {T,N,A<:$A} = style_of(A, Val(N))
    end
    @eval Base.Broadcast.BroadcastStyle(::Type{<:Base.Transpose{T,A}}) where {T,A<:$A} = style_of(A, Val(2))
    @eval Base.Broadcast.BroadcastStyle(::Type{<:Base.Adjoint{T,A}}) where {T,A<:$A} = style_of(A, Val(2))
end
style_of(::Type{A}, dims::Val) where {A} = typeof(Base.Broadcast.BroadcastStyle(A))(dims)
