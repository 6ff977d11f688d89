# KernelAbstractions: kernels over index spaces. 0.10's semantics; 0.9's way of calling is accepted.
module KernelAbstractions

import Base.Device
import Adapt
import Atomix: @atomic, @atomicswap, @atomicreplace
using Base.Device: DeviceArray

export @kernel, @Const, @localmem, @private, @uniform, @synchronize, @index, @groupsize, @ndrange, @print
export @context
export Backend, GPU, CPU, synchronize, get_backend, allocate, KernelIntrinsics

include("KernelAbstractions/sizes.jl")
include("KernelAbstractions/context.jl")
include("KernelAbstractions/macros.jl")
include("KernelAbstractions/backend.jl")
include("KernelAbstractions/intrinsics.jl")
include("KernelAbstractions/extras.jl")
include("KernelAbstractions/dialect.jl")
include("KernelAbstractions/workload.jl")

end
