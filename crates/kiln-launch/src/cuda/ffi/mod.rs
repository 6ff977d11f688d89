//! The calls of CUDA's driver. Its library is opened when it is first asked for; nothing here is called before
//! [`count`] has found it, because a call without it would panic.
//!
//! Every function makes its context the calling thread's, as the driver wants it.
#![expect(unsafe_code, reason = "calls a driver that takes addresses; see ARCHITECTURE.md")]

mod launch;
mod link;
mod memory;

pub(super) use launch::{Function, KernelLoadError, Started};
pub(super) use memory::Memory;

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUcontext, CUdevice, CUdevice_attribute, CUstream};
use std::sync::Arc;

/// A failed call: its name, and the driver's message.
pub(super) type Refused = (&'static str, String);

/// Names the call that an error is of.
fn call<T>(name: &'static str, result: Result<T, DriverError>) -> Result<T, Refused> {
    result.map_err(|it| (name, text(it)))
}

/// The name of an error and its description.
fn text(error: DriverError) -> String {
    let known = [error.error_name(), error.error_string()];
    let known: Vec<_> = known.into_iter().flatten().map(|it| it.to_string_lossy()).collect();
    if known.is_empty() { format!("error {}", error.0 as u32) } else { known.join(": ") }
}

/// Returns the number of the driver's devices; `None` where it is not installed.
///
/// # Errors
/// Fails with the driver's message from its start.
pub(super) fn count() -> Option<Result<usize, Refused>> {
    // SAFETY: opens libraries of CUDA's names, as loading the driver does.
    if !(may_be_installed() && unsafe { sys::is_culib_present() }) {
        return None;
    }
    let count =
        call("cuInit", result::init()).and_then(|()| call("cuDeviceGetCount", result::device::get_count()));
    Some(count.map(|it| usize::try_from(it).unwrap_or(0)))
}

/// Whether the driver's library is found under the name that programs are linked with. To look for it under every name that
/// it has had on some system takes 250 calls of the system, in every process of a machine without a GPU.
#[cfg(target_os = "linux")]
fn may_be_installed() -> bool {
    // SAFETY: opens a library of CUDA's name, as loading the driver does; it stays open.
    !unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_LAZY) }.is_null()
}

#[cfg(not(target_os = "linux"))]
fn may_be_installed() -> bool {
    true
}

/// A device's context, which all of this process share.
#[derive(Debug)]
pub(super) struct Context {
    device: CUdevice,
    context: CUcontext,
}

// SAFETY: the driver's handles may be used from any thread; a thread makes the context its own before it does.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// The context of the device of this number.
    pub(super) fn new(number: usize) -> Result<Self, Refused> {
        let device = call("cuDeviceGet", result::device::get(number as i32))?;
        // SAFETY: the device is one of the driver's.
        let context = unsafe { result::primary_ctx::retain(device) };
        Ok(Self { device, context: call("cuDevicePrimaryCtxRetain", context)? })
    }

    fn enter(&self) -> Result<(), Refused> {
        // SAFETY: it is retained as long as this lives.
        call("cuCtxSetCurrent", unsafe { result::ctx::set_current(self.context) })
    }

    pub(super) fn name(&self) -> Result<String, Refused> {
        call("cuDeviceGetName", result::device::get_name(self.device))
    }

    /// Returns an attribute of the device.
    pub(super) fn attribute(&self, what: CUdevice_attribute) -> Result<u64, Refused> {
        // SAFETY: the device is one of the driver's.
        let value = unsafe { result::device::get_attribute(self.device, what) };
        call("cuDeviceGetAttribute", value).map(|it| u64::try_from(it).unwrap_or(0))
    }

    pub(super) fn memory_bytes(&self) -> Result<u64, Refused> {
        // SAFETY: the device is one of the driver's.
        call("cuDeviceTotalMem", unsafe { result::device::total_mem(self.device) }).map(|it| it as u64)
    }

    /// Waits for everything that this process has given the device.
    pub(super) fn synchronize(&self) -> Result<(), Refused> {
        self.enter()?;
        call("cuCtxSynchronize", result::ctx::synchronize())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: it was retained once.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

/// An in-order queue that waits for no other.
#[derive(Debug)]
pub(super) struct Queue {
    stream: CUstream,
    context: Arc<Context>,
}

// SAFETY: a stream may be used from any thread.
unsafe impl Send for Queue {}
// SAFETY: as above: the driver locks it.
unsafe impl Sync for Queue {}

impl Queue {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self, Refused> {
        context.enter()?;
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking);
        Ok(Self { stream: call("cuStreamCreate", stream)?, context: Arc::clone(context) })
    }

    fn synchronize(&self) -> Result<(), Refused> {
        self.context.enter()?;
        // SAFETY: it is destroyed only when this is dropped.
        call("cuStreamSynchronize", unsafe { result::stream::synchronize(self.stream) })
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.context.enter().is_ok() {
            // SAFETY: it has no other owner; what is in it still runs to its end.
            let _ = unsafe { result::stream::destroy(self.stream) };
        }
    }
}
