# `@opencl` and what it stands on.

kernel_convert(x) = Adapt.adapt(KernelAdaptor(), x)
# What nothing has to be asked about: other numbers may be structs that hold arrays.
kernel_convert(x::Union{Bool,Base.BitInteger,Float16,Float32,Float64}) = x
kernel_convert(a::CLArray) = Kernels.whole(a.data)

dims3(d) = Kernels.three(d)

struct HostKernel{F,TT}
    f::F
    handle::UInt64
end

# `name` is what messages call the kernel. Extensions, back ends and sizes of sub-groups are of a driver's compiler, which is not asked; every
# function is compiled as a kernel.
function clfunction(f::F, ::Type{TT} = Tuple{}; kernel = true, name = nothing, always_inline = false, extensions = nothing,
                    backend = nothing, validate = true, sub_group_size = nothing) where {F,TT}
    sub_group_size === nothing || sub_group_size == cl.sub_group_size(cl.device()) ||
        throw(ArgumentError("sub_group_size: kernels have sub-groups of $(cl.sub_group_size(cl.device())) items"))
    converted = kernel_convert(f)
    options = (; method_tables = (method_table,), name = name === nothing ? nothing : Symbol(name), always_inline = Bool(always_inline))
    return HostKernel{typeof(converted),TT}(converted, Kernels.compile(converted, TT, options))
end

Kernels.@launch_steps HostKernel kernel_convert check_launch(groups, items, bytes)

function (k::HostKernel)(args...; global_size = 1, local_size = nothing, queue = nothing)
    launched_over((k, map(kernel_convert, args), args), global_size, local_size)
    return nothing
end

# OpenCL counts the items of the whole launch. The size of groups is the launch's, which it divides, or is chosen.
function launched_over(prepared, global_given, local_given)
    items = dims3(global_given)
    all(>(0), items) || throw(cl.CLError(:CL_INVALID_GLOBAL_WORK_SIZE))
    size = local_given === nothing ? chosen_size(items) : dims3(local_given)
    all(>(0), size) || throw(cl.CLError(:CL_INVALID_WORK_ITEM_SIZE))
    all(map((n, k) -> rem(n, k) == 0, items, size)) || throw(cl.CLError(:CL_INVALID_WORK_GROUP_SIZE))
    return launched(prepared, map(div, items, size), size, 0)
end
# The largest groups of up to so many items, along the first dimensions first.
const CHOSEN_MAX = 256
function chosen_size(items::NTuple{3,Int})
    x = largest_divisor(items[1], CHOSEN_MAX)
    y = largest_divisor(items[2], div(CHOSEN_MAX, x))
    return (x, y, largest_divisor(items[3], div(CHOSEN_MAX, x * y)))
end
function largest_divisor(n::Int, max::Int)
    k = min(n, max)
    while rem(n, k) != 0
        k -= 1
    end
    return k
end

function check_launch(groups, items, bytes)
    prod(items) <= cl.GROUP_MAX || throw(cl.CLError(:CL_INVALID_WORK_GROUP_SIZE))
    return nothing
end

const MACRO_OPTIONS = (:launch,)
const COMPILE_OPTIONS = (:kernel, :name, :always_inline, :extensions, :backend, :validate, :sub_group_size)
const LAUNCH_OPTIONS = (:global_size, :local_size, :queue)

macro opencl(ex...)
    Base.@keep_expansions
    call, own, compile, options = Kernels.parsed_launch("@opencl", ex, MACRO_OPTIONS, COMPILE_OPTIONS, LAUNCH_OPTIONS)
    launch = Kernels.option_of(own, :launch, true)
    launch || isempty(options) ||
        error("@opencl with launch=false does not support launch-time keyword arguments; use them when calling the kernel")
    f, args = esc(call.args[1]), Kernels.launch_arguments(call)
    if isempty(compile)
        kernel = :(prepared($f, $args))
        launch || return :(getfield($kernel, 1))
        option(name, default) = Kernels.option_of(options, name, default)
        return :(launched_over($kernel, $(option(:global_size, 1)), $(option(:local_size, nothing))))
    end
    run = launch ? Expr(:call, :kernel, Expr(:parameters, options...), :(args...)) : nothing
    return quote
        let f = $f, args = $args
            kernel = $(Expr(:call, :clfunction, Expr(:parameters, compile...), :f, :(Tuple{map(Core.Typeof, map(kernel_convert, args))...})))
            $run
            kernel
        end
    end
end

versioninfo(io::IO = stdout) = Kernels.version_info(io, "OpenCL.jl")
