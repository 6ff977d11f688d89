# Arrays of a device in wrappers: views, other shapes, transposes, permuted dimensions, and two of them around each other.

const WrappedOnce = Union{
    SubArray{<:Any,<:Any,<:DialectArray}, Base.ReshapedArray{<:Any,<:Any,<:DialectArray},
    PermutedDimsArray{<:Any,<:Any,<:Any,<:Any,<:DialectArray},
    Base.Transpose{<:Any,<:DialectArray}, Base.Adjoint{<:Any,<:DialectArray}}
const WrappedDialectArray = Union{WrappedOnce,
    SubArray{<:Any,<:Any,<:WrappedOnce}, Base.ReshapedArray{<:Any,<:Any,<:WrappedOnce},
    PermutedDimsArray{<:Any,<:Any,<:Any,<:Any,<:WrappedOnce},
    Base.Transpose{<:Any,<:WrappedOnce}, Base.Adjoint{<:Any,<:WrappedOnce}}
const AnyDialectArray = Union{DialectArray,WrappedDialectArray}

# The array of the device that is wrapped.
owner(a::DialectArray) = a
owner(a::WrappedDialectArray) = owner(parent(a))
owner(a::AbstractArray) = parent(a) === a ? throw(ArgumentError(string("a ", typeof(a), " is no array of a device"))) : owner(parent(a))

# The same array on the host, without a copy.
struct OnHost end
Adapt.adapt_storage(::OnHost, a::DialectArray) = a.data
on_host(a::DialectArray) = a.data
on_host(a::WrappedDialectArray) = Adapt.adapt(OnHost(), a)
on_host(x) = x
# What came of `a` is where `a` is, if it is an array that can be.
on_device(a, x) = x
on_device(a, x::Array) = isempty(x) || Base.allocatedinline(eltype(x)) ? wrap(owner(a), x) : x

for A in (DialectArray, WrappedOnce)
    for wrapper in (SubArray, Base.ReshapedArray, PermutedDimsArray)
        params = wrapper === PermutedDimsArray ? (:(<:Any), :(<:Any)) : ()
        @eval Base.Broadcast.BroadcastStyle(::Type{<:$wrapper{T,N,$(params...),A}}) where {T,N,A<:$A} = style_of(A, Val(N))
    end
    @eval Base.Broadcast.BroadcastStyle(::Type{<:Base.Transpose{T,A}}) where {T,A<:$A} = style_of(A, Val(2))
    @eval Base.Broadcast.BroadcastStyle(::Type{<:Base.Adjoint{T,A}}) where {T,A<:$A} = style_of(A, Val(2))
end
style_of(::Type{A}, dims::Val) where {A} = typeof(Base.Broadcast.BroadcastStyle(A))(dims)
