# Kernels that launch kernels: `@cuda dynamic=true` in a kernel.
#
# An NVIDIA GPU launches by itself. Elsewhere the host launches what an item asks for, as it prints what an item prints: on
# the processor while the kernel goes on, on other devices when it is over. Either way all of it is over, in turn with what it
# launches, when the launch of the first kernel is; and nothing an item does waits for what it has launched.

struct DeviceKernel{F,TT}
    f::F
end
# Where kernels are launched from kernels in order. They are ordered as it is.
struct CuDeviceStream
    handle::UInt64
    CuDeviceStream(handle::UInt64) = new(handle)
end
Device.@only_in_kernels @inline CuDeviceStream(flags = 1) = new_device_stream()
Device.@only_in_kernels @inline unsafe_destroy!(s::CuDeviceStream) = destroy_device_stream(s)
@inline CuDefaultDeviceStream() = CuDeviceStream(UInt64(0))

Device.@only_in_kernels @inline dynamic_cufunction(f::F, ::Type{TT} = Tuple{}) where {F,TT} = DeviceKernel{F,TT}(f)
@inline dynamic_kernel(f::F, ::A) where {F,A<:Tuple} = dynamic_cufunction(f, A)

@inline function (k::DeviceKernel)(args...; threads = 1, blocks = 1, shmem = 0, stream = CuDefaultDeviceStream())
    return launch_dynamic(k, args, threads, blocks, shmem, stream)
end
@inline launch_dynamic(k::DeviceKernel, args::Tuple, threads, blocks, shmem, stream) =
    launch_child(k.f, args, dims3(blocks), dims3(threads), Int(shmem), stream)

struct LaunchedByItem <: Device.Launches end
const launched_by_item = LaunchedByItem()
Device.launch_options(::LaunchedByItem) = NO_OPTIONS
function (::LaunchedByItem)(f, args::Tuple, blocks, threads, shmem::Int)
    types = Tuple{map(Core.Typeof, args)...}
    handle = Core.Host.kernel_compile(f, types, NO_OPTIONS)
    fits(blocks, threads, THREADS_MAX) || check_launch(blocks, threads, (1, 1, 1), THREADS_MAX)
    Core.Host.kernel_launch(handle, blocks, threads, shmem, f, args...)
    return nothing
end

@inline function launch_child(f, args::Tuple, blocks, threads, shmem::Int, ::CuDeviceStream)
    Core.Intrinsics.kiln_report(launched_by_item, f, args, blocks, threads, shmem)
    return nothing
end
@inline new_device_stream() = CuDefaultDeviceStream()
@inline destroy_device_stream(::CuDeviceStream) = nothing

# What `@cuda dynamic=true` becomes; `options` are those of the launch, as keyword arguments.
function dynamic_launch(call, launch::Bool, options)
    args = Device.launch_arguments(call)
    given = Any[]
    for (name, default) in ((:threads, 1), (:blocks, 1), (:shmem, 0), (:stream, :(CuDefaultDeviceStream())))
        push!(given, Device.option_of(options, name, default))
    end
    run = launch ? Expr(:call, :launch_dynamic, :kernel, :args, given...) : nothing
    return quote
        let f = $(esc(call.args[1])), args = $args, kernel = dynamic_kernel(f, args)
            $run
            kernel
        end
    end
end
