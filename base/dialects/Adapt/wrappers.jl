# Wrappers of arrays: how they are adapted, and the types of all of them, by which methods are chosen.

for wrapper in (:LowerTriangular, :UnitLowerTriangular, :UpperTriangular, :UnitUpperTriangular, :Diagonal)
    @eval adapt_structure(to, a::$wrapper) = $wrapper(adapt(to, a isa Diagonal ? a.diag : parent(a)))
end
for wrapper in (:Symmetric, :Hermitian)
    @eval adapt_structure(to, a::$wrapper) = $wrapper(adapt(to, parent(a)), a.uplo == 'U' ? :U : :L)
end
adapt_structure(to, a::Tridiagonal) = Tridiagonal(adapt(to, a.dl), adapt(to, a.d), adapt(to, a.du))
adapt_structure(to, a::Bidiagonal) = Bidiagonal(adapt(to, a.dv), adapt(to, a.ev), a.uplo)
adapt_structure(to, a::Base.NonReshapedReinterpretArray) = reinterpret(eltype(a), adapt(to, parent(a)))
adapt_structure(to, a::Base.ReshapedReinterpretArray) = reinterpret(reshape, eltype(a), adapt(to, parent(a)))

function adapt_structure(to, a::Base.LogicalIndex{T}) where {T}
    mask = adapt(to, a.mask)
    return new_logical_index(Base.LogicalIndex{T,typeof(mask)}, mask, a.sum)
end
@eval new_logical_index(::Type{L}, mask, sum) where {L} = $(Expr(:new, :L, :mask, :sum))
adapt_structure(to, x::Base.Broadcast.Extruded) = Base.Broadcast.Extruded(adapt(to, x.x), x.keeps, x.defaults)

# The dimensions of these may be others than those of what is wrapped, which is a `Src`; two may be around each other.
const WrappedReinterpretArray{T,N,Src} = Base.ReinterpretArray{T,N,<:Any,<:Union{Src,SubArray{<:Any,<:Any,Src}}}
const WrappedReshapedArray{T,N,Src} =
    Base.ReshapedArray{T,N,<:Union{Src,SubArray{<:Any,<:Any,Src},WrappedReinterpretArray{<:Any,<:Any,Src}}}
const WrappedSubArray{T,N,Src} =
    SubArray{T,N,<:Union{Src,WrappedReshapedArray{<:Any,<:Any,Src},WrappedReinterpretArray{<:Any,<:Any,Src}}}

"""
    WrappedArray{T,N,Src,Dst}

The type of all wrappers whose elements are `T`s in `N` dimensions. `Src` is the type of what is wrapped where the wrapper has
dimensions of its own, as `SubArray`; `Dst` where they are the same, as in `Transpose`.
"""
const WrappedArray{T,N,Src,Dst} = Union{
    Base.LogicalIndex{T,<:Src}, PermutedDimsArray{T,N,<:Any,<:Any,<:Src},
    Adjoint{T,<:Dst}, Transpose{T,<:Dst}, LowerTriangular{T,<:Dst}, UnitLowerTriangular{T,<:Dst}, UpperTriangular{T,<:Dst},
    UnitUpperTriangular{T,<:Dst}, Diagonal{T,<:Dst}, Bidiagonal{T,<:Dst}, Tridiagonal{T,<:Dst}, Symmetric{T,<:Dst},
    Hermitian{T,<:Dst}, WrappedReinterpretArray{T,N,<:Src}, WrappedReshapedArray{T,N,<:Src}, WrappedSubArray{T,N,<:Src}}

"""
    parent_type(W)

The type of what a wrapper of type `W` wraps.
"""
parent_type(::Type{<:WrappedArray{<:Any,<:Any,<:Any,Dst}}) where {Dst} = Dst
for wrapper in (:(Base.LogicalIndex{<:Any,<:Src}), :(PermutedDimsArray{<:Any,<:Any,<:Any,<:Any,<:Src}),
                :(WrappedReinterpretArray{<:Any,<:Any,<:Src}), :(WrappedReshapedArray{<:Any,<:Any,<:Src}),
                :(WrappedSubArray{<:Any,<:Any,<:Src}))
    @eval parent_type(::Type{<:$wrapper}) where {Src} = Src
end

"""
    unwrap_type(W)

The type of the array within all wrappers of `W`.
"""
unwrap_type(W::Type{<:WrappedArray}) = unwrap_type(parent_type(W))
unwrap_type(W::Type{<:AbstractArray}) = W
