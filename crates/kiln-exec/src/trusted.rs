//! The doors to compiled code, which is trusted, and to memory by address.

use crate::host_links::HostLinks;
use crate::late_binding::LateEntry;
use kiln_launch::{Checker, CpuDevice, CpuFunction, CpuKernel, Failure, Grid, HostArray, Report, Seed};
use kiln_link::{CallSlot, Linked, Linker, ObjectLinkError};
use kiln_runtime::heap::{RawMemory, pointers};
use kiln_runtime::{Heap, Runtime};
use kiln_unit::{LaunchContext, LinkInfo};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

/// Memory of the heap by address: what compiled code leaves, and what a Julia program passes to devices.
pub(crate) fn heap_memory(heap: &Heap) -> RawMemory<'_> {
    // SAFETY: compiled code leaves addresses of live objects; for others the Julia program vouches that makes pointers of them.
    unsafe { pointers::raw_memory(heap) }
}

/// The kernel of a program that was linked of units.
pub(crate) fn cpu_kernel(
    linker: Arc<Linker>,
    linked: &Linked,
    info: &LinkInfo,
    shared_bytes: usize,
    heap_bytes: usize,
) -> Option<CpuKernel> {
    // SAFETY: units are what the code generator made for this processor, from this process, the store or an image, which have
    // checksums; the program links all that they call, and counts their shared memory.
    unsafe { CpuKernel::new(linker, linked, info, shared_bytes, heap_bytes) }
}

/// The host function of a program that was linked of units.
pub(crate) fn cpu_function(
    linker: Arc<Linker>,
    linked: &Linked,
    symbol: &str,
    shared_bytes: usize,
) -> Option<CpuFunction> {
    // SAFETY: as for `cpu_kernel`; the unit was linked as a function.
    unsafe { CpuFunction::new(linker, linked, symbol, shared_bytes) }
}

/// Calls a host function from another one that this thread is in, in the context of that one. `None` if there is little stack.
///
/// # Errors
/// Where it gave up.
#[inline]
pub(crate) fn call_within(
    function: &CpuFunction,
    context: CallContext<'_>,
    args: &[u8],
    result: &mut [u8],
) -> Option<Result<(), Failure>> {
    // SAFETY: as for `host_services::call_function`; a `CallContext` is that of the running function.
    unsafe { function.call_within(context.address, args, result) }
}

/// The context of the compiled host function that has called the service that runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallContext<'a> {
    address: *mut LaunchContext,
    call: PhantomData<&'a LaunchContext>,
}

impl<'a> CallContext<'a> {
    /// The context that compiled code passed to a service, during that service.
    ///
    /// # Safety
    /// It is that of a host function on this thread, which waits for the service, and does so for `'a`; its record has no failure.
    pub(crate) unsafe fn new(address: *mut LaunchContext) -> Self {
        Self { address, call: PhantomData }
    }
}

/// A slot between units of host code.
///
/// # Errors
/// When the arena is full.
pub(crate) fn slot(linker: &Arc<Linker>, target: u64) -> Result<CallSlot, ObjectLinkError> {
    // SAFETY: the target is a function of a unit that was placed in this linker, which stays there, and has the traits that the
    // callers of the slot were compiled for.
    unsafe { linker.slot(target) }
}

/// A slot that leads to a function of a late unit, with the function's symbol.
///
/// # Errors
/// When the arena is full.
pub(crate) fn late_slot(
    linker: &Arc<Linker>,
    entry: LateEntry,
) -> Result<(String, CallSlot), ObjectLinkError> {
    let (symbol, find) = entry.into_parts();
    // SAFETY: as for `slot`: the code is placed in this linker, and `HostLinks::place_late` compares its traits with those that callers
    // were told. Placed units keep their slots as long as the session.
    let slot = unsafe { linker.late_slot(find) }?;
    Ok((symbol, slot))
}

/// Has something done in the runtime of the compiled host code that runs. `None` if none does.
pub(crate) fn in_running_runtime<T>(links: &HostLinks, work: impl FnOnce(&Runtime) -> T) -> Option<T> {
    // SAFETY: the pointer is null unless compiled host code runs (`HostLinks::running`). Its outermost caller has borrowed the runtime
    // for as long as it runs, and noted it; the runtimes of all calls of a session are one.
    unsafe { links.running_in().as_ref() }.map(work)
}

/// Has a slot lead to another function.
pub(crate) fn point_slot(slot: &CallSlot, target: u64) {
    // SAFETY: as for `slot`.
    unsafe { slot.point_at(target) }
}

/// Runs groups of a launch, from the first on, until the time is spent. Returns the first group that has not run.
pub(crate) fn launch_part(
    device: &CpuDevice,
    kernel: &CpuKernel,
    (grid, seed): (&Grid, Option<Seed>),
    args: &[u8],
    part: (i64, Option<Duration>),
) -> (i64, Result<(), Failure>) {
    // SAFETY: as for `launch_cpu`.
    unsafe { device.launch_part(kernel, grid, seed, args, part) }
}

/// Launches a kernel with a block of the values it takes.
#[inline]
pub(crate) fn launch_cpu(
    device: &CpuDevice,
    kernel: &CpuKernel,
    (grid, seed): (&Grid, Option<Seed>),
    args: &[u8],
    take: &mut dyn FnMut(Report),
) -> Result<(), Failure> {
    // SAFETY: the caller checked the types of the values and packed them as the kernel's `LinkInfo` lays them out; they are
    // live, and for pointers the Julia program vouches.
    unsafe { device.launch_seeded(kernel, grid, seed, args, take) }
}

/// Launches a checked kernel, with its screened form if it has one, with a block of the values it takes.
pub(crate) fn launch_checked(
    device: &CpuDevice,
    kernel: (&CpuKernel, Option<&CpuKernel>),
    size: (&Grid, Option<Seed>),
    args: &[u8],
    checker: (&mut Checker, &[HostArray]),
    take: &mut dyn FnMut(Report),
) -> Result<(), Failure> {
    // SAFETY: as for `launch_cpu`.
    unsafe { device.launch_checked(kernel, size, args, checker, take) }
}
