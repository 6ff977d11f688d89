//! Device intrinsics, outside a kernel.

use crate::{Heap, Run, exceptions};
use kiln_ir::Intrinsic;

/// `kiln_in_kernel()` is `false` here, but where a constant of a kernel is computed; every other one needs a kernel.
pub(super) fn call(heap: &Heap, op: Intrinsic) -> Run {
    if op == Intrinsic::InKernel {
        return Ok(heap.bool(crate::interp::running_view().in_kernel()));
    }
    let name = op.name();
    Err(exceptions::error(heap, &format!("`{name}` can only be called in a kernel")))
}
