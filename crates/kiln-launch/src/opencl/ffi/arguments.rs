//! An OpenCL kernel: its arguments are set one by one, and stay set, so launches take turns.

use super::{Memory, Refused, call, pointer};
use crate::artifact::{Param, ParamKind};
use crate::grid::Grid;
use opencl3::command_queue::{CommandQueue, enqueue_nd_range_kernel};
use opencl3::error_codes::ClError;
use opencl3::event::Event;
use opencl3::kernel::{
    CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, CL_KERNEL_EXEC_INFO_SVM_PTRS, Kernel, set_kernel_arg,
    set_kernel_arg_svm_pointer, set_kernel_exec_info,
};
use opencl3::types::{CL_TRUE, cl_bool};
use parking_lot::Mutex;
use std::ptr;

/// A kernel with its number of parameters.
#[derive(Debug)]
pub(in super::super) struct Arguments {
    params: Vec<Param>,
    /// The kernel, with the version of the device's allocations that it knows.
    kernel: Mutex<(Kernel, u64)>,
    /// The kernel may reach all memory of the host, so the driver needs no list of allocations.
    reaches_all: bool,
}

impl Arguments {
    pub(in super::super) fn new(
        kernel: Kernel,
        params: Vec<Param>,
        reaches_all: bool,
    ) -> Result<Self, Refused> {
        if reaches_all {
            exec_info(&kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, &[CL_TRUE])?;
        }
        Ok(Self { params, kernel: Mutex::new((kernel, 0)), reaches_all })
    }

    /// Enqueues the kernel over a grid that is not empty and that the device allows, with arguments from a block that
    /// has as many bytes as its parameters say.
    pub(in super::super) fn enqueue(
        &self,
        memory: &Memory,
        queue: &CommandQueue,
        grid: &Grid,
        block: &[u8],
        state: u64,
    ) -> Result<Event, Refused> {
        let mut kernel = self.kernel.lock();
        if self.reaches_all {
            return self.enqueue_now(&kernel.0, queue, grid, block, state);
        }
        // What the kernel is told to be there must be there when it is enqueued: a free then waits for the queue.
        memory.allocations.with_all(|changes, list| {
            if changes != kernel.1 {
                // Any of them may be in a structure, or behind an address in another one of them.
                exec_info(&kernel.0, CL_KERNEL_EXEC_INFO_SVM_PTRS, &list())?;
                kernel.1 = changes;
            }
            self.enqueue_now(&kernel.0, queue, grid, block, state)
        })
    }

    /// Sets the arguments of a kernel that this thread has for itself, and enqueues it.
    fn enqueue_now(
        &self,
        kernel: &Kernel,
        queue: &CommandQueue,
        grid: &Grid,
        block: &[u8],
        state: u64,
    ) -> Result<Event, Refused> {
        for (position, param) in self.params.iter().enumerate() {
            let bytes = match param.kind {
                ParamKind::State => &state.to_ne_bytes(),
                ParamKind::Value | ParamKind::Pointer | ParamKind::Aggregate => param.bytes(block),
                ParamKind::DynamicShared => &[],
            };
            let shared_bytes = grid.dynamic_shared_bytes.max(1);
            set(kernel, position as u32, param.kind, bytes, shared_bytes)?;
        }
        let local = grid.items.map(|it| it as usize);
        let global: [usize; 3] = std::array::from_fn(|d| (grid.groups[d] * grid.items[d]) as usize);
        // SAFETY: the sizes are three numbers each; the arguments are those that the artifact says the kernel has. What it
        // does with the addresses in them is its maker's responsibility.
        let event = unsafe {
            enqueue_nd_range_kernel(
                queue.get(),
                kernel.get(),
                3,
                ptr::null(),
                global.as_ptr(),
                local.as_ptr(),
                0,
                ptr::null(),
            )
        };
        call("clEnqueueNDRangeKernel", event).map(Event::new)
    }
}

fn set(
    kernel: &Kernel,
    position: u32,
    kind: ParamKind,
    bytes: &[u8],
    shared_bytes: usize,
) -> Result<(), Refused> {
    match kind {
        ParamKind::Pointer | ParamKind::State => {
            let address = u64::from_ne_bytes(std::array::from_fn(|it| bytes[it]));
            // SAFETY: the kernel has a parameter at this position; addresses are not looked at by the call.
            let done = unsafe { set_kernel_arg_svm_pointer(kernel.get(), position, pointer(address)) };
            call("clSetKernelArgSVMPointer", done)
        }
        ParamKind::Value | ParamKind::Aggregate => {
            // SAFETY: the driver compares the size with the parameter's, and copies as many bytes.
            let done = unsafe { set_kernel_arg(kernel.get(), position, bytes.len(), bytes.as_ptr().cast()) };
            call("clSetKernelArg", done)
        }
        ParamKind::DynamicShared => {
            // SAFETY: no bytes are given; the driver refuses this for a parameter that is not local memory.
            let done = unsafe { set_kernel_arg(kernel.get(), position, shared_bytes, ptr::null()) };
            call("clSetKernelArg", done)
        }
    }
}

/// Passes the driver information about a kernel's memory.
fn exec_info<T>(kernel: &Kernel, what: u32, values: &[T]) -> Result<(), Refused> {
    if values.is_empty() {
        return Ok(());
    }
    // SAFETY: a list of that many bytes: addresses of allocations, or one `cl_bool`.
    let done =
        unsafe { set_kernel_exec_info(kernel.get(), what, size_of_val(values), values.as_ptr().cast()) };
    done.map_err(|it| ("clSetKernelExecInfo", ClError(it)))
}

const _: () = assert!(size_of::<cl_bool>() == 4 && size_of::<usize>() == 8);
