# Bounds checks in the machine code of GPUs (docs/gpu-code.md): a check is one comparison without a sign, and what a condition of the
# program says of an index is not asked again.
using CUDA

one_site(y, x) = (i = threadIdx().x; y[i] = 2.0f0; return)
#: run sm_90 asm 'one_site(CuDeviceVector{Float32,1},CuDeviceVector{Float32,1})'
#: not: max.s64
#: check: setp.
#: sameln: $()u64
#: check: atom
#: run gfx1100 asm 'one_site(CuDeviceVector{Float32,1},CuDeviceVector{Float32,1})'
#: check: v_cmp$()
#: sameln: _u64$()
function matrices(y, i, j)
    y[i, j] = y[j, i]
    return
end
#: run sm_90 asm 'matrices(CuDeviceMatrix{Float32,1},Int64,Int64)'
#: not: max.s64
#: check: setp.
#: sameln: $()u64
function guarded(y)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        y[i] = 1.0f0
    end
    return
end
#: run sm_90 asm 'guarded(CuDeviceVector{Float32,1})'
#: not: call
#: check: st.global
#: run spirv64 asm 'guarded(CuDeviceVector{Float32,1})'
#: not: OpAtomicCompareExchange
#: check: OpStore
