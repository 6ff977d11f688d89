# Asynchronous copies, barriers in memory and prefetches on GPUs (docs/intrinsics.md). `tests/programs/cuda_async.jl` has the results.
using CUDA

function staged(to, from, n)
    block = CG.this_thread_block()
    stage = CuStaticSharedArray(Float32, 256)
    CG.memcpy_async(block, pointer(stage), pointer(from), 4n)
    CG.wait_prior(block, 1)
    CG.wait(block)
    @inbounds to[threadIdx().x] = stage[threadIdx().x]
    return
end
# The addresses say that nothing but asynchronous copies is needed.
#: run sm_80 asm 'staged(CuDeviceVector{Float32,1},CuDeviceVector{Float32,1},Int)'
#: not: isspacep
#: unordered: cp.async.ca.shared.global
#: unordered: cp.async.cg.shared.global
#: unordered: cp.async.commit_group
#: check: cp.async.wait_group
#: sameln: 1
#: check: bar.sync
#: check: cp.async.wait_group
#: sameln: 0
#: run sm_80 bin 'staged(CuDeviceVector{Float32,1},CuDeviceVector{Float32,1},Int)'
#: check: ELF
#: run sm_75 asm 'staged(CuDeviceVector{Float32,1},CuDeviceVector{Float32,1},Int)'
#: not: cp.async
#: check: st.shared
#: run gfx1100 asm 'staged(CuDeviceVector{Float32,1},CuDeviceVector{Float32,1},Int)'
#: check: ds_store$()

function item(to, from)
    stage, i = CuStaticSharedArray(NTuple{4,Float32}, 32), threadIdx().x
    CG.pipeline_memcpy_async(pointer(stage, i), pointer(from, i))
    CG.pipeline_commit()
    CG.pipeline_wait_prior(0)
    @inbounds to[i] = stage[i]
    return
end
#: run sm_80 asm 'item(CuDeviceVector{NTuple{4,Float32},1},CuDeviceVector{NTuple{4,Float32},1})'
#: check: cp.async.cg.shared.global
#: sameln: 16;
#: run sm_90 bin 'item(CuDeviceVector{NTuple{4,Float32},1},CuDeviceVector{NTuple{4,Float32},1})'
#: check: ELF

function waits(to, from)
    stage, bar = CuStaticSharedArray(Float64, 64), pointer(CuStaticSharedArray(UInt64, 1))
    i = threadIdx().x
    i == 1 && CUDA.mbarrier_init(bar, blockDim().x)
    sync_threads()
    CG.pipeline_memcpy_async(pointer(stage, i), pointer(from, i))
    CG.pipeline_arrive_on(bar)
    CUDA.mbarrier_wait(bar, CUDA.mbarrier_arrive(bar))
    CUDA.mbarrier_wait(bar, CUDA.mbarrier_arrive_and_drop(bar))
    @inbounds to[i] = stage[i] + CUDA.mbarrier_pending_count(CUDA.mbarrier_arrive(bar))
    i == 1 && CUDA.mbarrier_inval(bar)
    return
end
#: run sm_80 asm 'waits(CuDeviceVector{Float64,1},CuDeviceVector{Float64,1})'
#: check: mbarrier.init.shared.b64
#: check: cp.async.ca.shared.global
#: check: cp.async.mbarrier.arrive.shared.b64
#: check: mbarrier.arrive.shared.b64
#: check: mbarrier.test_wait.shared.b64
#: check: mbarrier.arrive_drop.shared.b64
#: unordered: mbarrier.pending_count.b64
#: unordered: mbarrier.inval.shared.b64
#: run sm_80 bin 'waits(CuDeviceVector{Float64,1},CuDeviceVector{Float64,1})'
#: check: ELF
#: run sm_90 asm 'waits(CuDeviceVector{Float64,1},CuDeviceVector{Float64,1})'
#: not: test_wait
#: check: mbarrier.try_wait.shared.b64
#: run sm_90 bin 'waits(CuDeviceVector{Float64,1},CuDeviceVector{Float64,1})'
#: check: ELF
#: run sm_70 asm 'waits(CuDeviceVector{Float64,1},CuDeviceVector{Float64,1})'
#: not: mbarrier.
#: check: cas.b64
#: run gfx90a asm 'waits(CuDeviceVector{Float64,1},CuDeviceVector{Float64,1})'
#: check: ds_cmpst$()
#: run spirv64 asm 'waits(CuDeviceVector{Float64,1},CuDeviceVector{Float64,1})'
#: check: OpAtomicCompareExchange

asks(a, i) = (CUDA.prefetch_l1(pointer(a, i)); CUDA.prefetch_l2(pointer(a, i + 64)); return)
#: run sm_50 asm 'asks(CuDeviceVector{Float32,1},Int)'
#: check: prefetch.L1
#: check: prefetch.L2
#: run sm_80 bin 'asks(CuDeviceVector{Float32,1},Int)'
#: check: ELF
#: run gfx90a asm 'asks(CuDeviceVector{Float32,1},Int)'
#: check: s_endpgm

# Who names the intrinsic is told the first target that has it.
commits(a) = (ccall("llvm.nvvm.cp.async.commit.group", llvmcall, Cvoid, ()); return)
#: fails sm_75 asm 'commits(CuDeviceVector{Float32,1})'
#: check: sm_75 has no instruction for it, the first target that has is sm_80

# Copies of many bytes, and waits by parity.
function bulk(to, from)
    stage, bar = CuStaticSharedArray(Float32, 256), pointer(CuStaticSharedArray(UInt64, 1))
    if threadIdx().x == 1
        CUDA.mbarrier_init(bar, 1)
        CUDA.fence_proxy_async()
        CUDA.mbarrier_expect_tx(bar, 512)
        CUDA.mbarrier_arrive_expect_tx(bar, 512)
        CUDA.cp_async_bulk(pointer(stage), pointer(from), 1024, bar)
        CUDA.prefetch_l2(pointer(from, 257), 1024)
    end
    sync_threads()
    while !CUDA.mbarrier_test_wait_parity(bar, 0)
    end
    CUDA.mbarrier_wait_parity(bar, 0)
    if threadIdx().x == 1
        CUDA.cp_async_bulk(pointer(to), pointer(stage), 1024)
        CUDA.cp_async_bulk_commit_group()
        CUDA.cp_async_bulk_wait_group_read(Val(1))
        CUDA.cp_async_bulk_wait_group(Val(0))
    end
    return
end
#: run sm_90 asm 'bulk(CuDeviceVector{Float32,1},CuDeviceVector{Float32,1})'
#: check: .shared .align 16 .b8
#: check: .shared .align 16 .b8
#: check: fence.proxy.async.shared::cta
#: check: mbarrier.expect_tx.relaxed.cta.shared::cta.b64
#: check: mbarrier.arrive.expect_tx.shared::cta.b64
#: check: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
#: check: cp.async.bulk.prefetch.L2.global
#: check: mbarrier.test_wait.parity.shared::cta.b64
#: check: mbarrier.try_wait.parity.shared::cta.b64
#: check: cp.async.bulk.global.shared::cta.bulk_group
#: check: cp.async.bulk.commit_group
#: check: cp.async.bulk.wait_group.read 1
#: check: cp.async.bulk.wait_group 0
#: run sm_90 bin 'bulk(CuDeviceVector{Float32,1},CuDeviceVector{Float32,1})'
#: check: ELF
#: run sm_75 asm 'bulk(CuDeviceVector{Float32,1},CuDeviceVector{Float32,1})'
#: not: cp.async
#: check: ld.global
# Barriers of sm_80 know of no bytes.
#: fails sm_80 asm 'bulk(CuDeviceVector{Float32,1},CuDeviceVector{Float32,1})'
#: check: bulk copies, bytes at barriers and waits by parity need sm_90
