//! The calls of OpenCL that take addresses: memory the device shares with the host, the arguments of kernels, launches.
//!
//! All device memory is shared virtual memory: kernels receive structures with addresses in them, and no other memory
//! has an address that is known on both sides.
#![expect(unsafe_code, reason = "hands addresses to the driver; see ARCHITECTURE.md")]

mod arguments;
mod own_stack;

pub(super) use arguments::Arguments;
pub(super) use own_stack::{is_own_stack, on_own_stack};

use crate::allocations::Allocations;
use crate::device::DeviceError;
use opencl3::command_queue::{
    CL_QUEUE_PROFILING_ENABLE, CommandQueue, enqueue_svm_mem_cpy, enqueue_svm_mem_fill, finish,
};
use opencl3::context::Context;
use opencl3::device::Device as OpenCl;
use opencl3::error_codes::ClError;
use opencl3::event::Event;
use opencl3::memory::{CL_MEM_READ_WRITE, CL_MEM_SVM_FINE_GRAIN_BUFFER, svm_alloc, svm_free};
use opencl3::types::{CL_NON_BLOCKING, cl_event};
use std::ptr;
use std::sync::Arc;

/// Alignment of allocations, which is that of the largest OpenCL type.
const ALIGN: u32 = 128;

/// A failed call: its name, and the driver's error.
pub(super) type Refused = (&'static str, ClError);

/// Names the call that an error is of.
pub(super) fn call<T>(name: &'static str, result: Result<T, impl Into<ClError>>) -> Result<T, Refused> {
    result.map_err(|it| (name, it.into()))
}

/// An in-order queue of the context's device.
pub(super) fn queue(context: &Context, device: &OpenCl, profile: bool) -> Result<CommandQueue, Refused> {
    let properties = if profile { CL_QUEUE_PROFILING_ENABLE } else { 0 };
    // SAFETY: the device is the context's, and the properties are two that every device has.
    let queue = unsafe { CommandQueue::create_with_properties(context, device.id(), properties, 0) };
    call("clCreateCommandQueueWithProperties", queue)
}

/// The memory of a context, and the only way to its addresses.
#[derive(Debug)]
pub(super) struct Memory {
    context: Arc<Context>,
    allocations: Allocations,
    device: String,
}

impl Memory {
    pub(super) fn new(context: Arc<Context>, device: String) -> Self {
        Self { context, allocations: Allocations::default(), device }
    }

    pub(super) fn driver(&self, (call, said): Refused) -> DeviceError {
        DeviceError::Driver { device: self.device.clone(), call, said: said.to_string() }
    }

    /// Memory of the device's; `is_fine`: that the host may touch while nothing runs.
    pub(super) fn alloc(&self, bytes: usize, is_fine: bool) -> Result<u64, DeviceError> {
        let bytes = bytes.max(1);
        let flags = CL_MEM_READ_WRITE | if is_fine { CL_MEM_SVM_FINE_GRAIN_BUFFER } else { 0 };
        // SAFETY: the flags go together; `is_fine` is asked for where the device has it.
        let memory = unsafe { svm_alloc(self.context.get(), flags, bytes, ALIGN) };
        let memory = call("clSVMAlloc", memory).map_err(|it| self.driver(it))?;
        let address = memory.expose_provenance() as u64;
        self.allocations.insert(address, bytes);
        Ok(address)
    }

    /// Frees memory after `wait`, which waits for all queues.
    pub(super) fn free(
        &self,
        address: u64,
        wait: impl FnOnce() -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        self.allocations.remove(address)?;
        let waited = wait();
        // SAFETY: it was allocated in this context, no lookup finds it any more, and what was enqueued has run.
        let freed = unsafe { svm_free(self.context.get(), pointer(address)) };
        waited.and(call("clSVMFree", freed).map_err(|it| self.driver(it)))
    }

    pub(super) fn write(&self, queue: &CommandQueue, to: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let from = bytes.as_ptr().cast_mut().cast();
        self.transfer(queue, to, bytes.len(), |to| (to, from))
    }

    pub(super) fn read(&self, queue: &CommandQueue, from: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let to = bytes.as_mut_ptr().cast();
        self.transfer(queue, from, bytes.len(), |from| (to, from))
    }

    /// Copies between an allocation and the host, and waits: the host's bytes are borrowed as long as this runs.
    fn transfer(
        &self,
        queue: &CommandQueue,
        address: u64,
        bytes: usize,
        to_and_from: impl FnOnce(*mut libc::c_void) -> (*mut libc::c_void, *mut libc::c_void),
    ) -> Result<(), DeviceError> {
        let event = self.allocations.with(address, bytes, || {
            let (to, from) = to_and_from(pointer(address));
            self.enqueue_copy(queue, to, from, bytes)
        })?;
        let Some(event) = event else { return Ok(()) };
        let waited = call("clWaitForEvents", event.wait());
        if waited.is_err() {
            // Whatever has gone wrong, nothing may touch the host's bytes later on.
            let _ = finish(queue.get());
        }
        waited.map_err(|it| self.driver(it))
    }

    pub(super) fn copy(
        &self,
        queue: &CommandQueue,
        to: u64,
        from: u64,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        self.allocations.with(from, bytes, || Ok(()))?;
        self.allocations
            .with(to, bytes, || self.enqueue_copy(queue, pointer(to), pointer(from), bytes).map(drop))
    }

    pub(super) fn fill(
        &self,
        queue: &CommandQueue,
        to: u64,
        value: u8,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        self.allocations.with(to, bytes, || {
            if bytes == 0 {
                return Ok(());
            }
            let pattern: *const u8 = &raw const value;
            // SAFETY: the bytes are in one allocation of this context; the pattern is copied by the call.
            let event = unsafe {
                enqueue_svm_mem_fill(queue.get(), pointer(to), pattern.cast(), 1, bytes, 0, ptr::null())
            };
            call("clEnqueueSVMMemFill", event).map(|it| drop(Event::new(it))).map_err(|it| self.driver(it))
        })
    }

    /// Enqueues a copy; nothing for no bytes.
    fn enqueue_copy(
        &self,
        queue: &CommandQueue,
        to: *mut libc::c_void,
        from: *mut libc::c_void,
        bytes: usize,
    ) -> Result<Option<Event>, DeviceError> {
        if bytes == 0 {
            return Ok(None);
        }
        // SAFETY: each side is an allocation of this context that has as many bytes, or the host's, who waits.
        let event = unsafe {
            enqueue_svm_mem_cpy(queue.get(), CL_NON_BLOCKING, to, from, bytes, 0, ptr::null::<cl_event>())
        };
        let event = call("clEnqueueSVMMemcpy", event).map_err(|it| self.driver(it))?;
        Ok(Some(Event::new(event)))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        for address in self.allocations.addresses() {
            // SAFETY: all that could enqueue something held this memory, and waited for its queues when it was dropped.
            let _ = unsafe { svm_free(self.context.get(), pointer(address)) };
        }
    }
}

/// The pointer that an allocation's address was.
fn pointer(address: u64) -> *mut libc::c_void {
    ptr::with_exposed_provenance_mut(address as usize)
}
