//! Device intrinsics, outside a kernel.

use crate::{Heap, Run, exceptions};
use kiln_ir::Intrinsic;

/// `kiln_in_kernel()` is `false` here; every other one needs a kernel.
pub(super) fn call(heap: &Heap, op: Intrinsic) -> Run {
    if op == Intrinsic::InKernel {
        return Ok(heap.bool(false));
    }
    let name = op.name();
    Err(exceptions::error(heap, &format!("`{name}` can only be called in a kernel")))
}
