//! The divergence analysis as a list for people: which instructions run once for all items.
//!
//! The list has the instructions that code generation decides on: the same passes run before, the same functions decide.

use super::divergence::{Divergence, Shape, is_hint, is_lanewise};
use super::graph::Graph;
use super::narrow::narrow;
use super::variant::{Callee, Draft, is_placeholder, wanted};
use super::widen::is_plain;
use super::{CANONICAL, ItemLoop};
use crate::error::EmitError;
use crate::llvm::{Access, Block, Function, Machine, Module, Ty, Val, is_item_loop, name_of_loop};
use kiln_unit::{AnalysedInstruction, AnalysedLoop, LaneOperation, ScalarReason, Spread};
use llvm_sys::LLVMOpcode as Op;

/// Analyses the item loops of a module, and the functions that may get vector variants.
pub(crate) fn loops(
    module: &Module,
    machine: &Machine,
    bits: u32,
    text: bool,
) -> Result<Vec<AnalysedLoop>, EmitError> {
    let mut found = Vec::new();
    for function in module.bodies() {
        let has_loops = || module.blocks_of(function).into_iter().any(|it| is_item_loop(module, it));
        if module.is_optnone(function) || !has_loops() {
            continue;
        }
        machine.run_function_passes(module, function, CANONICAL)?;
        for latch in module.blocks_of(function).into_iter().filter(|it| is_item_loop(module, *it)) {
            let mut analysed = AnalysedLoop {
                function: name_of_loop(module, function, latch),
                lanes: Ok(0),
                instructions: Vec::new(),
            };
            narrow(module, function, latch);
            analysed.lanes =
                analysis(module, function, latch, (bits, None), text, &mut analysed.instructions);
            found.push(analysed);
        }
    }
    for (function, hidden) in wanted(module) {
        let mut analysed =
            AnalysedLoop { function: module.name_of(function), lanes: Ok(0), instructions: Vec::new() };
        analysed.lanes = match Draft::made(module, machine, function, hidden, bits)? {
            Ok(draft) => {
                let lanes = (bits, Some(draft.lanes));
                let latch = module.blocks_of(draft.function).into_iter().find(|it| is_item_loop(module, *it));
                let list = &mut analysed.instructions;
                let of = |latch| analysis(module, draft.function, latch, lanes, text, list);
                let lanes = latch.map_or_else(|| Err(ScalarReason("the loop has another form".into())), of);
                draft.remove(module);
                lanes
            }
            Err(why) => Err(ScalarReason(why.into())),
        };
        found.push(analysed);
    }
    Ok(found)
}

/// Analyses a loop, and returns its lanes or the reason why its items run one by one.
fn analysis(
    module: &Module,
    function: Function,
    latch: Block,
    lanes: (u32, Option<u32>),
    text: bool,
    list: &mut Vec<AnalysedInstruction>,
) -> Result<u32, ScalarReason> {
    let reason = |it: &'static str| ScalarReason(it.into());
    let found = ItemLoop::new(module, function, latch, lanes).map_err(reason)?;
    let ItemLoop { graph, divergence, .. } = &found;
    for (number, node) in graph.nodes.iter().enumerate() {
        let place = Place::of(graph, divergence, number);
        let is_end = |it: &Val| number == graph.regions[0].latch && Some(it) == node.instructions.last();
        for it in node.instructions.iter().filter(|it| !is_end(it)) {
            let Some((operation, spread)) = fact(module, divergence, *it) else { continue };
            list.push(AnalysedInstruction {
                line: module.line_of(*it),
                block: number as u32,
                operation,
                spread,
                is_partial: place.is_partial,
                is_in_divergent_loop: place.is_in_divergent_loop,
                text: if text { module.text_of(*it) } else { String::new() },
            });
        }
    }
    Ok(found.if_it_pays(module).map_err(reason)?.lanes)
}

/// Which items run a block.
struct Place {
    is_partial: bool,
    is_in_divergent_loop: bool,
}

impl Place {
    fn of(graph: &Graph, divergence: &Divergence, block: usize) -> Self {
        let (mut region, mut node) = (graph.nodes[block].region, block);
        let mut this = Self { is_partial: false, is_in_divergent_loop: false };
        loop {
            this.is_partial |= divergence.is_partial(region, node);
            this.is_in_divergent_loop |= divergence.is_divergent(region);
            let Some(parent) = graph.regions[region].parent else { return this };
            (node, region) = (graph.regions[region].header, parent);
        }
    }
}

/// Returns the kind of an instruction and how it differs between lanes; `None` if it is nothing by itself.
fn fact(module: &Module, divergence: &Divergence, it: Val) -> Option<(LaneOperation, Spread)> {
    let spread = |value| match divergence.shape(value) {
        Shape::Uniform => Spread::Uniform,
        Shape::Linear(stride) => Spread::Consecutive(stride),
        Shape::Varying => Spread::Varying,
    };
    let operands = module.operands(it);
    Some(match module.opcode(it)? {
        Op::LLVMLoad => {
            let all = [LaneOperation::UniformLoad, LaneOperation::VectorLoad, LaneOperation::Gather];
            (access(module, divergence, it, (operands[0], module.type_of(it)), all), spread(operands[0]))
        }
        Op::LLVMStore => {
            let all = [LaneOperation::UniformStore, LaneOperation::VectorStore, LaneOperation::Scatter];
            let ty = module.type_of(operands[0]);
            (access(module, divergence, it, (operands[1], ty), all), spread(operands[1]))
        }
        Op::LLVMBr => (LaneOperation::Branch, spread(*operands.first()?)),
        Op::LLVMCall if is_hint(module, it) || is_placeholder(module, it) => return None,
        Op::LLVMCall if is_lanewise(module, it) => (LaneOperation::Value, spread(it)),
        Op::LLVMCall if Callee::fitting(module, divergence, it).is_some() => {
            (LaneOperation::VectorCall, spread(it))
        }
        Op::LLVMCall | Op::LLVMAtomicRMW | Op::LLVMAtomicCmpXchg | Op::LLVMFence => {
            (LaneOperation::LaneByLane, spread(it))
        }
        _ => (LaneOperation::Value, spread(it)),
    })
}

/// Returns how vector code makes an access: of one place, of a vector, of a place for each lane.
fn access(
    module: &Module,
    divergence: &Divergence,
    it: Val,
    (address, ty): (Val, Ty),
    [one, vector, each]: [LaneOperation; 3],
) -> LaneOperation {
    let bytes = module.bytes_of(ty) as i64;
    match divergence.shape(address) {
        _ if module.access(it) != Access::Plain => LaneOperation::LaneByLane,
        Shape::Uniform => one,
        _ if !is_plain(module, ty) => LaneOperation::LaneByLane,
        Shape::Linear(stride) if stride.abs() == bytes => vector,
        Shape::Linear(_) | Shape::Varying => each,
    }
}
