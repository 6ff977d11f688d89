# Atomic operations by pointers: each returns what was there. They order nothing else.

const AtomicPointer{T} = Union{Core.LLVMPtr{T},Ptr{T}}
@inline plain(p::Ptr) = p
@inline plain(p::Core.LLVMPtr) = Kernels.as_ptr(p)

const AtomicInteger = Union{Int32,UInt32,Int64,UInt64}
const AtomicNumber = Union{AtomicInteger,Float32,Float64}
for (name, op, T) in ((:atomic_add!, :+, :AtomicNumber), (:atomic_sub!, :-, :AtomicNumber), (:atomic_min!, :min, :AtomicNumber),
        (:atomic_max!, :max, :AtomicNumber), (:atomic_and!, :&, :AtomicInteger), (:atomic_or!, :|, :AtomicInteger),
        (:atomic_xor!, :xor, :AtomicInteger))
    @eval @only_in_kernels @inline $name(p::AtomicPointer{T}, x::T) where {T<:$T} = Kernels.atomic_modify!(plain(p), $op, x).first
end
@only_in_kernels @inline atomic_inc!(p::AtomicPointer{T}) where {T<:AtomicNumber} = Kernels.atomic_modify!(plain(p), +, one(T)).first
@only_in_kernels @inline atomic_dec!(p::AtomicPointer{T}) where {T<:AtomicNumber} = Kernels.atomic_modify!(plain(p), -, one(T)).first
@only_in_kernels @inline atomic_xchg!(p::AtomicPointer{T}, x::T) where {T<:AtomicNumber} = Kernels.atomic_exchange!(plain(p), x)
@only_in_kernels @inline atomic_cmpxchg!(p::AtomicPointer{T}, expected::T, desired::T) where {T<:AtomicNumber} =
    Kernels.atomic_replace!(plain(p), expected, desired, :monotonic, :monotonic).old

struct AtomicError <: Exception
    msg::String
end
Base.showerror(io::IO, e::AtomicError) = print(io, "AtomicError: ", e.msg)

# `@atomic a[i] = op(a[i], x)` and `@atomic a[i] += x`: the new value.
const UPDATES = (:+= => :+, :-= => :-, :*= => :*, :/= => :/, :÷= => :÷, :&= => :&, :|= => :|, :⊻= => :⊻)
macro atomic(ex)
    array, indices, op, value = parts_of_update(ex)
    return esc(:($atomic_arrayset($array, ($(indices...),), $op, $value)))
end
function parts_of_update(ex)
    ex isa Expr || throw(AtomicError("unknown @atomic expression"))
    place, op, value = ex.head === :(=) ? parts_of_assignment(ex) : parts_of_inplace(ex)
    Base.Meta.isexpr(place, :ref) || throw(AtomicError("@atomic should be applied to an array reference expression"))
    return place.args[1], place.args[2:end], op, value
end
function parts_of_assignment(ex)
    place, call = ex.args
    Base.Meta.isexpr(call, :call) || throw(AtomicError("right-hand side of an @atomic assignment should be a call"))
    length(call.args) == 3 && call.args[2] == place ||
        throw(AtomicError("right-hand side of a non-inplace @atomic assignment should reference the left-hand side"))
    return place, call.args[1], call.args[3]
end
function parts_of_inplace(ex)
    for (head, op) in UPDATES
        ex.head === head && return ex.args[1], op, ex.args[2]
    end
    throw(AtomicError("unknown @atomic expression"))
end
Base.@propagate_inbounds function atomic_arrayset(a::AbstractArray{T}, indices::Tuple, op::F, x) where {T,F}
    i = Base._to_linear_index(a, indices...)
    @boundscheck checkbounds(a, i)
    return Kernels.atomic_modify!(plain(pointer(a, i)), op, convert_update(T, op, x), :monotonic).second
end
# Instructions take numbers of the element's type; what is computed and exchanged takes any.
@inline convert_update(::Type{T}, ::Union{typeof(+),typeof(-),typeof(&),typeof(|),typeof(xor),typeof(min),typeof(max)}, x) where {T} =
    convert(T, x)::T
@inline convert_update(::Type, op, x) = x
