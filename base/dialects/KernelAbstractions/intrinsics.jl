# KernelIntrinsics: what 0.10 puts under the kernel language, usable by plain functions.
module KernelIntrinsics

import Base.Device
import ..KernelAbstractions
const KA = KernelAbstractions

const Ids = @NamedTuple{x::Int, y::Int, z::Int}

@inline get_local_id() = Ids((Device.local_id(1) + 1, Device.local_id(2) + 1, Device.local_id(3) + 1))
@inline get_group_id() = Ids((Device.group_id(1) + 1, Device.group_id(2) + 1, Device.group_id(3) + 1))
@inline get_local_size() = Ids((Device.local_size(1), Device.local_size(2), Device.local_size(3)))
@inline get_num_groups() = Ids((Device.num_groups(1), Device.num_groups(2), Device.num_groups(3)))
@inline get_global_id() = Ids((
    Device.group_id(1) * Device.local_size(1) + Device.local_id(1) + 1,
    Device.group_id(2) * Device.local_size(2) + Device.local_id(2) + 1,
    Device.group_id(3) * Device.local_size(3) + Device.local_id(3) + 1,
))
@inline get_global_size() = Ids((
    Device.num_groups(1) * Device.local_size(1),
    Device.num_groups(2) * Device.local_size(2),
    Device.num_groups(3) * Device.local_size(3),
))
@inline localmemory(::Type{T}, dims) where {T} = localmemory(T, Val(KA.dims_tuple(dims)))
@inline localmemory(::Type{T}, ::Val{dims}) where {T,dims} = Device.shared_array(T, Val(KA.dims_tuple(dims)))
@inline barrier() = Device.barrier()
macro print(items...)
    return :(KA.@print($(map(esc, items)...)))
end

struct Kernel{B,F}
    backend::B
    f::F
end

kernel_function(backend, f, tt = Tuple{}; kwargs...) = Kernel(backend, f)
argconvert(backend, x) = KA.argconvert(backend, x)
max_work_group_size(backend) = 1024
kernel_max_work_group_size(kernel; max_work_items = typemax(Int)) = min(1024, max_work_items)
multiprocessor_count(backend) = 1

function (k::Kernel)(args...; numworkgroups = 1, workgroupsize = 1)
    check_rank(numworkgroups, "numworkgroups")
    check_rank(workgroupsize, "workgroupsize")
    converted = map(a -> argconvert(k.backend, a), args)
    f = argconvert(k.backend, k.f)
    handle = Device.compile(f, Tuple{map(Core.Typeof, converted)...})
    Device.launch(handle, f, numworkgroups, workgroupsize, 0, converted...; keep = args)
end

check_rank(size, what) =
    length(size) <= 3 || throw(ArgumentError("$what has $(length(size)) dimensions; at most 3 are possible"))

macro kernel(backend, ex...)
    call = ex[end]
    options = Any[]
    launch = true
    for o in ex[1:end-1]
        name, value = o isa Symbol ? (o, o) : (o.args[1], o.args[2])
        if name === :launch
            launch = value
        elseif name in (:numworkgroups, :workgroupsize)
            push!(options, Expr(:kw, name, esc(value)))
        end
    end
    kernel = :(Kernel($(esc(backend)), $(esc(call.args[1]))))
    launch || return kernel
    return Expr(:call, kernel, Expr(:parameters, options...), map(esc, call.args[2:end])...)
end

end
const KI = KernelIntrinsics
