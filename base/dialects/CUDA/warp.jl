# Warps: 32 items of a block, in linear order, whose lanes exchange values: see `Base.DeviceLanes`.

import Base.DeviceLanes: FULL_MASK, LANES, lane_index, meet, active_lanes, exchange, votes
import Base.DeviceInstructions: lane_up, lane_down, lane_xor, vote_all, vote_any, vote_uniform, matching, reduced
import Base.DeviceIntrinsics: @instruction

@inline warpsize() = Int32(LANES)
Device.@only_in_kernels @inline laneid() = (lane_index() + 1) % Int32
Device.@only_in_kernels @inline sync_warp(mask = FULL_MASK) = (meet(mask % UInt32); nothing)
@inline active_mask() = active_lanes()

@inline lane_bit() = 0x00000001 << lane_index()
@inline function lanemask(order::F) where {F}
    bit = lane_bit()
    order === (==) && return bit
    order === (<) && return bit - 0x00000001
    order === (<=) && return bit | (bit - 0x00000001)
    order === (>) && return ~(bit | (bit - 0x00000001))
    order === (>=) && return ~(bit - 0x00000001)
    throw(ArgumentError("invalid lanemask function"))
end

# Lanes are from 0 here. `width` cuts the warp into segments; a source outside of one's own gives one's own value.
@inline segment(width) = lane_index() & ~(Int(width) - 1)
@inline function shuffle(mask, value, source::Int, width)
    first = segment(width)
    inside = first <= source < first + Int(width)
    return exchange(mask % UInt32, value, inside ? source : lane_index())
end
@inline shfl_sync(mask, value, lane, width = warpsize()) =
    shuffle(mask, value, segment(width) | ((Int(lane) - 1) & (Int(width) - 1)), width)
@inline shfl_up_sync(mask, value, delta, width = warpsize()) = lane_up(mask % UInt32, value, Int(delta), Int(width))
@inline shfl_down_sync(mask, value, delta, width = warpsize()) = lane_down(mask % UInt32, value, Int(delta), Int(width))
@inline shfl_xor_sync(mask, value, bits, width = warpsize()) = lane_xor(mask % UInt32, value, Int(bits), Int(width))

# Votes.
@inline vote_ballot_sync(mask, predicate) = votes(mask % UInt32, holds(predicate))
@inline vote_any_sync(mask, predicate) = vote_any(mask % UInt32, holds(predicate))
@inline vote_all_sync(mask, predicate) = vote_all(mask % UInt32, holds(predicate))
@inline vote_uni_sync(mask, predicate) = vote_uniform(mask % UInt32, holds(predicate))

# CUDA C's: the lanes that have the same bits as this one; the mask if all lanes of it have, else 0; a sum and its like over the
# lanes of a mask.
@inline match_any_sync(mask, value) = matching(mask % UInt32, value)
@inline match_all_sync(mask, value) = matching(mask % UInt32, value) == mask % UInt32 ? mask % UInt32 : 0x00000000
for (name, op) in ((:add, :+), (:min, :min), (:max, :max), (:and, :&), (:or, :|), (:xor, :xor))
    @eval @inline $(Symbol(:reduce_, name, :_sync))(mask, value) = reduced($op, mask % UInt32, value)
end

# The smallest multiple of the warp's size that is not less, and the largest that is not more.
nextwarp(dev, threads::Integer) = cld(threads, LANES) * LANES
prevwarp(dev, threads::Integer) = fld(threads, LANES) * LANES

@inline clock(::Type{UInt64}) = Core.Intrinsics.kiln_clock()
@inline clock(::Type{UInt32}) = clock(UInt64) % UInt32
# CUDA promises a wait of zero to `2t`. Processors' counters tick two to five times a nanosecond, so three ticks for each wait about
# `t`, and never longer than promised. No other item runs meanwhile on the CPU: a kernel that waits for another item must meet it
# at a barrier.
@inline function nanosleep(t::Unsigned)
    start = clock(UInt64)
    while clock(UInt64) - start < 3 * UInt64(t)
    end
    return nothing
end
@instruction ptx_70 "nanosleep.u32" "`CUDA.nanosleep`" nanosleep(t::Unsigned) =
    ccall("llvm.nvvm.nanosleep", llvmcall, Nothing, (UInt32,), t % UInt32)
