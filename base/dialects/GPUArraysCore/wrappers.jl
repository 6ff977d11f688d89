# Arrays of a device in wrappers: views, other shapes, transposes, permuted dimensions, other element types, and up to four of them around
# each other.

const WrapperOf{A} = Union{SubArray{<:Any,<:Any,<:A}, Base.ReshapedArray{<:Any,<:Any,<:A}, PermutedDimsArray{<:Any,<:Any,<:Any,<:Any,<:A},
    Base.ReinterpretArray{<:Any,<:Any,<:Any,<:A}, Base.Transpose{<:Any,<:A}, Base.Adjoint{<:Any,<:A}}
const WrappedOnce = WrapperOf{DialectArray}
const WrappedTwice = WrapperOf{WrappedOnce}
const WrappedThrice = WrapperOf{WrappedTwice}
const WrappedDialectArray = Union{WrappedOnce,WrappedTwice,WrappedThrice,WrapperOf{WrappedThrice}}
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

for A in (DialectArray, WrappedOnce, WrappedTwice, WrappedThrice)
    for (wrapper, params) in ((SubArray, ()), (Base.ReshapedArray, ()), (PermutedDimsArray, (:(<:Any), :(<:Any))), (Base.ReinterpretArray, (:(<:Any),)))
        @eval Base.Broadcast.BroadcastStyle(::Type{<:$wrapper{T,N,$(params...),A}}) where {T,N,A<:$A} = style_of(A, Val(N))
    end
    @eval Base.Broadcast.BroadcastStyle(::Type{<:Base.Transpose{T,A}}) where {T,A<:$A} = style_of(A, Val(2))
    @eval Base.Broadcast.BroadcastStyle(::Type{<:Base.Adjoint{T,A}}) where {T,A<:$A} = style_of(A, Val(2))
end
style_of(::Type{A}, dims::Val) where {A} = typeof(Base.Broadcast.BroadcastStyle(A))(dims)
