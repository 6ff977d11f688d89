//! Values that are the same for all items of a group, as long as the items of the group agree on their regions.
//!
//! An item that agrees with the others has run the same regions. So a value is uniform in a region if it follows from
//! uniform values: constants, arguments, facts of the launch, and kept values that are uniform at each barrier that
//! leads to the region. A phi with several inputs is uniform only if no branch that may differ leads to it, and
//! a kept value that the region defines again only if no such branch leads around its definition. So loop counters
//! around barriers are uniform, and so are the conditions of such loops.

use super::cut::{Ways, successors};
use super::{Cut, Piece, Regions, cost, is_barrier, stmts_of};
use crate::analysis::{self, operand_type};
use crate::unit::Unit;
use cranelift_entity::{EntitySet, SecondaryMap};
use kiln_ir::{Block, Builtin, Intrinsic, IrCode, Op, Stmt, Value};
use kiln_types::layout;
use std::collections::BTreeSet;

/// Finds the uniform values at the entry points of all regions, and the uniform first branch of each.
pub(super) fn find(unit: &Unit<'_>, code: &IrCode, regions: &mut Regions) {
    for cut in &mut regions.cuts {
        cut.uniform = cut.kept.iter().copied().collect();
    }
    let mut changed = true;
    while changed {
        changed = false;
        for from in 0..regions.cuts.len() {
            let cut = &regions.cuts[from];
            let known = uniform_in(unit, code, cut);
            let is_uniform =
                |it: Stmt| if cut.defined.contains(&it) { known[it] } else { cut.uniform.contains(&it) };
            let mut lost: Vec<(u32, Stmt)> = Vec::new();
            for next in cut.pieces.iter().filter_map(|it| regions.after.get(stmts_of(code, *it).last()?)) {
                let entered = regions.cut(*next);
                lost.extend(entered.uniform.iter().filter(|it| !is_uniform(**it)).map(|it| (*next, *it)));
            }
            for (next, stmt) in lost {
                changed |= regions.cuts[next as usize - 1].uniform.remove(&stmt);
            }
        }
    }
    for number in 0..regions.cuts.len() {
        let cut = &regions.cuts[number];
        regions.cuts[number].branch = first_branch(unit, code, cut, &uniform_in(unit, code, cut));
    }
}

/// A uniform branch, the first of its region.
#[derive(Clone, Debug)]
pub(crate) struct FirstBranch {
    pub(crate) condition: Value,
    /// The pieces that lead to it; it ends the last one.
    pub(crate) path: Vec<Piece>,
    /// The statements of the path that the condition follows from.
    pub(crate) wanted: BTreeSet<Stmt>,
}

impl FirstBranch {
    /// Returns the block that it ends.
    pub(crate) fn block(&self) -> Block {
        self.path[self.path.len() - 1].block
    }
}

/// Returns the uniform values of a region.
fn uniform_in(unit: &Unit<'_>, code: &IrCode, cut: &Cut) -> SecondaryMap<Stmt, bool> {
    let mut known: SecondaryMap<Stmt, bool> = SecondaryMap::new();
    for &stmt in &cut.computed {
        known[stmt] = of_operands(unit, code, stmt, &known);
    }
    let kept: BTreeSet<Stmt> = cut.kept.iter().copied().collect();
    for &stmt in cut.defined.iter().chain(&kept) {
        known[stmt] |= !kept.contains(&stmt) || cut.uniform.contains(&stmt);
    }
    if let Some(meeting) = &cut.meeting {
        // Each warp has its own.
        known[meeting.stmt] = false;
    }
    let computed: BTreeSet<Stmt> = cut.computed.iter().copied().collect();
    let mut changed = true;
    while changed {
        changed = false;
        let apart = apart(code, cut, &known);
        let reached = reached(code, cut, &apart, None);
        for piece in &cut.pieces {
            for &stmt in stmts_of(code, *piece) {
                let again = known[stmt]
                    && kept.contains(&stmt)
                    && reached.contains(piece.block)
                    && leads_around(code, cut, &apart, *piece, stmt);
                let holds = match &code.stmts[stmt].op {
                    Op::Phi(incoming) => of_phi(code, cut, piece.block, incoming, &reached, &known),
                    _ => of_operands(unit, code, stmt, &known),
                };
                if known[stmt] && (again || !holds) && !computed.contains(&stmt) {
                    known[stmt] = false;
                    changed = true;
                }
            }
        }
        for &stmt in &cut.computed {
            if known[stmt] && !of_operands(unit, code, stmt, &known) {
                known[stmt] = false;
                changed = true;
            }
        }
    }
    known
}

/// Whether a value follows from uniform values only.
fn of_operands(unit: &Unit<'_>, code: &IrCode, stmt: Stmt, known: &SecondaryMap<Stmt, bool>) -> bool {
    let mut all = true;
    code.stmts[stmt].op.each_operand(|it| all &= is_known(it, known));
    all && is_function(unit, code, stmt)
}

fn is_known(value: Value, known: &SecondaryMap<Stmt, bool>) -> bool {
    match value {
        Value::Const(_) | Value::Arg(_) => true,
        Value::Stmt(it) => known[it],
    }
}

/// Whether the value of an operation depends on its operands only.
fn is_function(unit: &Unit<'_>, code: &IrCode, stmt: Stmt) -> bool {
    use Intrinsic as I;
    match &code.stmts[stmt].op {
        Op::Intrinsic(I::LocalId | I::PrivateMemory, _) => false,
        Op::Intrinsic(I::CheckedSdivInt | I::CheckedUdivInt | I::CheckedSremInt | I::CheckedUremInt, _) => {
            true
        }
        Op::Builtin(Builtin::Is, args) => {
            args.iter().all(|it| layout::is_bits(unit.types, operand_type(code, unit.types, *it)))
        }
        _ => cost(unit, code, stmt).is_some(),
    }
}

/// Whether a phi is uniform: it has one input in the region, or no branch that may differ leads to it.
fn of_phi(
    code: &IrCode,
    cut: &Cut,
    block: Block,
    incoming: &[(Block, Value)],
    reached: &EntitySet<Block>,
    known: &SecondaryMap<Stmt, bool>,
) -> bool {
    let from: BTreeSet<Block> = cut
        .pieces
        .iter()
        .filter(|it| successors(code, **it, &Ways::new()).contains(&block))
        .map(|it| it.block)
        .collect();
    let mut inputs = incoming.iter().filter(|it| from.contains(&it.0));
    inputs.all(|it| is_known(it.1, known)) && (from.len() < 2 || !reached.contains(block))
}

/// Returns the blocks after branches that may differ.
fn apart(code: &IrCode, cut: &Cut, known: &SecondaryMap<Stmt, bool>) -> Vec<Block> {
    let differs = |it: &&Piece| {
        let ends = successors(code, **it, &Ways::new());
        match (code.terminator(it.block), ends.is_empty()) {
            (Op::Branch { cond, .. }, false) => !is_known(*cond, known),
            _ => false,
        }
    };
    cut.pieces.iter().filter(differs).flat_map(|it| successors(code, *it, &Ways::new())).collect()
}

/// Returns the blocks that are reachable from some, without passing a block.
fn reached(code: &IrCode, cut: &Cut, from: &[Block], without: Option<Block>) -> EntitySet<Block> {
    let mut reached = EntitySet::new();
    let mut waiting = from.to_vec();
    while let Some(block) = waiting.pop() {
        if Some(block) != without
            && reached.insert(block)
            && let Some(piece) = cut.pieces.iter().find(|it| it.block == block && it.from == 0)
        {
            waiting.extend(successors(code, *piece, &Ways::new()));
        }
    }
    reached
}

/// Whether branches that may differ lead around the definition of a value, to one of its uses or to a barrier: then
/// some items have the value that they came with.
fn leads_around(code: &IrCode, cut: &Cut, apart: &[Block], of: Piece, stmt: Stmt) -> bool {
    let around = reached(code, cut, apart, Some(of.block));
    let uses = |it: Stmt| {
        let mut uses = false;
        code.stmts[it].op.each_operand(|it| uses |= it == Value::Stmt(stmt));
        uses || is_barrier(&code.stmts[it].op)
    };
    let pieces = cut.pieces.iter().filter(|it| it.from == 0 && around.contains(it.block));
    pieces.into_iter().any(|it| {
        let phis = successors(code, *it, &Ways::new());
        let inputs = phis.iter().flat_map(|it| &code.blocks[*it].stmts).filter(|it| is_phi(code, **it));
        stmts_of(code, *it).iter().chain(inputs).any(|it| uses(*it))
    })
}

fn is_phi(code: &IrCode, stmt: Stmt) -> bool {
    matches!(code.stmts[stmt].op, Op::Phi(_))
}

/// Returns the first branch of a region, if it is uniform and runs once.
fn first_branch(
    unit: &Unit<'_>,
    code: &IrCode,
    cut: &Cut,
    known: &SecondaryMap<Stmt, bool>,
) -> Option<FirstBranch> {
    let mut path = vec![*cut.pieces.first()?];
    let condition = loop {
        let last = path[path.len() - 1];
        let to = *successors(code, last, &Ways::new()).first()?;
        if let Op::Branch { cond, then, other } = code.terminator(last.block) {
            // A branch of a loop within the region may go another way the next time.
            let after = reached(code, cut, &[*then, *other], None);
            if then == other || after.contains(last.block) {
                return None;
            }
            break *cond;
        }
        if path.len() > cut.pieces.len() {
            return None;
        }
        path.push(*cut.pieces.iter().find(|it| it.block == to && it.from == 0)?);
    };
    let Value::Stmt(first) = condition else { return None };
    let mut wanted = BTreeSet::new();
    let mut waiting = vec![first];
    while let Some(stmt) = waiting.pop() {
        if !known[stmt] {
            return None;
        }
        let is_on_path = path.iter().any(|it| stmts_of(code, *it).contains(&stmt));
        if !is_on_path || !wanted.insert(stmt) {
            continue;
        }
        if analysis::may_fail(code, &code.stmts[stmt], unit.types) {
            return None;
        }
        let mut visit = |it: Value| {
            if let Value::Stmt(it) = it {
                waiting.push(it);
            }
        };
        match &code.stmts[stmt].op {
            Op::Phi(incoming) => path
                .windows(2)
                .filter(|it| stmts_of(code, it[1]).contains(&stmt))
                .filter_map(|it| incoming.iter().find(|input| input.0 == it[0].block))
                .for_each(|it| visit(it.1)),
            op => op.each_operand(visit),
        }
    }
    Some(FirstBranch { condition, path, wanted })
}
