# Barriers and fences. Barriers here order all memory, whatever the flags say; so do fences, for the items of their scope.

export barrier, work_group_barrier, sub_group_barrier
export atomic_work_item_fence, mem_fence, read_mem_fence, write_mem_fence

const cl_mem_fence_flags = UInt32
const LOCAL_MEM_FENCE, GLOBAL_MEM_FENCE, IMAGE_MEM_FENCE = 0x00000001, 0x00000002, 0x00000004

@enum memory_scope begin
    memory_scope_work_item
    memory_scope_sub_group
    memory_scope_work_group
    memory_scope_device
    memory_scope_all_svm_devices
    memory_scope_all_devices
end
@enum memory_order begin
    memory_order_relaxed
    memory_order_acquire
    memory_order_release
    memory_order_acq_rel
    memory_order_seq_cst
end

@only_in_kernels @inline barrier(flags::Integer = LOCAL_MEM_FENCE) = Kernels.barrier()
@only_in_kernels @inline work_group_barrier(flags::Integer, scope = memory_scope_work_group) = Kernels.barrier()
@only_in_kernels @inline sub_group_barrier(flags::Integer, scope = memory_scope_sub_group) =
    (DeviceLanes.meet(DeviceLanes.FULL_MASK); nothing)

# The order of a fence is a constant of the code: the strongest does what weaker ones are asked for.
@only_in_kernels @inline function atomic_work_item_fence(flags::Integer, order, scope)
    if scope == memory_scope_device
        Core.Intrinsics.atomic_fence(:sequentially_consistent, :device)
    elseif scope == memory_scope_all_svm_devices || scope == memory_scope_all_devices
        Core.Intrinsics.atomic_fence(:sequentially_consistent, :system)
    else
        Core.Intrinsics.atomic_fence(:sequentially_consistent, :workgroup)
    end
    return nothing
end
@only_in_kernels @inline mem_fence(flags::Integer) = atomic_work_item_fence(flags, memory_order_acq_rel, memory_scope_work_group)
@only_in_kernels @inline read_mem_fence(flags::Integer) = atomic_work_item_fence(flags, memory_order_acquire, memory_scope_work_group)
@only_in_kernels @inline write_mem_fence(flags::Integer) = atomic_work_item_fence(flags, memory_order_release, memory_scope_work_group)
