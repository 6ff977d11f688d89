//! Whether vector code pays: what runs lane by lane costs more than in scalar code.

use super::divergence::{Divergence, Shape, is_hint, is_lanewise};
use super::graph::Graph;
use super::widen::{is_division, is_plain};
use crate::llvm::{Access, Module, Val};
use llvm_sys::LLVMOpcode as Op;

/// A loop is assumed to run this often.
const ITERATIONS: u64 = 8;

/// Whether vector code of an item loop is expected to be faster than scalar code.
pub(super) fn pays(module: &Module, graph: &Graph, divergence: &Divergence, lanes: u32) -> bool {
    let lanes = u64::from(lanes);
    let (mut scalar, mut vector) = (0u64, 0u64);
    for node in &graph.nodes {
        let mut weight = 1u64;
        let mut at = node.region;
        while let Some(parent) = graph.regions[at].parent {
            weight = weight.saturating_mul(ITERATIONS);
            at = parent;
        }
        for &it in &node.instructions {
            scalar = scalar.saturating_add(weight * lanes);
            vector = vector.saturating_add(weight * cost(module, divergence, it, lanes));
        }
    }
    vector < scalar
}

/// Returns the cost of an instruction for all lanes; that for one item is 1.
fn cost(module: &Module, divergence: &Divergence, it: Val, lanes: u64) -> u64 {
    let access = |address: Val, ty| {
        if module.access(it) != Access::Plain || !is_plain(module, ty) {
            return 2 * lanes;
        }
        let bytes = module.bytes_of(ty) as i64;
        match divergence.shape(address) {
            Shape::Uniform => 1,
            Shape::Linear(stride) if stride.abs() == bytes => 2,
            Shape::Linear(_) | Shape::Varying => lanes,
        }
    };
    let operands = module.operands(it);
    match module.opcode(it) {
        Some(Op::LLVMLoad) => access(operands[0], module.type_of(it)),
        Some(Op::LLVMStore) => access(operands[1], module.type_of(operands[0])),
        Some(Op::LLVMAtomicRMW | Op::LLVMAtomicCmpXchg) => 4 * lanes,
        Some(Op::LLVMCall) if is_hint(module, it) => 0,
        Some(Op::LLVMCall) if !is_lanewise(module, it) => 5 * lanes,
        Some(opcode) if is_division(opcode) && divergence.shape(it) == Shape::Varying => lanes,
        _ if divergence.shape(it) == Shape::Varying => 2,
        _ => 1,
    }
}
