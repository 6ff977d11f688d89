# Instructions of GPUs for functions that every device computes (docs/intrinsics.md): kernels use them from the first target that has
# them on, and compute elsewhere. `tests/programs/cuda_instructions.jl` has the results.
using CUDA
import AMDGPU

store(out, x) = (@inbounds out[threadIdx().x] = x; return)
value(out) = @inbounds out[threadIdx().x]

shuffles(out) = store(out, shfl_down_sync(FULL_MASK, value(out), 1) + shfl_up_sync(FULL_MASK, value(out), 2) + shfl_xor_sync(FULL_MASK, value(out), 4))
#: run sm_70 asm 'shuffles(CuDeviceVector{Int32,1})'
#: not: shfl.sync.idx
#: not: laneid
#: check: shfl.sync.down.b32
#: sameln: 1, 31, -1
#: check: shfl.sync.up.b32
#: sameln: 2, 0, -1
#: check: shfl.sync.bfly.b32
#: sameln: 4, 31, -1
segments(out) = store(out, shfl_down_sync(FULL_MASK, value(out), 1, 8))
#: run sm_70 asm 'segments(CuDeviceVector{Int32,1})'
#: check: shfl.sync.down.b32
#: sameln: 1, 6175, -1

all_vote(out) = store(out, vote_all_sync(FULL_MASK, value(out) > 0))
#: run sm_70 asm 'all_vote(CuDeviceVector{Int32,1})'
#: check: vote.sync.all.pred
any_vote(out) = store(out, vote_any_sync(FULL_MASK, value(out) > 0))
#: run sm_70 asm 'any_vote(CuDeviceVector{Int32,1})'
#: check: vote.sync.any.pred
uniform_vote(out) = store(out, vote_uni_sync(FULL_MASK, value(out) > 0))
#: run sm_70 asm 'uniform_vote(CuDeviceVector{Int32,1})'
#: check: vote.sync.uni.pred

matches(out) = store(out, CUDA.match_any_sync(FULL_MASK, value(out)))
#: run sm_70 asm 'matches(CuDeviceVector{UInt32,1})'
#: check: match.any.sync.b32
#: run sm_70 asm 'matches(CuDeviceVector{UInt64,1})'
#: check: match.any.sync.b64
#: run sm_60 asm 'matches(CuDeviceVector{UInt32,1})'
#: not: match.any
#: check: st.global

sums(out) = store(out, CUDA.reduce_add_sync(FULL_MASK, value(out)))
#: run sm_80 asm 'sums(CuDeviceVector{Int32,1})'
#: check: redux.sync.add.s32
#: run sm_75 asm 'sums(CuDeviceVector{Int32,1})'
#: not: redux
#: check: st.global
#: run sm_80 asm 'sums(CuDeviceVector{Float32,1})'
#: not: redux
#: check: add.f32
least(out) = store(out, CUDA.reduce_min_sync(FULL_MASK, value(out)))
#: run sm_90 asm 'least(CuDeviceVector{UInt32,1})'
#: check: redux.sync.min.u32
#: run sm_90 asm 'least(CuDeviceVector{Int32,1})'
#: check: redux.sync.min.s32

counts(out) = store(out, sync_threads_count(value(out) > 0))
#: run sm_70 asm 'counts(CuDeviceVector{Int32,1})'
#: not: atom
#: check: red.popc
everyone(out) = store(out, sync_threads_and(value(out) > 0))
#: run sm_70 asm 'everyone(CuDeviceVector{Int32,1})'
#: not: atom
#: check: red.and.pred
anyone(out) = store(out, AMDGPU.sync_workgroup_or(value(out)))
#: run sm_70 asm 'anyone(CuDeviceVector{Int32,1})'
#: not: atom
#: check: red.or.pred

dots(out) = store(out, CUDA.dp4a(value(out), value(out), value(out)))
#: run sm_61 asm 'dots(CuDeviceVector{Int32,1})'
#: check: dp4a.s32.s32
#: run sm_61 asm 'dots(CuDeviceVector{UInt32,1})'
#: check: dp4a.u32.u32
#: run sm_60 asm 'dots(CuDeviceVector{Int32,1})'
#: not: dp4a
#: check: mad.lo
#: run gfx90a asm 'dots(CuDeviceVector{Int32,1})'
#: check: v_dot4$()
#: run gfx1030 asm 'dots(CuDeviceVector{UInt32,1})'
#: check: v_dot4_u32_u8$()
#: run gfx1100 asm 'dots(CuDeviceVector{Int32,1})'
#: check: v_dot4_i32_iu8$()
#: run gfx900 asm 'dots(CuDeviceVector{Int32,1})'
#: not: v_dot4$()
#: check: s_endpgm

bytes(out) = store(out, CUDA.byte_perm(value(out), value(out) + Int32(1), value(out)))
#: run sm_70 asm 'bytes(CuDeviceVector{Int32,1})'
#: check: prmt.b32
high(out) = store(out, CUDA.mul64hi(value(out), value(out)))
#: run sm_70 asm 'high(CuDeviceVector{UInt64,1})'
#: check: mul.hi.u64
roots(out) = store(out, CUDA.rsqrt(value(out)))
#: run sm_70 asm 'roots(CuDeviceVector{Float32,1})'
#: not: call
#: check: rsqrt.approx.f32
#: run gfx1100 asm 'roots(CuDeviceVector{Float32,1})'
#: check: v_rsq_f32$()

counters(out, x) = (store(out, CUDA.atomic_inc!(pointer(out), x) + CUDA.atomic_dec!(pointer(out, 2), x)); return)
#: run sm_70 asm 'counters(CuDeviceVector{UInt32,1},UInt32)'
#: not: cas
#: check: inc.u32
#: check: dec.u32
#: run gfx90a asm 'counters(CuDeviceVector{Int32,1},Int32)'
#: not: cmpswap
#: check: global_atomic_inc$()
#: check: global_atomic_dec$()
halves(out, x) = (CUDA.@atomic out[1] += x; return)
#: run sm_70 asm 'halves(CuDeviceVector{Float16,1},Float16)'
#: not: cas
#: check: add.noftz.f16
#: run sm_60 asm 'halves(CuDeviceVector{Float16,1},Float16)'
#: check: cas
#: run sm_90 asm 'halves(CuDeviceVector{Core.BFloat16,1},Core.BFloat16)'
#: not: cas
#: check: add.noftz.bf16

waits(n) = (CUDA.nanosleep(n); return)
#: run sm_70 asm 'waits(UInt32)'
#: check: nanosleep.u32
#: run sm_60 asm 'waits(UInt32)'
#: not: nanosleep
#: check: clock64

cached(y, x) = (CUDA.stcs(pointer(y), CUDA.ldcg(pointer(x))); CUDA.stwt(pointer(y, 2), CUDA.ldlu(pointer(x, 2))); return)
#: run sm_70 asm 'cached(CuDeviceVector{Float32,1},CuDeviceVector{Float32,1})'
#: check: ld.cg.b32
#: check: st.cs.b32
#: check: ld.lu.b32
#: check: st.wt.b32
#: run sm_70 bin 'cached(CuDeviceVector{Float64,1},CuDeviceVector{Float64,1})'
#: check: ELF
#: run gfx1100 asm 'cached(CuDeviceVector{Float32,1},CuDeviceVector{Float32,1})'
#: check: global_store$()

fast(out) = store(out, @fastmath sin(value(out)) + cos(value(out)) + exp(value(out)) + log(value(out)) + tanh(value(out)) + value(out)^0.7f0)
#: run sm_80 asm 'fast(CuDeviceVector{Float32,1})'
#: unordered: sin.approx
#: unordered: cos.approx
#: unordered: ex2.approx
#: unordered: lg2.approx
#: unordered: tanh.approx.f32
#: run sm_80 bin 'fast(CuDeviceVector{Float32,1})'
#: check: ELF
#: run gfx1100 asm 'fast(CuDeviceVector{Float32,1})'
#: unordered: v_sin_f32$()
#: unordered: v_cos_f32$()
#: unordered: v_exp_f32$()
#: unordered: v_log_f32$()
#: run spirv64 asm 'fast(CuDeviceVector{Float32,1})'
#: unordered: native_sin
#: unordered: native_cos
#: unordered: native_exp
#: unordered: native_log

waves(out) = store(out, AMDGPU.Device.wfred(+, value(out)))
#: run gfx90a asm 'waves(CuDeviceVector{Int32,1})'
#: not: ds_bpermute$()
#: check: s_endpgm
#: run gfx1100 asm 'waves(CuDeviceVector{Int32,1})'
#: not: ds_bpermute$()
#: check: s_endpgm
#: run gfx90a asm 'waves(CuDeviceVector{Float32,1})'
#: check: ds_bpermute$()
