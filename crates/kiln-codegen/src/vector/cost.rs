//! Whether vector code pays: what runs lane by lane costs more than in scalar code.

use super::ItemLoop;
use super::divergence::{Divergence, Shape, is_hint, is_lanewise};
use super::graph::Graph;
use super::screen::is_screen;
use super::variant::{Callee, is_placeholder};
use super::widen::{is_division, is_plain};
use crate::llvm::{Access, Module, SEVERAL_ROWS, Val, loop_has};
use llvm_sys::LLVMOpcode as Op;

/// A loop is assumed to run this often.
const ITERATIONS: u64 = 8;
/// The cost of a call of a vector variant.
const CALL: u64 = 4;

/// The most vectors a step.
const VECTORS_MAX: usize = 4;

/// The lanes that hide the latency of most code.
const LANES_BUSY: u32 = 32;

/// The operations of code that fills the processor's window of instructions with one vector: it takes as many lanes as there may be.
const LONG: u32 = 64;

/// The lanes of a step, at most: more is more code, and no faster.
const LANES_MAX: u32 = 64;

/// The vectors of a step where a turn takes several rows: their sums fill half the registers, and share what each row loads for all of
/// its items.
const VECTORS_OF_ROWS: u32 = 2;

/// The operations on vectors that hide the latency of a sum in a loop, and share its counters and loads of uniform values.
const BUSY: usize = 12;

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
        Some(Op::LLVMAtomicCmpXchg) if module.is_claim(it) => 0,
        Some(Op::LLVMAtomicRMW | Op::LLVMAtomicCmpXchg) => 4 * lanes,
        Some(Op::LLVMCall) if is_hint(module, it) => 0,
        Some(Op::LLVMCall) if Callee::fitting(module, divergence, it).is_some() => CALL,
        Some(Op::LLVMCall) if is_placeholder(module, it) => 1,
        // It is there in both forms, and is not what decides.
        Some(Op::LLVMCall) if is_screen(module, it) => 2,
        Some(Op::LLVMCall) if !is_lanewise(module, it) => 5 * lanes,
        Some(opcode) if is_division(opcode) && divergence.shape(it) == Shape::Varying => lanes,
        _ if divergence.shape(it) == Shape::Varying => 2,
        _ => 1,
    }
}

/// Returns how many vectors of items a step takes, a power of two. Code that waits for its own results runs several at once: they do
/// not wait for each other, and share what is the same for all items.
pub(super) fn vectors_a_step(module: &Module, item_loop: &ItemLoop, bits: u32) -> u32 {
    let graph = &item_loop.graph;
    // A variant has the lanes of one vector, and a screen waits for its notes.
    let calls = |it: &Val| {
        module.opcode(*it) == Some(Op::LLVMCall)
            && (Callee::of(module, *it).is_some() || is_screen(module, *it))
    };
    if graph.nodes.iter().flat_map(|it| &it.instructions).any(calls) {
        return 1;
    }
    let has_inner = |region: usize| graph.regions.iter().any(|it| it.parent == Some(region));
    let is_loop_of =
        |region: usize, property| loop_has(module, graph.nodes[graph.regions[region].latch].block, property);
    if (1..graph.regions.len()).any(|it| is_loop_of(it, SEVERAL_ROWS)) {
        return VECTORS_OF_ROWS.min(LANES_MAX / item_loop.lanes).max(1);
    }
    let innermost = (1..graph.regions.len()).filter(|it| !has_inner(*it));
    let vectors = match innermost.map(|it| vectors_of_loop(module, item_loop, it, bits)).min() {
        Some(vectors) => vectors,
        None => vectors_of_lanes(item_loop, lanes_of_straight_code(module, item_loop)),
    };
    vectors.min(LANES_MAX / item_loop.lanes).max(1)
}

/// Whether an instruction is expected to run for one lane after the other.
fn runs_by_lane(module: &Module, divergence: &Divergence, it: Val) -> bool {
    let lanes = 16;
    cost(module, divergence, it, lanes) >= lanes
}

/// Returns the vectors that have so many lanes.
fn vectors_of_lanes(item_loop: &ItemLoop, lanes: u32) -> u32 {
    (lanes / item_loop.lanes).clamp(1, VECTORS_MAX as u32)
}

/// Returns the lanes that code without loops runs at once: one, which stands for those of one vector, where it moves more than it
/// computes.
fn lanes_of_straight_code(module: &Module, item_loop: &ItemLoop) -> u32 {
    let (mut operations, mut accesses) = (0, 0);
    for &it in item_loop.graph.nodes.iter().flat_map(|it| &it.instructions) {
        match module.opcode(it) {
            _ if runs_by_lane(module, &item_loop.divergence, it) => return 1,
            Some(Op::LLVMLoad | Op::LLVMStore) => accesses += 1,
            Some(Op::LLVMPHI | Op::LLVMBr) => {}
            _ => operations += u32::from(item_loop.divergence.shape(it) == Shape::Varying),
        }
    }
    match operations {
        _ if operations <= accesses => 1,
        LONG.. => LANES_MAX,
        _ => LANES_BUSY,
    }
}

/// Returns how many vectors a step of an inner loop takes: several where it carries values of items from one iteration to the next. A
/// loop that all items leave in one turn takes as many as the registers hold, since its counter and its loads of what is the same for
/// all items are shared; one that items leave in different turns takes some if it only computes.
fn vectors_of_loop(module: &Module, item_loop: &ItemLoop, region: usize, bits: u32) -> u32 {
    let (graph, divergence) = (&item_loop.graph, &item_loop.divergence);
    let at = &graph.regions[region];
    let is_whole = !divergence.is_divergent(region)
        && (at.header..at.end).all(|node| !divergence.is_partial(region, node));
    let instructions = || graph.nodes[at.header..at.end].iter().flat_map(|it| &it.instructions);
    let is_varying = |it: &Val| divergence.shape(*it) == Shape::Varying;
    let carried =
        instructions().filter(|it| module.opcode(**it) == Some(Op::LLVMPHI) && is_varying(it)).count();
    let operations = instructions().filter(|it| is_varying(it)).count() - carried;
    let by_lane = instructions().any(|it| runs_by_lane(module, divergence, *it));
    if carried == 0 || operations == 0 || by_lane {
        return 1;
    }
    if !is_whole {
        let is_access = |it: &Val| matches!(module.opcode(*it), Some(Op::LLVMLoad | Op::LLVMStore));
        let computes = !instructions().any(is_access);
        return if computes { vectors_of_lanes(item_loop, LANES_BUSY) } else { 1 };
    }
    // A vector for each carried value and operation; the processor has twice as many with masks.
    let registers = if bits >= super::MASKS_ARE_FREE { 32 } else { 16 };
    let vectors = (BUSY / operations).min(registers / (carried + operations)).min(VECTORS_MAX);
    if vectors > 1 { 1 << vectors.ilog2() } else { 1 }
}
