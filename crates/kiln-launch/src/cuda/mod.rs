//! Devices with NVIDIA's driver: PTX that the driver compiles, or machine code for one architecture.
//!
//! Without the driver's library there are no devices. All [`CudaDevice`]s of one GPU share its primary context, as do
//! other users of CUDA in this process; each knows only its own memory.

mod ffi;
mod limits;
mod runtime;

use crate::artifact::{DeviceArtifact, Format, ParamKind};
use crate::device::{
    Device, DeviceError, DeviceKernel, DeviceLimits, Event, HostMemoryAccess, LaunchOutcome, MemoryKind,
    Nothing, Stream,
};
use crate::device_runtime::DeviceRuntimePaths;
use crate::grid::{Grid, Seed};
use crate::records::{Record, Records, Room};
use ffi::{Context, Function, KernelLoadError, Memory, Queue, Refused, Started};
use parking_lot::{Mutex, RwLock};
use std::fmt;
use std::sync::Arc;

/// The options of opening a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CudaOptions {
    /// Launches are measured. Costs each some time.
    pub profile: bool,
    /// Where NVIDIA's device runtime library is looked for, by which kernels launch kernels.
    pub device_runtime: DeviceRuntimePaths,
}

/// A GPU. Clones are the same device.
#[derive(Clone, Debug)]
pub struct CudaDevice(Arc<State>);

/// A device, as its kernels and events share it.
struct State {
    name: String,
    target: String,
    limits: DeviceLimits,
    options: CudaOptions,
    records: Records,
    queues: RwLock<Vec<Arc<Queue>>>,
    memory: Memory,
    context: Arc<Context>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cuda").field("name", &self.name).finish_non_exhaustive()
    }
}

impl CudaDevice {
    /// Returns the number of the driver's GPUs; 0 where it is not installed.
    ///
    /// # Errors
    /// When there is a driver, and it fails to start.
    pub fn count() -> Result<usize, DeviceError> {
        match ffi::count() {
            None => Ok(0),
            Some(Ok(count)) => Ok(count),
            // What the driver says where no GPU is plugged in.
            Some(Err((_, said))) if said.starts_with("CUDA_ERROR_NO_DEVICE") => Ok(0),
            Some(Err(refused)) => Err(driver("the CUDA driver", refused)),
        }
    }

    /// Opens the GPU of this number.
    ///
    /// # Errors
    /// When it does not exist, or those of the driver.
    pub fn open(number: usize, options: CudaOptions) -> Result<Self, DeviceError> {
        let count = Self::count()?;
        if number >= count {
            let why = format!("there is no GPU {number}: the CUDA driver has {count} or is not installed");
            return Err(DeviceError::NoDevice(why));
        }
        let unnamed = |it| driver(&format!("GPU {number}"), it);
        let context = Arc::new(Context::new(number).map_err(unnamed)?);
        let name = context.name().map_err(unnamed)?;
        let (limits, target) = limits::query(&context).map_err(unnamed)?;
        let queue = Queue::new(&context).map_err(unnamed)?;
        Ok(Self(Arc::new(State {
            target,
            limits,
            options,
            records: Records::default(),
            queues: RwLock::new(vec![Arc::new(queue)]),
            memory: Memory::new(Arc::clone(&context), name.clone()),
            context,
            name,
        })))
    }

    fn queue(&self, stream: Stream) -> Result<Arc<Queue>, DeviceError> {
        let queues = self.0.queues.read();
        queues.get(stream.0 as usize).cloned().ok_or(DeviceError::NoStream(stream.0))
    }

    fn driver(&self, refused: Refused) -> DeviceError {
        self.0.memory.driver(refused)
    }
}

fn driver(device: &str, (call, said): Refused) -> DeviceError {
    DeviceError::Driver { device: device.to_owned(), call, said }
}

impl Device for CudaDevice {
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
        matches!(format, Format::Ptx | Format::Cubin)
    }

    fn new_stream(&self) -> Result<Stream, DeviceError> {
        let queue = Queue::new(&self.0.context).map_err(|it| self.driver(it))?;
        let mut queues = self.0.queues.write();
        queues.push(Arc::new(queue));
        Ok(Stream(queues.len() as u32 - 1))
    }

    fn alloc(&self, bytes: usize, kind: MemoryKind) -> Result<u64, DeviceError> {
        if kind == MemoryKind::Shared && self.0.limits.host_memory == HostMemoryAccess::None {
            return Err(DeviceError::NoDevice(format!("{} has no managed memory", self.0.name)));
        }
        self.0.memory.alloc(bytes, kind == MemoryKind::Shared)
    }

    fn free(&self, address: u64) -> Result<(), DeviceError> {
        self.0.memory.free(address)
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
        Ok(Arc::new(CudaKernel::new(self, artifact)?))
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        self.0.context.synchronize().map_err(|it| self.driver(it))
    }
}

/// A function of a module that is loaded.
struct CudaKernel {
    function: Arc<Function>,
    device: CudaDevice,
    entry: String,
    needs_state: bool,
    room: Room,
    args_bytes: usize,
    items_max: u64,
    shared_bytes: u64,
}

impl fmt::Debug for CudaKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaKernel").field("entry", &self.entry).finish_non_exhaustive()
    }
}

impl CudaKernel {
    fn new(device: &CudaDevice, artifact: &DeviceArtifact) -> Result<Self, DeviceError> {
        let entry = artifact.entry.clone();
        let malformed = |why: String| DeviceError::Malformed { entry: artifact.entry.clone(), why };
        if !device.takes(artifact.format) {
            return Err(malformed(format!("{} takes PTX and cubins", device.name())));
        }
        artifact.check()?;
        if artifact.params.iter().any(|it| it.kind == ParamKind::DynamicShared) {
            return Err(malformed("dynamic shared memory is no parameter of a CUDA kernel".to_owned()));
        }
        let launches = artifact.format == Format::Ptx && kiln_unit::needs_device_runtime(&artifact.code);
        let library =
            if launches { Some(runtime::library(&device.0.options.device_runtime, &entry)?) } else { None };
        let function = Function::new(&device.0.context, artifact, library.as_deref());
        let function = function.map_err(|it| match it {
            KernelLoadError::Build(log) => {
                DeviceError::Build { device: device.name().to_owned(), entry: entry.clone(), log }
            }
            KernelLoadError::NoKernel => DeviceError::NoKernel { entry: entry.clone(), found: String::new() },
            KernelLoadError::Driver(refused) => device.driver(refused),
        })?;
        let said =
            artifact.params.iter().map(|it| if it.kind == ParamKind::State { 8 } else { it.size as usize });
        let said: Vec<usize> = said.collect();
        if let Some(has) = function.param_sizes().filter(|it| *it != said) {
            return Err(malformed(format!(
                "its parameters have {has:?} bytes, and the artifact says {said:?}"
            )));
        }
        Ok(Self {
            items_max: function.items_max().map_err(|it| device.driver(it))?,
            shared_bytes: function.shared_bytes().map_err(|it| device.driver(it))?,
            function: Arc::new(function),
            device: device.clone(),
            entry,
            needs_state: artifact.needs_state(),
            room: Room::for_artifact(artifact),
            args_bytes: artifact.args_bytes as usize,
        })
    }
}

impl DeviceKernel for CudaKernel {
    fn items_max(&self) -> u64 {
        self.items_max
    }

    fn launch_seeded(
        &self,
        stream: Stream,
        grid: &Grid,
        seed: Option<Seed>,
        args: &[u8],
    ) -> Result<Box<dyn Event>, DeviceError> {
        let (device, records) = (&self.device, &self.device.0.records);
        if args.len() != self.args_bytes {
            return Err(DeviceError::Arguments { bytes: args.len(), expected: self.args_bytes });
        }
        let queue = device.queue(stream)?;
        if grid.is_empty() {
            return Ok(Box::new(Nothing));
        }
        device.0.limits.check(grid, self.items_max, self.shared_bytes)?;
        let record =
            if self.needs_state { Some(records.acquire(device, stream, self.room, seed)?) } else { None };
        let state = record.map_or(0, |it| it.address);
        let started = self.function.enqueue(&queue, grid, args, state, device.0.options.profile);
        let started = started.map_err(|it| {
            if let Some(record) = record {
                records.release(record);
            }
            device.driver(it)
        })?;
        let (function, finished) = (Arc::clone(&self.function), Mutex::new(None));
        Ok(Box::new(Launched { started, record, finished, device: device.clone(), _function: function }))
    }
}

/// A launch in a stream.
#[derive(Debug)]
struct Launched {
    started: Started,
    record: Option<Record>,
    finished: Mutex<Option<Result<LaunchOutcome, DeviceError>>>,
    device: CudaDevice,
    _function: Arc<Function>,
}

impl Launched {
    fn result(&self) -> Result<LaunchOutcome, DeviceError> {
        let device = &self.device;
        let waited = self.started.wait().map_err(|it| device.driver(it));
        let read = self.record.map_or(Ok(LaunchOutcome::default()), |it| device.0.records.finish(device, it));
        waited?;
        Ok(LaunchOutcome { took: self.started.took(), ..read? })
    }
}

impl Event for Launched {
    fn wait(&self) -> Result<LaunchOutcome, DeviceError> {
        self.finished.lock().get_or_insert_with(|| self.result()).clone()
    }

    fn is_over(&self) -> bool {
        self.started.is_over()
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        if let (None, Some(record)) = (self.finished.get_mut(), self.record) {
            self.device.0.records.release(record);
        }
    }
}
