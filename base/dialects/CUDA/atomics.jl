# Atomics: the functions on pointers, which return the old value, and `CUDA.@atomic a[i] op= v`.

for (name, op) in ((:add, :+), (:sub, :-), (:and, :&), (:or, :|), (:xor, :⊻), (:min, :min), (:max, :max))
    @eval @inline $(Symbol(:atomic_, name, :!))(p::Ptr, x) = Device.atomic_old!(p, $op, x)
    @eval @inline $(Symbol(:atomic_, name, :!))(p::LLVMPtr, x) = Device.atomic_old!(Device.as_ptr(p), $op, x)
end
@inline atomic_xchg!(p::Ptr, x) = Device.atomic_exchange!(p, x)
@inline atomic_cas!(p::Ptr, expected, desired) = Device.atomic_cas!(p, expected, desired)
@inline wrap_increment(old, limit) = old >= limit ? zero(old) : old + one(old)
@inline wrap_decrement(old, limit) = (old == zero(old)) | (old > limit) ? limit : old - one(old)
@inline atomic_inc!(p::Ptr, x) = Device.atomic_old!(p, wrap_increment, x)
@inline atomic_dec!(p::Ptr, x) = Device.atomic_old!(p, wrap_decrement, x)

@inline atomic_arrayref(a, i) = Atomix.get(a, i)
@inline atomic_arrayset(a, i, x) = Atomix.set!(a, i, x)
@inline atomic_arrayset(a, i, op, x) = Atomix.modify!(a, i, op, x).second

macro atomic(ex)
    return esc(Atomix.expand_in(modification(ex)))
end
# `a[i] = op(a[i], x)` is one modification here, not a store of what was read before.
function modification(ex)
    ex isa Expr && ex.head === :(=) || return ex
    ref, call = ex.args
    is_modification = call isa Expr && call.head === :call && length(call.args) == 3 && call.args[2] == ref
    return is_modification ? call : ex
end
