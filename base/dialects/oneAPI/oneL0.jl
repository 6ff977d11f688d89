# The runtime under its name upstream: one driver with one device. All queues are one, so what is put there happens in the order in
# which the program puts it there.
module oneL0

import Base.Device

export ZeDriver, ZeDevice, ZeContext, ZeCommandQueue, ZeDim, drivers, devices
export properties, compute_properties, module_properties, memory_properties, api_version, synchronize

struct ZeDriver end
struct ZeDevice
    driver::ZeDriver
end
struct ZeContext
    driver::ZeDriver
end
ZeContext() = ZeContext(ZeDriver())
struct ZeCommandQueue
    context::ZeContext
    device::ZeDevice
    ZeCommandQueue(context::ZeContext, device::ZeDevice, ordinal::Integer = 0; kwargs...) = new(context, device)
end
const ZeDim = Union{Integer,Tuple{Integer},Tuple{Integer,Integer},Tuple{Integer,Integer,Integer}}

# Memory of the host as well, whatever it is called.
abstract type AbstractBuffer end
struct DeviceBuffer <: AbstractBuffer end
struct HostBuffer <: AbstractBuffer end
struct SharedBuffer <: AbstractBuffer end

const functional = Ref(true)
# Whether the driver is of a branch with long support, of which older translators are.
const LTS = Ref(false)

drivers() = [ZeDriver()]
devices(driver::ZeDriver = ZeDriver()) = [ZeDevice(driver)]
api_version(::ZeDriver) = v"1.0.0"
properties(::ZeDriver) = (; driverVersion = v"1.0.0")

# What the device is that kernels run on: see `Core.Host.kernel_device`.
const GROUP_MAX = 1024
group_max() = min(GROUP_MAX, Core.Host.kernel_device()[3])
const ZE_DEVICE_PROPERTY_FLAG_INTEGRATED = 0x00000001
const ZE_DEVICE_MODULE_FLAG_FP16, ZE_DEVICE_MODULE_FLAG_FP64, ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS = 0x00000001, 0x00000002, 0x00000004
properties(::ZeDevice) = (; name = Core.Host.kernel_device()[1], numSlices = 1, numSubslicesPerSlice = Core.Host.kernel_device()[4],
    flags = Core.Host.kernel_own_memory() ? 0x00000000 : ZE_DEVICE_PROPERTY_FLAG_INTEGRATED)
compute_properties(::ZeDevice) = (;
    maxTotalGroupSize = group_max(), maxGroupSizeX = group_max(), maxGroupSizeY = group_max(), maxGroupSizeZ = group_max(),
    maxGroupCountX = Int(typemax(Int32)), maxGroupCountY = Int(typemax(Int32)), maxGroupCountZ = Int(typemax(Int32)),
    maxSharedLocalMemory = Core.Host.kernel_device()[5], subGroupSizes = (Base.DeviceLanes.LANES,))
# The processor has all types. Other devices do not say it, so nothing is promised; a kernel whose types a device lacks is refused when it is
# compiled.
has(flag) = Core.Host.kernel_own_memory() ? 0x00000000 : flag
module_properties(::ZeDevice) = (; flags = has(ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_FP64 | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS),
    fp16flags = has(ZE_DEVICE_MODULE_FLAG_FP16), fp64flags = has(ZE_DEVICE_MODULE_FLAG_FP64))
memory_properties(::ZeDevice) = [(; totalSize = Core.Host.kernel_device()[6])]
Base.show(io::IO, d::ZeDevice) = print(io, "ZeDevice(", properties(d).name, ")")

synchronize() = Device.synchronize()
synchronize(::ZeCommandQueue) = Device.synchronize()

end
using .oneL0
import .oneL0: synchronize

functional() = oneL0.functional[]
