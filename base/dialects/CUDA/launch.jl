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
# What the device is that kernels run on: see `Core.Host.kernel_device`.
name(::CuDevice) = Core.Host.kernel_device()[1]
totalmem(::CuDevice) = Core.Host.kernel_device()[6]
# Of an NVIDIA GPU its own. Any other device does what the first of them does whose items wait for each other one by one.
function capability(::CuDevice)
    target = Core.Host.kernel_device()[2]
    startswith(target, "sm_") || return v"7.0"
    digits = parse(Int, filter(isdigit, target))
    return VersionNumber(div(digits, 10), rem(digits, 10))
end
versioninfo(io::IO = stdout) = Device.version_info(io, "CUDA.jl")
functional(show_reason::Bool = false) = true
has_cuda(show_reason::Bool = false) = true
has_cuda_gpu(show_reason::Bool = false) = true
const DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = :max_threads_per_block
const DEVICE_ATTRIBUTE_WARP_SIZE = :warp_size
const DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = :multiprocessor_count
const DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = :max_shared_memory_per_block
const DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = :max_shared_memory_per_block_optin
const DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = :max_block_dim_x
const DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = :max_block_dim_y
const DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = :max_block_dim_z
const DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = :max_grid_dim_x
const DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = :max_grid_dim_y
const DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = :max_grid_dim_z
const DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = :compute_capability_major
const DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = :compute_capability_minor
const DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = :max_registers_per_block
# Work-groups wait for each other on NVIDIA GPUs alone: see `CG.grid_group`.
is_nvidia() = startswith(Core.Host.kernel_device()[2], "sm_") && !Base.imitating
const DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = :cluster_launch
const DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = :cooperative_launch
function attribute(dev::CuDevice, what::Symbol)
    what === :max_threads_per_block && return min(THREADS_MAX, Core.Host.kernel_device()[3])
    what === :warp_size && return LANES
    what === :max_registers_per_block && return 65536
    what === :cooperative_launch && return is_nvidia() && capability(dev) >= v"7.0" ? 1 : 0
    what === :cluster_launch && return clusters_max() > 1 ? 1 : 0
    what === :multiprocessor_count && return Core.Host.kernel_device()[4]
    what === :max_shared_memory_per_block && return Core.Host.kernel_device()[5]
    what === :max_shared_memory_per_block_optin && return Core.Host.kernel_device()[8]
    what === :compute_capability_major && return Int(capability(dev).major)
    what === :compute_capability_minor && return Int(capability(dev).minor)
    for (n, d) in enumerate((:x, :y, :z))
        what === Symbol(:max_block_dim_, d) && return THREADS_DIM_MAX[n]
        what === Symbol(:max_grid_dim_, d) && return BLOCKS_DIM_MAX[n]
    end
    return 1
end
warpsize(::CuDevice) = LANES
# Groups of a cluster, at most: as many as every GPU has that has clusters.
clusters_max() = is_nvidia() && capability(device()) >= v"9.0" ? 8 : 1

struct KernelAdaptor <: GPUArraysCore.AbstractKernelAdaptor end
cudaconvert(x) = Adapt.adapt(KernelAdaptor(), x)
# What nothing has to be asked about: other numbers may be structs that hold arrays.
cudaconvert(x::Union{Bool,Base.BitInteger,Float16,Float32,Float64}) = x
cudaconvert(a::CuArray) = Device.whole(a.data)

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
    maxthreads::Int
end

struct CuFunctionInfo
    handle::UInt64
end
function Base.getproperty(k::HostKernel, s::Symbol)
    return s === :fun ? CuFunctionInfo(getfield(k, :handle)) : getfield(k, s)
end

# What a function may be launched with. To have more dynamic shared memory than any launch has, a program asks for it.
const FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = :max_threads_per_block
const FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = :max_dynamic_shared_size_bytes
struct AttributeDict
    f::CuFunctionInfo
end
attributes(f::CuFunctionInfo) = AttributeDict(f)
const SHARED_BYTES = Dict{UInt64,Int}()
function Base.getindex(a::AttributeDict, what::Symbol)
    what === :max_threads_per_block && return attribute(device(), DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
    what === :max_dynamic_shared_size_bytes && return shared_limit(a.f.handle)
    throw(ArgumentError(string("an attribute of a function that kiln does not have: ", what)))
end
function Base.setindex!(a::AttributeDict, value::Integer, what::Symbol)
    what === :max_dynamic_shared_size_bytes ||
        throw(ArgumentError(string("an attribute of a function that cannot be set: ", what)))
    limit = attribute(device(), DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
    Base.imitating && value > limit && error("Amount of dynamic shared memory exceeds device limit ($(Base.format_bytes(value)) > $(Base.format_bytes(limit))).")
    SHARED_BYTES[a.f.handle] = value
    return value
end
shared_limit(handle) = get(SHARED_BYTES, handle, attribute(device(), DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK))

const THREADS_MAX = 1024
const THREADS_DIM_MAX = (1024, 1024, 64)
const BLOCKS_DIM_MAX = (2147483647, 65535, 65535)

# `name` is what messages call the kernel; `maxthreads` bounds the launches. `minthreads`, `maxthreads`, `blocks_per_sm`,
# `maxregs`, `fastmath` (which allows less precision and does not ask for it) and `ptx` are for GPUs, and change nothing on
# the CPU. `kernel` (what is compiled is what is launched), `arch` and `cap` mean nothing here. `debug_level` (Julia's `-g`) is
# how much a failing item says of itself, and `heap_bytes` (CUDA's malloc heap size) what a launch has for objects that kernels
# make and that outlive the function they are made in; both also on the CPU.
function cufunction(f::F, tt::Type{TT} = Tuple{}; kernel = true, name = nothing, always_inline = false,
                    minthreads = nothing, maxthreads = nothing, blocks_per_sm = nothing, maxregs = nothing,
                    fastmath = false, arch = nothing, cap = nothing, ptx = nothing, debug_level = nothing,
                    heap_bytes = nothing) where {F,TT}
    converted = cudaconvert(f)
    handle = Device.compile(converted, TT, (;
        method_tables = (method_table,),
        name = name === nothing ? nothing : Symbol(name),
        always_inline,
        fastmath,
        items = minthreads === nothing ? nothing : dims3(minthreads),
        items_max = maxthreads === nothing ? nothing : dims3(maxthreads),
        groups_min = blocks_per_sm === nothing ? nothing : Int(blocks_per_sm),
        registers_max = maxregs === nothing ? nothing : Int(maxregs),
        language = ptx === nothing ? nothing : 10 * Int(ptx.major) + Int(ptx.minor),
        debug_level,
        heap_bytes))
    limit = maxthreads === nothing ? THREADS_MAX : min(THREADS_MAX, prod(dims3(maxthreads)))
    return HostKernel{typeof(converted),TT}(converted, handle, limit)
end

Device.@launch_steps HostKernel cudaconvert begin
    limit = getfield(kernel, :maxthreads)
    fits(groups, items, limit) || check_launch(groups, items, (1, 1, 1), limit)
    bytes == 0 || Base.invokelatest(check_shared, getfield(kernel, :handle), bytes)
end THREADS_MAX

launch_configuration(fun; shmem = 0, max_threads = 0) =
    (blocks = 1, threads = max_threads > 0 ? min(256, max_threads) : 256)
# Launches whose groups wait for each other: the bytes of shared memory, whether all groups do, and the size of clusters.
function launched(prepared::T, blocks, threads, size::NTuple{5,Int}) where {T<:Tuple}
    kernel = getfield(prepared, 1)
    fits(blocks, threads, getfield(kernel, :maxthreads)) || check_launch(blocks, threads, (1, 1, 1), getfield(kernel, :maxthreads))
    size[1] == 0 || check_shared(getfield(kernel, :handle), size[1])
    Device.run_kernel(getfield(kernel, :handle), blocks, threads, size, getfield(kernel, :f), getfield(prepared, 2))
    Core.donotdelete(prepared)
    return kernel
end
maxthreads(k::HostKernel) = getfield(k, :maxthreads)
registers(k::HostKernel) = 0
memory(k::HostKernel) = (shared = 0, constant = 0, local_ = 0)

# `cooperative` has all groups run at the same time where groups can wait for each other, and means nothing elsewhere; `dependent` is
# accepted and means nothing, since launches are in order.
function (k::HostKernel)(args...; threads = 1, blocks = 1, shmem = 0, stream = nothing, cooperative = false,
                         dependent = false, clustersize = 1, convert::Val = Val(true))
    bytes = shmem isa Function ? shmem(prod(dims3(threads))) : shmem
    cluster = dims3(clustersize)
    all(==(1), cluster) || check_launch(dims3(blocks), dims3(threads), cluster, maxthreads(k))
    size = !cooperative && cluster == (1, 1, 1) ? Int(bytes) : (Int(bytes), Int(cooperative), cluster...)
    prepared = (k, map(cudaconvert, args), args)
    stream isa CuStream || return (launched(prepared, dims3(blocks), dims3(threads), size); nothing)
    before = Core.Host.kernel_stream(:use, stream_number(stream), 0)
    try
        launched(prepared, dims3(blocks), dims3(threads), size)
    finally
        Core.Host.kernel_stream(:use, before, 0)
    end
    return nothing
end
# Whether `check_launch` has nothing to say, found quickly.
function fits(blocks, threads, limit)
    return within(blocks, BLOCKS_DIM_MAX) && within(threads, THREADS_DIM_MAX) &&
        (threads[1] * threads[2]) * threads[3] <= limit
end

within(size, most) = 0 < size[1] <= most[1] && 0 < size[2] <= most[2] && 0 < size[3] <= most[3]

function check_launch(blocks, threads, cluster, limit)
    all(>(0), blocks) || error("Grid dimensions $blocks are not positive")
    all(>(0), threads) || error("Block dimensions $threads are not positive")
    all(>(0), cluster) || error("Cluster dimensions $cluster are not positive")
    for (i, d) in enumerate((:x, :y, :z))
        threads[i] > THREADS_DIM_MAX[i] &&
            error("Number of threads in $d-dimension exceeds device limit ($(threads[i]) > $(THREADS_DIM_MAX[i])).")
    end
    for (i, d) in enumerate((:x, :y, :z))
        blocks[i] > BLOCKS_DIM_MAX[i] &&
            error("Number of blocks in $d-dimension exceeds device limit ($(blocks[i]) > $(BLOCKS_DIM_MAX[i])).")
    end
    most = prod(cluster) > 1 ? clusters_max() : 1
    prod(cluster) > most && error("Thread block cluster dimensions exceed device limit ($(join(cluster, " * ")) > $most).$(most > 1 ? "" : " (The device does not support thread block clusters.)")")
    all(iszero, map(rem, blocks, cluster)) || error("Grid dimensions $blocks are not multiples of the cluster dimensions $cluster")
    prod(threads) > limit && error("Number of threads per block exceeds kernel limit ($(prod(threads)) > $limit).")
    return nothing
end

# Other devices refuse it themselves; the processor has more than most, and refuses what a device that it imitates would. Launches
# call it in the latest world, so that inference of theirs does not reach dictionaries and messages.
function check_shared(handle, bytes)
    limit = Base.imitating ? shared_limit(handle) : typemax(Int)
    bytes > limit &&
        error("Amount of dynamic shared memory exceeds kernel limit ($(Base.format_bytes(bytes)) > $(Base.format_bytes(limit))).")
    return nothing
end

const MACRO_OPTIONS = (:dynamic, :launch)
const COMPILE_OPTIONS =
    (:kernel, :name, :always_inline, :minthreads, :maxthreads, :blocks_per_sm, :maxregs, :fastmath, :arch, :cap, :ptx,
     :debug_level, :heap_bytes)
const LAUNCH_OPTIONS = (:cooperative, :dependent, :blocks, :threads, :clustersize, :shmem, :stream)

macro cuda(ex...)
    Base.@keep_expansions
    call, own, compile, options = Device.parsed_launch("@cuda", ex, MACRO_OPTIONS, COMPILE_OPTIONS, LAUNCH_OPTIONS)
    launch = Device.option_of(own, :launch, true)
    launch || isempty(options) ||
        error("@cuda with launch=false does not support launch-time keyword arguments; use them when calling the kernel")
    if Device.option_of(own, :dynamic, false)
        isempty(compile) || error("@cuda dynamic parallelism does not support compiler keyword arguments")
        return dynamic_launch(call, launch, options)
    end
    args = Device.launch_arguments(call)
    f = esc(call.args[1])
    if isempty(compile) && is_plain(options)
        # Options are evaluated once the kernel is compiled.
        kernel = :(prepared($f, $args))
        launch || return :(getfield($kernel, 1))
        blocks, threads = Device.option_of(options, :blocks, 1), Device.option_of(options, :threads, 1)
        return :(launched($kernel, $blocks, $threads, 0))
    end
    tt = :(Tuple{map(Core.Typeof, converted)...})
    run = launch ? Expr(:call, :kernel, Expr(:parameters, options...), :(args...)) : nothing
    return quote
        let f = $f, args = $args, converted = map(cudaconvert, args)
            kernel = $(Expr(:call, :cufunction, Expr(:parameters, compile...), :f, tt))
            $run
            kernel
        end
    end
end
function is_plain(options)
    for n in 1:length(options)
        options[n].args[1] in (:blocks, :threads) || return false
    end
    return true
end

macro sync(ex...)
    Base.@keep_expansions
    return quote
        local result = $(esc(ex[end]))
        synchronize()
        result
    end
end
macro time(ex...)
    Base.@keep_expansions
    return :(Base.@time begin
        $(esc(ex[end]))
        synchronize()
    end)
end

# `@profile [trace=true] expression`: the kernels and copies of the expression, as a table.
macro profile(ex...)
    options = Any[]
    for option in ex[1:end-1]
        option isa Expr && option.head === :(=) && option.args[1] === :trace ||
            throw(ArgumentError("CUDA.@profile: the only option is trace=true or false, not `$option`"))
        push!(options, Expr(:kw, :trace, esc(option.args[2])))
    end
    return Expr(:call, Base.DeviceProfile.profiled, Expr(:parameters, options...), :(() -> $(esc(ex[end]))))
end
