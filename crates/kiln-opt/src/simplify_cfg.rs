//! Straightens control flow: drops blocks that cannot be reached, joins a block with its only successor when it is
//! that one's only predecessor, turns phis of one predecessor into copies.

use kiln_ir::{Block, Cfg, IrCode, Op, Value};

/// Returns `code` with fewer blocks in use. Unused ones are left empty of meaning for `compact` to drop.
pub fn simplify_cfg(mut code: IrCode) -> IrCode {
    let cfg = Cfg::new(&code);
    phis_to_copies(&mut code, &cfg);
    for &block in &cfg.reverse_postorder {
        // Follows a chain from its head; members that were joined are empty by then.
        while let Some(next) = only_successor(&code, block) {
            let alone = cfg.predecessors[next].len() == 1 && next != block && next.as_u32() != 0;
            // A phi that is no copy, such as one without a value, has to begin its block.
            let begins_with_phi =
                code.blocks[next].stmts.first().is_none_or(|it| matches!(code.stmts[*it].op, Op::Phi(_)));
            if !alone || begins_with_phi {
                break;
            }
            join(&mut code, block, next);
        }
    }
    kiln_ir::compact(code)
}

fn only_successor(code: &IrCode, block: Block) -> Option<Block> {
    let last = code.blocks[block].stmts.last()?;
    match code.stmts[*last].op {
        Op::Goto(next) => Some(next),
        _ => None, // more than one, or none
    }
}

/// A phi of one way is a copy.
fn phis_to_copies(code: &mut IrCode, cfg: &Cfg) {
    for &block in &cfg.reverse_postorder {
        for at in 0..code.blocks[block].stmts.len() {
            let stmt = code.blocks[block].stmts[at];
            let predecessors = &cfg.predecessors[block];
            let Op::Phi(edges) = &code.stmts[stmt].op else { continue };
            if let ([only], 1) = (edges.as_slice(), predecessors.len()) {
                let value = only.1;
                if value != Value::Stmt(stmt) {
                    code.stmts[stmt].op = Op::Pi(value);
                }
            }
        }
        // A copy may not stand before a phi.
        let stmts = std::mem::take(&mut code.blocks[block].stmts);
        let (mut phis, rest): (Vec<_>, Vec<_>) =
            stmts.into_iter().partition(|it| matches!(code.stmts[*it].op, Op::Phi(_)));
        phis.extend(rest);
        code.blocks[block].stmts = phis;
    }
}

fn join(code: &mut IrCode, block: Block, next: Block) {
    code.blocks[block].stmts.pop();
    let moved = std::mem::take(&mut code.blocks[next].stmts);
    code.blocks[block].stmts.extend(moved);
    crate::edges::rename(code, next, block);
}

#[cfg(test)]
mod tests {
    use super::simplify_cfg;
    use crate::testing::{Body, run};

    /// A chain of jumps becomes one block; unreachable blocks are dropped.
    #[test]
    fn chains_are_joined_and_dead_blocks_dropped() {
        let body = Body::new(
            "f(_0::Int64)::Int64\n\
             bb0:\n  goto bb2\n\
             bb1:\n  goto bb2\n\
             bb2:\n  %2 = φ (bb0 => _0)::Int64\n  goto bb3\n\
             bb3:\n  return %2\n",
        );
        assert_eq!(run(body, |code, _| simplify_cfg(code)), "f(_0::Int64)::Int64\nbb0:\n  return _0\n");
    }

    /// A block that starts with a phi without a value is not joined with its predecessor, which has statements.
    #[test]
    fn phis_stay_first_in_their_block() {
        let body = Body::new(
            "f(_0::Int64)::Int64\n\
             bb0:\n  %0 = Intrinsics.add_int(_0, _0)::Int64\n  goto bb1\n\
             bb1:\n  %2 = φ ()::Int64\n  return %0\n",
        );
        let simplified = run(body, |code, _| simplify_cfg(code));
        assert!(simplified.contains("bb1"), "{simplified}");
    }
}
