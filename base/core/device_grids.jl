# Groups that wait for each other: those of a cluster, which NVIDIA GPUs have from sm_90 on and which share their memory, and all groups
# of a grid that was launched so. Elsewhere each group is a cluster of its own, and a grid meets if it has one group.
module DeviceGrids

import Base.Device
import Base.DeviceIntrinsics: @instruction

# Where this group is in its cluster, the size of clusters, where the cluster is in the grid, how many there are: from 0, in dimension `d`.
@inline index_in_cluster(d::Val) = Int32(0)
@inline cluster_size(d::Val) = Int32(1)
@inline cluster_index(::Val{d}) where {d} = Device.group_id(d) % Int32
@inline cluster_count(::Val{d}) where {d} = Device.num_groups(d) % Int32
@inline rank_in_cluster() = Int32(0)
@inline groups_of_cluster() = Int32(1)
# That this group has come to a place, with or without what it has written before, and that all of the cluster have.
@inline cluster_arrive() = nothing
@inline cluster_arrive_relaxed() = nothing
@inline cluster_wait() = Device.barrier()
# An address of the memory of the group as the group of rank `rank` (from 0) of the cluster has it.
@inline function in_group_of_cluster(p::Ptr, rank::Int32)
    rank == Int32(0) || throw(ArgumentError("a cluster has one group here: there is no other group's memory"))
    return p
end

for (d, dim) in ((1, "x"), (2, "y"), (3, "z")),
    (f, register, names) in ((:index_in_cluster, "cluster_ctaid", "blockIdxInCluster"), (:cluster_size, "cluster_nctaid", "clusterDim"),
        (:cluster_index, "clusterid", "clusterIdx"), (:cluster_count, "nclusterid", "gridClusterDim"))

    @eval @instruction ptx_90 $("%$register.$dim") $("`CUDA.$names`") $f(d::Val{$d}) =
        ccall($("llvm.nvvm.read.ptx.sreg.$(replace(register, "_" => ".")).$dim"), llvmcall, Int32, ())
end
@instruction ptx_90 "%cluster_ctarank" "`CUDA.linearBlockIdxInCluster`" rank_in_cluster() =
    ccall("llvm.nvvm.read.ptx.sreg.cluster.ctarank", llvmcall, Int32, ())
@instruction ptx_90 "%cluster_nctarank" "`CUDA.linearClusterSize`" groups_of_cluster() =
    ccall("llvm.nvvm.read.ptx.sreg.cluster.nctarank", llvmcall, Int32, ())
@instruction ptx_90 "barrier.cluster.arrive" "`CUDA.cluster_arrive`" cluster_arrive() =
    ccall("llvm.nvvm.barrier.cluster.arrive", llvmcall, Cvoid, ())
@instruction ptx_90 "barrier.cluster.arrive.relaxed" "`CUDA.cluster_arrive_relaxed`" cluster_arrive_relaxed() =
    ccall("llvm.nvvm.barrier.cluster.arrive.relaxed", llvmcall, Cvoid, ())
@instruction ptx_90 "barrier.cluster.wait" "`CUDA.cluster_wait`" cluster_wait() =
    ccall("llvm.nvvm.barrier.cluster.wait", llvmcall, Cvoid, ())
@instruction ptx_90 "mapa.u64" "`CUDA.CuDistributedSharedArray`, `CUDA.map_shared_rank`" in_group_of_cluster(p::Ptr, rank::Int32) =
    ccall("llvm.nvvm.mapa", llvmcall, typeof(p), (Ptr{Cvoid}, Int32), p, rank)

# Launches that begin before the one before them is over, and wait for it in the kernel. Launches are in order here, so there is
# nothing to wait for.
@inline allow_next_launch() = nothing
@inline wait_for_previous_launch() = nothing
@instruction ptx_90 "griddepcontrol.launch_dependents" "`CUDA.trigger_programmatic_launch_completion`" allow_next_launch() =
    Base.llvmcall("call void asm sideeffect \"griddepcontrol.launch_dependents;\", \"\"()\nret void", Cvoid, Tuple{})
@instruction ptx_90 "griddepcontrol.wait" "`CUDA.grid_dependency_synchronize`" wait_for_previous_launch() =
    Base.llvmcall("call void asm sideeffect \"griddepcontrol.wait;\", \"~{memory}\"()\nret void", Cvoid, Tuple{})

# The memory that the driver gives to a grid whose groups meet, 0 if they do not. Its second word counts the groups that have come: the
# first group counts for so many that the highest bit flips when all have.
@inline grid_memory() = UInt64(0)
@instruction ptx_70 "%envreg1, %envreg2" "`CUDA.CG.this_grid`, `CUDA.CG.sync`" grid_memory() =
    (UInt64(ccall("llvm.nvvm.read.ptx.sreg.envreg1", llvmcall, UInt32, ())) << 32) |
    UInt64(ccall("llvm.nvvm.read.ptx.sreg.envreg2", llvmcall, UInt32, ()))
@inline arrivals(memory::UInt64) = Ptr{UInt32}(memory) + 4
@inline has_flipped(before::UInt32, now::UInt32) = xor(before, now) & 0x80000000 != 0x00000000
@inline all_written() = Core.Intrinsics.atomic_fence(:sequentially_consistent, :device)
# The group has come; the first item learns what was there.
@inline function grid_arrive(memory::UInt64)
    Device.barrier()
    Device.local_linear() == 0 || return 0x00000000
    groups = (Device.num_groups(1) * Device.num_groups(2) * Device.num_groups(3)) % UInt32
    count = Device.group_linear() == 0 ? 0x80000000 - (groups - 0x00000001) : 0x00000001
    all_written()
    return Device.atomic_modify!(arrivals(memory), +, count).first
end
@inline function grid_wait(memory::UInt64, before::UInt32)
    if Device.local_linear() == 0
        while !has_flipped(before, Device.atomic_load(arrivals(memory)))
        end
        all_written()
    end
    Device.barrier()
    return nothing
end

end
