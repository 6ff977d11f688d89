//! Loop hints: the `llvm.loop` properties that `loopinfo` statements set on back edges.
//!
//! A hint applies to the innermost loop around its statement. Marks that LLVM does not define (`julia.simdloop`) are
//! ignored.

use kiln_ir::{Block, Cfg, Dominators, IrCode, Op};
use kiln_types::Types;
use std::collections::{BTreeMap, BTreeSet};

/// A property of a loop by its LLVM name, with its number: `llvm.loop.unroll.count`, 4.
pub(crate) type Hint = (String, Option<u32>);

const PREFIX: &str = "llvm.loop.";

/// Returns the hints of each block that ends in the back edge of a marked loop.
pub(crate) fn latches(code: &IrCode, cfg: &Cfg, types: &Types) -> BTreeMap<Block, Vec<Hint>> {
    let mut found = BTreeMap::new();
    for &block in &cfg.reverse_postorder {
        let hints: Vec<Hint> = code.blocks[block]
            .stmts
            .iter()
            .filter_map(|&it| {
                let Op::LoopInfo(marks) = &code.stmts[it].op else { return None };
                Some(marks)
            })
            .flatten()
            .filter_map(|it| hint(types.name(*it)))
            .collect();
        if hints.is_empty() {
            continue;
        }
        for latch in innermost_latches(code, cfg, block) {
            found.entry(latch).or_insert_with(Vec::new).extend(hints.iter().cloned());
        }
    }
    found
}

/// Reads a mark: a name, or `name=number`.
fn hint(mark: &str) -> Option<Hint> {
    if !mark.starts_with(PREFIX) {
        return None;
    }
    Some(match mark.split_once('=') {
        Some((name, number)) => (name.to_owned(), Some(number.parse().ok()?)),
        None => (mark.to_owned(), None),
    })
}

/// Returns the blocks that end in back edges of the innermost loop around `block`.
fn innermost_latches(code: &IrCode, cfg: &Cfg, block: Block) -> Vec<Block> {
    let dominators = Dominators::new(cfg);
    let mut loops: BTreeMap<Block, (Vec<Block>, BTreeSet<Block>)> = BTreeMap::new();
    for &latch in &cfg.reverse_postorder {
        for header in code.terminator(latch).successors().filter(|it| dominators.dominates(*it, latch)) {
            let (latches, body) =
                loops.entry(header).or_insert_with(|| (Vec::new(), BTreeSet::from([header])));
            latches.push(latch);
            body.extend(cfg.natural_loop(header, latch));
        }
    }
    let around = loops.into_values().filter(|it| it.1.contains(&block));
    around.min_by_key(|it| it.1.len()).map_or_else(Vec::new, |it| it.0)
}
