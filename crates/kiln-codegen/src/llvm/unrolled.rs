//! How far small loops are unrolled for NVIDIA GPUs.
//!
//! An item waits for its loads, and what hides the wait is other loads that do not depend on them: those of further iterations.
//! LLVM's limit for this target (75 instructions) stops at 4 iterations of a dot product, where nvcc has 16 in flight.

use super::{Block, Module};
use llvm_sys::LLVMOpcode as Op;
use llvm_sys::core::*;

/// The instructions of all copies of a body, about.
const UNROLLED_MAX: usize = 128;
/// The most copies.
const COPIES_MAX: usize = 16;
/// The copies up to which LLVM's own limit decides.
const COPIES_OF_LLVM: u32 = 4;

/// Says of each loop of one block that loads, and calls nothing, how far it is to be unrolled. Loops with hints keep them.
pub(crate) fn hint_small_loops(module: &Module) {
    for function in module.bodies() {
        for block in module.blocks_of(function) {
            if module.successors(block).contains(&block)
                && !has_hints(module, block)
                && let Some(size) = size(module, block)
            {
                let copies = (UNROLLED_MAX / size.max(1)).clamp(1, COPIES_MAX);
                let copies = 1u32 << copies.ilog2();
                if copies > COPIES_OF_LLVM {
                    module.at_end(block);
                    module.hint_loop(&[("llvm.loop.unroll.count".into(), Some(copies))]);
                }
            }
        }
    }
}

/// Returns the number of instructions that compute something; `None` if the block loads nothing, or calls what may wait or is
/// large.
fn size(module: &Module, block: Block) -> Option<usize> {
    let (mut size, mut loads) = (0, false);
    for instruction in module.instructions_of(block) {
        let opcode = module.opcode(instruction)?;
        if matches!(opcode, Op::LLVMAtomicRMW | Op::LLVMAtomicCmpXchg | Op::LLVMFence) {
            return None;
        }
        if opcode == Op::LLVMCall {
            let name = module.called_name(instruction)?;
            if !name.starts_with("llvm.") || name.starts_with("llvm.nvvm.") {
                return None;
            }
        }
        loads |= opcode == Op::LLVMLoad;
        size += usize::from(!matches!(
            opcode,
            Op::LLVMPHI | Op::LLVMGetElementPtr | Op::LLVMBr | Op::LLVMZExt | Op::LLVMSExt | Op::LLVMTrunc
        ));
    }
    loads.then_some(size)
}

/// Whether the back edge that ends a block has properties of its loop.
fn has_hints(module: &Module, latch: Block) -> bool {
    // SAFETY: metadata of a terminator.
    unsafe {
        let kind = LLVMGetMDKindIDInContext(module.context, c"llvm.loop".as_ptr(), 9);
        !LLVMGetMetadata(LLVMGetBasicBlockTerminator(latch.0), kind).is_null()
    }
}
