//! The `try` regions of an [`IrCode`]: which handlers an exception of a statement may go to.
//!
//! Only an [`Op::Enter`] has an edge to its handler. A statement of the region that throws passes control there, too: a pass that
//! moves effects, or follows memory along the edges, must ask for the regions.

use crate::{Block, Cfg, IrCode, Op, Stmt, Value};
use cranelift_entity::SecondaryMap;
use std::collections::BTreeSet;

/// The `Enter`s around each block that can be reached. A snapshot, as a [`Cfg`] is.
#[derive(Clone, Debug)]
pub struct Handlers {
    /// None of a body without `try`.
    around: Option<SecondaryMap<Block, Option<Vec<Stmt>>>>,
    /// The first block that is reached within other regions on one way than on another.
    conflict: Option<Block>,
    /// The blocks that are handlers.
    handlers: BTreeSet<Block>,
}

impl Handlers {
    /// Looks at a body.
    pub fn new(code: &IrCode, cfg: &Cfg) -> Self {
        let is_enter = |it: &Block| matches!(code.terminator(*it), Op::Enter { .. });
        if !cfg.reverse_postorder.iter().any(is_enter) {
            return Self { around: None, conflict: None, handlers: BTreeSet::new() };
        }
        let mut starts: SecondaryMap<Block, Option<Vec<Stmt>>> = SecondaryMap::new();
        let (mut conflict, mut handlers) = (None, BTreeSet::new());
        if let Some(&entry) = cfg.reverse_postorder.first() {
            starts[entry] = Some(Vec::new());
        }
        for &block in &cfg.reverse_postorder {
            let mut around = starts[block].clone().unwrap_or_default();
            for &stmt in &code.blocks[block].stmts {
                leave(&mut around, &code.stmts[stmt].op);
            }
            let last = code.blocks[block].stmts.last().copied();
            if let Op::Enter { handler, .. } = code.terminator(block) {
                handlers.insert(*handler);
            }
            for next in code.terminator(block).successors() {
                let mut inside = around.clone();
                if let (Op::Enter { body, .. }, Some(last)) = (code.terminator(block), last)
                    && *body == next
                {
                    inside.push(last);
                }
                match &starts[next] {
                    None => starts[next] = Some(inside),
                    Some(known) if *known != inside => conflict = conflict.or(Some(next)),
                    Some(_) => {}
                }
            }
        }
        Self { around: Some(starts), conflict, handlers }
    }

    /// Whether the body has no `try`.
    pub fn is_empty(&self) -> bool {
        self.around.is_none()
    }

    /// The `Enter`s around the first statement of a block, the innermost last.
    pub fn around(&self, block: Block) -> &[Stmt] {
        self.around.as_ref().and_then(|it| it[block].as_deref()).unwrap_or_default()
    }

    /// Whether a block is a handler.
    pub fn is_handler(&self, block: Block) -> bool {
        self.handlers.contains(&block)
    }

    /// The first block that is reached within other regions on one way than on another, which a valid body has not.
    pub fn conflict(&self) -> Option<Block> {
        self.conflict
    }
}

/// Takes the regions that an operation ends from the `Enter`s around it.
pub fn leave(around: &mut Vec<Stmt>, op: &Op) {
    if let Op::Leave(tokens) = op {
        around.truncate(around.len().saturating_sub(tokens.len()));
    }
}

/// Whether an operation ends the innermost regions, each once.
pub(crate) fn leaves_innermost(around: &[Stmt], tokens: &[Value]) -> bool {
    let inner = around.len().checked_sub(tokens.len()).map(|it| &around[it..]);
    inner.is_some_and(|inner| inner.iter().all(|it| tokens.contains(&Value::Stmt(*it))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Vocabulary, parse};
    use kiln_types::Types;

    /// Regions nest, end at `leave`, and a handler is outside of its own.
    #[test]
    fn regions_nest() {
        let types = Types::new();
        let text = "f(_0::Int64)::Any\n\
                    bb0:\n  %0 = enter bb1, bb4\n\
                    bb1:\n  %1 = enter bb2, bb3\n\
                    bb2:\n  %2 = leave(%1)::Nothing\n  goto bb5\n\
                    bb3:\n  %4 = pop_exception %1::Nothing\n  goto bb5\n\
                    bb4:\n  %6 = pop_exception %0::Nothing\n  return _0\n\
                    bb5:\n  %8 = leave(%0)::Nothing\n  return _0\n";
        let code = parse(text, &types, &Vocabulary::core(&types)).expect("the body is well formed");
        let handlers = Handlers::new(&code, &Cfg::new(&code));
        let around =
            |it: u32| handlers.around(Block::from_u32(it)).iter().map(|it| it.as_u32()).collect::<Vec<u32>>();
        assert_eq!([0, 1, 2, 3, 4, 5].map(around), [vec![], vec![0], vec![0, 1], vec![0], vec![], vec![0]]);
        assert_eq!(handlers.conflict(), None);
        assert_eq!(crate::verify(&code, &types), vec![]);
    }
}
