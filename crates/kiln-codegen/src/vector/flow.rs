//! The control flow of a function of LLVM.

use crate::llvm::{Block, Function, Module};
use kiln_ir::{Block as Node, Cfg, Dominators};
use rustc_hash::FxHashMap;

/// The graph of a function, whose nodes are numbers of blocks.
#[derive(Debug)]
pub(crate) struct Flow {
    blocks: Vec<Block>,
    numbers: FxHashMap<Block, Node>,
    pub(crate) cfg: Cfg,
    dominators: Dominators,
}

impl Flow {
    pub(crate) fn new(module: &Module, function: Function) -> Self {
        let blocks = module.blocks_of(function);
        let numbers: FxHashMap<Block, Node> =
            blocks.iter().zip(0..).map(|(block, number)| (*block, Node::from_u32(number))).collect();
        let successors = |it: Node| {
            let all = module.successors(blocks[it.as_u32() as usize]);
            all.iter().map(|it| numbers[it]).collect()
        };
        let cfg = Cfg::of_edges(blocks.len(), successors);
        let dominators = Dominators::new(&cfg);
        Self { blocks, numbers, cfg, dominators }
    }

    /// Returns the node of a block; `None` if it is unreachable.
    pub(crate) fn node(&self, block: Block) -> Option<Node> {
        self.numbers.get(&block).copied().filter(|it| self.cfg.is_reachable(*it))
    }

    /// Returns the block of a node.
    pub(crate) fn block(&self, node: Node) -> Block {
        self.blocks[node.as_u32() as usize]
    }

    /// Returns the nodes that a node leads to.
    pub(crate) fn successors(&self, module: &Module, node: Node) -> Vec<Node> {
        module.successors(self.block(node)).iter().map(|it| self.numbers[it]).collect()
    }

    /// Whether every way from the entry to `b` leads through `a`.
    #[cfg(feature = "spirv")]
    pub(crate) fn dominates(&self, a: Node, b: Node) -> bool {
        self.dominators.dominates(a, b)
    }

    /// Returns the headers that back edges from a node lead to, the innermost last.
    pub(crate) fn headers(&self, module: &Module, latch: Node) -> Vec<Node> {
        let mut headers = self.successors(module, latch);
        headers.retain(|it| self.dominators.dominates(*it, latch));
        headers.sort_by_key(|it| depth(&self.dominators, *it));
        headers
    }
}

/// Returns the depth of a node in the dominator tree.
fn depth(dominators: &Dominators, node: Node) -> usize {
    std::iter::successors(Some(node), |it| dominators.immediate(*it)).count()
}
