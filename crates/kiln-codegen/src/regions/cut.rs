//! The cut of a body at its barriers: entry points, what is reachable from them, and the values that live across.

use super::{Cut, Meeting, Meetings, Piece, Place, Regions, cost, is_barrier, piece, stmts_of};
use crate::analysis;
use crate::unit::Unit;
use cranelift_entity::{EntitySet, SecondaryMap};
use kiln_ir::{Block, Cfg, Intrinsic, IrCode, Op, Stmt, Value};
use kiln_types::{Types, consts};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The operations to compute a value again, at most. More cost more than a load.
const COST_MAX: u32 = 16;
/// The bytes of private memory that are copied, at most.
const COPY_MAX: u32 = 256;
/// The alignment of records.
const RECORD_ALIGN: u32 = 16;

/// Cuts a body. `None` if registers cannot hold a value that lives across a barrier.
pub(super) fn cut(unit: &Unit<'_>, code: &IrCode, cfg: &Cfg) -> Option<Regions> {
    let costs = costs(unit, code, cfg, &BTreeSet::new());
    let live_out = live_out(code, cfg);
    let mut regions = Regions {
        cuts: Vec::new(),
        after: FxHashMap::default(),
        places: FxHashMap::default(),
        recorded: FxHashMap::default(),
        records: Place { offset: 0, size: 0 },
        flags: 0,
        next: 0,
        meetings: None,
        bytes: 0,
        copied: BTreeMap::new(),
        separate: true,
        unordered: false,
        by_columns: false,
    };
    let start = *cfg.reverse_postorder.first()?;
    regions.cuts.push(region(code, cfg, piece(code, start, 0), &Ways::new()));
    let mut kept = BTreeSet::new();
    for &block in &cfg.reverse_postorder {
        let stmts = &code.blocks[block].stmts;
        for (at, &stmt) in stmts.iter().enumerate() {
            if !is_barrier(&code.stmts[stmt].op) {
                continue;
            }
            let live = live_before(code, &stmts[at + 1..], &live_out[block]);
            let mut cut = region(code, cfg, piece(code, block, at + 1), &Ways::new());
            cut.meeting = Meeting::of(unit, code, stmt, live.contains(&stmt));
            cut.defined.extend(cut.meeting.map(|it| it.stmt));
            let made = cut.meeting.map(|it| it.stmt);
            cut.kept = live.iter().copied().filter(|it| costs[*it].is_none() && Some(*it) != made).collect();
            let cheap = live.iter().copied().filter(|it| costs[*it].is_some());
            cut.computed = closure(code, cfg, cheap, &BTreeSet::new());
            kept.extend(&cut.kept);
            regions.cuts.push(cut);
            regions.after.insert(stmt, regions.cuts.len() as u32);
        }
    }
    place(unit, code, cfg, (&kept, &costs), &mut regions)?;
    Some(regions)
}

/// Lets regions compute a value again that is cheap to compute from their uniform values, in place of keeping it.
///
/// All regions that the value lives into compute it, or none: a region that does not keep a value does not pass it on. A region computes
/// at its entry point, and then does not compute again where the body does; so neither the value nor anything between it and the
/// uniform values is defined in the region, unless it is the same wherever it is computed.
pub(super) fn compute_from_uniform(unit: &Unit<'_>, code: &IrCode, cfg: &Cfg, regions: &mut Regions) {
    let constant = costs(unit, code, cfg, &BTreeSet::new());
    let mut held: BTreeSet<Stmt> = BTreeSet::new();
    for cut in &regions.cuts {
        let costs = costs(unit, code, cfg, &cut.uniform);
        let changes = |it: Stmt| constant[it].is_none() && cut.defined.contains(&it);
        let must_keep = |it: &Stmt| {
            let parts = || closure(code, cfg, std::iter::once(*it), &cut.uniform);
            costs[*it].is_none() || cut.uniform.contains(it) || parts().into_iter().any(changes)
        };
        held.extend(cut.kept.iter().copied().filter(must_keep));
    }
    for cut in &mut regions.cuts {
        let (kept, again): (Vec<Stmt>, Vec<Stmt>) =
            cut.kept.iter().copied().partition(|it| held.contains(it));
        if !again.is_empty() {
            cut.computed = closure(code, cfg, cut.computed.iter().copied().chain(again), &cut.uniform);
            cut.kept = kept;
        }
    }
}

/// The ways of branches, by the blocks that they end.
pub(super) type Ways = BTreeMap<Block, bool>;

/// Returns the part of a region that is left when the branch that ends a block goes one way, and the ways of all branches that
/// follow from it: a loop over an iterator asks once more, of a phi, whether it is done.
pub(super) fn narrowed(
    types: &Types,
    (code, cfg): (&IrCode, &Cfg),
    cut: &Cut,
    assumed: (Block, bool),
) -> (Cut, Ways) {
    let mut ways = Ways::from([assumed]);
    let part = loop {
        let part = region(code, cfg, cut.pieces[0], &ways);
        let open = part.pieces.iter().filter(|it| it.from == 0 && !ways.contains_key(&it.block));
        let known: Vec<_> = open
            .filter_map(|it| Some((it.block, known_way(types, code, (&part, &ways), it.block)?)))
            .collect();
        if known.is_empty() {
            break part;
        }
        ways.extend(known);
    };
    let mut defined = part.defined;
    defined.extend(cut.meeting.map(|it| it.stmt));
    (Cut { pieces: part.pieces, defined, has_atomics: part.has_atomics, ..cut.clone() }, ways)
}

/// Returns the way of the branch that ends a block, if its condition is a phi that has one constant from all blocks of the part.
fn known_way(types: &Types, code: &IrCode, (part, ways): (&Cut, &Ways), block: Block) -> Option<bool> {
    let Op::Branch { cond: Value::Stmt(condition), .. } = code.terminator(block) else { return None };
    let mut condition = *condition;
    // A phi of phis goes through one at each step.
    for _ in 0..part.pieces.len() {
        let phi_of = |it: &&Piece| it.from == 0 && stmts_of(code, **it).contains(&condition);
        let to = part.pieces.iter().find(phi_of)?.block;
        let Op::Phi(incoming) = &code.stmts[condition].op else { return None };
        let leads = |from: Block| {
            let mut pieces = part.pieces.iter().filter(|it| it.block == from);
            pieces.any(|it| successors(code, *it, ways).contains(&to))
        };
        let mut inputs = incoming.iter().filter(|it| leads(it.0)).map(|it| it.1);
        let input = inputs.next()?;
        if inputs.any(|it| it != input) {
            return None;
        }
        match input {
            Value::Const(it) => return [false, true].into_iter().find(|way| consts::bool(types, *way) == it),
            Value::Stmt(it) => condition = it,
            _ => return None,
        }
    }
    None
}

/// Returns the blocks that a piece goes on with in its region.
pub(super) fn successors(code: &IrCode, piece: Piece, ways: &Ways) -> Vec<Block> {
    if piece.to < code.blocks[piece.block].stmts.len() || ends_at_barrier(code, piece) {
        return Vec::new();
    }
    match (code.terminator(piece.block), ways.get(&piece.block)) {
        (Op::Branch { then, other, .. }, Some(way)) => vec![if *way { *then } else { *other }],
        (op, _) => op.successors().collect(),
    }
}

/// Returns a region without its live values.
fn region(code: &IrCode, cfg: &Cfg, entry: Piece, ways: &Ways) -> Cut {
    let mut reached: EntitySet<Block> = EntitySet::new();
    let mut waiting = vec![entry];
    while let Some(it) = waiting.pop() {
        for to in successors(code, it, ways) {
            if reached.insert(to) {
                waiting.push(piece(code, to, 0));
            }
        }
    }
    let whole = cfg.reverse_postorder.iter().filter(|it| reached.contains(**it));
    let pieces: Vec<Piece> = std::iter::once(entry).chain(whole.map(|it| piece(code, *it, 0))).collect();
    let defined: BTreeSet<Stmt> = pieces.iter().flat_map(|it| stmts_of(code, *it)).copied().collect();
    let is_atomic = |it: &Stmt| matches!(code.stmts[*it].op, Op::Intrinsic(op, _) if analysis::is_atomic(op));
    let has_atomics = defined.iter().any(is_atomic);
    Cut {
        pieces,
        computed: Vec::new(),
        kept: Vec::new(),
        defined,
        uniform: BTreeSet::new(),
        branch: None,
        meeting: None,
        has_atomics,
    }
}

/// Whether a region has a loop without a barrier in it.
pub(super) fn has_loop(code: &IrCode, cut: &Cut) -> bool {
    let number = |block: Block| cut.pieces.iter().position(|it| it.block == block && it.from == 0);
    let leads_to = |it: &Piece| -> Vec<usize> {
        successors(code, *it, &Ways::new()).into_iter().filter_map(number).collect()
    };
    let edges: Vec<Vec<usize>> = cut.pieces.iter().map(leads_to).collect();
    let mut waits = vec![0; edges.len()];
    edges.iter().flatten().for_each(|to| waits[*to] += 1);
    let mut ready: Vec<usize> = (0..waits.len()).filter(|it| waits[*it] == 0).collect();
    let mut passed = 0;
    while let Some(at) = ready.pop() {
        passed += 1;
        for &to in &edges[at] {
            waits[to] -= 1;
            if waits[to] == 0 {
                ready.push(to);
            }
        }
    }
    passed < edges.len()
}

fn ends_at_barrier(code: &IrCode, piece: Piece) -> bool {
    stmts_of(code, piece).last().is_some_and(|it| is_barrier(&code.stmts[*it].op))
}

/// Returns the cost of each value that may be computed wherever the given values are there.
fn costs(
    unit: &Unit<'_>,
    code: &IrCode,
    cfg: &Cfg,
    given: &BTreeSet<Stmt>,
) -> SecondaryMap<Stmt, Option<u32>> {
    let mut costs: SecondaryMap<Stmt, Option<u32>> = SecondaryMap::new();
    for &stmt in cfg.reverse_postorder.iter().flat_map(|it| &code.blocks[*it].stmts) {
        if given.contains(&stmt) {
            costs[stmt] = Some(0);
            continue;
        }
        let Some(mut all) = cost(unit, code, stmt) else { continue };
        let mut known = true;
        code.stmts[stmt].op.each_operand(|it| {
            if let Value::Stmt(it) = it {
                all = all.saturating_add(costs[it].unwrap_or(0));
                known &= costs[it].is_some();
            }
        });
        costs[stmt] = Some(all).filter(|it| known && *it <= COST_MAX);
    }
    costs
}

/// Returns the values that are live at the end of each block.
fn live_out(code: &IrCode, cfg: &Cfg) -> SecondaryMap<Block, BTreeSet<Stmt>> {
    let mut live_in: SecondaryMap<Block, BTreeSet<Stmt>> = SecondaryMap::new();
    let mut live_out: SecondaryMap<Block, BTreeSet<Stmt>> = SecondaryMap::new();
    let mut changed = true;
    while changed {
        changed = false;
        for &block in cfg.reverse_postorder.iter().rev() {
            let mut live = BTreeSet::new();
            for to in code.terminator(block).successors() {
                live.extend(&live_in[to]);
                live.extend(phi_inputs(code, block, to));
            }
            let before = live_before(code, &code.blocks[block].stmts, &live);
            live_out[block] = live;
            if before != live_in[block] {
                live_in[block] = before;
                changed = true;
            }
        }
    }
    live_out
}

/// Returns the values that the phis of a block take from a predecessor.
fn phi_inputs(code: &IrCode, from: Block, to: Block) -> impl Iterator<Item = Stmt> + '_ {
    code.blocks[to].stmts.iter().filter_map(move |it| {
        let Op::Phi(incoming) = &code.stmts[*it].op else { return None };
        match incoming.iter().find(|it| it.0 == from)?.1 {
            Value::Stmt(it) => Some(it),
            Value::Arg(_) | Value::Const(_) => None,
        }
    })
}

/// Returns the values that are live before statements, given those that are live after them.
fn live_before(code: &IrCode, stmts: &[Stmt], after: &BTreeSet<Stmt>) -> BTreeSet<Stmt> {
    let mut live = after.clone();
    for &stmt in stmts.iter().rev() {
        live.remove(&stmt);
        if !matches!(code.stmts[stmt].op, Op::Phi(_)) {
            code.stmts[stmt].op.each_operand(|it| {
                if let Value::Stmt(it) = it {
                    live.insert(it);
                }
            });
        }
    }
    live
}

/// Returns values and what they are computed from, in order, without the given values.
fn closure(
    code: &IrCode,
    cfg: &Cfg,
    values: impl Iterator<Item = Stmt>,
    given: &BTreeSet<Stmt>,
) -> Vec<Stmt> {
    let mut wanted: EntitySet<Stmt> = EntitySet::new();
    let mut waiting: Vec<Stmt> = values.collect();
    while let Some(stmt) = waiting.pop() {
        if !given.contains(&stmt) && wanted.insert(stmt) {
            code.stmts[stmt].op.each_operand(|it| {
                if let Value::Stmt(it) = it {
                    waiting.push(it);
                }
            });
        }
    }
    let all = cfg.reverse_postorder.iter().flat_map(|it| &code.blocks[*it].stmts);
    all.copied().filter(|it| wanted.contains(*it)).collect()
}

/// Lays out the frame, the largest alignment first.
fn place(
    unit: &Unit<'_>,
    code: &IrCode,
    cfg: &Cfg,
    (kept, costs): (&BTreeSet<Stmt>, &SecondaryMap<Stmt, Option<u32>>),
    regions: &mut Regions,
) -> Option<()> {
    let users = users(code, cfg);
    let mut wanted: Vec<(u32, u32, Stmt)> = Vec::new();
    for &stmt in kept {
        let shape = unit.shapes.of(code.stmts[stmt].ty).ok()?;
        if shape.llvm.is_some() {
            wanted.push((shape.align.max(1), shape.size, stmt));
        }
    }
    for &stmt in cfg.reverse_postorder.iter().flat_map(|it| &code.blocks[*it].stmts) {
        let Op::Intrinsic(Intrinsic::PrivateMemory, args) = &code.stmts[stmt].op else { continue };
        let int = |at: usize| match args.get(at)? {
            Value::Const(it) => u32::try_from(consts::as_int(unit.types, *it)?).ok(),
            Value::Stmt(_) | Value::Arg(_) => None,
        };
        let align = int(1)?.clamp(1, 64).next_power_of_two();
        let size = int(0)?;
        let flags = unit.privates.first().and_then(|it| it.flag_bytes(stmt)).unwrap_or(0) as u32;
        wanted.push((align, size + flags, stmt));
        match accesses(code, stmt, &users, costs).filter(|_| size <= COPY_MAX) {
            Some(accesses) => {
                regions.copied.insert(stmt, accesses);
            }
            None => regions.separate = false,
        }
    }
    wanted.sort_by_key(|it| (std::cmp::Reverse(it.0), it.2));
    for (align, size, stmt) in wanted {
        let offset = regions.bytes.next_multiple_of(align);
        let size = size.checked_next_multiple_of(align)?;
        regions.places.insert(stmt, Place { offset, size });
        regions.bytes = offset.checked_add(size)?;
    }
    regions.next = regions.bytes.next_multiple_of(4);
    regions.bytes = regions.next.checked_add(4)?.next_multiple_of(8);
    if regions.cuts.iter().any(|it| it.meeting.is_some()) {
        regions.meetings = Some(Meetings::at(regions.bytes));
        regions.bytes = regions.bytes.checked_add(Meetings::BYTES)?;
    }
    Some(())
}

/// Lays out the records of uniform values and flags, behind the columns.
pub(super) fn place_records(unit: &Unit<'_>, code: &IrCode, regions: &mut Regions) -> Option<()> {
    let uniform: BTreeSet<Stmt> = regions.cuts.iter().flat_map(|it| it.uniform.iter().copied()).collect();
    let mut bytes = 0u32;
    for stmt in uniform {
        let shape = unit.shapes.of(code.stmts[stmt].ty).ok()?;
        if shape.llvm.is_some() {
            let offset = bytes.next_multiple_of(shape.align.clamp(1, RECORD_ALIGN));
            regions.recorded.insert(stmt, offset);
            bytes = offset.checked_add(shape.size)?;
        }
    }
    // Items compare and copy their records by words.
    regions.flags = bytes.next_multiple_of(8);
    bytes = regions.flags.checked_add(regions.cuts.len() as u32 + 1)?;
    let (offset, size) = (regions.bytes.next_multiple_of(RECORD_ALIGN), bytes.next_multiple_of(RECORD_ALIGN));
    regions.records = Place { offset, size };
    regions.bytes = offset.checked_add(size)?;
    Some(())
}

/// Returns the statements that use each value.
fn users(code: &IrCode, cfg: &Cfg) -> SecondaryMap<Stmt, Vec<Stmt>> {
    let mut users: SecondaryMap<Stmt, Vec<Stmt>> = SecondaryMap::new();
    for &stmt in cfg.reverse_postorder.iter().flat_map(|it| &code.blocks[*it].stmts) {
        code.stmts[stmt].op.each_operand(|it| {
            if let Value::Stmt(it) = it {
                users[it].push(stmt);
            }
        });
    }
    users
}

/// Returns the loads and stores of private memory; `None` if its address is used by others, or kept.
fn accesses(
    code: &IrCode,
    memory: Stmt,
    users: &SecondaryMap<Stmt, Vec<Stmt>>,
    costs: &SecondaryMap<Stmt, Option<u32>>,
) -> Option<BTreeSet<Stmt>> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![memory];
    let mut seen: BTreeSet<Stmt> = BTreeSet::new();
    while let Some(address) = waiting.pop() {
        if !seen.insert(address) {
            continue;
        }
        for &user in &users[address] {
            match &code.stmts[user].op {
                Op::Intrinsic(Intrinsic::Pointerref | Intrinsic::Pointerset, args) => {
                    if args[1..].contains(&Value::Stmt(address)) {
                        return None;
                    }
                    found.insert(user);
                }
                _ if costs[user].is_some() => waiting.push(user),
                _ => return None,
            }
        }
    }
    Some(found)
}
