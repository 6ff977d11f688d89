//! Memory of a device, and copies to and from it.

use super::{Context, Queue, Refused, call};
use crate::allocations::Allocations;
use crate::device::DeviceError;
use cudarc::driver::result;
use cudarc::driver::sys::CUmemAttach_flags;
use std::sync::Arc;

/// The allocations in a context, and the only way to their addresses.
#[derive(Debug)]
pub(in super::super) struct Memory {
    context: Arc<Context>,
    allocations: Allocations,
    device: String,
}

impl Memory {
    pub(in super::super) fn new(context: Arc<Context>, device: String) -> Self {
        Self { context, allocations: Allocations::default(), device }
    }

    pub(in super::super) fn driver(&self, (call, said): Refused) -> DeviceError {
        DeviceError::Driver { device: self.device.clone(), call, said }
    }

    /// Memory of the device's; `is_managed`: that the host may touch while nothing runs.
    pub(in super::super) fn alloc(&self, bytes: usize, is_managed: bool) -> Result<u64, DeviceError> {
        let bytes = bytes.max(1);
        self.context.enter().map_err(|it| self.driver(it))?;
        let made = if is_managed {
            // SAFETY: the context is this thread's; the device has managed memory, as it said when it was opened.
            let made = unsafe { result::malloc_managed(bytes, CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL) };
            call("cuMemAllocManaged", made)
        } else {
            // SAFETY: the context is this thread's.
            call("cuMemAlloc", unsafe { result::malloc_sync(bytes) })
        };
        let address = made.map_err(|it| self.driver(it))?;
        self.allocations.insert(address, bytes);
        Ok(address)
    }

    /// Frees memory once the device is idle.
    pub(in super::super) fn free(&self, address: u64) -> Result<(), DeviceError> {
        self.allocations.remove(address)?;
        let waited = self.context.synchronize();
        // SAFETY: it was allocated in this context, no lookup finds it any more, and what was enqueued has run.
        let freed = call("cuMemFree", unsafe { result::free_sync(address) });
        waited.and(freed).map_err(|it| self.driver(it))
    }

    pub(in super::super) fn write(&self, queue: &Queue, to: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.transfer(queue, to, bytes.len(), || {
            // SAFETY: an allocation has as many bytes from there on; the host's are borrowed until the copy is done.
            call("cuMemcpyHtoDAsync", unsafe { result::memcpy_htod_async(to, bytes, queue.stream) })
        })
    }

    pub(in super::super) fn read(
        &self,
        queue: &Queue,
        from: u64,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.transfer(queue, from, bytes.len(), || {
            // SAFETY: as above.
            call("cuMemcpyDtoHAsync", unsafe { result::memcpy_dtoh_async(bytes, from, queue.stream) })
        })
    }

    /// Starts a copy between an allocation and the host, and waits for it.
    fn transfer(
        &self,
        queue: &Queue,
        address: u64,
        bytes: usize,
        start: impl FnOnce() -> Result<(), Refused>,
    ) -> Result<(), DeviceError> {
        self.enqueue(address, bytes, start)?;
        // A copy that fails to end has taken the context with it: then nothing touches the host's bytes later on.
        if bytes == 0 { Ok(()) } else { queue.synchronize().map_err(|it| self.driver(it)) }
    }

    /// Starts something that needs these bytes of an allocation; nothing for no bytes.
    fn enqueue(
        &self,
        address: u64,
        bytes: usize,
        start: impl FnOnce() -> Result<(), Refused>,
    ) -> Result<(), DeviceError> {
        self.allocations.with(address, bytes, || {
            if bytes == 0 {
                return Ok(());
            }
            self.context.enter().and_then(|()| start()).map_err(|it| self.driver(it))
        })
    }

    pub(in super::super) fn copy(
        &self,
        queue: &Queue,
        to: u64,
        from: u64,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        self.allocations.with(from, bytes, || Ok(()))?;
        self.enqueue(to, bytes, || {
            // SAFETY: allocations have as many bytes on each side, and are not freed before the copy has run.
            call("cuMemcpyDtoDAsync", unsafe { result::memcpy_dtod_async(to, from, bytes, queue.stream) })
        })
    }

    pub(in super::super) fn fill(
        &self,
        queue: &Queue,
        to: u64,
        value: u8,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        self.enqueue(to, bytes, || {
            // SAFETY: an allocation has as many bytes from there on, and is not freed before this has run.
            call("cuMemsetD8Async", unsafe { result::memset_d8_async(to, value, bytes, queue.stream) })
        })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.context.synchronize().is_err() {
            return;
        }
        for address in self.allocations.addresses() {
            // SAFETY: it was allocated in this context, and the device is idle.
            let _ = unsafe { result::free_sync(address) };
        }
    }
}
