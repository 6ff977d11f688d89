# Atomic operations, without an order, as Metal's language has them: on 32 bits of memory of the device or the group.

const AtomicPointer{T} = Union{Core.LLVMPtr{T},Ptr{T}}
@inline plain(p::Ptr) = p
@inline plain(p::Core.LLVMPtr) = Kernels.as_ptr(p)

for T in (:Int32, :UInt32, :Float32)
    @eval begin
        @only_in_kernels @inline atomic_load_explicit(p::AtomicPointer{$T}) = Kernels.atomic_load(plain(p))
        @only_in_kernels @inline atomic_store_explicit(p::AtomicPointer{$T}, desired::$T) = Kernels.atomic_store!(plain(p), desired)
        @only_in_kernels @inline atomic_exchange_explicit(p::AtomicPointer{$T}, desired::$T) =
            Kernels.atomic_exchange!(plain(p), desired)
        # What was there; the exchange has taken place if it was what was expected.
        @only_in_kernels @inline atomic_compare_exchange_weak_explicit(p::AtomicPointer{$T}, expected::$T, desired::$T) =
            Kernels.atomic_replace!(plain(p), expected, desired, :monotonic, :monotonic).old
    end
end
for (f, op, types) in ((:add, :+, (:Int32, :UInt32, :Float32)), (:sub, :-, (:Int32, :UInt32, :Float32)),
        (:min, :min, (:Int32, :UInt32)), (:max, :max, (:Int32, :UInt32)), (:and, :&, (:Int32, :UInt32)),
        (:or, :|, (:Int32, :UInt32)), (:xor, :xor, (:Int32, :UInt32))), T in types
    name = Symbol(:atomic_fetch_, f, :_explicit)
    @eval @only_in_kernels @inline $name(p::AtomicPointer{$T}, x::$T) = Kernels.atomic_modify!(plain(p), $op, x).first
end
# Any function, by exchanges: the new value.
@only_in_kernels @inline atomic_fetch_op_explicit(p::AtomicPointer{T}, op::F, x) where {T,F} =
    Kernels.atomic_modify!(plain(p), op, x, :monotonic).second

# `Metal.@atomic a[i] += x`, and the other forms that are written so: loads and stores order nothing either.
macro atomic(ex)
    Base.@keep_expansions
    return esc(Atomix.expand_in(modification(ex), (QuoteNode(:monotonic),)))
end
# `a[i] = op(a[i], x)` is one modification, not a store of what was read before.
function modification(ex)
    ex isa Expr && ex.head === :(=) || return ex
    ref, call = ex.args
    is_modification = call isa Expr && call.head === :call && length(call.args) == 3 && call.args[2] == ref
    return is_modification ? call : ex
end
