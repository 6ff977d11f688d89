# `@cuda` and what it stands on.

struct CuDim3
    x::Int
    y::Int
    z::Int
end
CuDim3(d::Integer) = CuDim3(d, 1, 1)
CuDim3(d::Tuple) = CuDim3(Device.three(d)...)
dims3(d::CuDim3) = (d.x, d.y, d.z)
dims3(d) = Device.three(d)

struct CuDevice
    ordinal::Int
end
device() = CuDevice(0)
device!(::Any) = nothing
devices() = [CuDevice(0)]
name(::CuDevice) = "CPU"
functional(show_reason::Bool = false) = true
has_cuda(show_reason::Bool = false) = true
has_cuda_gpu(show_reason::Bool = false) = true
const DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = :max_threads_per_block
const DEVICE_ATTRIBUTE_WARP_SIZE = :warp_size
const DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = :multiprocessor_count
function attribute(::CuDevice, what::Symbol)
    what === :max_threads_per_block && return 1024
    return 1
end
warpsize(::CuDevice) = 1

struct KernelAdaptor end
Adapt.adapt_storage(::KernelAdaptor, a::CuArray{T}) where {T} =
    Device.device_array(T, Val(Device.GLOBAL), pointer(a.data), size(a.data))
Adapt.adapt_storage(::Device.ToDevice, a::CuArray) = Adapt.adapt_storage(KernelAdaptor(), a)
cudaconvert(x) = Adapt.adapt(KernelAdaptor(), x)

# What kernels see in place of host methods. `@device_override f(x) = ...` adds to it; `@device_function` defines what
# only kernels can call.
Base.Experimental.@MethodTable(method_table)
macro device_override(ex)
    return esc(Device.overridden(method_table, macroexpand(__module__, ex)))
end
macro device_function(ex)
    return esc(Device.device_function(method_table, macroexpand(__module__, ex)))
end
macro device_functions(block)
    body = macroexpand(__module__, block)
    body isa Expr && body.head === :block || throw(ArgumentError("@device_functions: a block of functions is needed"))
    defined = Any[a isa LineNumberNode ? a : Device.device_function(method_table, a) for a in body.args]
    return esc(Expr(:block, defined...))
end

struct HostKernel{F,TT}
    f::F
    handle::UInt64
end

struct CuFunctionInfo
    handle::UInt64
end
function Base.getproperty(k::HostKernel, s::Symbol)
    return s === :fun ? CuFunctionInfo(getfield(k, :handle)) : getfield(k, s)
end

function cufunction(f::F, tt::Type{TT} = Tuple{}; kwargs...) where {F,TT}
    converted = cudaconvert(f)
    return HostKernel{typeof(converted),TT}(converted, Device.compile(converted, TT; method_tables = (method_table,), kwargs...))
end

launch_configuration(fun; shmem = 0, max_threads = 0) =
    (blocks = 1, threads = max_threads > 0 ? min(256, max_threads) : 256)
maxthreads(k::HostKernel) = 1024
registers(k::HostKernel) = 0
memory(k::HostKernel) = (shared = 0, constant = 0, local_ = 0)

function (k::HostKernel)(args...; threads = 1, blocks = 1, shmem = 0, stream = nothing, cooperative = false,
                         clustersize = 1, convert::Val = Val(true))
    bytes = shmem isa Function ? shmem(prod(dims3(threads))) : shmem
    prod(dims3(threads)) > 1024 &&
        throw(ArgumentError("Number of threads per block exceeds device limit ($(prod(dims3(threads))) > 1024)."))
    Device.launch(getfield(k, :handle), getfield(k, :f), dims3(blocks), dims3(threads), bytes, map(cudaconvert, args)...; keep = args)
end

const MACRO_OPTIONS = (:dynamic, :launch)
const COMPILE_OPTIONS =
    (:minthreads, :maxthreads, :blocks_per_sm, :maxregs, :name, :always_inline, :fastmath, :cap, :ptx, :kernel)
const LAUNCH_OPTIONS = (:cooperative, :blocks, :threads, :clustersize, :shmem, :stream)

macro cuda(ex...)
    call = ex[end]
    call isa Expr && call.head === :call || throw(ArgumentError("@cuda: the last argument is a call of a kernel"))
    compile, options, launch = Any[], Any[], true
    for o in ex[1:end-1]
        o isa Symbol || o isa Expr && o.head === :(=) || throw(ArgumentError("@cuda: invalid option `$o`"))
        name, value = o isa Symbol ? (o, o) : (o.args[1], o.args[2])
        if name in MACRO_OPTIONS
            name === :launch && (launch = value)
        elseif name in COMPILE_OPTIONS
            push!(compile, Expr(:kw, name, esc(value)))
        elseif name in LAUNCH_OPTIONS
            push!(options, Expr(:kw, name, esc(value)))
        else
            throw(ArgumentError("@cuda: unknown option `$name`"))
        end
    end
    any(a -> a isa Expr && (a.head === :parameters || a.head === :kw), call.args) &&
        throw(ArgumentError("@cuda: a kernel takes no keyword arguments"))
    args = Expr(:tuple, map(esc, call.args[2:end])...)
    compiled = Expr(:call, :cufunction, Expr(:parameters, compile...), :f, :(Tuple{map(a -> Core.Typeof(cudaconvert(a)), args)...}))
    run = launch ? Expr(:call, :kernel, Expr(:parameters, options...), :(args...)) : nothing
    return quote
        let f = $(esc(call.args[1])), args = $args
            kernel = $compiled
            $run
            kernel
        end
    end
end

synchronize(args...; kwargs...) = Device.synchronize()
device_synchronize() = Device.synchronize()
macro sync(ex...)
    return quote
        local result = $(esc(ex[end]))
        synchronize()
        result
    end
end
macro elapsed(ex...)
    return :(Base.@elapsed begin
        $(esc(ex[end]))
        synchronize()
    end)
end
macro time(ex...)
    return :(Base.@time begin
        $(esc(ex[end]))
        synchronize()
    end)
end
macro profile(ex...)
    return esc(ex[end])
end
