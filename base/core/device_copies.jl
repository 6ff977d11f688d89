# Copies into memory of the group that go on while the items do other things, and barriers in memory, at which items arrive and for
# which others wait: NVIDIA GPUs have both from sm_80 on. Elsewhere a copy is over when it is asked for, and a barrier is a word that
# items change. Dialects have them under their own names.
module DeviceCopies

import Base.Device
import Base.DeviceIntrinsics: @instruction, record

# The memory that an address is of; known when a kernel is compiled, for addresses of arrays.
@inline is_shared(p::Ptr) = ccall("llvm.nvvm.isspacep.shared", llvmcall, Bool, (Ptr{Cvoid},), p)
@inline is_global(p::Ptr) = ccall("llvm.nvvm.isspacep.global", llvmcall, Bool, (Ptr{Cvoid},), p)
@inline are_aligned(p::Ptr, q::Ptr, bytes::Int) = ((UInt(p) | UInt(q)) % Int) & (bytes - 1) == 0

# An element of 4, 8 or 16 bytes, from global memory into memory of the group.
@inline function copy_later!(dst::Ptr{T}, src::Ptr{T}) where {T}
    Device.@static_assert sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16 "asynchronous copies are of 4, 8 or 16 bytes"
    unsafe_store!(dst, unsafe_load(src))
    return nothing
end
# Copies of this item up to here are a batch; all batches but the last `n` are waited for.
@inline commit_copies() = nothing
@inline wait_for_copies(n::Int) = nothing

# Words of `bytes` bytes. Of 16 only the cache that all multiprocessors share keeps what was read.
for (bytes, cache) in ((4, "ca"), (8, "ca"), (16, "cg"))
    @eval @inline copy_word!(dst::Ptr{T}, src::Ptr{T}, ::Val{$bytes}) where {T} =
        ccall($("llvm.nvvm.cp.async.$cache.shared.global.$bytes"), llvmcall, Cvoid, (Core.LLVMPtr{T,3}, Core.LLVMPtr{T,1}),
            Device.as_device_ptr(T, Val(3), dst), Device.as_device_ptr(T, Val(1), src))
end
@instruction ptx_80 "cp.async" "`CUDA.CG.pipeline_memcpy_async`" copy_later!(dst::Ptr{T}, src::Ptr{T}) where {T} = begin
    Device.@static_assert sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16 "asynchronous copies are of 4, 8 or 16 bytes"
    if is_shared(dst) & is_global(src) & (Base.datatype_alignment(T) >= sizeof(T) || are_aligned(dst, src, sizeof(T)))
        copy_word!(dst, src, Val(sizeof(T)))
    else
        unsafe_store!(dst, unsafe_load(src))
    end
    return nothing
end
@instruction ptx_80 "cp.async.commit_group" "`CUDA.CG.pipeline_commit`" commit_copies() =
    ccall("llvm.nvvm.cp.async.commit.group", llvmcall, Cvoid, ())
# The number is a part of the instruction; one that is not known is waited for as if it were 0.
for n in 0:7
    @eval @inline wait_for_batches(::Val{$n}) = ccall("llvm.nvvm.cp.async.wait.group", llvmcall, Cvoid, (Int32,), $(Int32(n)))
end
@instruction ptx_80 "cp.async.wait_group" "`CUDA.CG.pipeline_wait_prior`" wait_for_copies(n::Int) =
    n <= 0 ? wait_for_batches(Val(0)) : n == 1 ? wait_for_batches(Val(1)) : n == 2 ? wait_for_batches(Val(2)) :
    n == 3 ? wait_for_batches(Val(3)) : n == 4 ? wait_for_batches(Val(4)) : n == 5 ? wait_for_batches(Val(5)) :
    n == 6 ? wait_for_batches(Val(6)) : wait_for_batches(Val(7))

# `count` elements, of which the `rank`-th (from 1) of `step` items copies every `step`-th.
@inline function copy_elements!(dst::Ptr, src::Ptr, count::Int, rank::Int, step::Int)
    i = rank
    while i <= count
        unsafe_store!(dst, unsafe_load(src, i), i)
        i += step
    end
    return nothing
end
@inline copy_together!(dst::Ptr{T}, src::Ptr{T}, count::Int, rank::Int, step::Int) where {T} =
    copy_elements!(dst, src, count, rank, step)
@inline function copy_words!(dst::Ptr, src::Ptr, bytes::Int, rank::Int, step::Int, ::Val{size}) where {size}
    offset = (rank - 1) * size
    while offset < bytes
        copy_word!(dst + offset, src + offset, Val(size))
        offset += step * size
    end
    return nothing
end
@instruction ptx_80 "cp.async" "`CUDA.CG.memcpy_async`" copy_together!(dst::Ptr{T}, src::Ptr{T}, count::Int, rank::Int, step::Int) where {T} = begin
    bytes = count * Base.aligned_sizeof(T)
    if !(is_shared(dst) & is_global(src))
        copy_elements!(dst, src, count, rank, step)
    elseif are_aligned(dst, src, 16) & (bytes & 15 == 0)
        copy_words!(dst, src, bytes, rank, step, Val(16))
    elseif Base.datatype_alignment(T) >= 4 || are_aligned(dst, src, 4) & (bytes & 3 == 0)
        copy_words!(dst, src, bytes, rank, step, Val(4))
    else
        copy_elements!(dst, src, count, rank, step)
    end
    return nothing
end

# A barrier is a word of 64 bits in memory of the group: how many have to arrive in a phase (bits 20 to 39), how many are still to
# arrive in this one (bits 0 to 19), how many bytes are still to come (bits 40 to 61, negative if bytes came before they were
# expected), and in the highest bit whether the number of the phase is odd. The word that an arrival finds is its token, which says the
# phase. What is in it is the device's own: programs pass it on.
const COUNT_MAX = (1 << 20) - 1
const ARRIVALS, BYTES, ODD_PHASE = UInt64(COUNT_MAX), 0x3fffff0000000000, 0x8000000000000000
# The next phase begins once all have arrived and all bytes have come.
@inline settled(word::UInt64) = word & (ARRIVALS | BYTES) == 0 ? xor(word, ODD_PHASE) | (word >> 20) & ARRIVALS : word
@inline arrived(word::UInt64, count::UInt64) = settled(word - count)
@inline left(word::UInt64, count::UInt64) = arrived(word - (count << 20), count)
@inline expecting(word::UInt64, bytes::UInt64) = word & ~BYTES | (word + (bytes << 40)) & BYTES
@inline expected(word::UInt64, bytes::UInt64) = settled(expecting(word, bytes))
@inline come(word::UInt64, bytes::UInt64) = settled(expecting(word, -bytes))
@inline arrived_expecting(word::UInt64, bytes::UInt64) = arrived(expecting(word, bytes), UInt64(1))

@inline barrier_init!(bar::Ptr{UInt64}, count::UInt32) =
    Device.atomic_store!(bar, (UInt64(count) & ARRIVALS) * 0x0000000000100001, :release)
@inline barrier_forget!(bar::Ptr{UInt64}) = nothing
@inline barrier_arrive!(bar::Ptr{UInt64}) = Device.atomic_modify!(bar, arrived, UInt64(1), :acquire_release).first
@inline barrier_leave!(bar::Ptr{UInt64}) = Device.atomic_modify!(bar, left, UInt64(1), :acquire_release).first
@inline barrier_is_over(bar::Ptr{UInt64}, token::UInt64) = xor(Device.atomic_load(bar, :acquire), token) & ODD_PHASE != 0
@inline function barrier_wait(bar::Ptr{UInt64}, token::UInt64)
    while !barrier_is_over(bar, token)
    end
    return nothing
end
@inline barrier_pending(token::UInt64) = (token & ARRIVALS) % UInt32
# Arrives once all copies that this item has asked for are over. Where copies are over at once, so is this.
@inline barrier_arrive_after_copies!(bar::Ptr{UInt64}) = nothing

@inline shared(bar::Ptr{UInt64}) = Device.as_device_ptr(UInt64, Val(3), bar)
const OfGroup = Core.LLVMPtr{UInt64,3}
@instruction ptx_80 "mbarrier.init.shared.b64" "`CUDA.mbarrier_init`" barrier_init!(bar::Ptr{UInt64}, count::UInt32) =
    ccall("llvm.nvvm.mbarrier.init.shared", llvmcall, Cvoid, (OfGroup, UInt32), shared(bar), count)
@instruction ptx_80 "mbarrier.inval.shared.b64" "`CUDA.mbarrier_inval`" barrier_forget!(bar::Ptr{UInt64}) =
    ccall("llvm.nvvm.mbarrier.inval.shared", llvmcall, Cvoid, (OfGroup,), shared(bar))
@instruction ptx_80 "mbarrier.arrive.shared.b64" "`CUDA.mbarrier_arrive`" barrier_arrive!(bar::Ptr{UInt64}) =
    ccall("llvm.nvvm.mbarrier.arrive.shared", llvmcall, UInt64, (OfGroup,), shared(bar))
@instruction ptx_80 "mbarrier.arrive_drop.shared.b64" "`CUDA.mbarrier_arrive_and_drop`" barrier_leave!(bar::Ptr{UInt64}) =
    ccall("llvm.nvvm.mbarrier.arrive.drop.shared", llvmcall, UInt64, (OfGroup,), shared(bar))
@instruction ptx_80 "mbarrier.test_wait.shared.b64" "`CUDA.mbarrier_test_wait`, `CUDA.mbarrier_wait`" barrier_is_over(bar::Ptr{UInt64}, token::UInt64) =
    ccall("llvm.nvvm.mbarrier.test.wait.shared", llvmcall, Bool, (OfGroup, UInt64), shared(bar), token)
# The item sleeps meanwhile, for as long as the device chooses.
@inline barrier_is_over_soon(bar::OfGroup, token::UInt64) = Base.llvmcall("""
    %r = call i32 asm sideeffect "{ .reg .pred over; mbarrier.try_wait.shared.b64 over, [\$1], \$2; selp.b32 \$0, 1, 0, over; }", "=r,l,l,~{memory}"(ptr addrspace(3) %0, i64 %1)
    ret i32 %r""", UInt32, Tuple{OfGroup,UInt64}, bar, token)
@instruction ptx_90 "mbarrier.try_wait.shared.b64" "`CUDA.mbarrier_wait`" barrier_wait(bar::Ptr{UInt64}, token::UInt64) = begin
    while barrier_is_over_soon(shared(bar), token) == 0x00000000
    end
    return nothing
end
@instruction ptx_80 "mbarrier.pending_count.b64" "`CUDA.mbarrier_pending_count`" barrier_pending(token::UInt64) =
    ccall("llvm.nvvm.mbarrier.pending.count", llvmcall, UInt32, (UInt64,), token)
@instruction ptx_80 "cp.async.mbarrier.arrive.shared.b64" "`CUDA.CG.pipeline_arrive_on`" barrier_arrive_after_copies!(bar::Ptr{UInt64}) =
    ccall("llvm.nvvm.cp.async.mbarrier.arrive.shared", llvmcall, Cvoid, (OfGroup,), shared(bar))

end
