//! Maintains phis while a pass changes control flow.
//!
//! Every edge of a phi names a reachable predecessor, as the verifier checks after every pass. A pass that removes an
//! edge calls [`prune`] at its end; one that splits or joins blocks calls [`rename`] for each.

use kiln_ir::{Block, Cfg, IrCode, Op, StmtData, Value};
use kiln_types::Types;

/// Drops the phi edges of removed control-flow edges, and empties unreachable blocks: nothing uses their values. Such
/// blocks stay, as `unreachable`, for `compact` to drop.
pub(crate) fn prune(code: &mut IrCode, types: &Types) {
    let cfg = Cfg::new(code);
    let blocks: Vec<Block> = code.blocks.keys().collect();
    for block in blocks {
        if cfg.is_reachable(block) {
            retain_edges(code, block, &cfg.predecessors[block]);
        } else {
            clear(code, types, block);
        }
    }
    forget_kept(code);
}

/// Drops the `Upsilon`s of emptied blocks from the `PhiC`s that name them.
fn forget_kept(code: &mut IrCode) {
    if !code.stmts.values().any(|it| matches!(it.op, Op::PhiC(_))) {
        return;
    }
    let mut placed = cranelift_entity::EntitySet::with_capacity(code.stmts.len());
    for stmt in code.blocks.values().flat_map(|it| &it.stmts) {
        placed.insert(*stmt);
    }
    for data in code.stmts.values_mut() {
        if let Op::PhiC(kept) = &mut data.op {
            kept.retain(|it| matches!(it, Value::Stmt(it) if placed.contains(*it)));
        }
    }
}

fn retain_edges(code: &mut IrCode, block: Block, predecessors: &[Block]) {
    for &stmt in &code.blocks[block].stmts {
        let Op::Phi(edges) = &mut code.stmts[stmt].op else { break };
        edges.retain(|it| predecessors.contains(&it.0));
    }
}

fn clear(code: &mut IrCode, types: &Types, block: Block) {
    let Some(&last) = code.blocks[block].stmts.last() else { return };
    let template = code.stmts[last].clone();
    code.stmts[last] = StmtData { op: Op::Unreachable, ty: types.core().bottom, ..template };
    code.blocks[block].stmts = vec![last];
}

/// Makes the successors of `from` follow `to`, which has its terminator: their phis name `to`.
pub(crate) fn rename(code: &mut IrCode, from: Block, to: Block) {
    let successors: Vec<Block> = code.terminator(to).successors().collect();
    for target in successors {
        for at in 0..code.blocks[target].stmts.len() {
            let stmt = code.blocks[target].stmts[at];
            let Op::Phi(edges) = &mut code.stmts[stmt].op else { break };
            edges.iter_mut().filter(|it| it.0 == from).for_each(|it| it.0 = to);
        }
    }
}
