//! The order of atomic read-modify-write operations. LLVM's back end for NVIDIA GPUs emits them relaxed, whatever order they have;
//! compare-and-exchange, loads and stores keep theirs. Fences before and after an operation give it its order.

use super::Module;
use super::walk::{functions, instructions};
use llvm_sys::LLVMAtomicOrdering::{self, *};
use llvm_sys::core::*;

/// Makes all such operations relaxed, with the fences that their order asks for.
pub(crate) fn order_exchanges_by_fences(module: &Module) {
    // SAFETY: handles of this module; the list of instructions is taken before it grows.
    unsafe {
        for function in functions(module.module) {
            for exchange in instructions(function) {
                if LLVMIsAAtomicRMWInst(exchange).is_null() {
                    continue;
                }
                let (before, after) = fences(LLVMGetOrdering(exchange));
                let scope = LLVMGetAtomicSyncScopeID(exchange);
                let fence = |order| _ = LLVMBuildFenceSyncScope(module.builder, order, scope, c"".as_ptr());
                LLVMPositionBuilderBefore(module.builder, exchange);
                before.into_iter().for_each(fence);
                LLVMPositionBuilderBefore(module.builder, LLVMGetNextInstruction(exchange));
                after.into_iter().for_each(fence);
                LLVMSetOrdering(exchange, LLVMAtomicOrderingMonotonic);
            }
        }
    }
}

/// The fences before and after an operation of this order.
fn fences(order: LLVMAtomicOrdering) -> (Option<LLVMAtomicOrdering>, Option<LLVMAtomicOrdering>) {
    match order {
        LLVMAtomicOrderingNotAtomic | LLVMAtomicOrderingUnordered | LLVMAtomicOrderingMonotonic => {
            (None, None)
        }
        LLVMAtomicOrderingAcquire => (None, Some(LLVMAtomicOrderingAcquire)),
        LLVMAtomicOrderingRelease => (Some(LLVMAtomicOrderingRelease), None),
        LLVMAtomicOrderingAcquireRelease => {
            (Some(LLVMAtomicOrderingRelease), Some(LLVMAtomicOrderingAcquire))
        }
        LLVMAtomicOrderingSequentiallyConsistent => {
            (Some(LLVMAtomicOrderingSequentiallyConsistent), Some(LLVMAtomicOrderingAcquire))
        }
    }
}
