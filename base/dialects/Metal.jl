# Metal: files written for Metal.jl, run on this machine's processor, or on what other device a session has opened. Code for Apple GPUs
# is made by `kiln compile -t metal`, and shown by `code_air`.
module Metal

import Adapt
import Atomix
import GPUArraysCore
import GPUArraysCore: allowscalar, @allowscalar
using Random

export @metal, mtl, mtlconvert, mtlfunction, device, device!, global_queue, synchronize, device_synchronize
export MtlArray, MtlVector, MtlMatrix, MtlVecOrMat, is_shared, is_managed, is_private
export MtlDeviceArray, MtlDeviceVector, MtlDeviceMatrix, MtlThreadGroupArray
export MemoryFlags, threadgroup_barrier, simdgroup_barrier, simd_shuffle_down, simd_shuffle_up
export simdgroup_load, simdgroup_store, simdgroup_multiply, simdgroup_multiply_accumulate
export @mtlprint, @mtlprintln, @mtlprintf
export @device_code, @device_code_lowered, @device_code_typed, @device_code_warntype, @device_code_llvm, @device_code_native,
    @device_code_air, @device_code_metal
export MetalBackend

# What every dialect is built on.
const Kernels = Base.Device

# What kernels see in place of host methods; `metal_method_table` stands in front of it for Apple GPUs.
Base.Experimental.@MethodTable(method_table)
Base.Experimental.@MethodTable(metal_method_table)

include("Metal/array.jl")
include("Metal/device/indexing.jl")
include("Metal/device/groups.jl")
include("Metal/device/atomics.jl")
include("Metal/device/output.jl")
include("Metal/runtime.jl")
include("Metal/launch.jl")
include("Metal/kernels.jl")
include("Metal/reflection.jl")
include("Metal/dialect.jl")
include("Metal/workload.jl")

end
