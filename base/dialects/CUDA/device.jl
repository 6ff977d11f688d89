# What kernels call: indices (Int32, from 1), synchronization, shared memory.

import Base: DeviceCopies, DeviceGrids

const CuDeviceArray = Device.DeviceArray
const CuDeviceVector{T,A} = CuDeviceArray{T,1,A}
const CuDeviceMatrix{T,A} = CuDeviceArray{T,2,A}
const LLVMPtr = Core.LLVMPtr
const AS = (Generic = 0, Global = 1, Shared = 3, Constant = 4, Local = 5)

for (f, query) in ((:threadIdx, :local_id), (:blockIdx, :group_id))
    for (i, d) in enumerate((:x, :y, :z))
        @eval @inline $(Symbol(f, :_, d))() = (Device.$query($i) % Int32) + Int32(1)
    end
end
for (f, query) in ((:blockDim, :local_size), (:gridDim, :num_groups))
    for (i, d) in enumerate((:x, :y, :z))
        @eval @inline $(Symbol(f, :_, d))() = Device.$query($i) % Int32
    end
end
Device.@only_in_kernels @inline threadIdx() = (x = threadIdx_x(), y = threadIdx_y(), z = threadIdx_z())
Device.@only_in_kernels @inline blockIdx() = (x = blockIdx_x(), y = blockIdx_y(), z = blockIdx_z())
Device.@only_in_kernels @inline blockDim() = (x = blockDim_x(), y = blockDim_y(), z = blockDim_z())
Device.@only_in_kernels @inline gridDim() = (x = gridDim_x(), y = gridDim_y(), z = gridDim_z())

Device.@only_in_kernels @inline sync_threads() = Device.barrier()
@inline threadfence() = Core.Intrinsics.atomic_fence(:sequentially_consistent, :device)
@inline threadfence_block() = Core.Intrinsics.atomic_fence(:sequentially_consistent, :workgroup)
@inline threadfence_system() = Core.Intrinsics.atomic_fence(:sequentially_consistent, :system)

# Barriers that also count for how many items a condition holds.
@inline holds(p::Bool) = p
@inline holds(p::Integer) = p != zero(p)
Device.@only_in_kernels @inline sync_threads_count(p) = Device.barrier_count(holds(p))
@inline sync_threads_and(p) = Device.barrier_all(holds(p))
@inline sync_threads_or(p) = Device.barrier_any(holds(p))

# Clusters of work-groups. Without them each group is a cluster of its own.
for (f, query, first) in ((:clusterIdx, :cluster_index, 1), (:clusterDim, :cluster_size, 0), (:blockIdxInCluster, :index_in_cluster, 1),
    (:gridClusterDim, :cluster_count, 0))
    for (i, d) in enumerate((:x, :y, :z))
        @eval @inline $(Symbol(f, :_, d))() = DeviceGrids.$query($(Val(i))) + $(Int32(first))
    end
    x, y, z = Symbol(f, :_x), Symbol(f, :_y), Symbol(f, :_z)
    @eval @inline $f() = (x = $x(), y = $y(), z = $z())
end
@inline linearBlockIdxInCluster() = DeviceGrids.rank_in_cluster() + Int32(1)
@inline linearClusterSize() = DeviceGrids.groups_of_cluster()
@inline cluster_arrive() = DeviceGrids.cluster_arrive()
@inline cluster_arrive_relaxed() = DeviceGrids.cluster_arrive_relaxed()
@inline cluster_wait() = DeviceGrids.cluster_wait()
# Memory of the group as another group of the cluster has it, by that group's number from 1.
@inline map_shared_rank(p::Core.LLVMPtr{T}, rank::Integer) where {T} =
    Device.as_device_ptr(T, Val(AS.Generic), DeviceGrids.in_group_of_cluster(Device.as_ptr(p), (rank - 1) % Int32))
@inline CuDistributedSharedArray(a::CuDeviceArray{T,N,AS.Shared}, rank::Integer) where {T,N} =
    CuDeviceArray{T,N,AS.Generic}(map_shared_rank(a.ptr, rank), a.dims, a.len)
# A launch may begin when all blocks of the one before it have said so, and waits for what that one writes.
@inline trigger_programmatic_launch_completion() = DeviceGrids.allow_next_launch()
@inline grid_dependency_synchronize() = DeviceGrids.wait_for_previous_launch()

# `1i32`: a literal of another type by juxtaposition.
struct Literal{T} end
Base.:*(x::Number, ::Literal{T}) where {T} = T(x)
const i8, i16, i32, i64 = Literal{Int8}(), Literal{Int16}(), Literal{Int32}(), Literal{Int64}()
const u8, u16, u32, u64 = Literal{UInt8}(), Literal{UInt16}(), Literal{UInt32}(), Literal{UInt64}()

# They begin at multiples of 16 bytes, which copies of many bytes ask for.
Device.@only_in_kernels @inline CuStaticSharedArray(::Type{T}, dims::Tuple) where {T} =
    Device.shared_array(T, Val(map(Int, dims)), Val(:shared), Val(16))
Device.@only_in_kernels @inline CuStaticSharedArray(::Type{T}, len::Integer) where {T} =
    Device.shared_array(T, Val((Int(len),)), Val(:shared), Val(16))
Device.@only_in_kernels Base.@propagate_inbounds CuDynamicSharedArray(::Type{T}, dims::Tuple, offset::Integer = 0) where {T} =
    Device.dynamic_shared_array(T, map(Int, dims), Int(offset))
Device.@only_in_kernels Base.@propagate_inbounds CuDynamicSharedArray(::Type{T}, len::Integer, offset::Integer = 0) where {T} =
    Device.dynamic_shared_array(T, (Int(len),), Int(offset))
# Bytes of the group's memory that the launch gave.
Device.@only_in_kernels @inline dynamic_smem_size() = Core.Intrinsics.kiln_dynamic_shared_bytes() % UInt32
macro cuStaticSharedMem(T, dims)
    Base.@keep_expansions
    return :(CuStaticSharedArray($(esc(T)), $(esc(dims))))
end
macro cuDynamicSharedMem(T, dims, offset = 0)
    Base.@keep_expansions
    return :(CuDynamicSharedArray($(esc(T)), $(esc(dims)), $(esc(offset))))
end

@inline Const(a) = Device.constify(a)
Base.@propagate_inbounds ldg(a, i) = Const(a)[i]
@inline unsafe_cached_load(p::Core.LLVMPtr{T}, i::Integer = 1, align::Val = Val(1)) where {T} =
    Device.load_constant(p, Int(i) - 1, align)
Base.@propagate_inbounds unsafe_cached_load(a, i) = Const(a)[i]

# CUDA C's loads and stores that say what caches should keep: what all will read again (`ca`), what other items of the grid have
# written (`cg`, `cv`), what is read once (`cs`, `lu`).
for hint in (:ca, :cg, :cs, :lu, :cv)
    @eval @inline $(Symbol(:ld, hint))(p::Union{Ptr,Core.LLVMPtr}) = Base.DeviceInstructions.load_cached(address(p), $(Val(hint)))
end
for hint in (:wb, :cg, :cs, :wt)
    @eval @inline $(Symbol(:st, hint))(p::Union{Ptr,Core.LLVMPtr}, x) =
        Base.DeviceInstructions.store_cached!(address(p), x, $(Val(hint)))
end
const AnyPtr{T} = Union{Ptr{T},Core.LLVMPtr{T}}
@inline address(p::Ptr) = p
@inline address(p::Core.LLVMPtr) = Device.as_ptr(p)

# What is known of an object's alignment, for functions that ask; those here see it in the addresses.
struct Aligned{T,N}
    data::T
end
struct align{N} end
@inline (::Type{align{N}})(data::T) where {T,N} = Aligned{T,N}(data)
@inline address(a::Aligned) = address(a.data)

# Requests to bring what lies at an address into the cache of the multiprocessor, or into the one that all share.
@inline prefetch_l1(p::AnyPtr) = Base.DeviceInstructions.prefetch(address(p), Val(:l1))
@inline prefetch_l2(p::AnyPtr) = Base.DeviceInstructions.prefetch(address(p), Val(:l2))

# CUDA C's barriers in memory of the group, a `UInt64` each: items arrive, and get a token of the phase; others wait until as many have
# arrived in that phase as the barrier was made for. Barriers are made by one item, and the group meets before they are used.
@inline mbarrier_init(bar::AnyPtr{UInt64}, count) = DeviceCopies.barrier_init!(address(bar), count % UInt32)
@inline mbarrier_inval(bar::AnyPtr{UInt64}) = DeviceCopies.barrier_forget!(address(bar))
@inline mbarrier_arrive(bar::AnyPtr{UInt64}) = DeviceCopies.barrier_arrive!(address(bar))
@inline mbarrier_arrive_and_drop(bar::AnyPtr{UInt64}) = DeviceCopies.barrier_leave!(address(bar))
@inline mbarrier_test_wait(bar::AnyPtr{UInt64}, token::UInt64) = DeviceCopies.barrier_is_over(address(bar), token)
@inline mbarrier_wait(bar::AnyPtr{UInt64}, token::UInt64) = DeviceCopies.barrier_wait(address(bar), token)
@inline mbarrier_pending_count(token::UInt64) = DeviceCopies.barrier_pending(token)

# Copies of many bytes, multiples of 16, that one item asks for, under PTX's names. From global memory into memory of the group they end
# at a barrier, at which the bytes are expected; the other way in batches of the item. `mbarrier_wait_parity` waits for the phase
# of this parity: 0 for the first.
import Base.DeviceBulkCopies
@inline mbarrier_expect_tx(bar::AnyPtr{UInt64}, bytes) = DeviceBulkCopies.barrier_expect!(address(bar), bytes % UInt32)
@inline mbarrier_arrive_expect_tx(bar::AnyPtr{UInt64}, bytes) = DeviceBulkCopies.barrier_arrive_expecting!(address(bar), bytes % UInt32)
@inline mbarrier_test_wait_parity(bar::AnyPtr{UInt64}, parity) = DeviceBulkCopies.barrier_is_over_by_parity(address(bar), parity % UInt32)
@inline mbarrier_wait_parity(bar::AnyPtr{UInt64}, parity) = DeviceBulkCopies.barrier_wait_by_parity(address(bar), parity % UInt32)
@inline cp_async_bulk(dst::AnyPtr, src::AnyPtr, bytes, bar::AnyPtr{UInt64}) =
    DeviceBulkCopies.copy_bulk_to_group!(Ptr{UInt8}(address(dst)), Ptr{UInt8}(address(src)), bytes % UInt32, address(bar))
@inline cp_async_bulk(dst::AnyPtr, src::AnyPtr, bytes) =
    DeviceBulkCopies.copy_bulk_from_group!(Ptr{UInt8}(address(dst)), Ptr{UInt8}(address(src)), bytes % UInt32)
@inline cp_async_bulk_commit_group() = DeviceBulkCopies.commit_bulk_copies()
@inline cp_async_bulk_wait_group(n::Val) = DeviceBulkCopies.wait_for_bulk_copies(n)
@inline cp_async_bulk_wait_group_read(n::Val) = DeviceBulkCopies.wait_for_bulk_reads(n)
@inline prefetch_l2(p::AnyPtr, bytes) = DeviceBulkCopies.prefetch_bulk(Ptr{UInt8}(address(p)), bytes % UInt32)
@inline fence_proxy_async() = DeviceBulkCopies.fence_for_bulk_copies()
