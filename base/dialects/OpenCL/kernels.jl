# OpenCL as a back end of KernelAbstractions.
module OpenCLKernels

import Adapt
import KernelAbstractions
import ..OpenCL: OpenCL, CLArray, cl, kernel_convert
const KA = KernelAbstractions
export OpenCLBackend

struct OpenCLBackend <: KA.GPU end

KA.get_backend(::CLArray) = OpenCLBackend()
KA.method_tables(::OpenCLBackend) = (OpenCL.method_table,)
function KA.kernel_options(backend::OpenCLBackend, items)
    items === nothing && return (; method_tables = KA.method_tables(backend))
    return (; method_tables = KA.method_tables(backend), items_max = KA.items_limit(items))
end
KA.argconvert(::OpenCLBackend, x) = kernel_convert(x)
KA.check_launch(::OpenCLBackend, groups, items) = OpenCL.check_launch(groups, items, 0)
KA.supports_float64(::OpenCLBackend) = cl.is_processor()
KA.supports_unified(::OpenCLBackend) = true
KA.allocate(::OpenCLBackend, ::Type{T}, dims::Tuple; unified::Bool = false) where {T} =
    CLArray{T,length(dims),unified ? cl.UnifiedSharedMemory : cl.UnifiedDeviceMemory}(undef, map(Int, dims))
Adapt.adapt_storage(::OpenCLBackend, a::Array) = Adapt.adapt(CLArray, a)
Adapt.adapt_storage(::KA.CPU, a::CLArray) = Array(a)

end
using .OpenCLKernels: OpenCLBackend
