//! Loops that wait for another item: they end when memory changes that they do not change themselves.
//!
//! Such a loop reads by an atomic operation that leaves the memory as it is, with operands that do not change in the loop: a load, an
//! addition of 0, an exchange or a compare-and-swap for one fixed value; and an exit depends on what was read. In a loop with a fence any load counts:
//! of plain memory, and of another place in each turn. On processors the items of
//! a kernel with such a loop run on fibers, and each turn of the loop lets the others run: so items may wait for items after them.
//!
//! # Deliberately absent
//! Loops that read with plain loads and have no fence, also beside atomic operations: such a program has a race, and its loop may be endless
//! after optimization. Reads and fences in functions that are not inlined, and of fields of objects. `vector/waits.rs` asks another
//! question: whether a loop ends if its items take no turns.
#![expect(clippy::wildcard_enum_match_arm, reason = "an operation that is not named does not wait")]

use kiln_ir::{Block, Cfg, Dominators, Intrinsic, IrCode, Op, Stmt, Value};
use kiln_types::{ConstData, Types, consts};
use std::collections::BTreeSet;

/// Returns the blocks that end in back edges of waiting loops.
pub(crate) fn latches(code: &IrCode, cfg: &Cfg, types: &Types) -> BTreeSet<Block> {
    let reads = |it: &Op| matches!(it, Op::Intrinsic(op, args) if is_fence(*op) || is_read(*op, args, types));
    if !code.stmts.values().any(|it| reads(&it.op)) {
        return BTreeSet::new();
    }
    let dominators = Dominators::new(cfg);
    let mut found = BTreeSet::new();
    for &latch in &cfg.reverse_postorder {
        for header in code.terminator(latch).successors().filter(|it| dominators.dominates(*it, latch)) {
            if waits(code, cfg, types, header, &cfg.natural_loop(header, latch)) {
                found.insert(latch);
            }
        }
    }
    found
}

/// Whether a loop waits: an exit depends on an atomic read with operands from outside, or, in a loop with a fence, on any load.
fn waits(code: &IrCode, cfg: &Cfg, types: &Types, header: Block, body: &BTreeSet<Block>) -> bool {
    let blocks = || cfg.reverse_postorder.iter().copied().filter(|it| body.contains(it));
    let inside: BTreeSet<Stmt> = blocks().flat_map(|it| code.blocks[it].stmts.iter().copied()).collect();
    let fenced = inside.iter().any(|it| matches!(code.stmts[*it].op, Op::Intrinsic(op, _) if is_fence(op)));
    let branch = |it: Block| code.blocks[it].stmts.last().copied();
    let branches = || blocks().filter(|it| code.terminator(*it).successors().count() > 1).filter_map(branch);
    let in_header: BTreeSet<Stmt> = code.blocks[header].stmts.iter().copied().collect();
    let exits = blocks().filter(|it| code.terminator(*it).successors().any(|to| !body.contains(&to)));
    let mut wanted: Vec<Stmt> = exits.filter_map(branch).collect();
    let mut seen: BTreeSet<Stmt> = BTreeSet::new();
    while let Some(stmt) = wanted.pop() {
        if !inside.contains(&stmt) || !seen.insert(stmt) {
            continue;
        }
        let op = &code.stmts[stmt].op;
        let mut operands = Vec::new();
        op.each_operand(|it| {
            if let Value::Stmt(it) = it {
                operands.push(it);
            }
        });
        if fenced {
            match op {
                Op::Intrinsic(Intrinsic::Pointerref, _) => return true,
                Op::Intrinsic(intrinsic, args) if is_read(*intrinsic, args, types) => return true,
                _ => {}
            }
        }
        // A value that paths inside the loop choose depends on where they branch.
        if matches!(op, Op::Phi(..)) && !in_header.contains(&stmt) {
            wanted.extend(branches());
        }
        if let Op::Intrinsic(intrinsic, args) = op
            && is_read(*intrinsic, args, types)
            && operands.iter().all(|it| !inside.contains(it) || is_address(code, *it, &inside))
        {
            return true;
        }
        wanted.extend(operands);
    }
    false
}

/// Whether a value of a loop is computed from values outside, by operations on addresses.
fn is_address(code: &IrCode, stmt: Stmt, inside: &BTreeSet<Stmt>) -> bool {
    use Intrinsic as I;
    let op = &code.stmts[stmt].op;
    let is_plain = match op {
        Op::Intrinsic(it, _) => matches!(
            it,
            I::Bitcast | I::AddPtr | I::SubPtr | I::AddInt | I::SubInt | I::MulInt | I::ShlInt | I::SextInt
        ),
        Op::Pi(_) => true,
        Op::Builtin(kiln_ir::Builtin::Getfield, _) => true,
        _ => false,
    };
    if !is_plain {
        return false; // a phi may depend on itself
    }
    let mut known = true;
    op.each_operand(|it| {
        if let Value::Stmt(it) = it {
            known &= !inside.contains(&it) || is_address(code, it, inside);
        }
    });
    known
}

fn is_fence(op: Intrinsic) -> bool {
    op == Intrinsic::AtomicFence
}

/// Whether an operation reads memory atomically and does not make progress by itself.
fn is_read(op: Intrinsic, args: &[Value], types: &Types) -> bool {
    match op {
        Intrinsic::AtomicPointerref | Intrinsic::AtomicPointerreplace | Intrinsic::AtomicPointerswap => true,
        Intrinsic::AtomicPointermodify => args.get(2).is_some_and(|it| is_zero(*it, types)),
        _ => false,
    }
}

fn is_zero(value: Value, types: &Types) -> bool {
    let Value::Const(constant) = value else { return false };
    matches!(types.const_data(constant), ConstData::Bits { bytes, .. } if bytes.iter().all(|it| *it == 0))
        || consts::as_int(types, constant) == Some(0)
}
