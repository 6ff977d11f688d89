//! Item loops whose items do something in a range only: `if i <= n` around all that has an effect.
//!
//! The condition compares a value that grows by one from item to item with one that is the same for all items, so the items
//! for which it holds are neighbours. The loop runs for these alone: it ends early, none of its lanes waits under a mask, and
//! the condition is not tested.
//!
//! # Deliberately absent
//! Values that grow by more than one, and conditions that two ranges of items fulfil.

use super::compare::LinearTest;
use super::divergence::{Divergence, is_hint, is_lanewise};
use super::flow::Flow;
use super::graph::{BodyBlock, Graph};
use super::item_loop::ItemFrame;
use crate::llvm::{Access, Block, Function, Module, Val};
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Op};
use std::collections::BTreeSet;

/// The instructions from a compared value back to the counter, at most.
const DEPTH_MAX: u32 = 8;

/// The branch around all that an item does.
struct Guard {
    block: usize,
    /// Whether the item does something where the condition holds, rather than where it does not.
    wanted: bool,
}

/// The two sides of the guard's comparison.
struct Sides {
    linear: Val,
    uniform: Val,
    predicate: Int,
}

/// Narrows an item loop to the items that pass its guard, if it has one.
pub(super) fn narrow(module: &Module, function: Function, latch: Block) {
    let flow = Flow::new(module, function);
    let Some(graph) = Graph::new(module, &flow, latch) else { return };
    let guards = guards(module, &graph);
    if guards.is_empty() {
        return;
    }
    let Some(frame) = ItemFrame::new(module, &flow, &graph) else { return };
    let end = module.terminator(latch);
    let test = module.operands(end)[0];
    if !frame.reductions.is_empty() || frame.leaves_counter(module) || module.users_of(test) != [end] {
        return;
    }
    let divergence = Divergence::new(module, &graph, &frame, &[], true);
    for guard in guards {
        if let Some(sides) = sides(module, &graph, &frame, &divergence, &guard) {
            emit(module, function, (&graph, &frame), &guard, &sides);
            return;
        }
    }
}

/// Returns the branches around all blocks with effects.
fn guards(module: &Module, graph: &Graph) -> Vec<Guard> {
    let outermost = &graph.regions[0];
    let mut found = Vec::new();
    for &block in &outermost.nodes {
        let node = &graph.nodes[block];
        let [then, other] = node.successors[..] else { continue };
        let Some(condition) = node.instructions.last().and_then(|it| module.operands(*it).first().copied())
        else {
            continue;
        };
        if block == outermost.latch || then == other || module.opcode(condition) != Some(Op::LLVMICmp) {
            continue;
        }
        for (wanted, inside) in [(true, then), (false, other)] {
            let around = around(graph, block, inside);
            let is_plain = |it: &usize| {
                graph.nodes[*it].region == 0
                    && graph.nodes[*it].instructions.iter().all(|it| is_pure(module, *it))
            };
            if inside.is_some_and(|it| !around.contains(&it)) && around.iter().all(is_plain) {
                found.push(Guard { block, wanted });
            }
        }
    }
    found
}

/// Returns the blocks that an item may run if it does not go from a block to `inside`.
fn around(graph: &Graph, block: usize, inside: Option<usize>) -> BTreeSet<usize> {
    let header = graph.regions[0].header;
    let (mut seen, mut waiting) = (BTreeSet::from([header]), vec![header]);
    while let Some(at) = waiting.pop() {
        for to in graph.nodes[at].successors.iter().copied().filter(|it| at != block || *it != inside) {
            waiting.extend(to.filter(|it| seen.insert(*it)));
        }
    }
    seen
}

/// Whether an item may do without an instruction.
fn is_pure(module: &Module, it: Val) -> bool {
    match module.opcode(it) {
        Some(Op::LLVMLoad) => module.access(it) == Access::Plain,
        Some(Op::LLVMCall) => is_hint(module, it) || is_lanewise(module, it),
        Some(opcode) => !matches!(
            opcode,
            Op::LLVMStore
                | Op::LLVMAtomicRMW
                | Op::LLVMAtomicCmpXchg
                | Op::LLVMFence
                | Op::LLVMInvoke
                | Op::LLVMUnreachable
                | Op::LLVMAlloca
        ),
        None => false,
    }
}

/// Returns the sides of a guard's comparison, if the loop's entry can compute both for the first item.
fn sides(
    module: &Module,
    graph: &Graph,
    frame: &ItemFrame,
    divergence: &Divergence,
    guard: &Guard,
) -> Option<Sides> {
    let node: &BodyBlock = &graph.nodes[guard.block];
    let condition = *module.operands(*node.instructions.last()?).first()?;
    let test = LinearTest::new(module, divergence, condition, guard.wanted)?;
    let (linear, uniform, predicate) = test.of_neighbours()?;
    let is_narrow = |it: Val| module.int_bits(module.type_of(it)) <= 64;
    let moves = |it: Val| is_narrow(it) && can_move(module, graph, frame, it, 0);
    (moves(linear) && moves(uniform)).then_some(Sides { linear, uniform, predicate })
}

/// Whether the loop's entry can compute a value as it is for the first item.
fn can_move(module: &Module, graph: &Graph, frame: &ItemFrame, it: Val, depth: u32) -> bool {
    if !is_inside(module, graph, it) || frame.inductions.iter().any(|of| of.phi == it) {
        return true;
    }
    let computes = matches!(
        module.opcode(it),
        Some(
            Op::LLVMAdd
                | Op::LLVMSub
                | Op::LLVMMul
                | Op::LLVMShl
                | Op::LLVMSExt
                | Op::LLVMZExt
                | Op::LLVMTrunc
        )
    );
    let operands = module.operands(it);
    depth < DEPTH_MAX && computes && operands.iter().all(|it| can_move(module, graph, frame, *it, depth + 1))
}

/// Appends the computation of a value as it is for the first item.
fn moved(module: &Module, graph: &Graph, frame: &ItemFrame, it: Val) -> Val {
    if let Some(of) = frame.inductions.iter().find(|of| of.phi == it) {
        return of.start;
    }
    if !is_inside(module, graph, it) {
        return it;
    }
    let operands: Vec<Val> =
        module.operands(it).into_iter().map(|it| moved(module, graph, frame, it)).collect();
    let copy = module.copy_with(it, &operands);
    module.drop_flags(copy);
    copy
}

fn is_inside(module: &Module, graph: &Graph, it: Val) -> bool {
    module.opcode(it).is_some() && graph.number(module.block_of(it)).is_some()
}

/// Emits the range of the items before the loop, and makes it the loop's.
fn emit(
    module: &Module,
    function: Function,
    (graph, frame): (&Graph, &ItemFrame),
    guard: &Guard,
    sides: &Sides,
) {
    let test = module.operands(module.terminator(frame.latch))[0];
    let Some(at) = module.operands(test).iter().position(|it| *it == frame.bound) else { return };
    let header = graph.nodes[graph.regions[0].header].block;
    let counter = &frame.inductions[0];
    let ty = module.type_of(counter.phi);
    module.reopen(frame.preheader);
    module.at_end(frame.preheader);
    let bound = module.add(module.resize(frame.bound, ty), module.const_int(ty, frame.past as u128));
    let count = module.resize(module.sub(bound, counter.start), module.int(64));
    let [from, to] = range(module, (graph, frame), sides, count);
    let entry = module.block(function);
    module.cond_br(module.icmp(Int::LLVMIntSLT, from, to), entry, frame.exit);
    for phi in module.instructions_of(frame.exit) {
        if module.opcode(phi) != Some(Op::LLVMPHI) {
            break;
        }
        if let Some((_, value)) = module.incoming(phi).into_iter().find(|it| it.0 == frame.latch) {
            module.add_incoming(phi, value, frame.preheader);
        }
    }

    module.at_end(entry);
    let mut firsts = Vec::new();
    for it in &frame.inductions {
        let ty = module.type_of(it.phi);
        let skipped = module.mul(module.resize(from, ty), module.const_int(ty, i128::from(it.step) as u128));
        firsts.push(module.add(it.start, skipped));
    }
    let end = module.sub(module.resize(to, ty), module.const_int(ty, frame.past as u128));
    let end = module.resize(module.add(counter.start, end), module.type_of(frame.bound));
    module.br(header);
    for (it, first) in frame.inductions.iter().zip(firsts) {
        module.at_start(header);
        let new = module.phi(module.type_of(it.phi));
        module.add_incoming(new, first, entry);
        module.add_incoming(new, it.next, frame.latch);
        module.replace(it.phi, new);
    }
    module.set_operand(test, at, end);
    let holds = module.const_int(module.int(1), u128::from(guard.wanted));
    module.set_operand(module.terminator(graph.nodes[guard.block].block), 0, holds);
}

/// Returns the number of items before the first that passes the guard, and that up to the last, each at most `count`.
fn range(module: &Module, (graph, frame): (&Graph, &ItemFrame), sides: &Sides, count: Val) -> [Val; 2] {
    let long = module.int(64);
    let is_unsigned = super::compare::is_unsigned(sides.predicate);
    let extend = if is_unsigned { Op::LLVMZExt } else { Op::LLVMSExt };
    let widened = |it: Val| {
        let it = moved(module, graph, frame, it);
        if module.type_of(it) == long { it } else { module.cast(extend, it, long) }
    };
    let (first, mut limit) = (widened(sides.linear), widened(sides.uniform));
    if is_unsigned {
        limit = module.intrinsic("llvm.umin", &[long], &[limit, module.const_i64(i64::MAX)]);
    }
    // The linear value of item `k` is `first + k`: the guard compares `k` with what is left of the limit.
    let left = module.intrinsic("llvm.ssub.sat", &[long], &[limit, first]);
    let within = |it: Val| {
        let it = module.intrinsic("llvm.smax", &[long], &[it, module.const_i64(0)]);
        module.intrinsic("llvm.smin", &[long], &[it, count])
    };
    let after = || {
        let it = module.intrinsic("llvm.sadd.sat", &[long], &[left, module.const_i64(1)]);
        within(it)
    };
    match super::compare::signed(sides.predicate) {
        Int::LLVMIntSLT => [module.const_i64(0), within(left)],
        Int::LLVMIntSLE => [module.const_i64(0), after()],
        Int::LLVMIntSGT => [after(), count],
        Int::LLVMIntSGE => [within(left), count],
        _ => [within(left), after()],
    }
}
