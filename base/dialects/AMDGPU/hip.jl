# The runtime: devices, streams and events. All streams are one, so what is put in streams happens in the order in which the
# program puts it there. An event waits for what was put there before it, and is the time after that.
module HIP

import Base.Device

# What the runtime refuses.
struct HIPError <: Exception
    code::Symbol
    meta::String
end
Base.showerror(io::IO, e::HIPError) = print(io, "HIPError(code ", e.code, ", ", e.meta, ")")

struct HIPDevice
    device_id::Int
end
HIPDevice() = HIPDevice(1)
ndevices() = 1
devices() = [HIPDevice(1)]
device() = HIPDevice(1)
function device_at(id::Integer)
    id == 1 || throw(HIPError(:hipErrorInvalidDevice, "there is one device"))
    return HIPDevice(1)
end
# What the device is that kernels run on: see `Core.Host.kernel_device`.
name(::HIPDevice) = Core.Host.kernel_device()[1]
gcn_arch(::HIPDevice) = Core.Host.kernel_device()[2]
# Where the device has none, or does not say, kernels have lanes of their own.
lanes() = max(Core.Host.kernel_device()[7], Base.DeviceLanes.LANES)
wavefrontsize(::HIPDevice) = Cuint(lanes())
properties(::HIPDevice) = (;
    name = Core.Host.kernel_device()[1],
    gcnArchName = Core.Host.kernel_device()[2],
    maxThreadsPerBlock = min(GROUP_MAX, Core.Host.kernel_device()[3]),
    multiProcessorCount = Core.Host.kernel_device()[4],
    sharedMemPerBlock = Core.Host.kernel_device()[5],
    maxGridSize = (Int(typemax(Int32)), 65535, 65535),
    totalGlobalMem = Core.Host.kernel_device()[6],
    warpSize = lanes(),
    cooperativeLaunch = 0)
const GROUP_MAX = 1024
# What a kernel may have, asked as of the library: the answer is stored.
const HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 0, 8
function hipFuncGetAttribute(answer::Ref, attribute, kernel)
    answer[] = attribute == HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? properties(device()).maxThreadsPerBlock :
        attribute == HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? properties(device()).sharedMemPerBlock :
        throw(HIPError(:hipErrorInvalidValue, "kernels have no attribute $attribute here"))
    return :hipSuccess
end
Base.show(io::IO, d::HIPDevice) = print(io, "HIPDevice(", d.device_id, ")")

struct HIPContext
    device::HIPDevice
end
HIPContext() = HIPContext(HIPDevice(1))

mutable struct HIPStream
    id::Int
    priority::Symbol
    device::HIPDevice
end
const STREAM_COUNT = Ref(0)
function HIPStream(priority::Symbol = :normal)
    priority in (:normal, :high, :low) || throw(ArgumentError("`priority` must be one of `:normal`, `:high`, `:low`"))
    STREAM_COUNT[] += 1
    return HIPStream(STREAM_COUNT[], priority, HIPDevice(1))
end
default_stream() = DEFAULT_STREAM
const DEFAULT_STREAM = HIPStream(0, :normal, HIPDevice(1))
Base.:(==)(a::HIPStream, b::HIPStream) = a.id == b.id
Base.show(io::IO, s::HIPStream) = print(io, "HIPStream(", s.id, ", :", s.priority, ")")

mutable struct HIPEvent
    # In nanoseconds; 0 if it has not been recorded.
    time::UInt64
    HIPEvent(::HIPStream = DEFAULT_STREAM; do_record::Bool = true, timing::Bool = false) =
        (e = new(UInt64(0)); do_record && record(e); e)
end
record(e::HIPEvent) = (Device.synchronize(); e.time = time_ns(); e)
# Seconds.
function elapsed(start::HIPEvent, stop::HIPEvent)
    (start.time == 0 || stop.time == 0) && throw(ArgumentError("an event that has not been recorded has no time"))
    return Float32((stop.time % Int64 - start.time % Int64) / 1.0e9)
end

# What is asked has happened when the answer is there.
isdone(::Union{HIPStream,HIPEvent}) = (Device.synchronize(); true)
synchronize(args...; kw...) = Device.synchronize()
wait(args...) = Device.synchronize()
device_synchronize() = Device.synchronize()
reclaim() = nothing

end
import .HIP: HIPDevice, HIPContext, HIPStream

device() = HIP.device()
device(id::Integer) = HIP.device_at(id)
device(::Union{ROCArray,HIPStream,HIPContext}) = HIP.device()
device!(d::HIPDevice) = d
device!(f::Function, ::HIPDevice) = f()
devices() = HIP.devices()
device_id() = 1
device_id(d::HIPDevice) = d.device_id
device_id!(id::Integer) = device!(HIP.device_at(id))
context() = HIPContext()
# Vendors' libraries are not here; what is asked for by no name is kernels.
functional() = true
functional(part::Symbol) = part in (:hip, :lld, :device_libs, :all)
has_rocm_gpu() = true

const CURRENT_STREAM = Ref(HIP.DEFAULT_STREAM)
stream() = CURRENT_STREAM[]
stream!(s::HIPStream) = (CURRENT_STREAM[] = s; s)
function stream!(f::Function, s::HIPStream)
    before = stream()
    stream!(s)
    try
        return f()
    finally
        stream!(before)
    end
end
priority() = stream().priority
priority!(p::Symbol) = (stream!(HIPStream(p)); p)

synchronize(::HIPStream = stream(); blocking::Bool = false, stop_hostcalls::Bool = false) = Kernels.synchronize()
device_synchronize() = Kernels.synchronize()
wait(::Any) = Kernels.synchronize()
reclaim() = nothing
versioninfo(io::IO = stdout) = Kernels.version_info(io, "AMDGPU.jl")

macro sync(ex)
    Base.@keep_expansions
    return quote
        local result = $(esc(ex))
        synchronize()
        result
    end
end
# Seconds between events before and after.
macro elapsed(ex)
    Base.@keep_expansions
    return quote
        local start = HIP.HIPEvent(stream(); timing = true)
        $(esc(ex))
        HIP.elapsed(start, HIP.HIPEvent(stream(); timing = true))
    end
end
macro time(ex)
    Base.@keep_expansions
    return :(Base.@time begin
        $(esc(ex))
        synchronize()
    end)
end
