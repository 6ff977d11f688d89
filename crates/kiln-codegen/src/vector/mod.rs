//! Vector code over items: an item loop becomes a loop over vectors of items.
//!
//! LLVM vectorizes innermost loops. Items are independent between barriers, so the loop over them may be vectorized
//! whatever is inside: branches and loops that items take differently run under masks. This happens between two
//! pipelines of [`passes`](crate::passes): the code of an item is simplified, its aggregates are scalars, and loops are
//! in canonical form.
//!
//! 1. [`graph`] orders the blocks; [`item_loop`] finds counter and bounds; [`narrow`] leaves out items that do nothing, and
//!    [`rows`] takes several rows at once.
//! 2. [`divergence`] finds out what is the same for all items, and what has a constant stride.
//! 3. [`masks`] emits control flow, [`widen`] instructions, [`compare`] some comparisons, [`values`] keeps values between
//!    blocks; [`screen`] is about accesses of checked kernels.
//! 4. [`variant`] makes such code of functions that item loops call.
//!
//! Items that do not fill a vector are one with a mask, where masks are free; else the scalar loop stays for them.
//!
//! Each lane does the operations of the scalar code in their order: results have the same bits. Items of a vector run
//! in step, so a loop that waits for what another item writes would not end: see [`waits`].
//!
//! # Deliberately absent
//! Loops that LLVM vectorizes as well: it knows less about items, and where accesses of items are said to be independent it
//! reorders those of one item.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "LLVM has many operations: one that is not named has no linear result, and no vector form of its own"
)]

mod compare;
mod cost;
mod divergence;
mod flow;
mod graph;
mod item_loop;
mod lanes;
mod masks;
mod narrow;
mod range;
mod report;
mod rows;
mod screen;
mod values;
mod variant;
mod waits;
mod widen;

pub(crate) use report::loops;
pub(crate) use variant::{Variant, lanes_of, note};

use crate::error::EmitError;
use crate::llvm::{
    Block, Function, Machine, Module, NOT_UNROLLED, Ty, TypeKind, UNROLLED_WHOLE, Val, is_item_loop,
    leave_loop, loop_has, name_of_loop,
};
use divergence::{Divergence, is_hint};
pub(crate) use flow::Flow;
use graph::Graph;
use item_loop::ItemFrame;
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Op};
use masks::Emission;
use values::{Values, Wide};
use variant::Callee;

/// What gives loops one entry, one back edge and exits of their own, and their results names outside.
const CANONICAL: &str = "lower-switch,loop-simplify,lcssa";
/// What makes SSA of the slots of vector code, and simplifies masks.
const CLEAN: &str = "simplifycfg,mem2reg,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(loop-rotate,licm),early-cse<memssa>,adce";
/// Processors with vectors of this many bits have registers for masks: masked accesses cost what others do.
const MASKS_ARE_FREE: u32 = 512;
/// The instructions of a small item loop, at most.
const SMALL: usize = 40;
/// The instructions of an item loop, at most.
const SIZE_MAX: usize = 4000;

/// Vectorizes the item loops of a module, with vectors of this many bits.
pub(crate) fn vectorize(module: &Module, machine: &Machine, bits: u32) -> Result<(), EmitError> {
    variant::make_all(module, machine, bits)?;
    for function in module.bodies() {
        let has_loops = || module.blocks_of(function).into_iter().any(|it| is_item_loop(module, it));
        if module.is_optnone(function) || !has_loops() {
            continue;
        }
        machine.run_function_passes(module, function, CANONICAL)?;
        if rows::take_several(module, function) {
            machine.run_function_passes(module, function, CANONICAL)?;
        }
        let latches: Vec<Block> =
            module.blocks_of(function).into_iter().filter(|it| is_item_loop(module, *it)).collect();
        let mut changed = false;
        for latch in latches {
            let name = name_of_loop(module, function, latch);
            narrow::narrow(module, function, latch);
            let done = vectorize_loop(module, function, latch, bits);
            let form = match done {
                Ok((lanes, 1)) => format!("vectors of {lanes} items"),
                Ok((lanes, vectors)) => format!("vectors of {lanes} items, {vectors} at once"),
                Err(why) => format!("one item after the other: {why}"),
            };
            module.remark(&format!("{name}: {form}"));
            changed |= done.is_ok();
        }
        if changed {
            machine.run_function_passes(module, function, CLEAN)?;
        }
    }
    variant::remove_unused(module);
    Ok(())
}

/// Vectorizes an item loop, and returns the lanes of a vector and the vectors of a step; fails with the reason if it stays as it
/// is.
///
/// Where a step takes several vectors, the items that do not fill them are left to a loop of one vector a step.
fn vectorize_loop(
    module: &Module,
    function: Function,
    latch: Block,
    bits: u32,
) -> Result<(u32, u32), &'static str> {
    let new = || ItemLoop::new(module, function, latch, (bits, None))?.if_it_pays(module);
    let whole = new()?;
    let lanes = whole.lanes;
    let vectors = cost::vectors_a_step(module, &whole, bits);
    let is_short = loop_has(module, latch, NOT_UNROLLED);
    // A step of several vectors is unrolled already, and leaves less than one to the loop behind it.
    let stays = is_short || vectors > 1;
    let rest = if vectors > 1 {
        emit(module, function, &whole, (lanes * vectors, Tail::Scalar), stays);
        new()
    } else {
        Ok(whole)
    };
    // Without a loop of one vector a step, the scalar loop takes the rest.
    if let Ok(rest) = rest {
        let is_masked = bits >= MASKS_ARE_FREE
            && !rest.frame.leaves_counter(module)
            && !(is_short && is_small(&rest.graph));
        let tail = if is_masked { Tail::Masked } else { Tail::Scalar };
        emit(module, function, &rest, (lanes, tail), stays);
    }
    leave_loop(module, latch);
    Ok((lanes, vectors))
}

/// Whether a loop of a region is so small that the items that do not fill a vector run one by one. The next region loads from its
/// places, and waits longer for a store under a mask, which no load gets before it is in the cache.
fn is_small(graph: &Graph) -> bool {
    graph.nodes.iter().map(|it| it.instructions.len()).sum::<usize>() <= SMALL
}

/// An item loop for which there is vector code.
struct ItemLoop {
    graph: Graph,
    frame: ItemFrame,
    divergence: Divergence,
    /// The memory that each item has its own of, with the bytes from that of one item to that of the next.
    privates: Vec<(Val, u64)>,
    /// The lanes of a vector.
    lanes: u32,
}

impl ItemLoop {
    /// Analyzes the loop whose back edge ends `latch`; fails with the reason why it has no vector code. A loop over the lanes of a
    /// callee has a number of them, and any of them may not be active.
    fn new(
        module: &Module,
        function: Function,
        latch: Block,
        (bits, lanes): (u32, Option<u32>),
    ) -> Result<Self, &'static str> {
        let flow = Flow::new(module, function);
        let graph = Graph::new(module, &flow, latch).ok_or("a loop has several entries")?;
        let frame = ItemFrame::new(module, &flow, &graph).ok_or("the loop has another form")?;
        let size: usize = graph.nodes.iter().map(|it| it.instructions.len()).sum();
        if size > SIZE_MAX {
            return Err("it is large");
        }
        if !graph.nodes.iter().flat_map(|it| &it.instructions).all(|it| supports(module, *it)) {
            return Err("an instruction has no vector form");
        }
        let privates = privates(module, &graph).ok_or("memory of an item is used outside the loop")?;
        let divergence = Divergence::new(module, &graph, &frame, &privates, lanes.is_none());
        if waits::waits(module, &graph, &divergence, &privates) {
            return Err("a loop may wait for another item");
        }
        if !reductions_are_whole(module, &graph, &frame, &divergence) {
            return Err("not all items take part in a reduction");
        }
        let code = graph.nodes.iter().flat_map(|it| it.instructions.iter().copied());
        let lanes = lanes.unwrap_or_else(|| lanes_for(module, code, bits));
        if lanes < 2 {
            return Err("a vector holds one item");
        }
        Ok(Self { graph, frame, divergence, privates, lanes })
    }

    /// Fails if the scalar code is expected to be faster.
    fn if_it_pays(self, module: &Module) -> Result<Self, &'static str> {
        let pays = cost::pays(module, &self.graph, &self.divergence, self.lanes);
        if pays { Ok(self) } else { Err("most of it runs lane by lane") }
    }
}

/// Whether there is code for an instruction in all lanes.
fn supports(module: &Module, it: Val) -> bool {
    let Some(opcode) = module.opcode(it) else { return false };
    let is_known = matches!(
        opcode,
        Op::LLVMPHI
            | Op::LLVMBr
            | Op::LLVMICmp
            | Op::LLVMFCmp
            | Op::LLVMSelect
            | Op::LLVMFNeg
            | Op::LLVMFreeze
            | Op::LLVMGetElementPtr
            | Op::LLVMExtractValue
            | Op::LLVMInsertValue
            | Op::LLVMLoad
            | Op::LLVMStore
            | Op::LLVMCall
            | Op::LLVMAtomicRMW
            | Op::LLVMAtomicCmpXchg
            | Op::LLVMFence
            | Op::LLVMAdd
            | Op::LLVMSub
            | Op::LLVMMul
            | Op::LLVMSDiv
            | Op::LLVMUDiv
            | Op::LLVMSRem
            | Op::LLVMURem
            | Op::LLVMShl
            | Op::LLVMLShr
            | Op::LLVMAShr
            | Op::LLVMAnd
            | Op::LLVMOr
            | Op::LLVMXor
            | Op::LLVMFAdd
            | Op::LLVMFSub
            | Op::LLVMFMul
            | Op::LLVMFDiv
            | Op::LLVMFRem
            | Op::LLVMTrunc
            | Op::LLVMZExt
            | Op::LLVMSExt
            | Op::LLVMFPToUI
            | Op::LLVMFPToSI
            | Op::LLVMUIToFP
            | Op::LLVMSIToFP
            | Op::LLVMFPTrunc
            | Op::LLVMFPExt
            | Op::LLVMPtrToInt
            | Op::LLVMIntToPtr
            | Op::LLVMBitCast
    );
    let mut values = module.operands(it);
    if opcode == Op::LLVMCall {
        if is_hint(module, it) {
            return true;
        }
        values.truncate(module.argument_count(it));
    }
    // The back end calls functions for wide integers, and for vectors of them functions that do not exist.
    let converts = matches!(
        opcode,
        Op::LLVMFPToUI | Op::LLVMFPToSI | Op::LLVMUIToFP | Op::LLVMSIToFP | Op::LLVMFPTrunc | Op::LLVMFPExt
    );
    let is_wide = |ty: Ty| module.int_bits(ty) > 64;
    if converts && (is_wide(module.type_of(it)) || values.iter().any(|it| is_wide(module.type_of(*it)))) {
        return false;
    }
    is_known
        && (widens(module, module.type_of(it)) || module.type_kind(module.type_of(it)) == TypeKind::Void)
        && values.into_iter().all(|it| widens(module, module.type_of(it)))
}

/// Whether there are vectors of a type, or of its parts.
fn widens(module: &Module, ty: Ty) -> bool {
    match module.type_kind(ty) {
        TypeKind::Int(_) | TypeKind::Float | TypeKind::Pointer => true,
        TypeKind::Struct | TypeKind::Array => {
            module.element_types(ty).into_iter().all(|it| widens(module, it))
        }
        TypeKind::Void | TypeKind::Other => false,
    }
}

/// Returns the allocations of the function that items use one after the other, with the bytes from the memory of one item to
/// that of the next: each item has its own. `None` if the memory of one is used outside the loop, too.
fn privates(module: &Module, graph: &Graph) -> Option<Vec<(Val, u64)>> {
    let mut found: Vec<(Val, u64)> = Vec::new();
    for it in graph.nodes.iter().flat_map(|it| &it.instructions) {
        for value in module.operands(*it) {
            if module.opcode(value) != Some(Op::LLVMAlloca) || found.iter().any(|it| it.0 == value) {
                continue;
            }
            let is_inside = |it: &Val| graph.number(module.block_of(*it)).is_some();
            let is_used_here = |it: &Val| {
                is_inside(it) || (module.opcode(*it) == Some(Op::LLVMCall) && is_hint(module, *it))
            };
            if !module.users_of(value).iter().all(is_used_here) {
                return None;
            }
            let bytes = module.bytes_of(module.allocated_type(value)?);
            found.push((value, bytes.next_multiple_of(module.alignment(value).max(1).into())));
        }
    }
    Some(found)
}

/// Whether all lanes take part in each reduction.
fn reductions_are_whole(module: &Module, graph: &Graph, frame: &ItemFrame, divergence: &Divergence) -> bool {
    frame.reductions.iter().all(|it| {
        graph
            .number(module.block_of(it.update))
            .is_some_and(|block| graph.nodes[block].region == 0 && divergence.is_always_run(graph, block))
    })
}

/// Returns the number of lanes for some code: a vector holds one value each of the widest floating-point type that it
/// computes with, and there are not more than the variants of its callees have.
fn lanes_for(module: &Module, code: impl Iterator<Item = Val>, bits: u32) -> u32 {
    let (mut widest, mut most) = (32, u32::MAX);
    for it in code {
        let opcode = module.opcode(it);
        if opcode == Some(Op::LLVMCall)
            && let Some(callee) = Callee::of(module, it)
        {
            most = most.min(callee.lanes);
        }
        let computes =
            matches!(opcode, Some(Op::LLVMFAdd | Op::LLVMFSub | Op::LLVMFMul | Op::LLVMFDiv | Op::LLVMCall));
        let ty = module.type_of(it);
        if computes && module.type_kind(ty) == TypeKind::Float {
            widest = widest.max(module.bytes_of(ty) as u32 * 8);
        }
    }
    (bits / widest).min(most)
}

/// How the items that do not fill a vector run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    /// One by one, in the scalar loop.
    Scalar,
    /// As a vector with lanes that are not active.
    Masked,
}

/// Emits the vector loop before an item loop. LLVM does not unroll one that stays as it is, unless that removes it.
fn emit(module: &Module, function: Function, item_loop: &ItemLoop, (lanes, tail): (u32, Tail), stays: bool) {
    let ItemLoop { graph, frame, divergence, privates, .. } = item_loop;
    module.at_end(frame.preheader);
    let block = || module.block(function);
    let (start, body, middle, scalar) = (block(), block(), block(), block());
    let mut values = Values::new(module, function, lanes, start);
    for &(alloca, bytes) in privates {
        values.add_private(alloca, bytes);
    }
    let mut emission = Emission::new(graph, divergence, values);
    module.reopen(frame.preheader);
    module.at_end(frame.preheader);
    let counter = frame.inductions[0];
    let ty = module.type_of(counter.phi);
    let bound = module.add(module.resize(frame.bound, ty), module.const_int(ty, frame.past as u128));
    let count = module.sub(bound, counter.start);
    let enough = match tail {
        Tail::Scalar => module.icmp(Int::LLVMIntUGE, count, module.const_int(ty, lanes.into())),
        Tail::Masked => module.const_int(module.int(1), 1),
    };
    module.cond_br(enough, start, scalar);

    module.at_end(start);
    let end = match tail {
        Tail::Scalar => {
            let whole = module.and(count, module.const_int(ty, -i128::from(lanes) as u128));
            module.add(counter.start, whole)
        }
        Tail::Masked => bound,
    };
    let limit = (tail == Tail::Masked).then(|| module.splat(bound, lanes));
    let starts: Vec<Val> = frame.reductions.iter().map(|it| module.splat(it.start, lanes)).collect();

    module.at_end(body);
    let phis: Vec<Val> = frame.inductions.iter().map(|it| module.phi(module.type_of(it.phi))).collect();
    let totals: Vec<Val> = starts.iter().map(|it| module.phi(module.type_of(*it))).collect();
    for (it, phi) in frame.inductions.iter().zip(&phis) {
        emission.set(it.phi, Wide::Linear(*phi, it.step));
        module.add_incoming(*phi, it.start, start);
    }
    for ((it, phi), first) in frame.reductions.iter().zip(&totals).zip(&starts) {
        emission.set(it.phi, Wide::Lanes(*phi));
        module.add_incoming(*phi, *first, start);
    }
    let mask = limit.map(|limit| {
        let places = module.add(module.splat(phis[0], lanes), emission.values.multiples(ty, 1));
        module.icmp(Int::LLVMIntULT, places, limit)
    });
    emission.body(mask);
    let (next, updates) = advance(module, frame, &mut emission, (&phis, &totals), (lanes, mask));
    let done = match tail {
        Tail::Scalar => module.int_eq(next[0], end),
        Tail::Masked => module.icmp(Int::LLVMIntUGE, next[0], end),
    };
    module.cond_br(done, middle, body);
    if stays {
        module.hint_loop(&[(UNROLLED_WHOLE.into(), None)]);
    }
    let ends = Ends { start, middle, scalar, body };
    join(module, graph, frame, &ends, (bound, end), (&next, &updates));
}

/// Gives the phis of a vector loop their next values, and returns these: of inductions, and of reductions.
fn advance(
    module: &Module,
    frame: &ItemFrame,
    emission: &mut Emission<'_, '_>,
    (phis, totals): (&[Val], &[Val]),
    (lanes, mask): (u32, masks::Mask),
) -> (Vec<Val>, Vec<Val>) {
    let grown = |(it, phi): (&item_loop::Induction, &Val)| {
        let by = i128::from(it.step) * i128::from(lanes);
        module.add(*phi, module.const_int(module.type_of(*phi), by as u128))
    };
    let next: Vec<Val> = frame.inductions.iter().zip(phis).map(grown).collect();
    let mut updates = Vec::new();
    for (it, old) in frame.reductions.iter().zip(totals) {
        let (Wide::Scalar(new) | Wide::Linear(new, _) | Wide::Lanes(new)) = emission.value(it.update);
        updates.push(mask.map_or(new, |mask| module.select(mask, new, *old)));
    }
    let here = module.here();
    for (phi, value) in phis.iter().zip(&next).chain(totals.iter().zip(&updates)) {
        module.add_incoming(*phi, *value, here);
    }
    (next, updates)
}

/// The blocks around a vector loop.
struct Ends {
    start: Block,
    middle: Block,
    scalar: Block,
    body: Block,
}

/// Continues after a vector loop: with the rest of the items in the scalar loop, or after it.
fn join(
    module: &Module,
    graph: &Graph,
    frame: &ItemFrame,
    ends: &Ends,
    (bound, end): (Val, Val),
    (next, updates): (&[Val], &[Val]),
) {
    let Ends { start, middle, scalar, body } = *ends;
    module.at_end(start);
    module.br(body);
    module.at_end(middle);
    let reduced: Vec<Val> = frame
        .reductions
        .iter()
        .zip(updates)
        .map(|(it, update)| module.intrinsic(it.name, &[module.type_of(*update)], &[*update]))
        .collect();
    module.cond_br(module.int_eq(end, bound), frame.exit, scalar);
    let left_behind = |value: Val| {
        let update = frame.reductions.iter().position(|it| it.update == value).map(|it| reduced[it]);
        let induction = frame.inductions.iter().position(|it| it.next == value).map(|it| next[it]);
        update.or(induction).unwrap_or(value)
    };
    for phi in module.instructions_of(frame.exit) {
        if module.opcode(phi) != Some(Op::LLVMPHI) {
            break;
        }
        if let Some((_, value)) = module.incoming(phi).into_iter().find(|it| it.0 == frame.latch) {
            module.add_incoming(phi, left_behind(value), middle);
        }
    }
    module.at_end(scalar);
    let header = graph.nodes[graph.regions[0].header].block;
    let inductions = frame.inductions.iter().zip(next).map(|(it, next)| (it.phi, it.start, it.next, *next));
    let reductions =
        frame.reductions.iter().zip(&reduced).map(|(it, reduced)| (it.phi, it.start, it.update, *reduced));
    let mut resumed = Vec::new();
    for (phi, first, next, after) in inductions.chain(reductions) {
        let from = module.phi(module.type_of(phi));
        module.add_incoming(from, first, frame.preheader);
        module.add_incoming(from, after, middle);
        resumed.push((phi, from, next));
    }
    module.br(header);
    for (phi, from, next) in resumed {
        module.at_start(header);
        let new = module.phi(module.type_of(phi));
        module.add_incoming(new, from, scalar);
        module.add_incoming(new, next, frame.latch);
        module.replace(phi, new);
    }
}
