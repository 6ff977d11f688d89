//! The dominator tree (Cooper, Harvey and Kennedy's iteration) and dominance frontiers.

use crate::{Block, Cfg};
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;

/// The dominator tree: the last block that every path from the entry passes before another.
#[derive(Clone, Debug)]
pub struct Dominators {
    parent: SecondaryMap<Block, PackedOption<Block>>,
    /// Position in reverse postorder, from 1; 0 for blocks that cannot be reached.
    order: SecondaryMap<Block, u32>,
    /// Entry and exit times of a walk over the tree.
    times: SecondaryMap<Block, (u32, u32)>,
}

impl Dominators {
    /// Computes the tree.
    pub fn new(cfg: &Cfg) -> Self {
        let mut order = SecondaryMap::with_default(0);
        for (position, &block) in cfg.reverse_postorder.iter().enumerate() {
            order[block] = position as u32 + 1;
        }
        let mut tree = Self { parent: SecondaryMap::new(), order, times: SecondaryMap::with_default((0, 0)) };
        let mut changed = true;
        while changed {
            changed = false;
            for &block in cfg.reverse_postorder.iter().skip(1) {
                let parent = tree.meet(&cfg.predecessors[block], cfg.reverse_postorder[0]);
                if tree.parent[block] != parent.into() {
                    tree.parent[block] = parent.into();
                    changed = true;
                }
            }
        }
        tree.number(cfg);
        tree
    }

    /// The nearest common dominator of the predecessors that have been placed already.
    fn meet(&self, predecessors: &[Block], entry: Block) -> Block {
        let mut placed = predecessors.iter().copied().filter(|&it| it == entry || self.parent[it].is_some());
        let first = placed.next().expect("a reachable block has a predecessor earlier in the order");
        placed.fold(first, |a, b| self.common(a, b))
    }

    fn common(&self, mut a: Block, mut b: Block) -> Block {
        while a != b {
            while self.order[a] > self.order[b] {
                a = self.parent[a].expand().expect("only the entry has no parent, and nothing is before it");
            }
            while self.order[b] > self.order[a] {
                b = self.parent[b].expand().expect("only the entry has no parent, and nothing is before it");
            }
        }
        a
    }

    fn number(&mut self, cfg: &Cfg) {
        let mut children: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for &block in cfg.reverse_postorder.iter().skip(1).rev() {
            if let Some(parent) = self.parent[block].expand() {
                children[parent].push(block);
            }
        }
        let Some(&entry) = cfg.reverse_postorder.first() else { return };
        let mut time = 1;
        let mut stack = vec![(entry, false)];
        while let Some((block, leaving)) = stack.pop() {
            time += 1;
            if leaving {
                self.times[block].1 = time;
                continue;
            }
            self.times[block].0 = time;
            stack.push((block, true));
            stack.extend(children[block].iter().map(|&it| (it, false)));
        }
    }

    /// Returns the immediate dominator; `None` for the entry and for unreachable blocks.
    pub fn immediate(&self, block: Block) -> Option<Block> {
        self.parent[block].expand()
    }

    /// Whether every path to `b` passes `a`. A block dominates itself. Nothing holds of unreachable blocks.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (enter_a, leave_a) = self.times[a];
        let (enter_b, leave_b) = self.times[b];
        enter_a != 0 && enter_b != 0 && enter_a <= enter_b && leave_b <= leave_a
    }

    /// Blocks where each block's dominance ends: where phis go for a definition in it.
    pub fn frontiers(&self, cfg: &Cfg) -> SecondaryMap<Block, Vec<Block>> {
        let mut frontiers: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for &block in &cfg.reverse_postorder {
            let predecessors = &cfg.predecessors[block];
            if predecessors.len() < 2 {
                continue;
            }
            let stop = self.immediate(block);
            for &predecessor in predecessors {
                let mut runner = Some(predecessor);
                while let Some(at) = runner.filter(|&at| Some(at) != stop) {
                    if !frontiers[at].contains(&block) {
                        frontiers[at].push(block);
                    }
                    runner = self.immediate(at);
                }
            }
        }
        frontiers
    }
}
