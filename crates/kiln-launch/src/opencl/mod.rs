//! Devices with an OpenCL driver that takes SPIR-V and shares virtual memory with the host.
//!
//! OpenCL's library is opened on the first request for devices; without it there are no devices. Each
//! [`OpenClDevice`] is a context of its own: the same hardware opened twice is two devices that share nothing.

mod ffi;
mod limits;
mod program;

use crate::artifact::{DeviceArtifact, Format};
use crate::device::{Device, DeviceError, DeviceKernel, DeviceLimits, HostMemoryAccess, MemoryKind, Stream};
use crate::records::Records;
use ffi::{Memory, call, on_own_stack};
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device as OpenCl};
use opencl3::platform::get_platforms;
use parking_lot::{Mutex, RwLock};
use std::fmt;
use std::sync::Arc;

/// Held while devices are enumerated and opened: drivers initialize on the first call, for the whole process, and
/// some without a lock of their own.
static ENUMERATING: Mutex<()> = Mutex::new(());

/// The options of opening a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenClOptions {
    /// Launches are measured. Costs each some time.
    pub profile: bool,
    /// Restricts the device to memory that is allocated for both sides, even if it reaches more.
    pub only_allocations: bool,
}

/// A device that a driver offers.
#[derive(Clone, Copy)]
pub struct OpenClDeviceInfo {
    device: OpenCl,
}

impl fmt::Debug for OpenClDeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenClFound").field(&self.name()).finish()
    }
}

impl OpenClDeviceInfo {
    /// The devices of all drivers that are installed, in the order in which the drivers give them; none where OpenCL is
    /// not installed.
    pub fn all() -> Vec<Self> {
        let _alone = ENUMERATING.lock();
        let platforms = get_platforms().unwrap_or_default();
        let devices = platforms.iter().flat_map(|it| it.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default());
        devices.map(|it| Self { device: OpenCl::new(it) }).collect()
    }

    /// Returns the vendor's name of the device.
    pub fn name(&self) -> String {
        self.device.name().unwrap_or_else(|_| "a device without a name".to_owned()).trim().to_owned()
    }

    /// The versions of SPIR-V that it takes, as the driver writes them: `SPIR-V_1.0 SPIR-V_1.2`; empty if it takes none.
    pub fn spirv_versions(&self) -> String {
        self.device.il_version().unwrap_or_default().trim().to_owned()
    }

    /// Makes a device of it.
    ///
    /// # Errors
    /// When it does not take SPIR-V or shares no virtual memory, or the driver fails.
    pub fn open(&self, options: OpenClOptions) -> Result<OpenClDevice, DeviceError> {
        OpenClDevice::open(self.device, self.name(), &self.spirv_versions(), options)
    }
}

/// A device in a context of its own. Clones are the same device.
#[derive(Clone, Debug)]
pub struct OpenClDevice(Arc<State>);

/// A device, as its kernels and events share it.
struct State {
    device: OpenCl,
    name: String,
    target: String,
    limits: DeviceLimits,
    has_fine_buffers: bool,
    profile: bool,
    records: Records,
    /// Declared before the memory, which must outlive enqueued work.
    queues: RwLock<Vec<Arc<CommandQueue>>>,
    memory: Memory,
    context: Arc<Context>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenCl").field("name", &self.name).finish_non_exhaustive()
    }
}

impl State {
    fn finish(&self) -> Result<(), DeviceError> {
        let queues = self.queues.read().clone();
        let finished = on_own_stack(move || queues.iter().map(|it| it.finish()).collect::<Vec<_>>());
        let all = finished.into_iter().map(|it| call("clFinish", it).map_err(|it| self.memory.driver(it)));
        // Each is waited for, whatever the others say.
        all.fold(Ok(()), Result::and)
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // No caller is left to be told.
        let _ = self.finish();
    }
}

impl OpenClDevice {
    fn open(device: OpenCl, name: String, spirv: &str, options: OpenClOptions) -> Result<Self, DeviceError> {
        let _alone = ENUMERATING.lock();
        if spirv.is_empty() {
            return Err(DeviceError::NoDevice(format!("{name} does not take SPIR-V")));
        }
        let sharing = limits::Sharing::query(&device, options.only_allocations);
        if !sharing.has_buffers {
            let why = format!("{name} shares no virtual memory: arguments could not hold addresses");
            return Err(DeviceError::NoDevice(why));
        }
        let driver = |(call, said): ffi::Refused| DeviceError::Driver {
            device: name.clone(),
            call,
            said: said.to_string(),
        };
        let limits = limits::query(&device, &sharing).map_err(driver)?;
        let context = Arc::new(call("clCreateContext", Context::from_device(&device)).map_err(driver)?);
        let queue = ffi::queue(&context, &device, options.profile).map_err(driver)?;
        Ok(Self(Arc::new(State {
            device,
            target: limits::target(spirv, &limits),
            limits,
            has_fine_buffers: sharing.has_fine_buffers,
            profile: options.profile,
            records: Records::default(),
            queues: RwLock::new(vec![Arc::new(queue)]),
            memory: Memory::new(Arc::clone(&context), name.clone()),
            context,
            name,
        })))
    }

    fn queue(&self, stream: Stream) -> Result<Arc<CommandQueue>, DeviceError> {
        let queues = self.0.queues.read();
        queues.get(stream.0 as usize).cloned().ok_or(DeviceError::NoStream(stream.0))
    }

    fn reaches_all(&self) -> bool {
        self.0.limits.host_memory == HostMemoryAccess::All
    }
}

impl Device for OpenClDevice {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn target(&self) -> &str {
        &self.0.target
    }

    fn limits(&self) -> &DeviceLimits {
        &self.0.limits
    }

    fn takes(&self, format: Format) -> bool {
        format == Format::Spirv
    }

    fn new_stream(&self) -> Result<Stream, DeviceError> {
        let queue = ffi::queue(&self.0.context, &self.0.device, self.0.profile);
        let queue = queue.map_err(|it| self.0.memory.driver(it))?;
        let mut queues = self.0.queues.write();
        queues.push(Arc::new(queue));
        Ok(Stream(queues.len() as u32 - 1))
    }

    fn alloc(&self, bytes: usize, kind: MemoryKind) -> Result<u64, DeviceError> {
        if kind == MemoryKind::Shared && !self.0.has_fine_buffers {
            let why = format!("{} shares memory with the host only while it is mapped", self.0.name);
            return Err(DeviceError::NoDevice(why));
        }
        self.0.memory.alloc(bytes, kind == MemoryKind::Shared)
    }

    fn free(&self, address: u64) -> Result<(), DeviceError> {
        self.0.memory.free(address, || self.0.finish())
    }

    fn write(&self, stream: Stream, to: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.0.memory.write(&*self.queue(stream)?, to, bytes)
    }

    fn read(&self, stream: Stream, from: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.0.memory.read(&*self.queue(stream)?, from, bytes)
    }

    fn copy(&self, stream: Stream, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        self.0.memory.copy(&*self.queue(stream)?, to, from, bytes)
    }

    fn fill(&self, stream: Stream, to: u64, value: u8, bytes: usize) -> Result<(), DeviceError> {
        self.0.memory.fill(&*self.queue(stream)?, to, value, bytes)
    }

    fn load(&self, artifact: &DeviceArtifact) -> Result<Arc<dyn DeviceKernel>, DeviceError> {
        Ok(Arc::new(program::load(self, artifact)?))
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        self.0.finish()
    }
}
