# `@roc` and what it stands on.

rocconvert(x) = Adapt.adapt(Adaptor(), x)
# What nothing has to be asked about: other numbers may be structs that hold arrays.
rocconvert(x::Union{Bool,Base.BitInteger,Float16,Float32,Float64}) = x
rocconvert(a::ROCArray) = Kernels.whole(a.data)

dims3(d::ROCDim3) = (Int(d.x), Int(d.y), Int(d.z))
dims3(d) = Kernels.three(d)

struct HIPKernel{F,TT}
    f::F
    handle::UInt64
end
struct HIPFunction
    handle::UInt64
end
Base.getproperty(k::HIPKernel, s::Symbol) = s === :fun ? HIPFunction(getfield(k, :handle)) : getfield(k, s)

# `name` is what messages call the kernel; `unsafe_fp_atomics` allows what is not done here.
function hipfunction(f::F, ::Type{TT} = Tuple{}; name = nothing, unsafe_fp_atomics = true, wavefrontsize64 = nothing) where {F,TT}
    wavefrontsize64 === true && throw(ArgumentError(
        "wavefrontsize64: kernels have the wavefronts of their target, of $(HIP.wavefrontsize(device())) items here"))
    converted = rocconvert(f)
    handle = Kernels.compile(converted, TT, (;
        method_tables = (method_table,), name = name === nothing ? nothing : Symbol(name)))
    return HIPKernel{typeof(converted),TT}(converted, handle)
end

Kernels.@launch_steps HIPKernel rocconvert check_launch(groups, items, bytes)

# `gridsize` is in groups. Launches run one after the other, whatever stream they are put in; groups of a `cooperative` launch
# cannot wait for each other, and `sync_grid` is refused.
function (k::HIPKernel)(args...; gridsize = 1, groupsize = 1, shmem = 0, stream = nothing, cooperative = false)
    launched((k, map(rocconvert, args), args), dims3(gridsize), dims3(groupsize), Int(shmem))
    return nothing
end

function check_launch(groups, items, bytes)
    bytes == 0 || Base.invokelatest(check_shared, bytes)
    all(>(0), groups) && all(>(0), items) && prod(items) <= HIP.GROUP_MAX && return nothing
    throw(HIP.HIPError(:hipErrorInvalidConfiguration,
        "$(join(groups, " * ")) groups of $(join(items, " * ")) items; groups have 1 to $(HIP.GROUP_MAX) items"))
end

# Other devices refuse it themselves; the processor has more than most, and refuses what a device that it imitates would.
function check_shared(bytes)
    limit = Base.imitating ? HIP.properties(device()).sharedMemPerBlock : typemax(Int)
    bytes > limit && throw(HIP.HIPError(:hipErrorInvalidValue,
        "$bytes bytes of shared memory; groups have up to $limit"))
    return nothing
end

launch_configuration(kernel::HIPKernel; shmem = 0, max_block_size::Integer = 0) =
    (gridsize = HIP.properties(device()).multiProcessorCount, groupsize = max_block_size > 0 ? min(max_block_size, HIP.GROUP_MAX) : HIP.GROUP_MAX)

const MACRO_OPTIONS = (:launch,)
const COMPILE_OPTIONS = (:name, :unsafe_fp_atomics, :wavefrontsize64)
const LAUNCH_OPTIONS = (:gridsize, :groupsize, :shmem, :stream, :cooperative)

macro roc(ex...)
    Base.@keep_expansions
    call, own, compile, options = Kernels.parsed_launch("@roc", ex, MACRO_OPTIONS, COMPILE_OPTIONS, LAUNCH_OPTIONS)
    launch = Kernels.option_of(own, :launch, true)
    f, args = esc(call.args[1]), Kernels.launch_arguments(call)
    if isempty(compile)
        kernel = :(prepared($f, $args))
        launch || return :(getfield($kernel, 1))
        option(name, default) = Kernels.option_of(options, name, default)
        return :(launched($kernel, $(option(:gridsize, 1)), $(option(:groupsize, 1)), Int($(option(:shmem, 0)))))
    end
    run = launch ? Expr(:call, :kernel, Expr(:parameters, options...), :(args...)) : nothing
    return quote
        let f = $f, args = $args
            kernel = $(Expr(:call, :hipfunction, Expr(:parameters, compile...), :f, :(Tuple{map(Core.Typeof, map(rocconvert, args))...})))
            $run
            kernel
        end
    end
end

# Upstream's names for both, and for where they are.
module Compiler
import ..AMDGPU: hipfunction
end
Core.eval(Runtime, :(const HIPKernel = $HIPKernel))
