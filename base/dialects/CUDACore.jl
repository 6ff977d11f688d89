# CUDACore: the part of CUDA.jl that launches kernels, under its own name.
module CUDACore

import CUDA
import CUDA: CuArray, CuVector, CuMatrix, CuDeviceArray, CuDeviceVector, CuDeviceMatrix, CuPtr, cu
import CUDA: @cuda, cufunction, cudaconvert, synchronize, device, devices, CuDevice, CuDim3, launch_configuration
import CUDA: threadIdx, blockIdx, blockDim, gridDim, sync_threads, sync_warp, threadfence, threadfence_block
import CUDA: sync_threads_count, sync_threads_and, sync_threads_or, laneid, warpsize, lanemask, active_mask, FULL_MASK
import CUDA: shfl_sync, shfl_up_sync, shfl_down_sync, shfl_xor_sync, clock, nanosleep, nextwarp, prevwarp
import CUDA: vote_all_sync, vote_any_sync, vote_uni_sync, vote_ballot_sync
import CUDA: CuStaticSharedArray, CuDynamicSharedArray, @cuStaticSharedMem, @cuDynamicSharedMem
import CUDA: @cuprint, @cuprintln, @cuprintf, @cushow, @cuassert, CUDABackend
import CUDA: SMVersion, @sm_str, CuContext, context, context!, CG
import CUDA: @atomic, @sync, i32, KernelAdaptor, AS, LLVMPtr, HostKernel, functional, zeros, ones, fill, rand

export CuArray, CuVector, CuMatrix, CuDeviceArray, CuDeviceVector, CuDeviceMatrix, CuPtr, cu
export @cuda, cufunction, cudaconvert, synchronize, device, devices, CuDevice, CuDim3, launch_configuration
export threadIdx, blockIdx, blockDim, gridDim, sync_threads, sync_warp, threadfence, threadfence_block
export sync_threads_count, sync_threads_and, sync_threads_or, laneid, warpsize, lanemask, active_mask, FULL_MASK
export shfl_sync, shfl_up_sync, shfl_down_sync, shfl_xor_sync, clock, nanosleep, nextwarp, prevwarp
export vote_all_sync, vote_any_sync, vote_uni_sync, vote_ballot_sync
export CuStaticSharedArray, CuDynamicSharedArray, @cuStaticSharedMem, @cuDynamicSharedMem
export SMVersion, @sm_str, CuContext, context, context!, CG
export @cuprint, @cuprintln, @cuprintf, @cushow, @cuassert, CUDABackend

end
