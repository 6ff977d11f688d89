# Metal as a back end of KernelAbstractions.
module MetalKernels

import Adapt
import KernelAbstractions
import ..Metal: Metal, MtlArray, PrivateStorage, SharedStorage, mtlconvert
const KA = KernelAbstractions
export MetalBackend

struct MetalBackend <: KA.GPU end

KA.get_backend(::MtlArray) = MetalBackend()
KA.method_tables(::MetalBackend) = (Metal.method_table,)
function KA.kernel_options(backend::MetalBackend, items)
    items === nothing && return (; method_tables = KA.method_tables(backend))
    return (; method_tables = KA.method_tables(backend), items_max = KA.items_limit(items))
end
KA.argconvert(::MetalBackend, x) = mtlconvert(x)
KA.check_launch(::MetalBackend, groups, items) = Metal.check_launch(groups, items, 0)
KA.supports_float64(::MetalBackend) = false
KA.supports_unified(::MetalBackend) = true
KA.allocate(::MetalBackend, ::Type{T}, dims::Tuple; unified::Bool = false) where {T} =
    MtlArray{T,length(dims),unified ? SharedStorage : PrivateStorage}(undef, dims)
Adapt.adapt_storage(::MetalBackend, a::Array) = Adapt.adapt(MtlArray, a)
Adapt.adapt_storage(::KA.CPU, a::MtlArray) = Array(a)

end
using .MetalKernels: MetalBackend
