//! `IrCode` to `IrCode`: one pass a file, each a function that takes a body and returns it.
//!
//! [`optimize`] is what every body goes through, callees first, so that what it inlines is already optimized.
//! [`outline_throws`] comes after it and only for bodies that will run on a device: it turns what throws into
//! [`Op::Fail`](kiln_ir::Op::Fail).
//!
//! # Deliberately absent
//! Inference: what a pass needs to know of a callee it asks [`Callees`].
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a pass names the operations it changes and leaves the others alone"
)]

mod adce;
mod cost;
mod effect;
mod fold;
mod inline;
mod lift;
mod outline;
mod simplify_cfg;
mod sroa;
#[cfg(test)]
mod testing;
mod value;

pub use adce::eliminate_dead_stmts;
pub use cost::inline_cost;
pub use fold::fold;
pub use inline::inline;
pub use lift::lift_aggregates;
pub use outline::outline_throws;
pub use simplify_cfg::simplify_cfg;
pub use sroa::replace_objects;

use kiln_ir::{Effects, Inlining, Instance, Intrinsic, IrCode};
use kiln_types::{Const, Types};
use std::sync::Arc;

/// A body that may be inlined.
#[derive(Clone, Debug)]
pub struct Callee {
    /// Optimized already.
    pub code: Arc<IrCode>,
    /// What its author asked for.
    pub inlining: Inlining,
    /// `@propagate_inbounds`.
    pub propagate_inbounds: bool,
}

/// What a pass may ask about the rest of the program.
pub trait Callees {
    /// The optimized body of an instance; `None` while it is being made (recursion), or if there is none.
    fn body(&self, instance: Instance) -> Option<Callee>;
    /// What calling it may do.
    fn effects(&self, instance: Instance) -> Effects;
    /// Whether the last argument of its body is the tuple of trailing arguments.
    fn is_vararg(&self, instance: Instance) -> bool;
    /// The value of an intrinsic for constant arguments, if it has one and does not throw.
    fn fold_intrinsic(&self, intrinsic: Intrinsic, args: &[Const]) -> Option<Const>;
    /// The function value of a builtin.
    fn builtin(&self, builtin: kiln_ir::Builtin) -> Const;
    /// `Base.iterate`, which splatting calls, if it is defined yet.
    fn iterate(&self) -> Option<Const>;
}

/// What the caller decides.
#[derive(Clone, Debug)]
pub struct OptParams {
    /// Bodies that cost more are not inlined unless they say `@inline`.
    pub inline_cost_max: u32,
    /// The body itself is `@propagate_inbounds`: its bounds checks stay open for its callers to decide.
    pub propagate_inbounds: bool,
}

impl Default for OptParams {
    fn default() -> Self {
        Self { inline_cost_max: 100, propagate_inbounds: false }
    }
}

/// Runs the passes. `observe` sees the body after each: for dumps and for timing.
pub fn optimize(
    code: IrCode,
    types: &Types,
    callees: &dyn Callees,
    params: &OptParams,
    observe: &mut dyn FnMut(&'static str, &IrCode),
) -> IrCode {
    let mut seen = |pass: &'static str, code: IrCode| {
        observe(pass, &code);
        code
    };
    let mut code = seen("inline", inline(code, types, callees, params));
    code = seen("fold", fold(code, types, callees));
    code = seen("sroa", replace_objects(code, types));
    code = seen("lift", lift_aggregates(code, types));
    code = seen("fold", fold(code, types, callees));
    code = seen("adce", eliminate_dead_stmts(code, types, callees));
    code = seen("simplify_cfg", simplify_cfg(code));
    // In between, phis may name ways that a folded branch has cut off.
    if cfg!(debug_assertions) {
        let problems = kiln_ir::verify(&code, types);
        assert!(problems.is_empty(), "the passes made a bad body: {problems:?}\n{}", code.display(types));
    }
    code
}
