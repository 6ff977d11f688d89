//! Machine code of images: linked into this process, and run.

use crate::record::PrebuiltKernel;
use kiln_launch::{CpuDevice, CpuKernel, Failure, Grid};
use kiln_link::{Linker, ObjectLinkError, runtime_symbol};
use kiln_unit::{LinkInfo, SHARED_BASE, SITE_BASE};
use std::sync::Arc;

/// Links a kernel. `None`: the object does not have its entry.
pub(crate) fn link(
    linker: &Arc<Linker>,
    kernel: &PrebuiltKernel,
) -> Result<Option<CpuKernel>, ObjectLinkError> {
    let linked = linker.link(&kernel.object, &mut |symbol| match symbol {
        // The object is all there is: its numbers count from 0.
        SITE_BASE | SHARED_BASE => Some(0),
        _ => runtime_symbol(symbol),
    })?;
    let info = LinkInfo {
        entry: kernel.entry.clone(),
        has_barrier: kernel.has_barrier,
        frame_bytes: kernel.frame_bytes,
        allocates: kernel.allocates,
        args_bytes: kernel.args_bytes,
        ..LinkInfo::default()
    };
    let (shared, heap) = (kernel.shared_bytes as usize, kernel.heap_bytes as usize);
    // SAFETY: the object of an image is trusted, and has all that it calls but what the linker found; the image describes it.
    Ok(unsafe { CpuKernel::new(linker.clone(), &linked, &info, shared, heap) })
}

/// Runs a kernel over a grid.
///
/// # Safety
/// `args` holds arguments of the types and at the places that the image records; addresses among them are of arrays
/// that live until this returns.
pub(crate) unsafe fn launch(
    device: &CpuDevice,
    kernel: &CpuKernel,
    grid: &Grid,
    args: &[u8],
) -> Result<(), Failure> {
    // SAFETY: the caller's promise; arrays are memory of their own that kernels may use.
    unsafe { device.launch(kernel, grid, args, &mut |_| ()) }
}

/// Runs a kernel whose arguments [`KernelArgs`](crate::KernelArgs) of the recorded types have written.
pub(crate) fn launch_checked<A: crate::KernelArgs>(
    device: &CpuDevice,
    kernel: &CpuKernel,
    grid: &Grid,
    (places, block): (&[(usize, usize)], &mut [u8]),
    given: &A::Given<'_>,
) -> Result<(), Failure> {
    A::write(given, places, block);
    // SAFETY: the types were compared when the kernel was found; `given` holds the arrays until the launch is over.
    unsafe { launch(device, kernel, grid, block) }
}
