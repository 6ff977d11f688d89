//! The body of an item loop as a tree of regions.
//!
//! A region is the item loop or a loop inside it, without its back edge. Its nodes are the blocks that are in no inner
//! loop, and the inner loops. Blocks are numbered in topological order, the blocks of a loop one after the other, so a
//! node is named by its first block. Two more nodes stand at the end of each region: [`END`], where the next iteration
//! begins, and [`OUT`], which stands for everything outside.
//!
//! # Deliberately absent
//! Loops with several entries: such an item loop is not vectorized.

use super::flow::Flow;
use crate::llvm::{Block, Module, Val};
use kiln_ir::Block as Node;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The node at the end of an iteration.
pub(super) const END: usize = usize::MAX - 1;
/// Everything outside a region.
pub(super) const OUT: usize = usize::MAX;

/// A block of the body.
#[derive(Debug)]
pub(super) struct BodyBlock {
    pub(super) block: Block,
    pub(super) instructions: Vec<Val>,
    /// The successors, by number; `None` outside the item loop.
    pub(super) successors: Vec<Option<usize>>,
    /// The innermost region.
    pub(super) region: usize,
}

/// A loop.
#[derive(Debug)]
pub(super) struct Region {
    /// The first block.
    pub(super) header: usize,
    /// One past the last block.
    pub(super) end: usize,
    /// The block with the back edge.
    pub(super) latch: usize,
    /// The region around it; none for the item loop.
    pub(super) parent: Option<usize>,
    /// The nodes, in order.
    pub(super) nodes: Vec<usize>,
}

/// The body of an item loop.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<BodyBlock>,
    /// The item loop is first; an inner loop comes after the one around it.
    pub(super) regions: Vec<Region>,
    numbers: FxHashMap<Block, usize>,
}

/// A loop as it is found, in the nodes of the function's flow.
struct Natural {
    header: Node,
    latch: Node,
    blocks: BTreeSet<Node>,
}

impl Natural {
    fn new(flow: &Flow, header: Node, latch: Node) -> Self {
        Self { header, latch, blocks: flow.cfg.natural_loop(header, latch) }
    }
}

impl Graph {
    /// Returns the graph of the loop whose back edge ends `latch`; `None` if its control flow is not supported.
    pub(super) fn new(module: &Module, flow: &Flow, latch: Block) -> Option<Self> {
        let latch = flow.node(latch)?;
        let header = flow.headers(module, latch).pop()?;
        let mut loops = vec![Natural::new(flow, header, latch)];
        let mut headers = BTreeSet::from([header]);
        for from in loops[0].blocks.clone() {
            for to in flow.headers(module, from) {
                if (from, to) == (latch, header) || !loops[0].blocks.contains(&to) {
                    continue;
                }
                // Loops have one back edge after `loop-simplify`.
                if !headers.insert(to) {
                    return None;
                }
                loops.push(Natural::new(flow, to, from));
            }
        }
        loops[1..].sort_by_key(|it| (std::cmp::Reverse(it.blocks.len()), it.header));
        let graph = Self { nodes: Vec::new(), regions: Vec::new(), numbers: FxHashMap::default() };
        graph.built(module, flow, &loops)
    }

    fn built(mut self, module: &Module, flow: &Flow, loops: &[Natural]) -> Option<Self> {
        let innermost = |it: Node| (0..loops.len()).rev().find(|at| loops[*at].blocks.contains(&it));
        for (at, it) in loops.iter().enumerate() {
            let parent = (0..at).rev().find(|outer| loops[*outer].blocks.contains(&it.header));
            if parent.is_some_and(|outer| !it.blocks.is_subset(&loops[outer].blocks)) {
                return None;
            }
            self.regions.push(Region { header: 0, end: 0, latch: 0, parent, nodes: Vec::new() });
        }
        let mut order = Vec::new();
        self.order(module, flow, (loops, 0), &mut order)?;
        for (number, it) in order.iter().enumerate() {
            self.numbers.insert(flow.block(*it), number);
        }
        for &at in &order {
            let block = flow.block(at);
            let successors = module.successors(block).into_iter().map(|it| self.numbers.get(&it).copied());
            let successors = successors.collect();
            let (instructions, region) = (module.instructions_of(block), innermost(at)?);
            self.nodes.push(BodyBlock { block, instructions, successors, region });
        }
        let place = |it: Node| self.numbers[&flow.block(it)];
        for (at, it) in loops.iter().enumerate() {
            let header = place(it.header);
            let (latch, end) = (place(it.latch), header + it.blocks.len());
            let region = &mut self.regions[at];
            (region.header, region.latch, region.end) = (header, latch, end);
        }
        for number in 0..self.nodes.len() {
            self.regions[self.nodes[number].region].nodes.push(number);
        }
        for at in 1..self.regions.len() {
            let (header, parent) = (self.regions[at].header, self.regions[at].parent?);
            self.regions[parent].nodes.push(header);
        }
        for region in &mut self.regions {
            region.nodes.sort_unstable();
        }
        Some(self)
    }

    /// Appends the blocks of a region in topological order; `None` if there is none.
    fn order(
        &self,
        module: &Module,
        flow: &Flow,
        (loops, region): (&[Natural], usize),
        order: &mut Vec<Node>,
    ) -> Option<()> {
        let this = &loops[region];
        let children: Vec<usize> =
            (1..loops.len()).filter(|it| self.regions[*it].parent == Some(region)).collect();
        let child = |block: Node| children.iter().copied().find(|it| loops[*it].blocks.contains(&block));
        let node = |block: Node| child(block).map_or(block, |it| loops[it].header);
        // A node waits for its edges from others.
        let mut waits: BTreeMap<Node, usize> = this.blocks.iter().map(|it| (node(*it), 0)).collect();
        let edges = |at: Node| {
            let sources: Vec<Node> = match child(at).filter(|it| loops[*it].header == at) {
                Some(inner) => loops[inner].blocks.iter().copied().collect(),
                None => vec![at],
            };
            let all = sources.into_iter().flat_map(|it| flow.successors(module, it));
            let inside = all.filter(|it| this.blocks.contains(it) && *it != this.header).map(node);
            inside.filter(|it| *it != at).collect::<Vec<Node>>()
        };
        let nodes: Vec<Node> = waits.keys().copied().collect();
        for to in nodes.iter().flat_map(|it| edges(*it)) {
            *waits.entry(to).or_default() += 1;
        }
        let mut ready = vec![this.header];
        let mut done = 0;
        // The latest is continued first: so code of one branch stays together.
        while let Some(at) = ready.pop() {
            done += 1;
            match child(at) {
                Some(inner) => self.order(module, flow, (loops, inner), order)?,
                None => order.push(at),
            }
            let mut next = edges(at);
            next.sort_unstable();
            for to in next.into_iter().rev() {
                let waiting = waits.get_mut(&to)?;
                *waiting -= 1;
                if *waiting == 0 {
                    ready.push(to);
                }
            }
        }
        (done == nodes.len()).then_some(())
    }

    /// Returns the number of a block of the body.
    pub(super) fn number(&self, block: Block) -> Option<usize> {
        self.numbers.get(&block).copied()
    }

    /// Returns the loop that a node of a region stands for, if it is not a block.
    pub(super) fn inner(&self, region: usize, node: usize) -> Option<usize> {
        let is_of = |it: &usize| self.regions[*it].parent == Some(region) && self.regions[*it].header == node;
        (1..self.regions.len()).find(is_of)
    }

    /// Returns the node of a region that contains a block; [`OUT`] if the block is outside the region.
    pub(super) fn node_of(&self, region: usize, block: usize) -> usize {
        let it = &self.regions[region];
        if !(it.header..it.end).contains(&block) {
            return OUT;
        }
        let mut at = self.nodes[block].region;
        let mut node = block;
        while at != region {
            node = self.regions[at].header;
            match self.regions[at].parent {
                Some(parent) => at = parent,
                None => return OUT,
            }
        }
        node
    }

    /// Returns where an edge leads in a region that has its source.
    pub(super) fn target(&self, region: usize, from: usize, to: Option<usize>) -> usize {
        match to {
            None => OUT,
            Some(to) if to == self.regions[region].header && from == self.regions[region].latch => END,
            Some(to) => self.node_of(region, to),
        }
    }

    /// Returns the edges out of a node of a region, by their source block and their target.
    pub(super) fn edges(&self, region: usize, node: usize) -> Vec<(usize, usize)> {
        let blocks = match self.inner(region, node) {
            Some(inner) => self.regions[inner].header..self.regions[inner].end,
            None => node..node + 1,
        };
        let mut found = Vec::new();
        for from in blocks {
            for &to in &self.nodes[from].successors {
                let target = self.target(region, from, to);
                if target != node || self.inner(region, node).is_none() {
                    found.push((from, target));
                }
            }
        }
        found
    }

    /// Returns the blocks with an edge to a block, and the value that a phi gets from there.
    pub(super) fn predecessors(&self, block: usize) -> Vec<usize> {
        (0..self.nodes.len()).filter(|it| self.nodes[*it].successors.contains(&Some(block))).collect()
    }
}
