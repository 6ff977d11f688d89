# The launch of a generated kernel: its outputs and the exceptions that its items threw.
using CUDA
import KernelAbstractions
using KernelAbstractions: @kernel, @index, @localmem, @private, @synchronize, @groupsize

@inline add!(a, i, x) = (CUDA.@atomic a[i] += x; nothing)
@inline min!(a, i, x) = (CUDA.@atomic a[i] = min(a[i], x); nothing)
@inline max!(a, i, x) = (CUDA.@atomic a[i] = max(a[i], x); nothing)
@inline xor!(a, i, x) = (CUDA.@atomic a[i] = xor(a[i], x); nothing)

const DEVICE_IN = map(CuArray, IN)
const DEVICE_OUT = map(CuArray, OUT)
const RESET = map(x -> CuArray(fill(eltype(x)(77), length(x))), OUT)

# With a range the kernel is one for KernelAbstractions; its groups have a static size where that divides the range.
function compiled_launch(k, groups, items, range, level, scalars)
    foreach(copyto!, DEVICE_OUT, RESET)
    args = (DEVICE_OUT..., DEVICE_IN..., scalars...)
    options = level === nothing ? (;) : (; opt_level = level)
    range === nothing || return portable_launch(k, groups, items, range, args, options)
    converted = map(cudaconvert, args)
    options = (; method_tables = (CUDA.method_table,), options...)
    handle = Base.Device.compile(k, Tuple{map(Core.Typeof, converted)...}, options)
    return outcome() do
        Base.Device.launch_tuple(handle, k, groups, items, 0, converted, args)
    end
end
function portable_launch(k, groups, items, range, args, options)
    KA = KernelAbstractions
    backend, is_static = CUDABackend(), range[1] % items[1] == 0
    size = is_static ? KA.StaticSize{items} : KA.DynamicSize
    check = KA.NDIteration.partition(range, items)[3]
    context = KA.Context{3, KA.DynamicSize, size, check}(range, items, groups)
    options = (; KA.kernel_options(backend, is_static ? items : nothing)..., options...)
    return outcome() do
        KA.launch(backend, k(backend).f, groups, items, context, args, options)
    end
end
function outcome(launch)
    thrown = ""
    try
        launch()
        synchronize()
    catch e
        thrown = string(typeof(e))
    end
    return (thrown, map(x -> Array(x).ref.mem, DEVICE_OUT)...)
end
