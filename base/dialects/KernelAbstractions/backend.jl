# Back ends, kernels bound to one, and launching.

abstract type Backend end
abstract type GPU <: Backend end

# This machine's processor. `static` is accepted and means nothing here.
struct CPU <: Backend
    static::Bool
    CPU(; static::Bool = false) = new(static)
end

struct Kernel{B,WorkgroupSize<:_Size,NDRange<:_Size,F}
    backend::B
    f::F
end
@noinline make_kernel(x, size, range, f) = throw(ArgumentError(string("the first argument of `", kernel_name(f),
    "` is a backend, not ", typeof(x), ": `", kernel_name(f), "(get_backend(array))(arguments...; ndrange = size)`")))
kernel_name(f) = chopprefix(string(nameof(f)), "gpu_")
make_kernel(backend::B, ::W, ::R, f::F) where {B<:Backend,W<:_Size,R<:_Size,F} = Kernel{B,W,R,F}(backend, f)

workgroupsize(::Kernel{B,W}) where {B,W} = W
ndrange(::Kernel{B,W,R}) where {B,W,R} = R
backend(k::Kernel) = k.backend
Base.similar(::Kernel{B,W,R}, f::F) where {B,W,R,F} = Kernel{B,W,R,F}(B(), f)

static_or(::Type{<:DynamicSize}, given, what) = given
function static_or(::Type{S}, given, what) where {S<:StaticSize}
    known = NDIteration.get(S)
    given === nothing || given == known || error("the kernel was made for a $what of $known, the launch gives $given")
    return known
end

as_tuple(x::Integer) = (Int(x),)
as_tuple(x::Tuple) = map(Int, x)
as_tuple(x::CartesianIndices) = size(x)

# Items a group by default: a run along the first dimensions.
default_workgroup(range::Tuple) = default_workgroup(range, 256)
default_workgroup(::Tuple{}, left::Int) = ()
function default_workgroup(range::Tuple, left::Int)
    w = clamp(range[1], 1, left)
    return (w, default_workgroup(Base.tail(range), max(left ÷ w, 1))...)
end

function (k::Kernel{B,W,R})(args...; ndrange = nothing, workgroupsize = nothing) where {B,W,R}
    range, size = launch_sizes(k, ndrange, workgroupsize)
    groups, items, check = NDIteration.partition(range, size)
    prod(groups) == 0 && return nothing
    options = kernel_options(k.backend, W <: StaticSize ? items : nothing)
    # The type of the context says whether items may be out of range: each launch is of one type.
    if check
        launch(k.backend, k.f, groups, items, Context{length(range),R,known_items(W, items),true}(range, items, groups), args, options)
    else
        launch(k.backend, k.f, groups, items, Context{length(range),R,known_items(W, items),false}(range, items, groups), args, options)
    end
    return nothing
end
known_items(::Type{<:DynamicSize}, items) = DynamicSize
@inline known_items(::Type{<:StaticSize}, items) = StaticSize{items}

# How a launch is cut into groups: its range, the size of groups, the groups with their items, and whether some items are out of range.
# Back ends of packages ask for it. The first two are given as launches take them.
function launch_config(kernel::Kernel, ndrange, workgroupsize)
    range, size = launch_sizes(kernel, ndrange, workgroupsize)
    return (range, size, partition(kernel, range, size)...)
end
function launch_sizes(::Kernel{B,W,R}, ndrange, workgroupsize) where {B,W,R}
    range = static_or(R, ndrange === nothing ? nothing : as_tuple(ndrange), "ndrange")
    size = static_or(W, workgroupsize === nothing ? nothing : as_tuple(workgroupsize), "workgroupsize")
    range === nothing && throw(ArgumentError("the kernel has no ndrange: give it with the launch, as in `kernel(arguments...; ndrange = size(array))`, or when the kernel is made, as in `kernel(backend, workgroupsize, ndrange)`"))
    return (range, size === nothing ? default_workgroup(range) : size)
end
function partition(kernel::Kernel{B,W}, ndrange, workgroupsize) where {B,W}
    range, size = launch_sizes(kernel, ndrange, workgroupsize)
    groups, items, check = NDIteration.partition(range, size)
    blocks, known = CartesianIndices(groups), W <: StaticSize && NDIteration.get(W) == items
    space = known ? NDIteration.NDRange{length(range),DynamicSize,W}(blocks) :
        NDIteration.NDRange{length(range),DynamicSize,DynamicSize}(blocks, CartesianIndices(items))
    return space, check ? NDIteration.DynamicCheck() : NDIteration.NoDynamicCheck()
end
# Contexts are kiln's own, whose kernels ask for nothing else.
Base.@lacked mkcontext

# The overlay tables that kernels of a back end see.
method_tables(::Backend) = ()
# How its kernels are compiled; `items` are those of a group if they are known then, and otherwise `nothing`.
kernel_options(backend::Backend, items) = (; method_tables = method_tables(backend))
# The limit of launches that a size of groups is which was known ahead. Of more than three dimensions it is launched as one of one.
items_limit(::Nothing) = nothing
items_limit(items) = length(items) > 3 ? (prod(items), 1, 1) : Device.three(items)

function launch(backend::Backend, given::F, groups, items, context, args::T, options) where {F,T<:Tuple}
    device_args = map(a -> argconvert(backend, a), args::T) # asks for the type: see `Device.@launch_steps`
    f = argconvert(backend, given)
    tt = Tuple{typeof(context),map(Core.Typeof, device_args)...}
    handle = Device.compile(f, tt, options)
    if length(groups) > 3
        groups, items = (prod(groups),), (prod(items),)
    end
    Base.imitating && check_launch(backend, Device.three(groups), Device.three(items))
    Device.launch_tuple(handle, f, Device.three(groups), Device.three(items), 0, (context, device_args...), args)
    # The processor's launches are over when they return, as upstream's are, whatever runs them here.
    return isgpu(backend) ? nothing : Device.synchronize()
end

# Whether a device that the processor imitates takes a launch, where a back end's package has a message of its own.
check_launch(::Backend, groups, items) = nothing

argconvert(::Backend, x) = Device.to_device(x)
argconvert(k::Kernel, x) = argconvert(k.backend, x)

synchronize(::Backend) = Device.synchronize()

get_backend(::Array) = CPU()
get_backend(a::AbstractArray) =
    parent(a) === a ? throw(ArgumentError("no backend is known for $(typeof(a))")) : get_backend(parent(a))

allocate(backend::Backend, ::Type{T}, dims::Integer...; kwargs...) where {T} = allocate(backend, T, map(Int, dims); kwargs...)
allocate(::CPU, ::Type{T}, dims::Tuple; kwargs...) where {T} = Array{T}(undef, dims)
zeros(backend::Backend, ::Type{T}, dims::Integer...; kwargs...) where {T} = zeros(backend, T, map(Int, dims); kwargs...)
ones(backend::Backend, ::Type{T}, dims::Integer...; kwargs...) where {T} = ones(backend, T, map(Int, dims); kwargs...)
zeros(backend::Backend, ::Type{T}, dims::Tuple; kwargs...) where {T} = fill!(allocate(backend, T, dims; kwargs...), zero(T))
ones(backend::Backend, ::Type{T}, dims::Tuple; kwargs...) where {T} = fill!(allocate(backend, T, dims; kwargs...), one(T))

# Between host and device; KernelAbstractions' own function, not Base's.
function copyto!(backend::Backend, dest, src)
    size(dest) == size(src) || length(dest) == length(src) ||
        throw(ArgumentError("copyto!: $(length(dest)) elements from $(length(src))"))
    Base.copyto!(dest, src)
    return dest
end

isgpu(::GPU) = true
isgpu(::Backend) = false
unsafe_free!(x) = nothing
unsafe_free!(a::Array) = Device.free(a)
pagelock!(::Backend, x) = missing
supports_atomics(::Backend) = true
supports_float64(::Backend) = true
supports_unified(::Backend) = false
supports_enzyme(::Backend) = false
functional(::Backend) = true
ndevices(::Backend) = 1
device(::Backend) = 1
function device!(backend::Backend, id::Int)
    id == 1 || throw(ArgumentError("Device id $id out of bounds."))
    return nothing
end
function priority!(::Backend, prio::Symbol)
    prio in (:high, :normal, :low) || error("priority must be one of :high, :normal, :low")
    return nothing
end
const POCLBackend = CPU
# The module that 0.10 has its processor's back end in. Packages whose arrays lie in memory of the host adapt them by its adaptor.
module POCL
import Base.Device
import Adapt
import ..KernelAbstractions: POCLBackend
struct KernelAdaptor{P}
    pointers::P     # of what the kernel follows besides its arguments
end
Adapt.adapt_storage(::KernelAdaptor, a::Array) = Device.whole(a)
end
constify(x) = x

# Ahead of a launch: a kernel's constructor stands for what the launch runs, with the context it is given. `space`: the
# size of work-groups, how many dimensions there are, or `nothing`, for as many as the first array has.
function Device.launched(f::Function, args, space)
    m, gpu = parentmodule(f), Symbol(:gpu_, nameof(f))
    isdefined(m, gpu) || return (f, args)
    return (getglobal(m, gpu), Tuple{context_type(args, space),args.parameters...})
end

context_type(args, n::Integer) = Context{Int(n),DynamicSize,DynamicSize,true}
context_type(args, size::Tuple) = Context{length(size),DynamicSize,StaticSize{map(Int, size)},true}
function context_type(args, ::Nothing)
    at = findfirst(T -> T isa Type && T <: AbstractArray, args.parameters)
    return context_type(args, at === nothing ? 1 : max(ndims(args.parameters[at]), 1))
end
