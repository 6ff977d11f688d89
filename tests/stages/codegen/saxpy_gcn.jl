# The same guarded element on an AMD GPU: buffers of the kernel are global memory, and nothing is on the stack.
using AMDGPU
function saxpy!(y, a, x)
    i = (workgroupIdx().x - 1) * workgroupDim().x + workitemIdx().x
    if i <= length(y)
        @inbounds y[i] = muladd(a, x[i], y[i])
    end
    return
end

#: llvm gfx1100 'saxpy!(ROCDeviceVector{Float32,1}, Float32, ROCDeviceVector{Float32,1})'
#: not: alloca
#: check: define protected amdgpu_kernel void
#: check: load float, ptr addrspace(1)
#: check: llvm.fma.f32
#: check: store float
#: sameln: ptr addrspace(1)
