# Exchanges of AMD's instructions with fixed sources, pauses and clocks (docs/intrinsics.md). `tests/programs/amdgpu_lanes.jl` has the results.
import AMDGPU
import AMDGPU: ROCDeviceVector, workitemIdx
import AMDGPU.Device: mov_dpp, ds_swizzle, s_sleep, clock64, wall_clock64

moves(a) = (i = workitemIdx().x; @inbounds a[i] = mov_dpp(a[i], Val(0x111)) + mov_dpp(a[i], Val(0x1b)); return)
#: run gfx90a asm 'moves(ROCDeviceVector{Int32,1})'
#: not: ds_bpermute
#: unordered: row_shr:1
#: unordered: quad_perm:[3,2,1,0]
#: run gfx1100 asm 'moves(ROCDeviceVector{Float64,1})'
#: not: ds_bpermute
#: unordered: row_shr:1
#: run gfx1100 bin 'moves(ROCDeviceVector{Int32,1})'
#: check: ELF
#: run sm_80 asm 'moves(ROCDeviceVector{Int32,1})'
#: check: shfl.sync.idx
swizzles(a) = (i = workitemIdx().x; @inbounds a[i] = ds_swizzle(a[i], Val(0x041f)); return)
#: run gfx90a asm 'swizzles(ROCDeviceVector{Float32,1})'
#: check: ds_swizzle_b32
#: sameln: swizzle(SWAP,1)
#: run gfx1100 asm 'swizzles(ROCDeviceVector{Int32,1})'
#: check: ds_swizzle_b32
times(a) = (a[1] = wall_clock64(); s_sleep(Val(5)); a[2] = clock64(); return)
#: run gfx90a asm 'times(ROCDeviceVector{UInt64,1})'
#: check: s_memrealtime
#: check: s_sleep 5
#: check: s_memtime
#: run gfx1100 asm 'times(ROCDeviceVector{UInt64,1})'
#: check: s_sendmsg_rtn_b64
#: check: s_sleep 5
