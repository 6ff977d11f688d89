# The runtime under its name upstream: one platform with one device, and queues that are one, so what is put there happens in the order in
# which the program puts it there.
module cl

import Base.Device as Kernels

export CLPtr, CL_NULL, PtrOrCLPtr, clcall

const CLPtr = Ptr
const CL_NULL = C_NULL
const PtrOrCLPtr = Ptr

const CL_SUCCESS, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE, CL_INVALID_GLOBAL_WORK_SIZE = 0, -54, -55, -63
# What the runtime refuses.
struct CLError <: Exception
    code::Int
    desc::Symbol
end
CLError(name::Symbol) = CLError(getglobal(cl, name), name)
Base.showerror(io::IO, e::CLError) = print(io, "CLError(code=", e.code, ", ", e.desc, ")")

struct Platform end
struct Device end
struct Context
    device::Device
end
Context() = Context(Device())
struct CmdQueue
    context::Context
end
const QUEUE_PROPERTIES = (:out_of_order, :profile)
function CmdQueue(properties::Symbol...)
    for p in properties
        p in QUEUE_PROPERTIES || throw(ArgumentError("Only :out_of_order and :profile flags are valid, recognized flag $p"))
    end
    return CmdQueue(Context())
end
CmdQueue(properties::Tuple{Vararg{Symbol}}) = CmdQueue(properties...)

platforms() = [Platform()]
platform() = Platform()
platform!(p::Platform) = p
function platform!(name::String)
    contains(lowercase(Platform().name), lowercase(name)) && return Platform()
    throw(ArgumentError("No OpenCL platform found with name or vendor $name"))
end
default_platform() = Platform()
devices(::Platform = Platform()) = [Device()]
devices(::Platform, type::Symbol) = type in (:all, :default, Device().device_type) ? [Device()] : Device[]
available_devices(p::Platform = Platform(), type::Symbol = :all) = devices(p, type)
default_device(::Platform = Platform()) = Device()
device() = Device()
device!(d::Device) = d
function device!(type::Symbol)
    found = devices(platform(), type)
    isempty(found) && throw(ArgumentError("No OpenCL devices found of type $type"))
    return first(found)
end
device!(f::Base.Callable, d) = (device!(d); f())
context() = Context()
context!(c::Context) = c
context!(f::Base.Callable, ::Context) = f()
queue() = CmdQueue()
queue!(q::CmdQueue) = q
queue!(properties...) = CmdQueue(properties...)
queue!(f::Base.Callable, args...) = (queue!(args...); f())
flush(q::CmdQueue) = q
finish(q::CmdQueue) = (Kernels.synchronize(); q)
create_some_context() = Context()

const GROUP_MAX = 1024
group_max() = min(GROUP_MAX, Core.Host.kernel_device()[3])
# Whether kernels run on this machine's processor, of which everything is known: see `Core.Host.kernel_device`.
is_processor() = !Core.Host.kernel_own_memory()
Base.getproperty(p::Platform, name::Symbol) = platform_property(Val(name))
platform_property(::Union{Val{:name},Val{:vendor}}) = "kiln"
platform_property(::Val{:profile}) = "FULL_PROFILE"
platform_property(::Val{:version}) = ""
platform_property(::Val{:opencl_version}) = v"3.0"
platform_property(::Val{:extensions}) = String[]
platform_property(::Val{name}) where {name} = error("the platform does not say its `", name, "`")
Base.getproperty(d::Device, name::Symbol) = device_property(Val(name))
device_property(::Val{:name}) = Core.Host.kernel_device()[1]
device_property(::Val{:platform}) = Platform()
device_property(::Val{:profile}) = "FULL_PROFILE"
device_property(::Val{:version}) = ""
device_property(::Val{:opencl_version}) = v"3.0"
device_property(::Val{:max_compute_units}) = Core.Host.kernel_device()[4]
device_property(::Val{:max_work_item_dims}) = 3
device_property(::Val{:max_work_item_size}) = (group_max(), group_max(), group_max())
device_property(::Val{:max_work_group_size}) = group_max()
device_property(::Val{:local_mem_size}) = Core.Host.kernel_device()[5]
device_property(::Val{:global_mem_size}) = is_processor() ? Int(Sys.total_memory()) : Core.Host.kernel_device()[6]
device_property(::Val{:has_local_mem}) = true
device_property(::Val{:address_bits}) = 64
# There are no images.
device_property(::Val{:has_image_support}) = false
device_property(::Union{Val{:max_read_image_args},Val{:max_write_image_args}}) = 0
device_property(::Val{:max_image2d_shape}) = (UInt(0), UInt(0))
device_property(::Val{:max_image3d_shape}) = (UInt(0), UInt(0), UInt(0))
device_property(::Val{:host_unified_memory}) = is_processor()
device_property(::Val{:available}) = true
# Programs in OpenCL C are not compiled.
device_property(::Val{:compiler_available}) = false
device_property(::Val{:device_type}) = is_processor() ? :cpu : unsaid(:device_type)
device_property(::Val{:extensions}) = is_processor() ?
    ["cl_khr_fp16", "cl_khr_fp64", "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics", "cl_khr_subgroups",
     "cl_khr_subgroup_shuffle", "cl_intel_unified_shared_memory"] : unsaid(:extensions)
device_property(::Val{:sub_group_sizes}) = (Core.Host.kernel_device()[7],)
# An array may be as large as all memory.
device_property(::Val{:max_mem_alloc_size}) = is_processor() ? device_property(Val(:global_mem_size)) : unsaid(:max_mem_alloc_size)
device_property(::Val{name}) where {name} = unsaid(name)
@noinline unsaid(name) = error("the device does not say its `", name, "`")
Base.show(io::IO, d::Device) = print(io, "OpenCL.Device(", d.name, " on ", d.platform.name, ")")
Base.show(io::IO, p::Platform) = print(io, "OpenCL.Platform('", p.name, "')")
sub_groups_supported(::Device) = true
sub_group_size(::Device) = Base.DeviceLanes.LANES
sub_group_shuffle_supported_types(::Device) =
    [Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Float32, Float16, Float64]
exec_capabilities(::Device) = (; native_kernel = false)
bda_supported(::Device) = false
usm_supported(::Device) = true
# The processor's memory is one.
function usm_capabilities(::Device)
    is_processor() || unsaid(:usm_capabilities)
    all = (; access = true, atomic_access = true, concurrent_access = true, concurrent_atomic_access = true)
    return (; host = all, device = all, single_device = all, shared = all, cross_device = all)
end
svm_capabilities(::Device) =
    is_processor() ? (; coarse_grain_buffer = true, fine_grain_buffer = true, fine_grain_system = true) : unsaid(:svm_capabilities)

# Kinds of memory, which is the host's as well, whatever it is called.
abstract type AbstractMemory end
abstract type UnifiedMemory <: AbstractMemory end
struct UnifiedDeviceMemory <: UnifiedMemory end
struct UnifiedHostMemory <: UnifiedMemory end
struct UnifiedSharedMemory <: UnifiedMemory end
struct SharedVirtualMemory <: AbstractMemory end
struct Buffer <: AbstractMemory end
abstract type AbstractMemoryBackend end
struct SVMBackend <: AbstractMemoryBackend end
struct USMBackend <: AbstractMemoryBackend end
struct BufferBackend <: AbstractMemoryBackend end
supported_memory_backends(::Device; unified = false) = AbstractMemoryBackend[USMBackend()]
default_memory_backend(::Device; unified = false) = USMBackend()
memory_backend() = USMBackend()
unified_memory_backend() = USMBackend()

# Programs in other languages.
struct Program
    Program(args...; kwargs...) = refuse_sources("cl.Program")
end
struct Kernel
    Kernel(args...; kwargs...) = refuse_sources("cl.Kernel")
end
build!(args...; kwargs...) = refuse_sources("cl.build!")
clcall(args...; kwargs...) = refuse_sources("clcall")
@noinline refuse_sources(what) = throw(Base.UnsupportedError(Symbol(what),
    "kiln compiles no OpenCL C: write the kernel in Julia and launch it by `@opencl global_size=n kernel(arguments...)`"))

end
using .cl
