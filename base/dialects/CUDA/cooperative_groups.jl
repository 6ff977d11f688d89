# Cooperative groups: the items of a work-group, those of a warp that came to a place together, those of a whole grid.
module CG

import ..CUDA: CUDA, threadIdx, blockIdx, blockDim, gridDim, sync_threads, sync_warp, active_mask, lane_bit, shfl_sync,
    vote_ballot_sync, laneid
import ..CUDA: address, AnyPtr
import Base: Device, DeviceCopies, DeviceGrids

export thread_rank, num_threads, sync, barrier_arrive, barrier_wait
export thread_block, this_thread_block, group_index, thread_index, dim_threads
export grid_group, this_grid, is_valid, block_rank, num_blocks, dim_blocks, block_index
export coalesced_group, coalesced_threads, meta_group_rank, meta_group_size
export shfl, shfl_up, shfl_down, vote_any, vote_all, vote_ballot, memcpy_async, wait, wait_prior

abstract type thread_group end

# Where `index` (from 1) is among `dim`, in order of memory, from 1.
@inline rank(::Type{T}, index, dim) where {T} =
    ((index.z % T - one(T)) * (dim.y % T) + (index.y % T - one(T))) * (dim.x % T) + index.x % T

# The items of a work-group.
struct thread_block <: thread_group end
@inline this_thread_block() = thread_block()
@inline thread_rank(::thread_block) = rank(Int32, threadIdx(), blockDim())
@inline num_threads(::thread_block) = (d = blockDim(); d.x * d.y * d.z)
@inline group_index(::thread_block) = blockIdx()
@inline thread_index(::thread_block) = threadIdx()
@inline dim_threads(::thread_block) = blockDim()
@inline sync(::thread_block) = sync_threads()
@inline barrier_arrive(::thread_block) = nothing
@inline barrier_wait(g::thread_block, token) = sync(g)

# The items of a grid. Its work-groups run one after another if need be, so only those of a single one can meet, or all of a cooperative
# launch on an NVIDIA GPU.
struct grid_group <: thread_group
    details::UInt64
end
@inline this_grid() = grid_group(DeviceGrids.grid_memory())
@inline is_valid(g::grid_group) = g.details != UInt64(0) || num_blocks(g) == 1
@inline thread_rank(g::grid_group) = (block_rank(g) - 1) * num_threads(thread_block()) + thread_rank(thread_block())
@inline num_threads(g::grid_group) = num_blocks(g) * num_threads(thread_block())
@inline block_rank(::grid_group) = rank(Int64, blockIdx(), gridDim())
@inline num_blocks(::grid_group) = (d = gridDim(); Int64(d.x) * Int64(d.y) * Int64(d.z))
@inline dim_blocks(::grid_group) = gridDim()
@inline block_index(::grid_group) = blockIdx()
@inline sync(g::grid_group) = barrier_wait(g, barrier_arrive(g))
@inline function barrier_arrive(g::grid_group)
    is_valid(g) || throw(ArgumentError("the work-groups of a grid cannot wait for each other here: they do on NVIDIA GPUs from sm_70 on, launched with `cooperative=true`"))
    return g.details == UInt64(0) ? 0x00000000 : DeviceGrids.grid_arrive(g.details)
end
@inline barrier_wait(g::grid_group, token::UInt32) =
    g.details == UInt64(0) ? sync_threads() : DeviceGrids.grid_wait(g.details, token)

# The items of a warp that came to a place together: a bit for each lane.
struct coalesced_group <: thread_group
    mask::UInt32
end
@inline coalesced_threads() = coalesced_group(active_mask())
@inline num_threads(g::coalesced_group) = count_ones(g.mask) % UInt32
@inline thread_rank(g::coalesced_group) = Int32(count_ones(g.mask & (lane_bit() - 0x00000001))) + Int32(1)
@inline meta_group_rank(::coalesced_group) = 0x0001
@inline meta_group_size(::coalesced_group) = 0x0000
@inline sync(g::coalesced_group) = sync_warp(g.mask)

# The lane (from 1) of the member of a rank (from 1); 0: there is none.
@inline function lane_of(g::coalesced_group, rank)
    (rank < 1) | (rank > num_threads(g)) && return Int32(0)
    rest = g.mask
    for _ in 2:rank
        rest &= rest - 0x00000001
    end
    return Int32(trailing_zeros(rest)) + Int32(1)
end
@inline function shfl(g::coalesced_group, value, rank)
    lane = lane_of(g, max(rank, one(rank)))
    @boundscheck lane > 0 || throw(BoundsError(g, rank))
    return shfl_sync(g.mask, value, lane)
end
# Without a member so far away: one's own value.
@inline function shfl_from(g::coalesced_group, value, rank)
    lane = lane_of(g, rank)
    return shfl_sync(g.mask, value, lane > 0 ? lane : Int32(laneid()))
end
@inline shfl_down(g::coalesced_group, value, delta) = shfl_from(g, value, Int(thread_rank(g)) + Int(delta))
@inline shfl_up(g::coalesced_group, value, delta) = shfl_from(g, value, Int(thread_rank(g)) - Int(delta))

@inline vote_any(g::coalesced_group, p) = vote_ballot_sync(g.mask, p) != 0x00000000
@inline vote_all(g::coalesced_group, p) = vote_ballot_sync(g.mask, p) == g.mask
# A bit for each member, in order of their ranks.
@inline function vote_ballot(g::coalesced_group, p)
    lanes = vote_ballot_sync(g.mask, p)
    packed, bit, rest = 0x00000000, 0x00000001, g.mask
    while rest != 0x00000000
        lanes & rest & -rest != 0x00000000 && (packed |= bit)
        bit <<= 1
        rest &= rest - 0x00000001
    end
    return packed
end

# Copies of single elements into memory of the group that go on meanwhile; the copies of an item up to a commit are a batch, and all
# batches but the last `n` are waited for. Each item waits for its own. CUDA C's `__pipeline_arrive_on` is the last of them.
@inline pipeline_memcpy_async(dst::AnyPtr{T}, src::AnyPtr{T}) where {T} = DeviceCopies.copy_later!(address(dst), address(src))
@inline pipeline_commit() = DeviceCopies.commit_copies()
@inline pipeline_wait_prior(n) = DeviceCopies.wait_for_copies(Int(n))
@inline pipeline_arrive_on(bar::AnyPtr{UInt64}) = DeviceCopies.barrier_arrive_after_copies!(address(bar))

# A copy that the members share in, done when they have waited for it. How it can be done is found by the addresses.
const Copying = Union{thread_block,coalesced_group}
@inline function memcpy_async(g::Copying, dst, src, bytes::Integer)
    to, from, n = address(dst), address(src), Int(bytes)
    size = sizeof(eltype(to))
    if eltype(to) === eltype(from) && rem(n, size) == 0
        DeviceCopies.copy_together!(to, from, div(n, size), Int(thread_rank(g)), Int(num_threads(g)))
    else
        DeviceCopies.copy_together!(as_bytes(to), as_bytes(from), n, Int(thread_rank(g)), Int(num_threads(g)))
    end
    DeviceCopies.commit_copies()
    return nothing
end
@inline as_bytes(p::Ptr) = reinterpret(Ptr{UInt8}, p)
@inline wait(g::Copying) = wait_prior(g, 0)
@inline function wait_prior(g::Copying, stage::Integer)
    DeviceCopies.wait_for_copies(Int(stage))
    return sync(g)
end

end

# CUDA.jl's former names.
@inline this_grid() = CG.this_grid()
@inline sync_grid(grid) = CG.sync(grid)
