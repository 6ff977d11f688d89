# Copies of many bytes that one item asks for, and barriers in memory that know how many bytes are still to come: NVIDIA GPUs have both
# from sm_90 on. Elsewhere a copy is over when it is asked for. Barriers of sm_80 to sm_89 are the hardware's and count arrivals alone:
# what needs more of them is refused there.
module DeviceBulkCopies

import Base.Device
import Base.DeviceTables
import Base.DeviceIntrinsics: @instruction, record
import Base.DeviceCopies: ODD_PHASE, OfGroup, arrived_expecting, come, copy_elements!, expected, shared

# `barrier_expect!` expects bytes in this phase; `barrier_arrive_expecting!` arrives, too, and gives the token of the phase.
@inline barrier_expect!(bar::Ptr{UInt64}, bytes::UInt32) =
    (Device.atomic_modify!(bar, expected, UInt64(bytes), :acquire_release); nothing)
@inline barrier_arrive_expecting!(bar::Ptr{UInt64}, bytes::UInt32) =
    Device.atomic_modify!(bar, arrived_expecting, UInt64(bytes), :acquire_release).first
# Whether the phase whose number has this parity is over.
@inline barrier_is_over_by_parity(bar::Ptr{UInt64}, parity::UInt32) =
    (Device.atomic_load(bar, :acquire) & ODD_PHASE != 0) != (parity & 0x00000001 != 0)
@inline function barrier_wait_by_parity(bar::Ptr{UInt64}, parity::UInt32)
    while !barrier_is_over_by_parity(bar, parity)
    end
    return nothing
end

# From global memory into memory of the group: the bytes come at the barrier. The other way: batches of this item, as `commit_copies`.
# Addresses and numbers of bytes are multiples of 16.
@inline function copy_bulk_to_group!(dst::Ptr{UInt8}, src::Ptr{UInt8}, bytes::UInt32, bar::Ptr{UInt64})
    copy_elements!(Ptr{UInt128}(dst), Ptr{UInt128}(src), (bytes % Int) >> 4, 1, 1)
    Device.atomic_modify!(bar, come, UInt64(bytes), :acquire_release)
    return nothing
end
@inline copy_bulk_from_group!(dst::Ptr{UInt8}, src::Ptr{UInt8}, bytes::UInt32) =
    copy_elements!(Ptr{UInt128}(dst), Ptr{UInt128}(src), (bytes % Int) >> 4, 1, 1)
@inline commit_bulk_copies() = nothing
@inline wait_for_bulk_copies(::Val{n}) where {n} = nothing
@inline wait_for_bulk_reads(::Val{n}) where {n} = nothing
@inline prefetch_bulk(src::Ptr{UInt8}, bytes::UInt32) = nothing
# What items have stored in memory of the group is seen by copies that are asked for from here on.
@inline fence_for_bulk_copies() = nothing

const REFUSAL = "bulk copies, bytes at barriers and waits by parity need sm_90"
for (method, result) in (:(barrier_expect!(bar::Ptr{UInt64}, bytes::UInt32)) => nothing,
        :(barrier_arrive_expecting!(bar::Ptr{UInt64}, bytes::UInt32)) => zero(UInt64),
        :(barrier_is_over_by_parity(bar::Ptr{UInt64}, parity::UInt32)) => true,
        :(barrier_wait_by_parity(bar::Ptr{UInt64}, parity::UInt32)) => nothing,
        :(copy_bulk_to_group!(dst::Ptr{UInt8}, src::Ptr{UInt8}, bytes::UInt32, bar::Ptr{UInt64})) => nothing)
    @eval Base.Experimental.@overlay DeviceTables.ptx_80 @inline $method = (Device.@static_assert false $REFUSAL; $result)
end

const OfDevice = Core.LLVMPtr{UInt8,1}
const BytesOfGroup = Core.LLVMPtr{UInt8,3}
@inline in_group(p::Ptr{UInt8}) = Device.as_device_ptr(UInt8, Val(3), p)
@inline on_device(p::Ptr{UInt8}) = Device.as_device_ptr(UInt8, Val(1), p)

@instruction ptx_90 "mbarrier.expect_tx.relaxed.cta.shared::cta.b64" "`CUDA.mbarrier_expect_tx`" barrier_expect!(bar::Ptr{UInt64}, bytes::UInt32) =
    Base.llvmcall("""
    call void asm sideeffect "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [\$0], \$1;", "l,r,~{memory}"(ptr addrspace(3) %0, i32 %1)
    ret void""", Cvoid, Tuple{OfGroup,UInt32}, shared(bar), bytes)
@instruction ptx_90 "mbarrier.arrive.expect_tx.shared::cta.b64" "`CUDA.mbarrier_arrive_expect_tx`" barrier_arrive_expecting!(bar::Ptr{UInt64}, bytes::UInt32) =
    Base.llvmcall("""
    %r = call i64 asm sideeffect "mbarrier.arrive.expect_tx.shared::cta.b64 \$0, [\$1], \$2;", "=l,l,r,~{memory}"(ptr addrspace(3) %0, i32 %1)
    ret i64 %r""", UInt64, Tuple{OfGroup,UInt32}, shared(bar), bytes)
@instruction ptx_90 "mbarrier.test_wait.parity.shared::cta.b64" "`CUDA.mbarrier_test_wait_parity`" barrier_is_over_by_parity(bar::Ptr{UInt64}, parity::UInt32) =
    Base.llvmcall("""
    %r = call i32 asm sideeffect "{ .reg .pred over; mbarrier.test_wait.parity.shared::cta.b64 over, [\$1], \$2; selp.b32 \$0, 1, 0, over; }", "=r,l,r,~{memory}"(ptr addrspace(3) %0, i32 %1)
    ret i32 %r""", UInt32, Tuple{OfGroup,UInt32}, shared(bar), parity & 0x00000001) != 0x00000000
@inline is_over_soon_by_parity(bar::OfGroup, parity::UInt32) = Base.llvmcall("""
    %r = call i32 asm sideeffect "{ .reg .pred over; mbarrier.try_wait.parity.shared::cta.b64 over, [\$1], \$2; selp.b32 \$0, 1, 0, over; }", "=r,l,r,~{memory}"(ptr addrspace(3) %0, i32 %1)
    ret i32 %r""", UInt32, Tuple{OfGroup,UInt32}, bar, parity & 0x00000001)
@instruction ptx_90 "mbarrier.try_wait.parity.shared::cta.b64" "`CUDA.mbarrier_wait_parity`" barrier_wait_by_parity(bar::Ptr{UInt64}, parity::UInt32) = begin
    while is_over_soon_by_parity(shared(bar), parity) == 0x00000000
    end
    return nothing
end
@instruction ptx_90 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes" "`CUDA.cp_async_bulk`" copy_bulk_to_group!(dst::Ptr{UInt8}, src::Ptr{UInt8}, bytes::UInt32, bar::Ptr{UInt64}) =
    Base.llvmcall("""
    call void asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [\$0], [\$1], \$2, [\$3];", "l,l,r,l,~{memory}"(ptr addrspace(3) %0, ptr addrspace(1) %1, i32 %2, ptr addrspace(3) %3)
    ret void""", Cvoid, Tuple{BytesOfGroup,OfDevice,UInt32,OfGroup}, in_group(dst), on_device(src), bytes, shared(bar))
@instruction ptx_90 "cp.async.bulk.global.shared::cta.bulk_group" "`CUDA.cp_async_bulk`" copy_bulk_from_group!(dst::Ptr{UInt8}, src::Ptr{UInt8}, bytes::UInt32) =
    Base.llvmcall("""
    call void asm sideeffect "cp.async.bulk.global.shared::cta.bulk_group [\$0], [\$1], \$2;", "l,l,r,~{memory}"(ptr addrspace(1) %0, ptr addrspace(3) %1, i32 %2)
    ret void""", Cvoid, Tuple{OfDevice,BytesOfGroup,UInt32}, on_device(dst), in_group(src), bytes)
@instruction ptx_90 "cp.async.bulk.commit_group" "`CUDA.cp_async_bulk_commit_group`" commit_bulk_copies() =
    Base.llvmcall("call void asm sideeffect \"cp.async.bulk.commit_group;\", \"~{memory}\"()\nret void", Cvoid, Tuple{})
# The number of batches is a part of the instruction.
for n in 0:7
    @eval @inline wait_for_batches(::Val{$n}) =
        Base.llvmcall($("call void asm sideeffect \"cp.async.bulk.wait_group $n;\", \"~{memory}\"()\nret void"), Cvoid, Tuple{})
    @eval @inline wait_for_reads(::Val{$n}) =
        Base.llvmcall($("call void asm sideeffect \"cp.async.bulk.wait_group.read $n;\", \"~{memory}\"()\nret void"), Cvoid, Tuple{})
end
@instruction ptx_90 "cp.async.bulk.wait_group" "`CUDA.cp_async_bulk_wait_group`" wait_for_bulk_copies(::Val{n}) where {n} = wait_for_batches(Val(n))
@instruction ptx_90 "cp.async.bulk.wait_group.read" "`CUDA.cp_async_bulk_wait_group_read`" wait_for_bulk_reads(::Val{n}) where {n} = wait_for_reads(Val(n))
@instruction ptx_90 "cp.async.bulk.prefetch.L2.global" "`CUDA.prefetch_l2` of bytes" prefetch_bulk(src::Ptr{UInt8}, bytes::UInt32) =
    Base.llvmcall("""
    call void asm sideeffect "cp.async.bulk.prefetch.L2.global [\$0], \$1;", "l,r"(ptr addrspace(1) %0, i32 %1)
    ret void""", Cvoid, Tuple{OfDevice,UInt32}, on_device(src), bytes)
@instruction ptx_90 "fence.proxy.async.shared::cta" "`CUDA.fence_proxy_async`" fence_for_bulk_copies() =
    Base.llvmcall("call void asm sideeffect \"fence.proxy.async.shared::cta;\", \"~{memory}\"()\nret void", Cvoid, Tuple{})

end
