//! Loops that may wait for another item. Lanes leave a divergent loop together, so such a loop is not vectorized: an item
//! that has what another waits for would not go on.
//!
//! A loop waits if what it decides on may change by another item's work: atomic operations, and memory at an address that does not
//! change. A loop whose branches follow from counters, or from elements of arrays, ends whatever others do, also if there are atomic
//! operations in it.

use super::divergence::Divergence;
use super::graph::{Graph, OUT};
use crate::llvm::{Access, Module, Val};
use llvm_sys::LLVMOpcode as Op;
use rustc_hash::FxHashSet;

/// Whether a divergent loop of the graph may wait. `privates` has the memory that each item has for itself.
pub(super) fn waits(
    module: &Module,
    graph: &Graph,
    divergence: &Divergence,
    privates: &[(Val, u64)],
) -> bool {
    let divergent = (1..graph.regions.len()).filter(|it| divergence.is_divergent(*it));
    divergent.map(|region| DivergentLoop::new(module, graph, region, privates)).any(|it| it.waits(graph))
}

/// A loop that items leave at different times.
struct DivergentLoop<'a> {
    module: &'a Module,
    region: usize,
    instructions: FxHashSet<Val>,
    privates: &'a [(Val, u64)],
    /// Whether it has atomic operations or fences.
    is_ordered: bool,
    /// Whether it writes memory.
    writes: bool,
}

impl<'a> DivergentLoop<'a> {
    fn new(module: &'a Module, graph: &Graph, region: usize, privates: &'a [(Val, u64)]) -> Self {
        let blocks = &graph.nodes[graph.regions[region].header..graph.regions[region].end];
        let instructions: FxHashSet<Val> =
            blocks.iter().flat_map(|it| it.instructions.iter().copied()).collect();
        let is_ordered = instructions.iter().any(|it| is_ordered(module, *it));
        let writes = instructions.iter().any(|it| {
            matches!(module.opcode(*it), Some(Op::LLVMStore | Op::LLVMCall)) && !is_intrinsic(module, *it)
        });
        Self { module, region, instructions, privates, is_ordered, writes }
    }

    fn waits(&self, graph: &Graph) -> bool {
        let mut waiting = self.branches(graph);
        let mut seen: FxHashSet<Val> = FxHashSet::default();
        while let Some(it) = waiting.pop() {
            if !self.instructions.contains(&it) || !seen.insert(it) {
                continue;
            }
            if self.may_change(it) {
                return true;
            }
            if self.module.opcode(it) == Some(Op::LLVMPHI) {
                waiting.extend(self.module.incoming(it).into_iter().map(|it| it.1));
            } else {
                waiting.extend(self.module.operands(it));
            }
        }
        false
    }

    /// Returns the branches that decide when an item leaves: those that leave; beside atomic operations all, since what one
    /// returns may decide which way leads there.
    fn branches(&self, graph: &Graph) -> Vec<Val> {
        let blocks = &graph.nodes[graph.regions[self.region].header..graph.regions[self.region].end];
        let leaves = |to: &Option<usize>| to.is_none_or(|to| graph.node_of(self.region, to) == OUT);
        let deciding = blocks.iter().filter(|it| self.is_ordered || it.successors.iter().any(leaves));
        deciding.filter_map(|it| it.instructions.last().copied()).collect()
    }

    /// Whether another item's work may change the value of an instruction.
    fn may_change(&self, it: Val) -> bool {
        let is_plain_load = self.module.opcode(it) == Some(Op::LLVMLoad) && !is_ordered(self.module, it);
        if is_plain_load {
            let address = self.module.operands(it)[0];
            let is_private = self.privates.iter().any(|it| it.0 == address);
            // A loop may keep in memory what an atomic operation returned.
            return !self.instructions.contains(&address) && !is_private || self.is_ordered && self.writes;
        }
        let is_call = self.module.opcode(it) == Some(Op::LLVMCall) && !is_intrinsic(self.module, it);
        is_ordered(self.module, it) || self.is_ordered && is_call
    }
}

fn is_intrinsic(module: &Module, it: Val) -> bool {
    module.opcode(it) == Some(Op::LLVMCall)
        && module.called_name(it).is_some_and(|name| name.starts_with("llvm."))
}

fn is_ordered(module: &Module, it: Val) -> bool {
    match module.opcode(it) {
        Some(Op::LLVMAtomicRMW | Op::LLVMAtomicCmpXchg | Op::LLVMFence) => true,
        Some(Op::LLVMLoad | Op::LLVMStore) => module.access(it) != Access::Plain,
        _ => false,
    }
}
