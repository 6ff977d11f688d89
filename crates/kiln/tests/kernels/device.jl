# The launch of a generated kernel: its outputs and the exceptions that its items threw.
using CUDA

@inline add!(a, i, x) = (CUDA.@atomic a[i] += x; nothing)
@inline min!(a, i, x) = (CUDA.@atomic a[i] = min(a[i], x); nothing)
@inline max!(a, i, x) = (CUDA.@atomic a[i] = max(a[i], x); nothing)
@inline xor!(a, i, x) = (CUDA.@atomic a[i] = xor(a[i], x); nothing)

const DEVICE_IN = map(CuArray, IN)
const DEVICE_OUT = map(CuArray, OUT)
const RESET = map(x -> CuArray(fill(eltype(x)(77), length(x))), OUT)

function compiled_launch(k, groups, items, level, scalars)
    foreach(copyto!, DEVICE_OUT, RESET)
    args = (DEVICE_OUT..., DEVICE_IN..., scalars...)
    converted = map(cudaconvert, args)
    options = level === nothing ? (; method_tables = (CUDA.method_table,)) :
        (; method_tables = (CUDA.method_table,), opt_level = level)
    handle = Base.Device.compile(k, Tuple{map(Core.Typeof, converted)...}, options)
    thrown = ""
    try
        Base.Device.launch_tuple(handle, k, groups, items, 0, converted, args)
        synchronize()
    catch e
        thrown = string(typeof(e))
    end
    return (thrown, map(x -> Array(x).ref.mem, DEVICE_OUT)...)
end
