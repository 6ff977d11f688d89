# Each fence orders accesses for the scope that its name says: the block, the device, the system; and none of them is merged
# with another.
using CUDA
fences() = (threadfence_block(); threadfence(); threadfence_system(); return)

#: native sm_90 'fences()'
#: check: fence.sc.cta;
#: check: fence.sc.gpu;
#: check: fence.sc.sys;
#: llvm gfx1100 'fences()'
#: check: fence syncscope("workgroup") seq_cst
#: check: fence syncscope("agent") seq_cst
#: check: fence seq_cst
#: llvm spirv64 'fences()'
#: check: __spirv_MemoryBarrierjj(i32 2, i32 784)
#: check: __spirv_MemoryBarrierjj(i32 1, i32 784)
#: check: __spirv_MemoryBarrierjj(i32 0, i32 784)
