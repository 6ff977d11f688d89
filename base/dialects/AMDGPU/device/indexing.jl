# Who an item is (`UInt32`, from 1), how many there are, and waiting for each other.

const _max_group_size = 1024

for (i, d) in enumerate((:x, :y, :z))
    name(f) = Symbol(f, :_, d)
    @eval begin
        @inline $(name(:workitemIdx))() = (Kernels.local_id($i) % UInt32) + 0x00000001
        @inline $(name(:workgroupIdx))() = (Kernels.group_id($i) % UInt32) + 0x00000001
        @inline $(name(:workgroupDim))() = Kernels.local_size($i) % UInt32
        @inline $(name(:gridGroupDim))() = Kernels.num_groups($i) % UInt32
        @inline $(name(:gridItemDim))() = $(name(:gridGroupDim))() * $(name(:workgroupDim))()
        const $(name(:threadIdx)) = $(name(:workitemIdx))
        const $(name(:blockIdx)) = $(name(:workgroupIdx))
        const $(name(:blockDim)) = $(name(:workgroupDim))
    end
end
for f in (:workitemIdx, :workgroupIdx, :workgroupDim, :gridItemDim, :gridGroupDim)
    x, y, z = Symbol(f, :_x), Symbol(f, :_y), Symbol(f, :_z)
    @eval @only_in_kernels @inline $f() = (x = $x(), y = $y(), z = $z())
end
const threadIdx = workitemIdx
const blockIdx = workgroupIdx
const blockDim = workgroupDim

@only_in_kernels @inline sync_workgroup() = Kernels.barrier()
@only_in_kernels @inline sync_workgroup_count(predicate::Int32) = Kernels.barrier_count(predicate != Int32(0))
@inline sync_workgroup_and(predicate::Int32) = Int32(Kernels.barrier_all(predicate != Int32(0)))
@inline sync_workgroup_or(predicate::Int32) = Int32(Kernels.barrier_any(predicate != Int32(0)))
@inline function sync_grid()
    Kernels.@static_assert false "a barrier of the grid: groups run when there is room, not all at once"
    return nothing
end

@inline trap() = ccall("llvm.trap", llvmcall, Cvoid, ())
@inline debugtrap() = ccall("llvm.debugtrap", llvmcall, Cvoid, ())
# Of AMD GPUs alone.
@inline sendmsg(x, y = Int32(0)) = ccall("llvm.amdgcn.s.sendmsg", llvmcall, Cvoid, (Int32, Int32), x, y)
@inline sendmsghalt(x, y = Int32(0)) = ccall("llvm.amdgcn.s.sendmsghalt", llvmcall, Cvoid, (Int32, Int32), x, y)
@inline endpgm() = ccall("llvm.amdgcn.endpgm", llvmcall, Cvoid, ())
