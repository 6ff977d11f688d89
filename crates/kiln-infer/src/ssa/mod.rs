//! From lowered code and what inference found to typed SSA.
//!
//! Each block that can be reached is emitted once, in order; slots become values by reading definitions
//! backwards, with phis where blocks merge (Braun et al., CC 2013). Phis that turn out to be of one value are
//! removed at the end.
//!
//! # Deliberately absent
//! Code with a `try` that can be reached, and top-level definitions: such bodies run in the interpreter only
//! and have no SSA form.

mod calls;
mod emit;
mod phis;

use crate::abstract_interp::InferenceState;
use crate::tfuncs::Env;
use kiln_ir::{IrCode, LoweredStmt};

/// The body, or `None` if it is one that is only interpreted.
pub(crate) fn build(env: Env<'_>, frame: &InferenceState) -> Option<IrCode> {
    let reached = |pc: usize| frame.entry[frame.blocks.block_of(pc) as usize].is_some();
    let interpreted = frame.code.stmts.iter().enumerate().any(|(pc, stmt)| {
        let only = matches!(
            stmt,
            LoweredStmt::Enter(_)
                | LoweredStmt::GenericFunction(..)
                | LoweredStmt::Method { .. }
                | LoweredStmt::DeclareGlobal { .. }
                | LoweredStmt::TopLevel(_)
        );
        only && reached(pc)
    });
    if interpreted {
        return None;
    }
    let code = emit::SsaBuilder::new(env, frame).run()?;
    let code = kiln_ir::compact(code);
    #[cfg(debug_assertions)]
    {
        let problems = kiln_ir::verify(&code, env.types);
        assert!(problems.is_empty(), "inference made a bad body: {problems:?}\n{}", code.display(env.types));
    }
    Some(code)
}
