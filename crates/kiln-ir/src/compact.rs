//! Renumbers a body: the only place that does.

use crate::{Block, Cfg, IrCode, Op, Stmt, Value};
use cranelift_entity::{PrimaryMap, SecondaryMap};

/// Drops `Nop`s, blocks that cannot be reached, and statements no block holds; numbers the rest in layout
/// order. Incoming values of phis from dropped blocks go too, and dropped
/// `Upsilon`s. Blocks keep their order.
pub fn compact(mut code: IrCode) -> IrCode {
    let cfg = Cfg::new(&code);
    let mut new_block: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    let mut blocks = PrimaryMap::new();
    for (block, data) in &mut code.blocks {
        if cfg.is_reachable(block) {
            new_block[block] = Some(blocks.push(std::mem::take(data)));
        }
    }
    let mut new_stmt: SecondaryMap<Stmt, Option<Stmt>> = SecondaryMap::new();
    let mut count = 0;
    for data in blocks.values_mut() {
        data.stmts.retain(|&stmt| !matches!(code.stmts[stmt].op, Op::Nop));
        for &stmt in &data.stmts {
            new_stmt[stmt] = Some(Stmt::from_u32(count));
            count += 1;
        }
    }
    let mut stmts = PrimaryMap::with_capacity(count as usize);
    for data in blocks.values_mut() {
        for stmt in &mut data.stmts {
            let mut it = code.stmts[*stmt].clone();
            if let Op::Phi(incoming) = &mut it.op {
                incoming.retain(|&(from, _)| new_block[from].is_some());
            }
            if let Op::PhiC(kept) = &mut it.op {
                kept.retain(|it| matches!(it, Value::Stmt(it) if new_stmt[*it].is_some()));
            }
            it.op.each_block_mut(|block| {
                *block = new_block[*block].expect("a reachable block's successors are reachable");
            });
            it.op.each_operand_mut(|value| {
                if let Value::Stmt(used) = value {
                    *used = new_stmt[*used].expect("a used statement is in a reachable block");
                }
            });
            *stmt = stmts.push(it);
        }
    }
    code.stmts = stmts;
    code.blocks = blocks;
    code
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::sample;

    #[test]
    fn what_cannot_be_reached_goes_and_the_rest_moves_up() {
        let (types, mut code) = sample();
        // bb0 no longer branches: bb1 dies, and with it the phi's value from there.
        let branch = code.blocks[Block::from_u32(0)].stmts[1];
        code.stmts[branch].op = Op::Goto(Block::from_u32(2));
        let code = compact(code);
        assert_eq!(code.blocks.len(), 2);
        assert_eq!(code.stmts.len(), 4);
        assert_eq!(crate::verify(&code, &types), vec![]);
    }
}
