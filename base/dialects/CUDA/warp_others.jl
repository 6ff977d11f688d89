# Warps in kernels compiled for other GPUs than NVIDIA's, where they are 32 items of what runs in step.

# OpenCL: sub-groups, which the compiler asks to be of 32 items where a kernel has warps. Lanes exchange values through
# memory of the group, between two barriers of the sub-group; all of its items come there, whatever a mask says.
Base.Experimental.@MethodTable(spirv_method_table)

const SUBGROUP, GROUP_MEMORY_IN_ORDER = UInt32(3), UInt32(0x108)
@inline subgroup_barrier() = ccall("extern _Z22__spirv_ControlBarrierjjj", llvmcall, Cvoid, (UInt32, UInt32, UInt32),
    SUBGROUP, SUBGROUP, GROUP_MEMORY_IN_ORDER)
@inline subgroup_index() = Int(ccall("extern _Z16get_sub_group_idv", llvmcall, UInt32, ()))
@inline subgroup_size() = Int(ccall("extern _Z18get_sub_group_sizev", llvmcall, UInt32, ()))

Base.Experimental.@overlay spirv_method_table @inline lane_index() =
    Int(ccall("extern _Z22get_sub_group_local_idv", llvmcall, UInt32, ()))
Base.Experimental.@overlay spirv_method_table @inline sync_warp(mask = FULL_MASK) = (subgroup_barrier(); nothing)
Base.Experimental.@overlay spirv_method_table @inline function exchange(mask::UInt32, value::T, source::Int) where {T}
    slots = Device.shared_array(T, Val((1024,)), Val(:shuffle))
    first = subgroup_index() * LANES
    @inbounds slots[first + lane_index() + 1] = value
    subgroup_barrier()
    present = (source < subgroup_size()) & ((mask >> source) & 0x00000001 != 0x00000000)
    result = @inbounds slots[first + (present ? source : lane_index()) + 1]
    subgroup_barrier()
    return result
end
Base.Experimental.@overlay spirv_method_table @inline function ballot(mask::UInt32, predicate::Bool)
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

# AMD's: half of a wave of 64, or a wave of 32.
Base.Experimental.@MethodTable(gcn_method_table)

@inline wave_lane() = ccall("llvm.amdgcn.mbcnt.hi", llvmcall, UInt32, (UInt32, UInt32), 0xffffffff,
    ccall("llvm.amdgcn.mbcnt.lo", llvmcall, UInt32, (UInt32, UInt32), 0xffffffff, 0x00000000))
@inline wave_half() = wave_lane() & 0x00000020
@inline wave_vote(mask::UInt32, predicate::Bool) =
    (Base.llvmcall(("""
    declare i64 @llvm.amdgcn.ballot.i64(i1)
    define i64 @vote(i8 %predicate) {
        %holds = trunc i8 %predicate to i1
        %yes = call i64 @llvm.amdgcn.ballot.i64(i1 %holds)
        ret i64 %yes
    }""", "vote"), UInt64, Tuple{Bool}, predicate) >> wave_half()) % UInt32 & mask

Base.Experimental.@overlay gcn_method_table @inline lane_index() = Int(wave_lane() & 0x0000001f)
Base.Experimental.@overlay gcn_method_table @inline function exchange(mask::UInt32, value::T, source::Int) where {T}
    Device.@static_assert isbitstype(T) "lanes exchange plain bits only"
    count = cld(sizeof(T), 4)
    count == 0 && return value
    words = Device.as_ptr(Device.alloca(UInt32, Val(count)))
    slot = reinterpret(Ptr{T}, words)
    unsafe_store!(slot, value)
    met = wave_vote(mask, true)
    address = (wave_half() + (source % UInt32)) << 2
    for k in 1:count
        word = unsafe_load(words, k)
        unsafe_store!(words, ccall("llvm.amdgcn.ds.bpermute", llvmcall, UInt32, (UInt32, UInt32), address, word), k)
    end
    present = (met >> source) & 0x00000001 != 0x00000000
    return present ? unsafe_load(slot) : value
end
Base.Experimental.@overlay gcn_method_table @inline ballot(mask::UInt32, predicate::Bool) =
    (wave_vote(mask, predicate), wave_vote(mask, true))
