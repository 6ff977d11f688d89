//! Basic blocks of lowered code.

use kiln_ir::{CodeInfo, LoweredStmt};
use std::ops::Range;

/// Blocks in the order of their statements; block 0 is the entry.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    /// The first statement of each block.
    starts: Vec<usize>,
    block_of: Vec<u32>,
}

impl Blocks {
    /// Finds the blocks of a body.
    pub(crate) fn new(code: &CodeInfo) -> Self {
        let count = code.stmts.len();
        let mut leads = vec![false; count + 1];
        leads[0] = true;
        for (pc, stmt) in code.stmts.iter().enumerate() {
            let target = match stmt {
                LoweredStmt::Goto(target)
                | LoweredStmt::GotoIfNot(_, target)
                | LoweredStmt::Enter(target) => Some(*target as usize),
                _ => None,
            };
            if let Some(target) = target {
                leads[target.min(count)] = true;
            }
            if target.is_some() || matches!(stmt, LoweredStmt::Return(_)) {
                leads[pc + 1] = true;
            }
        }
        let starts: Vec<usize> = (0..count).filter(|&pc| leads[pc]).collect();
        let mut block_of = vec![0; count];
        let mut block = 0;
        for (pc, it) in block_of.iter_mut().enumerate() {
            if block + 1 < starts.len() && starts[block + 1] == pc {
                block += 1;
            }
            *it = block as u32;
        }
        Self { starts, block_of }
    }
    /// Returns the number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }
    /// Returns the statements of a block.
    pub(crate) fn range(&self, block: u32) -> Range<usize> {
        let at = block as usize;
        let end = self.starts.get(at + 1).copied().unwrap_or(self.block_of.len());
        self.starts[at]..end
    }
    /// Returns the block of a statement.
    pub(crate) fn block_of(&self, pc: usize) -> u32 {
        self.block_of[pc]
    }
}
