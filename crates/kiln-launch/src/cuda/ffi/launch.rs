//! Modules, their functions, and launches.

use super::link::link;
use super::{Context, Queue, Refused, call, text};
use crate::artifact::{DeviceArtifact, Format, Param, ParamKind};
use crate::grid::{Grid, Together};
use cudarc::driver::result;
use cudarc::driver::sys::{
    self, CUevent, CUevent_flags, CUfunction, CUfunction_attribute, CUjit_option, CUlaunchAttribute,
    CUlaunchAttributeID, CUlaunchAttributeValue, CUlaunchAttributeValue_union__bindgen_ty_1 as ClusterDim,
    CUlaunchConfig, CUmodule, CUresult,
};
use std::ffi::{CString, c_void};
use std::path::Path;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

/// Size of the log that the driver's compiler may fill.
const LOG_BYTES: usize = 16 << 10;
/// The dynamic shared memory that a function may use without an attribute.
const SHARED_BYTES_UNASKED: usize = 48 << 10;

/// Why there is no function.
#[derive(Debug)]
pub(in super::super) enum KernelLoadError {
    /// The driver's compiler failed, with its log.
    Build(String),
    /// The module lacks the function.
    NoKernel,
    /// A call failed.
    Driver(Refused),
}

/// A function of a module of its own.
#[derive(Debug)]
pub(in super::super) struct Function {
    function: CUfunction,
    module: CUmodule,
    params: Vec<Param>,
    context: Arc<Context>,
}

// SAFETY: modules and functions may be used from any thread.
unsafe impl Send for Function {}
// SAFETY: as above; nothing of them is changed but by the driver.
unsafe impl Sync for Function {}

impl Function {
    /// Loads an artifact that has been checked, linked with a library if one is given, and finds its function.
    pub(in super::super) fn new(
        context: &Arc<Context>,
        artifact: &DeviceArtifact,
        library: Option<&Path>,
    ) -> Result<Self, KernelLoadError> {
        context.enter().map_err(KernelLoadError::Driver)?;
        let module = load(artifact, library)?;
        // From here on it is unloaded if something fails.
        let mut made = Self {
            function: ptr::null_mut(),
            module,
            params: artifact.params.clone(),
            context: Arc::clone(context),
        };
        let name = CString::new(artifact.entry.as_str()).map_err(|_| KernelLoadError::NoKernel)?;
        // SAFETY: the module is loaded.
        let function = unsafe { result::module::get_function(module, name) };
        made.function = function.map_err(|it| {
            if it.0 == CUresult::CUDA_ERROR_NOT_FOUND {
                KernelLoadError::NoKernel
            } else {
                KernelLoadError::Driver(("cuModuleGetFunction", text(it)))
            }
        })?;
        Ok(made)
    }

    /// The sizes of its parameters, where the driver is new enough to say.
    pub(in super::super) fn param_sizes(&self) -> Option<Vec<usize>> {
        if !driver_has(b"cuFuncGetParamInfo\0") || self.context.enter().is_err() {
            return None;
        }
        let size = |index: usize| {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: both are written to if there is a parameter of this number.
            let found = unsafe { sys::cuFuncGetParamInfo(self.function, index, &mut offset, &mut size) };
            found.result().ok().map(|()| size)
        };
        Some((0..).map_while(size).collect())
    }

    fn attribute(&self, what: CUfunction_attribute) -> Result<u64, Refused> {
        self.context.enter()?;
        // SAFETY: the function is loaded.
        let value = unsafe { result::function::get_function_attribute(self.function, what) };
        call("cuFuncGetAttribute", value).map(|it| u64::try_from(it).unwrap_or(0))
    }

    /// Items of a group, at most.
    pub(in super::super) fn items_max(&self) -> Result<u64, Refused> {
        self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
    }

    /// Static shared memory of a group, in bytes.
    pub(in super::super) fn shared_bytes(&self) -> Result<u64, Refused> {
        self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
    }

    /// Puts a launch in a queue: a grid that is not empty and that the device allows, with arguments from a block that
    /// has as many bytes as the parameters say.
    pub(in super::super) fn enqueue(
        &self,
        queue: &Queue,
        grid: &Grid,
        block: &[u8],
        state: u64,
        profile: bool,
    ) -> Result<Started, Refused> {
        self.context.enter()?;
        if grid.dynamic_shared_bytes > SHARED_BYTES_UNASKED {
            let most = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            let bytes = grid.dynamic_shared_bytes as i32;
            // SAFETY: the function is loaded.
            let told = unsafe { result::function::set_function_attribute(self.function, most, bytes) };
            call("cuFuncSetAttribute", told)?;
        }
        let mut values: Vec<*mut c_void> = Vec::with_capacity(self.params.len());
        for param in &self.params {
            let value: *const u8 = match param.kind {
                ParamKind::State => (&raw const state).cast(),
                ParamKind::Value | ParamKind::Pointer | ParamKind::Aggregate => param.bytes(block).as_ptr(),
                ParamKind::DynamicShared => continue,
            };
            values.push(value.cast_mut().cast());
        }
        let [gx, gy, gz] = grid.groups.map(|it| it as u32);
        let [ix, iy, iz] = grid.items.map(|it| it as u32);
        let start = if profile { Some(Mark::new(queue, true)?) } else { None };
        let shared = grid.dynamic_shared_bytes as u32;
        if grid.together == Together::NONE {
            // SAFETY: the values are copied by the call, each as many bytes as the function's parameter has, which was
            // compared with the artifact's where the driver tells. Its maker answers for its use of addresses.
            let launched = unsafe {
                result::launch_kernel(
                    self.function,
                    (gx, gy, gz),
                    (ix, iy, iz),
                    shared,
                    queue.stream,
                    &mut values,
                )
            };
            call("cuLaunchKernel", launched)?;
        } else {
            let mut attributes = attributes(grid.together);
            let config = CUlaunchConfig {
                gridDimX: gx,
                gridDimY: gy,
                gridDimZ: gz,
                blockDimX: ix,
                blockDimY: iy,
                blockDimZ: iz,
                sharedMemBytes: shared,
                hStream: queue.stream,
                attrs: attributes.as_mut_ptr(),
                numAttrs: attributes.len() as u32,
            };
            self.enqueue_together(&config, &mut values)?;
        }
        Ok(Started { start, end: Mark::new(queue, profile)? })
    }
}

impl Function {
    /// Puts a launch in a queue whose groups wait for each other.
    fn enqueue_together(&self, config: &CUlaunchConfig, values: &mut [*mut c_void]) -> Result<(), Refused> {
        if !driver_has(b"cuLaunchKernelEx\0") {
            return Err(("cuLaunchKernelEx", "the driver is older than CUDA 11.8".to_owned()));
        }
        // SAFETY: as for a launch without attributes; those of the configuration live until the call returns.
        let launched =
            unsafe { sys::cuLaunchKernelEx(config, self.function, values.as_mut_ptr(), ptr::null_mut()) };
        call("cuLaunchKernelEx", launched.result())
    }
}

/// Returns the attributes of a launch whose groups wait for each other.
fn attributes(together: Together) -> Vec<CUlaunchAttribute> {
    let attribute = |id, value| CUlaunchAttribute { id, pad: [0; 4], value };
    let mut all = Vec::with_capacity(2);
    if together.is_cooperative {
        let value = CUlaunchAttributeValue { cooperative: 1 };
        all.push(attribute(CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, value));
    }
    if together.has_clusters() {
        let [x, y, z] = together.cluster.map(|it| it as u32);
        let value = CUlaunchAttributeValue { clusterDim: ClusterDim { x, y, z } };
        all.push(attribute(CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, value));
    }
    all
}

impl Drop for Function {
    fn drop(&mut self) {
        if self.context.synchronize().is_ok() {
            // SAFETY: it has no other owner, and the device is idle.
            let _ = unsafe { result::module::unload(self.module) };
        }
    }
}

/// Whether the driver has a function that came after those that all have: calling one that it lacks would panic.
fn driver_has(name: &[u8]) -> bool {
    // SAFETY: the library is open; what is found is not called through this.
    unsafe { sys::culib().get::<unsafe extern "C" fn()>(name).is_ok() }
}

/// Gives the driver an artifact's code.
fn load(artifact: &DeviceArtifact, library: Option<&Path>) -> Result<CUmodule, KernelLoadError> {
    let mut code = artifact.code.clone();
    if artifact.format == Format::Ptx {
        code.push(0);
    }
    if let Some(library) = library {
        code = link(&code, library)?;
    }
    let mut log = vec![0u8; LOG_BYTES];
    let mut options =
        [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(LOG_BYTES)];
    let mut module = ptr::null_mut();
    // SAFETY: the code is text with an end or a whole file; there are two options and their values, and the log is as large
    // as said. All of it is used during the call only.
    let loaded = unsafe {
        sys::cuModuleLoadDataEx(
            &mut module,
            code.as_ptr().cast(),
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    loaded.result().map_err(|error| {
        let log = String::from_utf8_lossy(&log);
        let log = log.trim_matches(|it: char| it == '\0' || it.is_whitespace());
        KernelLoadError::Build(format!("{}{}{log}", text(error), if log.is_empty() { "" } else { ": " }))
    })?;
    Ok(module)
}

/// A launch that is in a queue.
#[derive(Debug)]
pub(in super::super) struct Started {
    start: Option<Mark>,
    end: Mark,
}

impl Started {
    /// Waits for its end.
    pub(in super::super) fn wait(&self) -> Result<(), Refused> {
        self.end.context.enter()?;
        // SAFETY: the event was recorded.
        call("cuEventSynchronize", unsafe { result::event::synchronize(self.end.event) })
    }

    /// Whether it is over, or will never be.
    pub(in super::super) fn is_over(&self) -> bool {
        // SAFETY: the event was recorded.
        let asked = self.end.context.enter().map(|()| unsafe { result::event::query(self.end.event) });
        !matches!(asked, Ok(Err(it)) if it.0 == CUresult::CUDA_ERROR_NOT_READY)
    }

    /// Returns the device's time for the launch, if it was measured and is over.
    pub(in super::super) fn took(&self) -> Option<Duration> {
        let start = self.start.as_ref()?;
        if !driver_has(b"cuEventElapsedTime_v2\0") {
            return None;
        }
        // SAFETY: both events were recorded, with times.
        let milliseconds = unsafe { result::event::elapsed(start.event, self.end.event) }.ok()?;
        Duration::try_from_secs_f32(milliseconds / 1000.0).ok()
    }
}

/// A place in a queue.
#[derive(Debug)]
struct Mark {
    event: CUevent,
    context: Arc<Context>,
}

// SAFETY: an event may be used from any thread.
unsafe impl Send for Mark {}
// SAFETY: as above; it is recorded once, before anybody else has it.
unsafe impl Sync for Mark {}

impl Mark {
    /// Behind everything in the queue.
    fn new(queue: &Queue, is_timed: bool) -> Result<Self, Refused> {
        let flags =
            if is_timed { CUevent_flags::CU_EVENT_DEFAULT } else { CUevent_flags::CU_EVENT_DISABLE_TIMING };
        let event = call("cuEventCreate", result::event::create(flags))?;
        let made = Self { event, context: Arc::clone(&queue.context) };
        // SAFETY: the event and the stream are of the same context, which is this thread's.
        call("cuEventRecord", unsafe { result::event::record(event, queue.stream) })?;
        Ok(made)
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        if self.context.enter().is_ok() {
            // SAFETY: it has no other owner.
            let _ = unsafe { result::event::destroy(self.event) };
        }
    }
}
