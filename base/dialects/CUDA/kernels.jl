# CUDA as a back end of KernelAbstractions.
module CUDAKernels

import KernelAbstractions
import ..CUDA: CUDA, CuArray, Device, cudaconvert
const KA = KernelAbstractions
export CUDABackend

struct CUDABackend <: KA.GPU
    prefer_blocks::Bool
    always_inline::Bool
    CUDABackend(; prefer_blocks = false, always_inline = false) = new(prefer_blocks, always_inline)
end

KA.get_backend(::CuArray) = CUDABackend()
KA.method_tables(::CUDABackend) = (CUDA.method_table,)
function KA.kernel_options(backend::CUDABackend, items)
    always_inline = backend.always_inline
    items === nothing && return (; method_tables = KA.method_tables(backend), always_inline)
    return (; method_tables = KA.method_tables(backend), always_inline, items_max = KA.items_limit(items))
end
KA.argconvert(::CUDABackend, x) = cudaconvert(x)
KA.allocate(::CUDABackend, ::Type{T}, dims::Tuple; kwargs...) where {T} = CuArray{T}(undef, dims)
function KA.check_launch(::CUDABackend, groups, items)
    CUDA.fits(groups, items, CUDA.THREADS_MAX) || CUDA.check_launch(groups, items, (1, 1, 1), CUDA.THREADS_MAX)
    return nothing
end
KA.supports_unified(::CUDABackend) = true

end
using .CUDAKernels: CUDABackend
