# The driver, the device and the context that a program is in, of which there is one each, and waiting.

driver() = ZeDriver()
driver!(driver::ZeDriver) = driver
device() = ZeDevice(ZeDriver())
device(::oneArray) = device()
device!(device::ZeDevice) = device
function device!(i::Int)
    i == 1 || throw(ArgumentError("Invalid device index $i (must be between 1 and 1)"))
    return device()
end
context() = ZeContext(ZeDriver())
context(::oneArray) = context()
context!(context::ZeContext) = context
is_integrated(device::ZeDevice = device()) = properties(device).flags & oneL0.ZE_DEVICE_PROPERTY_FLAG_INTEGRATED != 0

# Where launches go.
const global_stream = ZeCommandQueue
global_queue(context::ZeContext = context(), device::ZeDevice = device()) = ZeCommandQueue(context, device)
synchronize(::oneArray) = Kernels.synchronize()

# Whether the device converts between `BFloat16` and `Float32`, by instructions or by their bits.
_device_supports_bfloat16(device = device()) = true

versioninfo(io::IO = stdout) = Kernels.version_info(io, "oneAPI.jl")
macro sync(ex)
    return quote
        local result = $(esc(ex))
        synchronize()
        result
    end
end
