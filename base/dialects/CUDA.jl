# CUDA: files written for CUDA.jl, run on this machine's processor. Device arrays live in host memory.
module CUDA

import Base.Device
import Adapt
import Atomix
import UnsafeAtomics
import GPUArraysCore
import GPUArraysCore: allowscalar, @allowscalar
using Random

export AS, DenseCuArray, DenseCuVector, DenseCuMatrix, DenseCuVecOrMat
export CuArray, CuVector, CuMatrix, CuDeviceArray, CuDeviceVector, CuDeviceMatrix, CuPtr, cu
export @cuda, cufunction, cudaconvert, synchronize, device, devices, CuDevice, CuDim3, launch_configuration
export sync_threads_count, sync_threads_and, sync_threads_or, laneid, warpsize, lanemask, active_mask, FULL_MASK
export shfl_sync, shfl_up_sync, shfl_down_sync, shfl_xor_sync, clock, nanosleep, nextwarp, prevwarp
export vote_all_sync, vote_any_sync, vote_uni_sync, vote_ballot_sync
export clusterIdx, clusterDim, blockIdxInCluster, gridClusterDim, cluster_arrive, cluster_arrive_relaxed, cluster_wait
export linearBlockIdxInCluster, linearClusterSize, CuDistributedSharedArray, this_grid, sync_grid
export trigger_programmatic_launch_completion, grid_dependency_synchronize
export threadIdx, blockIdx, blockDim, gridDim, sync_threads, sync_warp, threadfence, threadfence_block, threadfence_system
export CuStaticSharedArray, CuDynamicSharedArray, @cuStaticSharedMem, @cuDynamicSharedMem
export dynamic_cufunction, CuDeviceStream
export CuStream, CuEvent, default_stream, legacy_stream, per_thread_stream, stream, stream!, record, elapsed, device_synchronize
export capability, totalmem, attribute, CuContext, context, context!, SMVersion, @sm_str, OutOfGPUMemoryError, CuIterator, CG
export @device_code, @device_code_lowered, @device_code_typed, @device_code_warntype, @device_code_llvm
export @device_code_native, @device_code_ptx, @device_code_sass
export @cuprint, @cuprintln, @cuprintf, @cushow, @cuassert, CUDABackend

include("CUDA/array.jl")
include("CUDA/device.jl")
include("CUDA/warp.jl")
include("CUDA/output.jl")
include("CUDA/atomics.jl")
include("CUDA/launch.jl")
include("CUDA/dynamic.jl")
include("CUDA/dynamic_ptx.jl")
include("CUDA/math.jl")
include("CUDA/streams.jl")
include("CUDA/driver.jl")
include("CUDA/cooperative_groups.jl")
include("CUDA/wmma.jl")
include("CUDA/kernels.jl")
include("CUDA/reflection.jl")
include("CUDA/dialect.jl")
include("CUDA/workload.jl")

end
