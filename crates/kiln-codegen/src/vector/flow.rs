//! The control flow of a function: reverse postorder and dominators.

use crate::llvm::{Block, Function, Module};
use rustc_hash::{FxHashMap, FxHashSet};

/// The reachable blocks of a function in reverse postorder.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) blocks: Vec<Block>,
    pub(super) successors: Vec<Vec<usize>>,
    pub(super) predecessors: Vec<Vec<usize>>,
    numbers: FxHashMap<Block, usize>,
    /// The immediate dominator of each block; of the first, itself.
    immediate: Vec<usize>,
}

impl Flow {
    pub(super) fn new(module: &Module, function: Function) -> Self {
        let entry = module.blocks_of(function)[0];
        let mut blocks = Vec::new();
        let mut seen = FxHashSet::from_iter([entry]);
        let mut path = vec![(entry, module.successors(entry))];
        while let Some((block, waiting)) = path.last_mut() {
            match waiting.pop() {
                Some(next) if seen.insert(next) => {
                    let successors = module.successors(next);
                    path.push((next, successors));
                }
                Some(_) => {}
                None => {
                    blocks.push(*block);
                    path.pop();
                }
            }
        }
        blocks.reverse();
        let numbers: FxHashMap<Block, usize> = blocks.iter().enumerate().map(|it| (*it.1, it.0)).collect();
        let numbered = |it: &Block| module.successors(*it).iter().map(|it| numbers[it]).collect();
        let successors: Vec<Vec<usize>> = blocks.iter().map(numbered).collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (from, all) in successors.iter().enumerate() {
            for &to in all {
                predecessors[to].push(from);
            }
        }
        let immediate = immediate(&predecessors);
        Self { blocks, successors, predecessors, numbers, immediate }
    }

    /// Returns the number of a block; `None` if it is unreachable.
    pub(super) fn number(&self, block: Block) -> Option<usize> {
        self.numbers.get(&block).copied()
    }

    /// Whether each way to `b` leads through `a`.
    pub(super) fn dominates(&self, a: usize, mut b: usize) -> bool {
        while b > a {
            b = self.immediate[b];
        }
        a == b
    }

    /// Returns the blocks of the loop with this back edge.
    pub(super) fn natural_loop(&self, latch: usize, header: usize) -> FxHashSet<usize> {
        let mut found = FxHashSet::from_iter([header]);
        let mut waiting = vec![latch];
        while let Some(at) = waiting.pop() {
            if found.insert(at) {
                waiting.extend(&self.predecessors[at]);
            }
        }
        found
    }
}

/// Returns the immediate dominators of blocks in reverse postorder.
fn immediate(predecessors: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let mut found = vec![NONE; predecessors.len()];
    found[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for at in 1..predecessors.len() {
            let mut known = predecessors[at].iter().copied().filter(|it| found[*it] != NONE);
            let Some(first) = known.next() else { continue };
            let new = known.fold(first, |a, b| common(&found, a, b));
            changed |= std::mem::replace(&mut found[at], new) != new;
        }
    }
    found
}

/// Returns the nearest block that dominates both.
fn common(immediate: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = immediate[a];
        } else {
            b = immediate[b];
        }
    }
    a
}
