//! SSA construction: from lowered code and its inference state to typed SSA.
//!
//! Each reachable block is emitted once, in order. Reading a slot searches its definitions backwards and adds phis
//! where blocks merge (Braun et al., CC 2013). Trivial phis are removed at the end. A handler may follow any statement of its
//! `try`: it reads a variable that is assigned there by a `PhiC`, and each assignment is followed by an `Upsilon`.
//!
//! # Deliberately absent
//! Top-level definitions: these are only interpreted and have no SSA form.

mod calls;
mod emit;
mod phis;

use crate::abstract_interp::InferenceState;
use kiln_ir::{IrCode, LoweredStmt};
use kiln_runtime::Runtime;

/// Builds the SSA form of a body; `None` if it is only interpreted.
pub(crate) fn build(rt: &Runtime, frame: &InferenceState) -> Option<IrCode> {
    let reached = |pc: usize| frame.entry[frame.blocks.block_of(pc) as usize].is_some();
    let interpreted = frame.code.stmts.iter().enumerate().any(|(pc, stmt)| {
        let only = matches!(
            stmt,
            LoweredStmt::GenericFunction(..)
                | LoweredStmt::Method { .. }
                | LoweredStmt::DeclareGlobal { .. }
                | LoweredStmt::TopLevel(_)
        );
        only && reached(pc)
    });
    if interpreted {
        return None;
    }
    let code = emit::SsaBuilder::new(rt, frame).run()?;
    let code = kiln_ir::compact(code);
    #[cfg(debug_assertions)]
    {
        let types = &rt.types;
        let problems = kiln_ir::verify(&code, types);
        assert!(problems.is_empty(), "inference made a bad body: {problems:?}\n{}", code.display(types));
    }
    Some(code)
}
