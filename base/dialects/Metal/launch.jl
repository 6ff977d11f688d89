# `@metal` and what it stands on.

mtlconvert(x, encoder = nothing, queue = nothing) = Adapt.adapt(Adaptor(), x)
# What nothing has to be asked about: other numbers may be structs that hold arrays.
mtlconvert(x::Union{Bool,Base.BitInteger,Float16,Float32,Float64}) = x
mtlconvert(a::MtlArray) = Kernels.whole(a.data)

# Sizes of grids: upstream's structure has these names.
struct MTLSize
    width::UInt64
    height::UInt64
    depth::UInt64
end
MTLSize(width::Integer = 1, height::Integer = 1) = MTLSize(width, height, 1)
MTLSize(sizes::Tuple) = MTLSize(Kernels.three(sizes)...)
dims3(d::MTLSize) = (Int(d.width), Int(d.height), Int(d.depth))
dims3(d) = Kernels.three(d)

struct HostKernel{F,TT}
    f::F
    handle::UInt64
end

# What upstream's kernels say of groups: how many items they may have, and how many run in step.
Base.getproperty(k::HostKernel, name::Symbol) = name === :maxthreads ? group_max() : name === :exec_width ? LANES :
    name === :pipeline ? (; maxTotalThreadsPerThreadgroup = group_max(), threadExecutionWidth = LANES) : getfield(k, name)
group_max() = min(GROUP_MAX, Core.Host.kernel_device()[3])

# `name` is what messages call the kernel, `maxthreads` bounds the items of a group. Versions of macOS, of AIR and of the language are of
# code for Apple GPUs, which no launch here makes: `kiln compile -t metal` has them as options.
function mtlfunction(f::F, ::Type{TT} = Tuple{}; name = nothing, maxthreads = nothing, macos = nothing, air = nothing,
                     metal = nothing, opt_level = nothing, debug_level = nothing, fastmath = nothing,
                     always_inline = nothing) where {F,TT}
    converted = mtlconvert(f)
    options = (; method_tables = (method_table,), name = name === nothing ? nothing : Symbol(name))
    maxthreads === nothing || (options = (; options..., items_max = (Int(maxthreads), 1, 1)))
    fastmath === nothing || (options = (; options..., fastmath))
    return HostKernel{typeof(converted),TT}(converted, Kernels.compile(converted, TT, options))
end

Kernels.@launch_steps HostKernel mtlconvert check_launch(groups, items, bytes)

function (k::HostKernel)(args...; groups = 1, threads = 1, queue = GLOBAL_QUEUE, submit = false)
    launched((k, map(mtlconvert, args), args), dims3(groups), dims3(threads), 0)
    return nothing
end

const GROUP_MAX = 1024
function check_launch(groups, items, bytes)
    all(>(0), groups) || throw(ArgumentError("All group dimensions should be non-null"))
    all(>(0), items) || throw(ArgumentError("All thread dimensions should be non-null"))
    prod(items) <= GROUP_MAX ||
        throw(ArgumentError("Number of threads in group ($(prod(items))) should not exceed $GROUP_MAX"))
    return nothing
end

const MACRO_OPTIONS = (:launch,)
const COMPILE_OPTIONS = (:name, :maxthreads, :macos, :air, :metal, :opt_level, :debug_level, :fastmath, :always_inline)
const LAUNCH_OPTIONS = (:groups, :threads, :queue, :submit)

macro metal(ex...)
    Base.@keep_expansions
    call, own, compile, options = Kernels.parsed_launch("@metal", ex, MACRO_OPTIONS, COMPILE_OPTIONS, LAUNCH_OPTIONS)
    launch = Kernels.option_of(own, :launch, true)
    launch || isempty(options) ||
        error("@metal with launch=false does not support launch-time keyword arguments; use them when calling the kernel")
    f, args = esc(call.args[1]), Kernels.launch_arguments(call)
    if isempty(compile)
        kernel = :(prepared($f, $args))
        launch || return :(getfield($kernel, 1))
        option(name, default) = Kernels.option_of(options, name, default)
        return :(launched($kernel, $(option(:groups, 1)), $(option(:threads, 1)), 0))
    end
    run = launch ? Expr(:call, :kernel, Expr(:parameters, options...), :(args...)) : nothing
    return quote
        let f = $f, args = $args
            kernel = $(Expr(:call, :mtlfunction, Expr(:parameters, compile...), :f, :(Tuple{map(Core.Typeof, map(mtlconvert, args))...})))
            $run
            kernel
        end
    end
end
