# UnsafeAtomics: atomic operations on what pointers point to, with orders. A fence has its scope. The scopes of other operations
# are accepted: such an operation is one of all items of the device, which no scope is greater than except `system`.
module UnsafeAtomics

import Base.Device

abstract type Ordering end
abstract type SyncScope end

module Internal
import ..UnsafeAtomics: Ordering, SyncScope
struct LLVMOrdering{name} <: Ordering end
struct LLVMSyncScope{name} <: SyncScope end
const orderings = (LLVMOrdering{:unordered}(), LLVMOrdering{:monotonic}(), LLVMOrdering{:acquire}(), LLVMOrdering{:release}(),
    LLVMOrdering{:acq_rel}(), LLVMOrdering{:seq_cst}())
const inttypes = (Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64)
const floattypes = (Float16, Float32, Float64)
Base.string(::Union{LLVMOrdering{name},LLVMSyncScope{name}}) where {name} = String(name)
Base.print(io::IO, x::Union{LLVMOrdering,LLVMSyncScope}) = print(io, string(x))
end

const unordered, monotonic, acquire, release, acq_rel, seq_cst = Internal.orderings
const acquire_release, sequentially_consistent = acq_rel, seq_cst
const none, singlethread = Internal.LLVMSyncScope{Symbol("")}(), Internal.LLVMSyncScope{:singlethread}()
const subgroup, workgroup = Internal.LLVMSyncScope{:subgroup}(), Internal.LLVMSyncScope{:workgroup}()
const device, system = Internal.LLVMSyncScope{:device}(), Internal.LLVMSyncScope{:system}()

# As Julia names it.
@inline name_of(::Internal.LLVMOrdering{name}) where {name} = name
@inline name_of(::Internal.LLVMOrdering{:acq_rel}) = :acquire_release
@inline name_of(::Internal.LLVMOrdering{:seq_cst}) = :sequentially_consistent

const AnyPtr{T} = Union{Ptr{T},Core.LLVMPtr{T}}
@inline plain(p::Ptr) = p
@inline plain(p::Core.LLVMPtr) = Device.as_ptr(p)

@inline load(p::AnyPtr, order::Ordering = seq_cst, ::SyncScope = none) = Device.atomic_load(plain(p), name_of(order))
@inline store!(p::AnyPtr, x, order::Ordering = seq_cst, ::SyncScope = none) =
    Device.atomic_store!(plain(p), x, name_of(order))
@inline cas!(p::AnyPtr, expected, new, success::Ordering = seq_cst, failure::Ordering = success, ::SyncScope = none) =
    Device.atomic_replace!(plain(p), expected, new, name_of(success), name_of(failure))
@inline modify!(p::AnyPtr, op::F, x, order::Ordering = seq_cst, ::SyncScope = none) where {F} =
    Device.atomic_modify!(plain(p), op, x, name_of(order))
@inline fence(order::Ordering = seq_cst, scope::SyncScope = none) = (Core.Intrinsics.atomic_fence(name_of(order), scope_of(scope)); nothing)
# Without a scope it is one of all that can see the memory.
@inline scope_of(::Internal.LLVMSyncScope) = :system
@inline scope_of(::Union{typeof(singlethread),typeof(subgroup),typeof(workgroup)}) = :workgroup
@inline scope_of(::typeof(device)) = :device

const right = Device.right
@inline modify!(p::AnyPtr{T}, ::typeof(right), x, order::Ordering = seq_cst, ::SyncScope = none) where {T} =
    (x = convert(T, x)::T; Pair{T,T}(Device.atomic_exchange!(plain(p), x, name_of(order)), x))

# Operators by their names; each gives what was there.
@inline nand(a, b) = ~(a & b)
@inline fmax(a, b) = ifelse(isnan(a), b, ifelse(isnan(b), a, max(a, b)))
@inline fmin(a, b) = ifelse(isnan(a), b, ifelse(isnan(b), a, min(a, b)))
@inline inc_wrap(a, limit) = a >= limit ? zero(a) : a + one(a)
@inline dec_wrap(a, limit) = (a == zero(a)) | (a > limit) ? limit : a - one(a)
@inline sub_cond(a, b) = a >= b ? a - b : a
@inline sub_sat(a, b) = a >= b ? a - b : zero(a)
for (name, op) in ((:add, :+), (:sub, :-), (:xchg, :right), (:and, :&), (:nand, :nand), (:or, :|), (:xor, :xor), (:max, :max),
                   (:min, :min), (:fmax, :fmax), (:fmin, :fmin), (:inc_wrap, :inc_wrap), (:dec_wrap, :dec_wrap),
                   (:sub_cond, :sub_cond), (:sub_sat, :sub_sat))
    @eval @inline $(Symbol(name, :!))(p::AnyPtr, x, order::Ordering = seq_cst, scope::SyncScope = none) =
        modify!(p, $op, x, order, scope).first
end

end
