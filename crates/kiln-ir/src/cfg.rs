//! Questions about the control flow graph of an [`IrCode`].
//!
//! A [`Cfg`] is a snapshot: later changes of the body do not update it.

use crate::{Block, IrCode};
use cranelift_entity::SecondaryMap;
use std::collections::BTreeSet;

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
        Self::of_edges(code.blocks.len(), |it| successors(code, it))
    }

    /// Looks at any graph of `count` blocks; the entry is block 0.
    ///
    /// ```
    /// use kiln_ir::{Block, Cfg};
    /// let next = |it: Block| if it.as_u32() < 2 { vec![Block::from_u32(it.as_u32() + 1)] } else { Vec::new() };
    /// assert_eq!(Cfg::of_edges(3, next).reverse_postorder.len(), 3);
    /// ```
    pub fn of_edges(count: usize, successors: impl Fn(Block) -> Vec<Block>) -> Self {
        let mut reachable = SecondaryMap::with_default(false);
        let mut postorder = Vec::with_capacity(count);
        if count > 0 {
            let entry = Block::from_u32(0);
            reachable[entry] = true;
            let mut stack = vec![(entry, successors(entry))];
            while let Some((block, rest)) = stack.last_mut() {
                if let Some(next) = rest.pop() {
                    if !reachable[next] {
                        reachable[next] = true;
                        stack.push((next, successors(next)));
                    }
                } else {
                    postorder.push(*block);
                    stack.pop();
                }
            }
        }
        postorder.reverse();
        let mut predecessors: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for block in (0..count as u32).map(Block::from_u32) {
            if reachable[block] {
                for next in successors(block) {
                    predecessors[next].push(block);
                }
            }
        }
        Self { predecessors, reverse_postorder: postorder, reachable }
    }

    /// Returns the natural loop of the back edge from `latch` to `header`, which dominates it: the blocks that lead to the latch
    /// without passing the header, and the header.
    pub fn natural_loop(&self, header: Block, latch: Block) -> BTreeSet<Block> {
        let mut body = BTreeSet::from([header]);
        let mut waiting = vec![latch];
        while let Some(it) = waiting.pop() {
            if body.insert(it) {
                waiting.extend(&self.predecessors[it]);
            }
        }
        body
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
