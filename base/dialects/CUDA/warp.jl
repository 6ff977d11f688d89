# Warps: 32 items of a block, in linear order. Lanes exchange values through shared memory, between two meetings.

const FULL_MASK = 0xffffffff
const LANES = 32
@inline warpsize() = Int32(LANES)
@inline lane_index() = Device.local_linear() % LANES
Device.@only_in_kernels @inline laneid() = (lane_index() + 1) % Int32

@inline warp_barrier(mask) = Core.Intrinsics.kiln_warp_barrier(mask)
Device.@only_in_kernels @inline sync_warp(mask = FULL_MASK) = (warp_barrier(mask % UInt32); nothing)
# Who has come to this place together.
@inline active_mask() = warp_barrier(0x00000000)

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

# What the lane `source` (from 0) of this warp gives, or this lane's own value if it is not among those who meet.
# Not inlined: all shuffles of a type share one block of memory.
@noinline function exchange(mask::UInt32, value::T, source::Int) where {T}
    slots = Device.shared_array(T, Val((1024,)), Val(:shuffle))
    mine = Device.local_linear()
    @inbounds slots[mine + 1] = value
    met = warp_barrier(mask)
    present = (met >> source) & 0x00000001 != 0x00000000
    result = present ? (@inbounds slots[mine - mine % LANES + source + 1]) : value
    warp_barrier(mask)
    return result
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
@inline shfl_up_sync(mask, value, delta, width = warpsize()) = shuffle(mask, value, lane_index() - Int(delta), width)
@inline shfl_down_sync(mask, value, delta, width = warpsize()) = shuffle(mask, value, lane_index() + Int(delta), width)
# Unlike the others, an exclusive-or may read from a segment before one's own.
@inline function shfl_xor_sync(mask, value, bits, width = warpsize())
    source = xor(lane_index(), Int(bits) & (LANES - 1))
    return exchange(mask % UInt32, value, source < segment(width) + Int(width) ? source : lane_index())
end

# Votes: the lanes that meet, and those of them whose predicate holds.
@noinline function ballot(mask::UInt32, predicate::Bool)
    votes = Device.shared_array(Bool, Val((1024,)), Val(:votes))
    mine = Device.local_linear()
    @inbounds votes[mine + 1] = predicate
    met = warp_barrier(mask)
    first = mine - mine % LANES
    yes = 0x00000000
    for lane in 0:LANES-1
        bit = 0x00000001 << lane
        (met & bit) != 0x00000000 && (@inbounds votes[first + lane + 1]) && (yes |= bit)
    end
    warp_barrier(mask)
    return (yes, met)
end
@inline vote_ballot_sync(mask, predicate) = first(ballot(mask % UInt32, holds(predicate)))
@inline vote_any_sync(mask, predicate) = vote_ballot_sync(mask, predicate) != 0x00000000
@inline function vote_all_sync(mask, predicate)
    yes, met = ballot(mask % UInt32, holds(predicate))
    return yes == met
end
@inline function vote_uni_sync(mask, predicate)
    yes, met = ballot(mask % UInt32, holds(predicate))
    return yes == met || yes == 0x00000000
end

# The smallest multiple of the warp's size that is not less, and the largest that is not more.
nextwarp(dev, threads::Integer) = cld(threads, LANES) * LANES
prevwarp(dev, threads::Integer) = fld(threads, LANES) * LANES

@inline clock(::Type{UInt64}) = Core.Intrinsics.kiln_clock()
@inline clock(::Type{UInt32}) = clock(UInt64) % UInt32
# Waiting lets nothing else run here, so a kernel that waits for another item must meet it at a barrier.
@inline nanosleep(t::Unsigned) = nothing
