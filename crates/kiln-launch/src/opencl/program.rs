//! Programs of a context, their kernels, and launches.

use super::OpenClDevice;
use super::ffi::{Arguments, call, is_own_stack, on_own_stack};
use crate::artifact::{DeviceArtifact, Format, ParamKind};
use crate::device::{Device, DeviceError, DeviceKernel, Event, LaunchOutcome, Nothing, Stream};
use crate::grid::{Grid, Seed};
use crate::records::{Record, Room};
use opencl3::error_codes::ClError;
use opencl3::event::{CL_COMPLETE, Event as Command};
use opencl3::kernel::Kernel;
use opencl3::program::Program;
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A wait this long is cheaper than waking another thread.
const SHORT: Duration = Duration::from_micros(50);

/// A kernel of a program that was built in the device's context.
struct OpenClKernel {
    device: OpenClDevice,
    entry: String,
    arguments: Arguments,
    needs_state: bool,
    room: Room,
    has_dynamic_shared: bool,
    args_bytes: usize,
    items_max: u64,
    /// Static shared memory of a group, without that of launches.
    shared_bytes: u64,
}

impl fmt::Debug for OpenClKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenClKernel").field("entry", &self.entry).finish_non_exhaustive()
    }
}

/// Builds an artifact's program and finds its kernel.
pub(super) fn load(
    device: &OpenClDevice,
    artifact: &DeviceArtifact,
) -> Result<impl DeviceKernel + use<>, DeviceError> {
    let malformed = |why: String| DeviceError::Malformed { entry: artifact.entry.clone(), why };
    if artifact.format != Format::Spirv {
        return Err(malformed(format!("{} takes SPIR-V", device.name())));
    }
    artifact.check()?;
    let driver = |it| device.0.memory.driver(it);
    let program = build(device, artifact)?;
    let kernel = call("clCreateKernel", Kernel::create(&program, &artifact.entry)).map_err(driver)?;
    let has = call("clGetKernelInfo", kernel.num_args()).map_err(driver)?;
    if has as usize != artifact.params.len() {
        return Err(malformed(format!(
            "the kernel has {has} parameters, and the artifact says {}",
            artifact.params.len()
        )));
    }
    let id = device.0.device.id();
    let items_max = call("clGetKernelWorkGroupInfo", kernel.get_work_group_size(id)).map_err(driver)?;
    let shared_bytes = call("clGetKernelWorkGroupInfo", kernel.get_local_mem_size(id)).map_err(driver)?;
    let arguments = Arguments::new(kernel, artifact.params.clone(), device.reaches_all()).map_err(driver)?;
    Ok(OpenClKernel {
        device: device.clone(),
        entry: artifact.entry.clone(),
        arguments,
        needs_state: artifact.needs_state(),
        room: Room::for_artifact(artifact),
        has_dynamic_shared: artifact.params.iter().any(|it| it.kind == ParamKind::DynamicShared),
        args_bytes: artifact.args_bytes as usize,
        items_max: items_max as u64,
        shared_bytes,
    })
}

fn build(device: &OpenClDevice, artifact: &DeviceArtifact) -> Result<Program, DeviceError> {
    let failed = |log: String| DeviceError::Build {
        device: device.name().to_owned(),
        entry: artifact.entry.clone(),
        log,
    };
    let program = Program::create_from_il(&device.0.context, &artifact.code)
        .map_err(|it| failed(format!("clCreateProgramWithIL: {it}")))?;
    let id = device.0.device.id();
    let mut program = program;
    let built = program.build(&[id], "");
    built.map_err(|error| {
        let log = program.get_build_log(id).unwrap_or_default();
        let log = log.trim_matches(|it: char| it == '\0' || it.is_whitespace());
        failed(if log.is_empty() { format!("clBuildProgram: {error}") } else { format!("{error}: {log}") })
    })?;
    Ok(program)
}

impl DeviceKernel for OpenClKernel {
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
        let device = &self.device;
        if args.len() != self.args_bytes {
            return Err(DeviceError::Arguments { bytes: args.len(), expected: self.args_bytes });
        }
        let queue = device.queue(stream)?;
        if grid.is_empty() {
            return Ok(Box::new(Nothing));
        }
        if grid.together.has_clusters() {
            let asked = grid.together.cluster.iter().map(|it| u128::from(it.unsigned_abs())).product();
            return Err(DeviceError::TooLarge { what: "groups of a cluster", asked, most: 1 });
        }
        let asked = if self.has_dynamic_shared { *grid } else { Grid { dynamic_shared_bytes: 0, ..*grid } };
        device.0.limits.check(&asked, self.items_max, self.shared_bytes)?;
        let take = || device.0.records.acquire(device, stream, self.room, seed);
        let record = if self.needs_state { Some(take()?) } else { None };
        let state = record.map_or(0, |it| it.address);
        let launched = self.arguments.enqueue(&device.0.memory, &queue, grid, args, state);
        let command = launched.map_err(|it| {
            if let Some(record) = record {
                device.0.records.release(record);
            }
            device.0.memory.driver(it)
        })?;
        // Without it a driver may wait for more before it begins.
        call("clFlush", queue.flush()).map_err(|it| device.0.memory.driver(it))?;
        let finished = Mutex::new(None);
        Ok(Box::new(Launched { device: device.clone(), command: Arc::new(command), record, finished }))
    }
}

/// A launch in a queue.
#[derive(Debug)]
struct Launched {
    device: OpenClDevice,
    command: Arc<Command>,
    record: Option<Record>,
    finished: Mutex<Option<Result<LaunchOutcome, DeviceError>>>,
}

impl Launched {
    fn result(&self) -> Result<LaunchOutcome, DeviceError> {
        let (device, memory) = (&self.device, &self.device.0.memory);
        let waited = call("clWaitForEvents", self.wait_for_command()).map_err(|it| memory.driver(it));
        let read = self.record.map_or(Ok(LaunchOutcome::default()), |it| device.0.records.finish(device, it));
        waited?;
        Ok(LaunchOutcome { took: if device.0.profile { self.took() } else { None }, ..read? })
    }

    /// Waits as [`on_own_stack`] does. A short wait stays here.
    fn wait_for_command(&self) -> Result<(), ClError> {
        let started = Instant::now();
        while !is_own_stack() && !self.is_over() && started.elapsed() < SHORT {
            std::hint::spin_loop();
        }
        let command = self.command.clone();
        if self.is_over() { command.wait() } else { on_own_stack(move || command.wait()) }
    }

    fn took(&self) -> Option<Duration> {
        let start = self.command.profiling_command_start().ok()?;
        let end = self.command.profiling_command_end().ok()?;
        Some(Duration::from_nanos(end.saturating_sub(start)))
    }
}

impl Event for Launched {
    fn wait(&self) -> Result<LaunchOutcome, DeviceError> {
        self.finished.lock().get_or_insert_with(|| self.result()).clone()
    }

    fn is_over(&self) -> bool {
        // Errors are below zero.
        self.command.command_execution_status().map_or(true, |it| it.0 <= CL_COMPLETE)
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        if let (None, Some(record)) = (self.finished.get_mut(), self.record) {
            self.device.0.records.release(record);
        }
    }
}
