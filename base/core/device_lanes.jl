# Lanes: 32 items of a group, in linear order, that exchange values and vote. Dialects call them warps, wavefronts, sub-groups.
# Where nothing better is known they exchange values through memory of the group, between two meetings.
module DeviceLanes

import Base: Experimental
import Base.Device
import Base.DeviceIntrinsics: @instruction
import Base.DeviceTables: ptx, gcn, spirv

const FULL_MASK = 0xffffffff
const LANES = 32

# From 0.
@inline lane_index() = Device.local_linear() & (LANES - 1)
# Waits for the lanes of the mask; who they are that are there.
@inline meet(mask::UInt32) = Core.Intrinsics.kiln_warp_barrier(mask)
# Who has come to this place together.
@inline active_lanes() = Core.Intrinsics.kiln_warp_barrier(0x00000000)
# Of the lanes that meet, those whose predicate holds.
@inline votes(mask::UInt32, predicate::Bool) = Core.Intrinsics.kiln_warp_barrier(mask, predicate)

@inline has_lane(mask::UInt32, lane::Int) = (mask >> ((lane % UInt32) & 0x0000001f)) & 0x00000001 != 0x00000000

# What the lane `source` (from 0) gives, or this lane's own value if it is not among those who meet. All exchanges of values of
# one size share a block of memory, which the compiler knows by its name.
@inline function exchange(mask::UInt32, value::T, source::Int) where {T}
    slots = Device.shared_array(T, Val((1024,)), Val(Symbol("lane values")))
    mine = Device.local_linear()
    @inbounds slots[mine + 1] = value
    met = meet(mask)
    present = has_lane(met, source)
    result = present ? (@inbounds slots[(mine & ~(LANES - 1)) + source + 1]) : value
    meet(mask)
    return result
end

# What the lane gives that is `distance` lanes further, if that is wanted and it is among those who meet; else this lane's own
# value. Lanes that are as far apart as others read memory in their order.
@inline function exchange_by(mask::UInt32, value::T, distance::Int, is_wanted::Bool) where {T}
    slots = Device.shared_array(T, Val((1024,)), Val(Symbol("lane values")))
    mine = Device.local_linear()
    @inbounds slots[mine + 1] = value
    met = meet(mask)
    present = is_wanted & has_lane(met, lane_index() + distance)
    result = present ? (@inbounds slots[mine + distance + 1]) : value
    meet(mask)
    return result
end
@inline exchange_from(mask::UInt32, value, distance::Int, is_wanted::Bool) =
    exchange(mask, value, is_wanted ? lane_index() + distance : lane_index())

# The lanes that meet, and before them those of them whose predicate holds.
@inline ballot(mask::UInt32, predicate::Bool) = (votes(mask, predicate), meet(mask))

# NVIDIA's: by instructions, not through memory.
@instruction ptx "laneid" "`CUDA.laneid`" lane_index() = Int(ccall("llvm.nvvm.read.ptx.sreg.laneid", llvmcall, UInt32, ()))

# A value of any plain bits, word by word: `move(word)` moves one. The words of a value that is in registers stay there.
@inline function by_words(move::F, value::T) where {F,T}
    Device.@static_assert isbitstype(T) "lanes exchange plain bits only"
    count = cld(sizeof(T), 4)
    count == 0 && return value
    words = Device.as_ptr(Device.alloca(UInt32, Val(count)))
    slot = reinterpret(Ptr{T}, words)
    unsafe_store!(slot, value)
    for k in 1:count
        unsafe_store!(words, move(unsafe_load(words, k)), k)
    end
    return unsafe_load(slot)
end

@instruction ptx "shfl.sync.idx.b32" "`CUDA.shfl_sync`" function exchange(mask::UInt32, value::T, source::Int) where {T}
    given = by_words(value) do word
        ccall("llvm.nvvm.shfl.sync.idx.i32", llvmcall, UInt32, (UInt32, UInt32, UInt32, UInt32),
            mask, word, source % UInt32, 0x0000001f)
    end
    # The value of a lane that takes no part is undefined.
    present = (mask >> source) & 0x00000001 != 0x00000000
    return present ? given : value
end
Experimental.@overlay ptx @inline exchange_by(mask::UInt32, value, distance::Int, is_wanted::Bool) =
    exchange_from(mask, value, distance, is_wanted)
@instruction ptx "vote.sync.ballot.b32" "`CUDA.vote_ballot_sync`, `CUDA.active_mask`" votes(mask::UInt32, predicate::Bool) = vote(mask, predicate)
Experimental.@overlay ptx @inline ballot(mask::UInt32, predicate::Bool) = (vote(mask, predicate), vote(mask, true))
@inline vote(mask::UInt32, predicate::Bool) = Base.llvmcall(("""
    declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
    define i32 @vote(i32 %mask, i8 %predicate) {
        %holds = trunc i8 %predicate to i1
        %yes = call i32 @llvm.nvvm.vote.ballot.sync(i32 %mask, i1 %holds)
        ret i32 %yes
    }""", "vote"), UInt32, Tuple{UInt32,Bool}, mask, predicate)

# Waves: as many items as an AMD GPU runs in step, which are 64 on some. On a processor they are those of the device that it
# imitates, or 32.
@inline wave_size() = Core.Intrinsics.kiln_lanes()
@inline wave_lane() = (Device.local_linear() & (wave_size() - 1)) % UInt32
# Of the lanes that come to this place together, those whose predicate holds.
@inline wave_ballot(predicate::Bool) = Core.Intrinsics.kiln_warp_barrier(0x0000000000000000, predicate)
# What a lane gives, from 0, of those that come to this place together; or one's own value if it does not.
@inline function wave_exchange(value::T, lane::UInt32) where {T}
    slots = Device.shared_array(T, Val((1024,)), Val(Symbol("lane values")))
    mine = Device.local_linear()
    @inbounds slots[mine + 1] = value
    met = wave_ballot(true)
    present = (lane < wave_size()) & ((met >> (lane & 0x0000003f)) & 0x0000000000000001 != 0x0000000000000000)
    result = present ? (@inbounds slots[(mine & ~(wave_size() - 1)) + lane % Int + 1]) : value
    wave_ballot(true)
    return result
end
Experimental.@overlay ptx @inline wave_size() = LANES
Experimental.@overlay ptx @inline wave_lane() = lane_index() % UInt32
Experimental.@overlay ptx @inline wave_ballot(predicate::Bool) = UInt64(votes(active_lanes(), predicate))
Experimental.@overlay ptx @inline wave_exchange(value, lane::UInt32) = exchange(active_lanes(), value, lane % Int)
Experimental.@overlay spirv @inline wave_size() = LANES
Experimental.@overlay spirv @inline wave_lane() = lane_index() % UInt32
Experimental.@overlay spirv @inline wave_ballot(predicate::Bool) = UInt64(votes(active_lanes(), predicate))
Experimental.@overlay spirv @inline wave_exchange(value, lane::UInt32) = exchange(active_lanes(), value, lane % Int)

# AMD's: half of a wave of 64, or a wave of 32.
@instruction gcn "v_mbcnt" "`AMDGPU.Device.activelane`" wave_lane() = ccall("llvm.amdgcn.mbcnt.hi", llvmcall, UInt32, (UInt32, UInt32), 0xffffffff,
    ccall("llvm.amdgcn.mbcnt.lo", llvmcall, UInt32, (UInt32, UInt32), 0xffffffff, 0x00000000))
@inline wave_half() = wave_lane() & 0x00000020
@instruction gcn "v_cmp into the mask of lanes" "`AMDGPU.Device.ballot`" wave_ballot(predicate::Bool) = Base.llvmcall(("""
    declare i64 @llvm.amdgcn.ballot.i64(i1)
    define i64 @vote(i8 %predicate) {
        %holds = trunc i8 %predicate to i1
        %yes = call i64 @llvm.amdgcn.ballot.i64(i1 %holds)
        ret i64 %yes
    }""", "vote"), UInt64, Tuple{Bool}, predicate)
@inline wave_vote(mask::UInt32, predicate::Bool) = (wave_ballot(predicate) >> wave_half()) % UInt32 & mask
# What a lane of the whole wave gives, from 0; lanes are four bytes apart.
@instruction gcn "ds_bpermute_b32" "`AMDGPU.Device.shfl` and its like" wave_exchange(value, lane::UInt32) = by_words(value) do word
    ccall("llvm.amdgcn.ds.bpermute", llvmcall, UInt32, (UInt32, UInt32), lane << 2, word)
end

Experimental.@overlay gcn @inline lane_index() = Int(wave_lane() & 0x0000001f)
Experimental.@overlay gcn @inline function exchange(mask::UInt32, value::T, source::Int) where {T}
    met = wave_vote(mask, true)
    given = wave_exchange(value, wave_half() + (source % UInt32))
    present = (met >> source) & 0x00000001 != 0x00000000
    return present ? given : value
end
Experimental.@overlay gcn @inline exchange_by(mask::UInt32, value, distance::Int, is_wanted::Bool) =
    exchange_from(mask, value, distance, is_wanted)
Experimental.@overlay gcn @inline votes(mask::UInt32, predicate::Bool) = wave_vote(mask, predicate)
Experimental.@overlay gcn @inline ballot(mask::UInt32, predicate::Bool) = (wave_vote(mask, predicate), wave_vote(mask, true))

# OpenCL: sub-groups, which the compiler asks to be of 32 items where a kernel has lanes. They exchange values through memory
# of the group, between two barriers of the sub-group; all of its items come there, whatever a mask says.
const SUBGROUP, GROUP_MEMORY_IN_ORDER = UInt32(3), UInt32(0x108)
@inline subgroup_barrier() = ccall("extern _Z22__spirv_ControlBarrierjjj", llvmcall, Cvoid, (UInt32, UInt32, UInt32),
    SUBGROUP, SUBGROUP, GROUP_MEMORY_IN_ORDER)
@inline subgroup_index() = Int(ccall("extern _Z16get_sub_group_idv", llvmcall, UInt32, ()))
@inline subgroup_size() = Int(ccall("extern _Z18get_sub_group_sizev", llvmcall, UInt32, ()))

@instruction spirv "SubgroupLocalInvocationId" "`CUDA.laneid`" lane_index() = Int(ccall("extern _Z22get_sub_group_local_idv", llvmcall, UInt32, ()))
Experimental.@overlay spirv @inline meet(mask::UInt32) = (subgroup_barrier(); mask)
Experimental.@overlay spirv @inline function exchange(mask::UInt32, value::T, source::Int) where {T}
    slots = Device.shared_array(T, Val((1024,)), Val(Symbol("lane values")))
    first = subgroup_index() * LANES
    @inbounds slots[first + lane_index() + 1] = value
    subgroup_barrier()
    present = (source < subgroup_size()) & ((mask >> source) & 0x00000001 != 0x00000000)
    result = @inbounds slots[first + (present ? source : lane_index()) + 1]
    subgroup_barrier()
    return result
end
Experimental.@overlay spirv @inline exchange_by(mask::UInt32, value, distance::Int, is_wanted::Bool) =
    exchange_from(mask, value, distance, is_wanted)
Experimental.@overlay spirv @inline votes(mask::UInt32, predicate::Bool) = first(ballot(mask, predicate))
Experimental.@overlay spirv @inline function ballot(mask::UInt32, predicate::Bool)
    votes = Device.shared_array(UInt32, Val((1024,)), Val(:votes))
    first = subgroup_index() * LANES
    @inbounds votes[first + lane_index() + 1] = predicate ? 0x00000001 : 0x00000000
    subgroup_barrier()
    yes, met = 0x00000000, 0x00000000
    for lane in 0:subgroup_size()-1
        met |= 0x00000001 << lane
        yes |= (@inbounds votes[first + lane + 1]) << lane
    end
    subgroup_barrier()
    return (yes & mask, met & mask)
end

end
