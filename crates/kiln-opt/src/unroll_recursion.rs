//! Recursion of small functions, unrolled once: a call of the function by itself becomes its body.
//!
//! A call costs as much as a small body. Every frame then does the work of two levels or, where a function calls itself twice, of
//! three calls.

use crate::{Callee, Callees, OptParams, eliminate_dead_stmts, fold, inline, inline_cost, simplify_cfg};
use kiln_ir::{Builtin, Effects, Inlining, Instance, IrCode, Op};
use kiln_types::{Const, Types};
use std::sync::Arc;

/// Bodies that cost more stay as they are: their work costs more than their calls.
const COST_MAX: u32 = 60;
/// Calls by itself that a body may have: each makes a copy of it.
const CALLS_MAX: usize = 2;

/// Returns the optimized body of `instance` with its calls by itself inlined once, if it is small.
pub fn unroll_recursion(
    code: IrCode,
    types: &Types,
    callees: &dyn Callees,
    params: &OptParams,
    (instance, inlining): (Instance, Inlining),
) -> IrCode {
    let calls = code.stmts.values().filter(|it| matches!(it.op, Op::Invoke(it, _) if it == instance)).count();
    // A copy has one answer to an undecided check of bounds, that of its call; a call that stays has its own.
    let stays = |op: &Op| matches!(op, Op::Enter { .. } | Op::BoundsCheck);
    if !(1..=CALLS_MAX).contains(&calls)
        || inlining == Inlining::Never
        || code.stmts.values().any(|it| stays(&it.op))
        || inline_cost(&code, types) > COST_MAX
    {
        return code;
    }
    let body =
        Callee { code: Arc::new(code.clone()), inlining, propagate_inbounds: params.propagate_inbounds };
    let code = inline(code, types, &Itself { callees, instance, body }, params);
    let code = fold(code, types, callees);
    let code = simplify_cfg(eliminate_dead_stmts(code, types, callees));
    crate::verified("unroll_recursion", code, types)
}

/// A program in which a function has its own body, and the others have none: they have been inlined where they can be.
struct Itself<'a> {
    callees: &'a dyn Callees,
    instance: Instance,
    body: Callee,
}

impl Callees for Itself<'_> {
    fn body(&self, instance: Instance) -> Option<Callee> {
        (instance == self.instance).then(|| self.body.clone())
    }
    fn effects(&self, instance: Instance) -> Effects {
        self.callees.effects(instance)
    }
    fn is_vararg(&self, instance: Instance) -> bool {
        self.callees.is_vararg(instance)
    }
    fn builtin(&self, builtin: Builtin) -> Const {
        self.callees.builtin(builtin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Body, NoCallees};

    fn unrolled(text: &str, inlining: Inlining) -> String {
        let Body { types, code, .. } = Body::new(text);
        let of = (Instance::from_u32(7), inlining);
        let code = unroll_recursion(code, &types, &NoCallees, &OptParams::default(), of);
        assert_eq!(kiln_ir::verify(&code, &types), [], "{}", code.display(&types));
        kiln_ir::compact(code).display(&types).to_string()
    }

    const SUM: &str = "f(_0::Int64, _1::Bool)::Int64\n\
                       bb0:\n  branch _1 ? bb1 : bb2\n\
                       bb1:\n  %1 = Intrinsics.sub_int(_0, 1)::Int64\n  %2 = invoke mi7(%1, _1)::Int64\n  \
                       %3 = Intrinsics.add_int(%2, _0)::Int64\n  return %3\n\
                       bb2:\n  return _0\n";

    /// One level more in each frame, and no more.
    #[test]
    fn a_function_that_calls_itself_does_two_levels_at_once() {
        let after = unrolled(SUM, Inlining::Default);
        assert_eq!(after.matches("sub_int").count(), 2, "{after}");
        assert_eq!(after.matches("invoke mi7").count(), 1, "{after}");
    }

    /// Functions that say so, those that call others or check bounds, and those that call themselves often.
    #[test]
    fn others_stay() {
        assert_eq!(unrolled(SUM, Inlining::Never), SUM);
        let checked = "f(_0::Int64, _1::Bool)::Int64\n\
                       bb0:\n  %0 = boundscheck::Bool\n  branch %0 ? bb1 : bb2\n\
                       bb1:\n  %2 = invoke mi7(_0, _1)::Int64\n  return %2\n\
                       bb2:\n  return _0\n";
        assert_eq!(unrolled(checked, Inlining::Default), checked);
        let other = SUM.replace("mi7", "mi8");
        assert_eq!(unrolled(&other, Inlining::Default), other);
        let calls = "  %3 = invoke mi7(%1, _1)::Int64\n  %4 = invoke mi7(%1, _1)::Int64\n  %5 = Intrinsics";
        let often = SUM.replace("  %3 = Intrinsics", calls).replace("return %3", "return %5");
        let text = unrolled(&often, Inlining::Default);
        assert_eq!(text.matches("invoke mi7").count(), 3, "{text}");
    }
}
