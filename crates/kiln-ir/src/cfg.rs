//! Questions about the control flow graph of an [`IrCode`].
//!
//! A [`Cfg`] is a snapshot: later changes of the body do not update it.

use crate::{Block, IrCode};
use cranelift_entity::SecondaryMap;

/// Predecessors and an order of the blocks that can be reached.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// Of each block, once each, in block order. Blocks that cannot be reached are no predecessors.
    pub predecessors: SecondaryMap<Block, Vec<Block>>,
    /// Reachable blocks; each comes after the blocks that dominate it, and, apart from loop back edges, after
    /// all its predecessors.
    pub reverse_postorder: Vec<Block>,
    reachable: SecondaryMap<Block, bool>,
}

impl Cfg {
    /// Looks at a body. Every reachable block must end in a terminator.
    pub fn new(code: &IrCode) -> Self {
        let mut reachable = SecondaryMap::with_default(false);
        let mut postorder = Vec::with_capacity(code.blocks.len());
        if !code.blocks.is_empty() {
            let entry = Block::from_u32(0);
            reachable[entry] = true;
            let mut stack = vec![(entry, successors(code, entry))];
            while let Some((block, rest)) = stack.last_mut() {
                if let Some(next) = rest.pop() {
                    if !reachable[next] {
                        reachable[next] = true;
                        stack.push((next, successors(code, next)));
                    }
                } else {
                    postorder.push(*block);
                    stack.pop();
                }
            }
        }
        postorder.reverse();
        let mut predecessors: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for block in code.blocks.keys() {
            if reachable[block] {
                for next in successors(code, block) {
                    predecessors[next].push(block);
                }
            }
        }
        Self { predecessors, reverse_postorder: postorder, reachable }
    }

    /// Whether control can get to a block.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.reachable[block]
    }
}

/// Successors; none for a block that is still empty.
fn successors(code: &IrCode, block: Block) -> Vec<Block> {
    match code.blocks[block].stmts.last() {
        Some(&last) => code.stmts[last].op.successors().collect(),
        None => Vec::new(),
    }
}
