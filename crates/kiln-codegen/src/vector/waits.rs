//! Loops that may wait for another item. All lanes of a vector stay in a loop until the last has left it, so such a loop is not
//! vectorized: an item that another waits for would not go on.
//!
//! A loop waits if it decides on a value that another item may change: of an atomic operation, or of memory at an address that does not
//! change. Beside atomic operations and fences, which publish the writes of other items, it may be any memory, except elements that a counter
//! of the loop goes through: it passes each once, so such a loop ends whatever others do.

use super::divergence::Divergence;
use super::graph::{Graph, OUT};
use crate::llvm::{Access, Block, Module, Val};
use llvm_sys::LLVMOpcode as Op;
use rustc_hash::FxHashSet;

/// Whether a loop of the graph may wait. `privates` has the memory that each item has for itself. Items leave a loop without
/// atomic operations and fences together unless it is divergent, and none has to see another's writes.
pub(super) fn waits(
    module: &Module,
    graph: &Graph,
    divergence: &Divergence,
    privates: &[(Val, u64)],
) -> bool {
    (1..graph.regions.len()).any(|region| {
        let it = InnerLoop::new(module, graph, region, privates);
        (it.is_ordered || divergence.is_divergent(region)) && it.waits(graph)
    })
}

/// A loop in the code of an item.
struct InnerLoop<'a> {
    module: &'a Module,
    region: usize,
    header: Block,
    instructions: FxHashSet<Val>,
    privates: &'a [(Val, u64)],
    /// Whether it has atomic operations or fences.
    is_ordered: bool,
    /// Whether it writes results of atomic operations or calls to memory, or to addresses that these decide on.
    keeps_results: bool,
}

impl<'a> InnerLoop<'a> {
    fn new(module: &'a Module, graph: &Graph, region: usize, privates: &'a [(Val, u64)]) -> Self {
        let blocks = &graph.nodes[graph.regions[region].header..graph.regions[region].end];
        let in_order: Vec<Val> = blocks.iter().flat_map(|it| it.instructions.iter().copied()).collect();
        let is_ordered = in_order.iter().any(|it| is_ordered(module, *it));
        let keeps_results = is_ordered && keeps_results(module, &in_order);
        let instructions = in_order.into_iter().collect();
        let header = blocks[0].block;
        Self { module, region, header, instructions, privates, is_ordered, keeps_results }
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
        if self.module.opcode(it) == Some(Op::LLVMLoad) && !is_ordered(self.module, it) {
            let address = self.module.operands(it)[0];
            let is_private = self.privates.iter().any(|it| it.0 == address);
            let is_fixed = !self.instructions.contains(&address) && !is_private;
            return is_fixed
                || self.is_ordered && (self.keeps_results || self.advance(address) != Some(true));
        }
        let is_call = self.module.opcode(it) == Some(Op::LLVMCall) && !is_intrinsic(self.module, it);
        is_ordered(self.module, it) || self.is_ordered && is_call
    }

    /// Whether a counter decides on a value; `None` if anything but counters and constants of the loop does.
    fn advance(&self, it: Val) -> Option<bool> {
        let module = self.module;
        if !self.instructions.contains(&it) {
            return Some(false);
        }
        match module.opcode(it) {
            Some(Op::LLVMPHI) => self.is_counter(it).then_some(true),
            Some(
                Op::LLVMAdd
                | Op::LLVMSub
                | Op::LLVMMul
                | Op::LLVMShl
                | Op::LLVMGetElementPtr
                | Op::LLVMSExt
                | Op::LLVMZExt
                | Op::LLVMTrunc
                | Op::LLVMFreeze,
            ) => {
                let parts: Option<Vec<bool>> =
                    module.operands(it).into_iter().map(|it| self.advance(it)).collect();
                parts.map(|it| it.contains(&true))
            }
            _ => None,
        }
    }

    /// Whether a phi grows by the same amount in each iteration. A counter of a loop within this one begins again in each.
    fn is_counter(&self, phi: Val) -> bool {
        if self.module.block_of(phi) != self.header {
            return false;
        }
        let inside = |it: &Val| self.instructions.contains(it);
        let incoming = self.module.incoming(phi).into_iter().map(|it| it.1);
        let mut nexts: Vec<Val> = incoming.filter(inside).collect();
        nexts.dedup();
        let [mut next] = nexts[..] else { return false };
        while next != phi {
            if !matches!(self.module.opcode(next), Some(Op::LLVMAdd | Op::LLVMSub | Op::LLVMGetElementPtr)) {
                return false;
            }
            let operands = self.module.operands(next);
            // What is subtracted from is the first operand.
            let [only] = operands.iter().copied().filter(inside).collect::<Vec<_>>()[..] else {
                return false;
            };
            if self.module.opcode(next) != Some(Op::LLVMAdd) && operands[0] != only {
                return false;
            }
            next = only;
        }
        nexts[0] != phi
    }
}

/// Whether instructions of a loop write results of atomic operations or calls among them, or where these say.
fn keeps_results(module: &Module, instructions: &[Val]) -> bool {
    let is_call = |it: Val| module.opcode(it) == Some(Op::LLVMCall) && !is_intrinsic(module, it);
    let is_source = |it: &Val| is_ordered(module, *it) || is_call(*it);
    let mut derived: FxHashSet<Val> = instructions.iter().copied().filter(is_source).collect();
    loop {
        let count = derived.len();
        for it in instructions {
            let values = match module.opcode(*it) {
                Some(Op::LLVMPHI) => module.incoming(*it).into_iter().map(|it| it.1).collect(),
                _ => module.operands(*it),
            };
            if values.iter().any(|it| derived.contains(it)) {
                derived.insert(*it);
            }
        }
        if derived.len() == count {
            break;
        }
    }
    let writes = |it: &Val| {
        let may_write = matches!(
            module.opcode(*it),
            Some(Op::LLVMStore | Op::LLVMAtomicRMW | Op::LLVMAtomicCmpXchg | Op::LLVMCall)
        );
        may_write && (is_call(*it) || module.operands(*it).iter().any(|it| derived.contains(it)))
    };
    instructions.iter().any(writes)
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
