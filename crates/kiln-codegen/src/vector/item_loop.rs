//! The frame of an item loop: its counter, its bounds, and the values it collects over items.

use super::flow::Flow;
use super::graph::Graph;
use crate::llvm::{Block, Module, TypeKind, Val};
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Op};

/// A phi that grows by a constant with each item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Induction {
    pub(super) phi: Val,
    pub(super) start: Val,
    pub(super) step: i64,
    /// The phi plus the step.
    pub(super) next: Val,
}

/// A phi that collects a value of all items with an operation that is associative, commutative and idempotent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduction {
    pub(super) phi: Val,
    pub(super) start: Val,
    /// The operation, whose result is the next value of the phi.
    pub(super) update: Val,
    /// LLVM's intrinsic that reduces a vector so.
    pub(super) name: &'static str,
}

/// The frame of an item loop.
#[derive(Debug)]
pub(super) struct ItemFrame {
    pub(super) preheader: Block,
    pub(super) latch: Block,
    pub(super) exit: Block,
    /// The counter is the first.
    pub(super) inductions: Vec<Induction>,
    pub(super) reductions: Vec<Reduction>,
    /// The loop ends before the counter has this value plus [`Self::past`]; of at most the counter's width.
    pub(super) bound: Val,
    pub(super) past: i64,
}

impl ItemFrame {
    /// Returns the frame of a loop; `None` if it is not of the form that emission gives item loops.
    pub(super) fn new(module: &Module, flow: &Flow, graph: &Graph) -> Option<Self> {
        let region = &graph.regions[0];
        let (header, latch) = (graph.nodes[region.header].block, graph.nodes[region.latch].block);
        let before = flow.cfg.predecessors[flow.node(header)?].iter().map(|it| flow.block(*it));
        let mut entries = before.filter(|it| graph.number(*it).is_none());
        let preheader = entries.next()?;
        if entries.next().is_some() || module.successors(preheader).len() != 1 {
            return None;
        }
        let exit = module.successors(latch).into_iter().find(|it| graph.number(*it).is_none())?;
        let mut leaves = (0..graph.nodes.len()).filter(|it| graph.nodes[*it].successors.contains(&None));
        if leaves.next() != Some(region.latch) || leaves.next().is_some() {
            return None;
        }
        let (mut inductions, mut reductions) = (Vec::new(), Vec::new());
        for &phi in &graph.nodes[region.header].instructions {
            if module.opcode(phi) != Some(Op::LLVMPHI) {
                break;
            }
            let incoming = module.incoming(phi);
            let start = incoming.iter().find(|it| it.0 == preheader)?.1;
            let next = incoming.iter().find(|it| it.0 == latch)?.1;
            match step(module, phi, next) {
                Some(step) => inductions.push(Induction { phi, start, step, next }),
                None => reductions.push(reduction(module, phi, start, next)?),
            }
        }
        let (counter, bound, past) = bound(module, graph, &inductions, latch)?;
        inductions.swap(0, counter);
        let frame = Self { preheader, latch, exit, inductions, reductions, bound, past };
        frame.leaves_known_values(module, graph).then_some(frame)
    }

    /// Whether the number of items is read after the loop.
    pub(super) fn leaves_counter(&self, module: &Module) -> bool {
        let phis = module.instructions_of(self.exit);
        let phis = phis.into_iter().take_while(|it| module.opcode(*it) == Some(Op::LLVMPHI));
        let mut left = phis.flat_map(|it| module.incoming(it));
        left.any(|(_, value)| self.inductions.iter().any(|it| it.next == value))
    }

    /// Whether the values that the loop leaves behind are known without running its last item.
    fn leaves_known_values(&self, module: &Module, graph: &Graph) -> bool {
        let phis = module.instructions_of(self.exit);
        let phis = phis.into_iter().take_while(|it| module.opcode(*it) == Some(Op::LLVMPHI));
        phis.flat_map(|it| module.incoming(it)).all(|(_, value)| {
            let is_inside = module.opcode(value).is_some() && graph.number(module.block_of(value)).is_some();
            !is_inside
                || self.reductions.iter().any(|it| it.update == value)
                || self.inductions.iter().any(|it| it.next == value)
        })
    }
}

/// Returns the constant that is added to a phi.
fn step(module: &Module, phi: Val, next: Val) -> Option<i64> {
    if module.opcode(next) != Some(Op::LLVMAdd) {
        return None;
    }
    let operands = module.operands(next);
    (operands[0] == phi).then(|| module.int_constant(operands[1])).flatten()
}

/// Returns how a phi collects its values.
fn reduction(module: &Module, phi: Val, start: Val, update: Val) -> Option<Reduction> {
    let name = match module.opcode(update)? {
        Op::LLVMOr => "llvm.vector.reduce.or",
        Op::LLVMAnd => "llvm.vector.reduce.and",
        Op::LLVMCall => match module.called_name(update)?.split('.').nth(1)? {
            "umax" => "llvm.vector.reduce.umax",
            "umin" => "llvm.vector.reduce.umin",
            "smax" => "llvm.vector.reduce.smax",
            "smin" => "llvm.vector.reduce.smin",
            _ => return None,
        },
        _ => return None,
    };
    let is_int = matches!(module.type_kind(module.type_of(phi)), TypeKind::Int(_));
    let is_only_use = module.users_of(phi) == [update];
    (is_int && is_only_use && module.operands(update)[..2].contains(&phi)).then_some(Reduction {
        phi,
        start,
        update,
        name,
    })
}

/// Returns the number of the induction that ends the loop, its bound, and the constant to add to the bound.
fn bound(
    module: &Module,
    graph: &Graph,
    inductions: &[Induction],
    latch: Block,
) -> Option<(usize, Val, i64)> {
    let end = module.terminator(latch);
    let test = *module.operands(end).first()?;
    if module.opcode(test) != Some(Op::LLVMICmp) {
        return None;
    }
    let continues = graph.number(module.successors(latch)[0]).is_some();
    let [a, b] = module.operands(test)[..] else { return None };
    let is_invariant = |it: Val| module.opcode(it).is_none() || graph.number(module.block_of(it)).is_none();
    let (counter, bound, predicate) = match (is_invariant(a), is_invariant(b)) {
        (false, true) => (a, b, module.int_predicate(test)),
        (true, false) => (b, a, swapped(module.int_predicate(test))?),
        _ => return None,
    };
    let fits = match predicate {
        Int::LLVMIntNE | Int::LLVMIntSLT | Int::LLVMIntULT => continues,
        Int::LLVMIntEQ | Int::LLVMIntSGE | Int::LLVMIntUGE => !continues,
        _ => false,
    };
    // The counter may have been widened; its values are natural numbers below 2^31.
    let counter =
        if module.opcode(counter) == Some(Op::LLVMTrunc) { module.operands(counter)[0] } else { counter };
    let at = inductions.iter().position(|it| it.next == counter || it.phi == counter)?;
    let past = i64::from(inductions[at].phi == counter);
    (fits && inductions[at].step == 1).then_some((at, bound, past))
}

/// Returns the comparison that holds for exchanged operands.
pub(super) fn swapped(predicate: Int) -> Option<Int> {
    Some(match predicate {
        Int::LLVMIntSGT => Int::LLVMIntSLT,
        Int::LLVMIntUGT => Int::LLVMIntULT,
        Int::LLVMIntSGE => Int::LLVMIntSLE,
        Int::LLVMIntUGE => Int::LLVMIntULE,
        Int::LLVMIntSLT => Int::LLVMIntSGT,
        Int::LLVMIntULT => Int::LLVMIntUGT,
        Int::LLVMIntSLE => Int::LLVMIntSGE,
        Int::LLVMIntULE => Int::LLVMIntUGE,
        Int::LLVMIntEQ | Int::LLVMIntNE => predicate,
    })
}
