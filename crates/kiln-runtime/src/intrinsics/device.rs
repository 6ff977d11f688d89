//! Device intrinsics, outside a kernel.

use crate::heap::bits;
use crate::{Heap, Run, exceptions};
use kiln_ir::Intrinsic;

/// `kiln_in_kernel()` is `false` here, but where a constant of a kernel is computed; there is no launch, and so no state of
/// a kernel; every other one needs a kernel.
pub(super) fn call(heap: &Heap, op: Intrinsic) -> Run {
    if op == Intrinsic::InKernel {
        return Ok(heap.bool(crate::interp::running_view().in_kernel()));
    }
    if op == Intrinsic::DebugLevel {
        return Ok(heap.int(1));
    }
    if op == Intrinsic::Lanes {
        return Ok(heap.int(32));
    }
    if op == Intrinsic::KernelState {
        let core = heap.core();
        let pointer = heap.types().apply(core.ptr, &[core.uint8]);
        return match pointer {
            Ok(pointer) => Ok(bits::from_bits(heap, pointer, &[0; 8])),
            Err(_) => Err(exceptions::error(heap, "`Ptr` takes no parameter")),
        };
    }
    let name = op.name();
    Err(exceptions::error(heap, &format!("`{name}` can only be called in a kernel")))
}
