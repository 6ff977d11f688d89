# oneAPI as a back end of KernelAbstractions.
module oneAPIKernels

import Adapt
import KernelAbstractions
import ..oneAPI: oneAPI, oneArray, oneL0, kernel_convert
const KA = KernelAbstractions
export oneAPIBackend

struct oneAPIBackend <: KA.GPU
    prefer_blocks::Bool
    always_inline::Bool
end
oneAPIBackend(; prefer_blocks = false, always_inline = false) = oneAPIBackend(prefer_blocks, always_inline)

KA.get_backend(::oneArray) = oneAPIBackend()
KA.method_tables(::oneAPIBackend) = (oneAPI.method_table,)
function KA.kernel_options(backend::oneAPIBackend, items)
    always_inline = backend.always_inline
    items === nothing && return (; method_tables = KA.method_tables(backend), always_inline)
    return (; method_tables = KA.method_tables(backend), always_inline, items_max = KA.items_limit(items))
end
KA.argconvert(::oneAPIBackend, x) = kernel_convert(x)
KA.check_launch(::oneAPIBackend, groups, items) = oneAPI.check_launch(groups, items, 0)
KA.supports_float64(::oneAPIBackend) = false
KA.supports_unified(::oneAPIBackend) = true
KA.allocate(::oneAPIBackend, ::Type{T}, dims::Tuple; unified::Bool = false) where {T} =
    oneArray{T,length(dims),unified ? oneL0.SharedBuffer : oneL0.DeviceBuffer}(undef, map(Int, dims))
Adapt.adapt_storage(::oneAPIBackend, a::Array) = Adapt.adapt(oneArray, a)
Adapt.adapt_storage(::KA.CPU, a::oneArray) = Array(a)

end
using .oneAPIKernels: oneAPIBackend
