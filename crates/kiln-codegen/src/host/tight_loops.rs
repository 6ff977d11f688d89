//! Loops of host code that call nothing: only those are worth the time of vectorization and unrolling.

use crate::llvm::{Block, Function, Module};
use crate::vector::Flow;
use llvm_sys::LLVMOpcode;

/// Whether a simplified module has a loop that calls nothing but intrinsics of LLVM.
pub(crate) fn has_tight_loop(module: &Module) -> bool {
    module.bodies().into_iter().any(|it| has_tight_loop_in(module, it))
}

fn has_tight_loop_in(module: &Module, function: Function) -> bool {
    let blocks = module.blocks_of(function);
    if blocks.len() < 2 {
        return false;
    }
    let flow = Flow::new(module, function);
    blocks.iter().filter_map(|it| flow.node(*it)).any(|latch| {
        flow.headers(module, latch).into_iter().any(|header| {
            let mut body = flow.cfg.natural_loop(header, latch).into_iter();
            body.all(|it| !calls(module, flow.block(it)))
        })
    })
}

fn calls(module: &Module, block: Block) -> bool {
    module.instructions_of(block).into_iter().any(|it| {
        module.opcode(it) == Some(LLVMOpcode::LLVMCall)
            && module.called_name(it).is_none_or(|name| !name.starts_with("llvm."))
    })
}
