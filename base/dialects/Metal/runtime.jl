# The device, its queue, and waiting. There is one queue: what is put there happens in the order in which the program puts it there.

struct MTLDevice end
struct MTLCommandQueue
    device::MTLDevice
end

device() = MTLDevice()
device(::MtlArray) = MTLDevice()
device!(d::MTLDevice) = d
devices() = [MTLDevice()]
Base.getproperty(::MTLDevice, name::Symbol) = device_property(Val(name))
device_property(::Val{:name}) = Core.Host.kernel_device()[1]
device_property(::Val{:maxThreadgroupMemoryLength}) = Core.Host.kernel_device()[5]
device_property(::Val{name}) where {name} = error("the device does not say its `", name, "`")
Base.show(io::IO, d::MTLDevice) = print(io, "MTLDevice(", d.name, ")")
MTLCommandQueue() = MTLCommandQueue(MTLDevice())
const GLOBAL_QUEUE = MTLCommandQueue(MTLDevice())
global_queue(::MTLDevice = device()) = GLOBAL_QUEUE

functional() = true
synchronize(::MTLCommandQueue = GLOBAL_QUEUE) = Kernels.synchronize()
device_synchronize() = Kernels.synchronize()
versioninfo(io::IO = stdout) = Kernels.version_info(io, "Metal.jl")

macro sync(ex)
    Base.@keep_expansions
    return quote
        local result = $(esc(ex))
        synchronize()
        result
    end
end
macro time(ex)
    Base.@keep_expansions
    return :(Base.@time begin
        $(esc(ex))
        synchronize()
    end)
end
macro elapsed(ex)
    Base.@keep_expansions
    return :(Base.@elapsed begin
        $(esc(ex))
        synchronize()
    end)
end
