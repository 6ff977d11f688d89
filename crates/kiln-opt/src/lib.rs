//! `IrCode` to `IrCode`: one pass per file, each a function that takes a body and returns it.
//!
//! [`optimize`] runs on every body, callees first, so that inlined bodies are already optimized. [`outline_reports`]
//! and [`outline_throws`] run after it and only for bodies that will be compiled: they turn reports into
//! [`Op::Report`](kiln_ir::Op::Report) and throws into [`Op::Fail`](kiln_ir::Op::Fail).
//!
//! # Deliberately absent
//! Inference: a pass queries facts about callees through [`Callees`].
//!
//! # Invariants
//! A pass takes a valid body and leaves a valid body: in debug builds the verifier runs after each.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a pass names the operations it changes and leaves the others alone"
)]

mod adce;
mod boxes;
mod check_bounds;
mod cost;
mod devirtualize;
mod devirtualize_address;
mod edges;
mod effect;
mod fold;
mod guard_arithmetic;
mod inline;
mod outline;
mod report;
mod scalarize_aggregates;
mod simplify_cfg;
mod sroa;
#[cfg(test)]
mod testing;
mod thunk;
mod unroll_recursion;
mod value;

pub use adce::eliminate_dead_stmts;
pub use boxes::make_boxes;
pub use check_bounds::check_bounds;
pub use cost::inline_cost;
pub use devirtualize::{devirtualize_calls, narrow_return};
pub use devirtualize_address::devirtualize_addresses;
pub use fold::fold;
pub use guard_arithmetic::guard_arithmetic;
pub use inline::{InliningClass, inline, inlining_class};
pub use outline::outline_throws;
pub use report::outline_reports;
pub use scalarize_aggregates::scalarize_aggregates;
pub use simplify_cfg::simplify_cfg;
pub use sroa::replace_objects;
pub use unroll_recursion::unroll_recursion;

use kiln_ir::{CheckBounds, Effects, Inlining, Instance, Intrinsic, IrCode};
use kiln_types::{Const, Type, Types};
use std::sync::Arc;

/// A body that may be inlined.
#[derive(Clone, Debug)]
pub struct Callee {
    /// Optimized already.
    pub code: Arc<IrCode>,
    /// The inlining that its author asked for.
    pub inlining: Inlining,
    /// `@propagate_inbounds`.
    pub propagate_inbounds: bool,
}

/// The questions that a pass may ask about the rest of the program. By default there is none: no other function has a body, or
/// is known.
pub trait Callees {
    /// Returns the optimized body of an instance; `None` while it is being optimized (recursion), or if it does not
    /// exist.
    fn body(&self, _instance: Instance) -> Option<Callee> {
        None
    }
    /// Returns the effects of calling it.
    fn effects(&self, _instance: Instance) -> Effects {
        Effects::NONE
    }
    /// Whether the last argument of its body is the tuple of trailing arguments.
    fn is_vararg(&self, _instance: Instance) -> bool {
        false
    }
    /// The value of an intrinsic for constant arguments, if it has one and does not throw.
    fn fold_intrinsic(&self, _intrinsic: Intrinsic, _args: &[Const]) -> Option<Const> {
        None
    }
    /// The function value of a builtin.
    fn builtin(&self, builtin: kiln_ir::Builtin) -> Const;
    /// `Base.iterate`, which splatting calls, if it is defined yet.
    fn iterate(&self) -> Option<Const> {
        None
    }
    /// Returns the target of a call of values of these exact types, the function's first, if that is one method; with `of`, if it is
    /// the method of that instance. The body depends on the answer from then on.
    fn resolve(&self, _call: &[Type], _of: Option<Instance>) -> Option<Resolved> {
        None
    }
}

/// The target of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The instance.
    pub instance: Instance,
    /// The return type.
    pub returns: Type,
    /// Arguments from this one on, the function being 0, are packed into a tuple.
    pub packed_from: Option<usize>,
}

/// The parameters that the caller decides.
#[derive(Clone, Debug)]
pub struct OptParams {
    /// Bodies that cost more are not inlined unless they say `@inline`.
    pub inline_cost_max: u32,
    /// The body is `@propagate_inbounds`: its bounds checks stay undecided, for its callers.
    pub propagate_inbounds: bool,
    /// The fate of bounds checks.
    pub check_bounds: CheckBounds,
    /// Operators on a number and a value of unknown type are guarded (see [`guard_arithmetic`](fn@guard_arithmetic)).
    pub guard_arithmetic: bool,
}

impl OptParams {
    /// The largest [`inline_cost_max`](Self::inline_cost_max): every call is inlined except those of `@noinline`
    /// functions and of cycles.
    pub const INLINE_COST_LIMIT: u32 = u16::MAX as u32;
}

impl Default for OptParams {
    fn default() -> Self {
        Self {
            inline_cost_max: 100,
            propagate_inbounds: false,
            check_bounds: CheckBounds::Auto,
            guard_arithmetic: false,
        }
    }
}

/// The maximum number of rounds of devirtualization: each resolves one level of objects within objects, or of a test
/// that depends on types of the previous round.
const DEVIRTUALIZE_ROUNDS_MAX: usize = 6;

/// Runs the passes. `observe` sees the body after each: for dumps and for timing.
pub fn optimize(
    code: IrCode,
    types: &Types,
    callees: &dyn Callees,
    params: &OptParams,
    observe: &mut dyn FnMut(&'static str, &IrCode),
) -> IrCode {
    let mut seen = |pass: &'static str, code: IrCode| {
        let code = verified(pass, code, types);
        observe(pass, &code);
        code
    };
    let mut code = code;
    if params.check_bounds != CheckBounds::Auto {
        code = seen("check_bounds", check_bounds(code, types, params.check_bounds));
    }
    let mut late = false;
    for round in 0..=DEVIRTUALIZE_ROUNDS_MAX {
        code = seen("inline", inline(code, types, callees, params));
        code = seen("fold", fold(code, types, callees));
        // What is dead would still look at the objects it mentions.
        code = seen("adce", eliminate_dead_stmts(code, types, callees));
        code = seen("sroa", replace_objects(code, types));
        code = seen("scalarize_aggregates", scalarize_aggregates(code, types));
        code = seen("fold", fold(code, types, callees));
        if round == DEVIRTUALIZE_ROUNDS_MAX {
            break;
        }
        let (resolved, direct) = devirtualize_addresses(code, types, callees);
        let (resolved, changed) =
            devirtualize_calls(seen("devirtualize_address", resolved), types, callees, late);
        code = seen("devirtualize", resolved);
        let changed = changed || direct;
        late |= changed;
        if !changed {
            break;
        }
    }
    if params.guard_arithmetic {
        let (guarded, changed) = guard_arithmetic(code, types, callees, params);
        code = seen("guard_arithmetic", guarded);
        if changed {
            code = seen("inline", inline(code, types, callees, params));
            code = seen("fold", fold(code, types, callees));
        }
    }
    if late {
        code = seen("narrow_return", narrow_return(code, types));
    }
    code = seen("adce", eliminate_dead_stmts(code, types, callees));
    seen("simplify_cfg", simplify_cfg(code))
}

/// Verifies the body in debug builds, and names the pass that broke it.
fn verified(pass: &str, code: IrCode, types: &Types) -> IrCode {
    if cfg!(debug_assertions) {
        let problems = kiln_ir::verify(&code, types);
        assert!(problems.is_empty(), "`{pass}` made a bad body: {problems:?}\n{}", code.display(types));
    }
    code
}

#[cfg(test)]
mod tests {
    use crate::testing::Body;
    use kiln_ir::{Block, Op, Value};

    /// The text of the panic names the pass after which the body was bad.
    #[test]
    #[should_panic(expected = "`sroa` made a bad body")]
    fn a_pass_that_breaks_a_body_is_named() {
        let Body { types, mut code, .. } = Body::new("f(_0::Int64)::Int64\nbb0:\n  return _0\n");
        let last = code.blocks[Block::from_u32(0)].stmts[0];
        code.stmts[last].op = Op::Return(Value::Arg(7));
        super::verified("sroa", code, &types);
    }
}
