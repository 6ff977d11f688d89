//! Forms of code for drivers that run the items of a kernel as lanes of vectors, as Intel's for processors does.
//!
//! Such a driver analyses which values all items share, and which addresses are contiguous. It was made for what
//! front ends of OpenCL C emit. Optimized code differs from that in three ways, each of which costs it a factor of 2 to 7:
//!
//! * A call of a function that it does not know to be uniform is varying, whatever the arguments are. LLVM's back end makes
//!   functions of integer minimums and maximums, which bounds of arrays have: see [`compare_for_least`].
//! * In a kernel with barriers it reduces the strength of addresses in loops before it vectorizes, which makes vectors of
//!   addresses, hence gathers. It does not where loop counters are variables: see [`put_counters_in_memory`].
//! * It runs both ways of a divergent branch, under masks, also if a mask is empty; a loop that no item enters it
//!   skips: see [`loop_failures`].

use crate::llvm::{Block, Convention, Function, Module, Val};
use crate::vector::Flow;
use kiln_ir::Block as Node;
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Op};
use std::collections::BTreeSet;

/// Emits integer minimums, maximums and absolute values as comparisons and selections.
pub(crate) fn compare_for_least(module: &Module) {
    for call in calls(module) {
        let Some(name) = module.called_name(call) else { continue };
        let mut parts = name.strip_prefix("llvm.").unwrap_or_default().split('.');
        let predicate = match parts.next() {
            Some("smax") => Int::LLVMIntSGT,
            Some("smin" | "abs") => Int::LLVMIntSLT,
            Some("umax") => Int::LLVMIntUGT,
            Some("umin") => Int::LLVMIntULT,
            _ => continue,
        };
        let operands = module.operands(call);
        module.before(call);
        let value = if name.starts_with("llvm.abs.") {
            let zero = module.zero(module.type_of(call));
            let is_negative = module.icmp(predicate, operands[0], zero);
            module.select(is_negative, module.sub(zero, operands[0]), operands[0])
        } else {
            module.select(module.icmp(predicate, operands[0], operands[1]), operands[0], operands[1])
        };
        module.replace(call, value);
    }
}

fn calls(module: &Module) -> Vec<Val> {
    let blocks = module.bodies().into_iter().flat_map(|it| module.blocks_of(it));
    let all = blocks.flat_map(|it| module.instructions_of(it));
    all.filter(|it| module.opcode(*it) == Some(Op::LLVMCall)).collect()
}

/// Keeps the integers that loops carry in variables.
pub(crate) fn put_counters_in_memory(module: &Module) {
    for function in module.bodies() {
        let flow = Flow::new(module, function);
        let blocks = module.blocks_of(function).into_iter();
        let latches = blocks.filter_map(|it| flow.node(it));
        let headers: BTreeSet<_> = latches.flat_map(|it| flow.headers(module, it)).collect();
        for header in headers {
            put_phis_in_memory(module, function, flow.block(header));
        }
    }
}

/// Puts the integer phis of a block in variables, which predecessors write and the block reads first.
fn put_phis_in_memory(module: &Module, function: Function, block: Block) {
    let instructions = module.instructions_of(block);
    let (phis, others): (Vec<_>, Vec<_>) =
        instructions.into_iter().partition(|it| module.opcode(*it) == Some(Op::LLVMPHI));
    for phi in phis {
        let ty = module.type_of(phi);
        let bits = module.int_bits(ty);
        if !matches!(bits, 8 | 16 | 32 | 64) {
            continue;
        }
        let place = module.variable(function, ty, bits / 8);
        for (from, value) in module.incoming(phi) {
            module.before(module.terminator(from));
            module.store(value, place, bits / 8);
        }
        module.before(others[0]);
        module.replace(phi, module.load(ty, place, bits / 8));
    }
}

/// Whether items leave a loop with atomic operations by a failure. Lanes take turns at these, so vectors gain nothing, and their masks
/// cost more than branches.
pub(crate) fn fails_among_atomics(module: &Module, entry: Function) -> bool {
    let flow = Flow::new(module, entry);
    let nodes: Vec<_> = module.blocks_of(entry).into_iter().filter_map(|it| flow.node(it)).collect();
    let has = |node: Node, wanted: &dyn Fn(Val) -> bool| {
        module.instructions_of(flow.block(node)).into_iter().any(wanted)
    };
    let is_atomic = |it: Val| matches!(module.opcode(it), Some(Op::LLVMAtomicRMW | Op::LLVMAtomicCmpXchg));
    let fails_next =
        |node: Node| flow.successors(module, node).into_iter().any(|it| has(it, &|it| module.is_failure(it)));
    nodes.iter().any(|&latch| {
        flow.headers(module, latch).into_iter().any(|header| {
            let inside = flow.cfg.natural_loop(header, latch);
            inside.iter().any(|it| has(*it, &is_atomic)) && inside.iter().any(|it| fails_next(*it))
        })
    })
}

/// Puts the code of a failing item in `entry` before it returns into a loop of one iteration.
pub(crate) fn loop_failures(module: &Module, entry: Function) {
    let flow = Flow::new(module, entry);
    let blocks = module.blocks_of(entry);
    let entry_block = blocks[0];
    let mut looped = BTreeSet::new();
    for block in blocks {
        let Some(head) = flow.node(block) else { continue };
        let fails = || module.instructions_of(block).into_iter().any(|it| module.is_failure(it));
        if looped.contains(&head) || block == entry_block || !fails() {
            continue;
        }
        let Some(failure) = Failure::new(module, &flow, head) else { continue };
        failure.put_in_loop(module, entry, &flow);
        looped.extend(failure.nodes);
    }
}

/// The blocks that only items run that fail at one site.
struct Failure {
    head: Node,
    nodes: BTreeSet<Node>,
}

impl Failure {
    /// Returns the code that runs from `head` on; `None` if other items run a part of it, or if it goes on.
    fn new(module: &Module, flow: &Flow, head: Node) -> Option<Self> {
        let mut nodes = BTreeSet::from([head]);
        let mut waiting = vec![head];
        while let Some(node) = waiting.pop() {
            for next in flow.successors(module, node) {
                if only_returns(module, flow.block(next)) || nodes.contains(&next) {
                    continue;
                }
                if !flow.dominates(head, next) {
                    return None;
                }
                nodes.insert(next);
                waiting.push(next);
            }
        }
        Some(Self { head, nodes })
    }

    /// Redirects the returns to a back edge that is never taken, and that no driver can know not to be.
    fn put_in_loop(&self, module: &Module, entry: Function, flow: &Flow) {
        let head = flow.block(self.head);
        let (latch, done) = (module.block(entry), module.block(entry));
        for &node in &self.nodes {
            let block = flow.block(node);
            if module.opcode(module.terminator(block)) == Some(Op::LLVMRet) {
                module.reopen(block);
                module.at_end(block);
                module.br(latch);
                continue;
            }
            for (at, next) in module.successors(block).into_iter().enumerate() {
                if only_returns(module, next) {
                    module.set_successor(block, at, latch);
                }
            }
        }
        module.at_end(latch);
        let int = module.int(32);
        let dimensions =
            module.declared("_Z12get_work_dimv", int, &[], &["memory", "nounwind", "willreturn"]);
        let none = module.int_eq(module.call(dimensions, &[]), module.const_u32(0));
        module.set_convention(dimensions, Convention::SpirFunction);
        module.cond_br(none, head, done);
        module.at_end(done);
        module.ret(None);
        for phi in module.instructions_of(head) {
            if module.opcode(phi) == Some(Op::LLVMPHI) {
                module.add_incoming(phi, phi, latch);
            }
        }
    }
}

/// Whether a block does nothing but return nothing.
fn only_returns(module: &Module, block: Block) -> bool {
    let instructions = module.instructions_of(block);
    let is_return = module.opcode(instructions[0]) == Some(Op::LLVMRet);
    is_return && module.operands(instructions[0]).is_empty()
}
