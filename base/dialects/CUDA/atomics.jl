# Atomics: the functions on pointers, which return the old value, and `CUDA.@atomic a[i] op= v`.

@inline plain(p::Ptr) = p
@inline plain(p::LLVMPtr) = Device.as_ptr(p)

for (name, op) in ((:add, :+), (:sub, :-), (:and, :&), (:or, :|), (:xor, :⊻), (:min, :min), (:max, :max))
    @eval @inline $(Symbol(:atomic_, name, :!))(p::AnyPtr, x) = Device.atomic_old!(plain(p), $op, x)
end
# Counters that wrap, without a sign as the instructions.
for (name, op, count) in ((:inc, :(UnsafeAtomics.inc_wrap), :count_up!), (:dec, :(UnsafeAtomics.dec_wrap), :count_down!))
    f = Symbol(:atomic_, name, :!)
    @eval @inline $f(p::AnyPtr, x) = Device.atomic_old!(plain(p), $op, x)
    @eval @inline $f(p::Union{Ptr{T},LLVMPtr{T}}, x) where {T<:Union{Int32,UInt32}} =
        Base.DeviceInstructions.$count(reinterpret(Ptr{UInt32}, plain(p)), (convert(T, x)::T) % UInt32) % T
end
@inline atomic_xchg!(p::AnyPtr, x) = Device.atomic_exchange!(plain(p), x)
@inline atomic_cas!(p::AnyPtr, expected, desired) = Device.atomic_cas!(plain(p), expected, desired)
@inline atomic_op!(p::AnyPtr, op::F, x) where {F} = Device.atomic_old!(plain(p), op, x)

@inline atomic_arrayref(a, i) = Atomix.get(Atomix.element(a, i...))
@inline atomic_arrayset(a, i, x) = Atomix.set!(Atomix.element(a, i...), x)
@inline atomic_arrayset(a, i, op::F, x) where {F} = Atomix.modify!(Atomix.element(a, i...), op, x).second

struct AtomicError <: Exception
    msg::String
end
Base.showerror(io::IO, e::AtomicError) = print(io, "AtomicError: ", e.msg)

macro atomic(ex)
    Base.@keep_expansions
    return esc(Atomix.expand_in(modification(ex)))
end
# `a[i] = op(a[i], x)` is one modification here, not a store of what was read before.
function modification(ex)
    ex isa Expr && ex.head === :(=) || return ex
    ref, call = ex.args
    is_modification = call isa Expr && call.head === :call && length(call.args) == 3 && call.args[2] == ref
    return is_modification ? call : ex
end
