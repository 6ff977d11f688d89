# `@oneapi` and what it stands on.

kernel_convert(x) = Adapt.adapt(KernelAdaptor(), x)
# What nothing has to be asked about: other numbers may be structs that hold arrays.
kernel_convert(x::Union{Bool,Base.BitInteger,Float16,Float32,Float64}) = x
kernel_convert(a::oneArray) = Kernels.whole(a.data)

dims3(d) = Kernels.three(d)

struct HostKernel{F,TT}
    f::F
    handle::UInt64
end

# `name` is what messages call the kernel. Every function is compiled as a kernel.
function zefunction(f::F, ::Type{TT} = Tuple{}; kernel = true, name = nothing, always_inline = false) where {F,TT}
    converted = kernel_convert(f)
    options = (; method_tables = (method_table,), name = name === nothing ? nothing : Symbol(name), always_inline = Bool(always_inline))
    return HostKernel{typeof(converted),TT}(converted, Kernels.compile(converted, TT, options))
end

Kernels.@launch_steps HostKernel kernel_convert check_launch(groups, items, bytes)

function (k::HostKernel)(args...; groups = 1, items = 1, queue = nothing)
    launched((k, map(kernel_convert, args), args), dims3(groups), dims3(items), 0)
    return nothing
end

function check_launch(groups, items, bytes)
    all(>(0), groups) || throw(ArgumentError("Group count should be positive, got $groups"))
    all(>(0), items) || throw(ArgumentError("Group size should be positive, got $items"))
    prod(items) <= oneL0.GROUP_MAX ||
        throw(ArgumentError("Number of items in a group ($(prod(items))) should not exceed $(oneL0.GROUP_MAX)"))
    return nothing
end

# How many items a group of a kernel may have.
launch_configuration(::HostKernel) = oneL0.group_max()

const MACRO_OPTIONS = (:launch,)
const COMPILE_OPTIONS = (:kernel, :name, :always_inline)
const LAUNCH_OPTIONS = (:groups, :items, :queue)

macro oneapi(ex...)
    Base.@keep_expansions
    call, own, compile, options = Kernels.parsed_launch("@oneapi", ex, MACRO_OPTIONS, COMPILE_OPTIONS, LAUNCH_OPTIONS)
    launch = Kernels.option_of(own, :launch, true)
    launch || isempty(options) ||
        error("@oneapi with launch=false does not support launch-time keyword arguments; use them when calling the kernel")
    f, args = esc(call.args[1]), Kernels.launch_arguments(call)
    if isempty(compile)
        kernel = :(prepared($f, $args))
        launch || return :(getfield($kernel, 1))
        option(name, default) = Kernels.option_of(options, name, default)
        return :(launched($kernel, $(option(:groups, 1)), $(option(:items, 1)), 0))
    end
    run = launch ? Expr(:call, :kernel, Expr(:parameters, options...), :(args...)) : nothing
    return quote
        let f = $f, args = $args
            kernel = $(Expr(:call, :zefunction, Expr(:parameters, compile...), :f, :(Tuple{map(Core.Typeof, map(kernel_convert, args))...})))
            $run
            kernel
        end
    end
end
