# AMDGPU as a back end of KernelAbstractions.
module ROCKernels

import Adapt
import KernelAbstractions
import ..AMDGPU: AMDGPU, ROCArray, rocconvert
const KA = KernelAbstractions
export ROCBackend

struct ROCBackend <: KA.GPU end

KA.get_backend(::ROCArray) = ROCBackend()
KA.method_tables(::ROCBackend) = (AMDGPU.method_table,)
function KA.kernel_options(backend::ROCBackend, items)
    items === nothing && return (; method_tables = KA.method_tables(backend))
    return (; method_tables = KA.method_tables(backend), items_max = KA.items_limit(items))
end
KA.argconvert(::ROCBackend, x) = rocconvert(x)
KA.check_launch(::ROCBackend, groups, items) = AMDGPU.check_launch(groups, items, 0)
KA.allocate(::ROCBackend, ::Type{T}, dims::Tuple; kwargs...) where {T} = ROCArray{T}(undef, dims)
Adapt.adapt_storage(::ROCBackend, a::Array) = ROCArray(a)
Adapt.adapt_storage(::KA.CPU, a::ROCArray) = Array(a)

end
using .ROCKernels: ROCBackend
