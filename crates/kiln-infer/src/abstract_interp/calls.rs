//! Calls, by the kind of their callee.

use super::local::{Arg, LocalInference};
use super::resolution::Resolution;
use crate::explain::Widening;
use crate::lattice::{Conditional, Lattice};
use crate::tfuncs::{self, Outcome};
use kiln_ir::{Effects, Intrinsic};
use kiln_runtime::interp::{Special, intrinsic_of};
use kiln_types::{ConstData, Type, Types, consts};
use std::sync::Arc;

/// The result of inferring a call.
#[derive(Clone, Debug)]
pub(crate) struct CallResult {
    /// The type of the value.
    pub(crate) ty: Lattice,
    /// Its effects.
    pub(crate) effects: Effects,
    /// The type of the exceptions.
    pub(crate) exct: Type,
    /// The form that SSA construction gives it.
    pub(crate) resolution: Resolution,
}

impl CallResult {
    /// Makes a call result of a transfer function's outcome. A constant without effects needs no call.
    pub(crate) fn from_outcome(outcome: Outcome, resolution: Resolution) -> Self {
        let resolution = match outcome.ty.as_const() {
            Some(it) if outcome.effects.is_removable() => Resolution::Const(it),
            _ => resolution,
        };
        let exct = if outcome.effects.nothrow { Types::BOTTOM } else { Types::ANY };
        Self { ty: outcome.ty, effects: outcome.effects, exct, resolution }
    }

    /// Narrows the type of the exceptions.
    pub(crate) fn throwing(self, exct: Type) -> Self {
        Self { exct: if self.effects.nothrow { Types::BOTTOM } else { exct }, ..self }
    }
}

/// A callee that is not a generic function.
pub(crate) enum KnownCallee {
    /// An intrinsic.
    Intrinsic(Intrinsic),
    /// A builtin or a host function.
    Special(Special),
}

impl LocalInference<'_, '_> {
    /// Calls `args[0]`.
    pub(crate) fn call(&mut self, args: &[Arg]) -> CallResult {
        let types = self.interp.env.types;
        let bottom = args.iter().any(|it| it.ty.is_bottom(types));
        let Some(callee) = args.first().filter(|_| !bottom) else {
            return CallResult {
                ty: Lattice::bottom(types),
                effects: tfuncs::PURE,
                exct: Types::BOTTOM, // an argument threw
                resolution: Resolution::None,
            };
        };
        let rest: Vec<Lattice> = args[1..].iter().map(|it| it.ty.clone()).collect();
        match self.known_callee(&callee.ty) {
            Some(KnownCallee::Intrinsic(op)) => {
                if op == Intrinsic::NotInt
                    && let Some(Lattice::Conditional(it)) = rest.first()
                {
                    let ty = negated(it);
                    let outcome = Outcome { ty, ..tfuncs::intrinsic(self.interp.env, op, &rest) };
                    return CallResult::from_outcome(outcome, Resolution::Intrinsic(op));
                }
                let outcome = tfuncs::intrinsic(self.interp.env, op, &rest);
                let exct = tfuncs::intrinsic_exception(self.interp.env, op, &rest);
                CallResult::from_outcome(outcome, Resolution::Intrinsic(op)).throwing(exct)
            }
            Some(KnownCallee::Special(Special::Builtin(builtin))) => {
                let result = self.call_builtin(builtin, args);
                match tfuncs::builtin_exception(self.interp.env, builtin, &rest) {
                    Some(exct) => result.throwing(exct),
                    None => result,
                }
            }
            Some(KnownCallee::Special(Special::Host(function))) => self.call_host(function, args),
            None => self.call_generic(args),
        }
    }

    /// Returns the intrinsic, builtin or host function that a callee certainly is.
    pub(crate) fn known_callee(&self, callee: &Lattice) -> Option<KnownCallee> {
        let types = self.interp.env.types;
        let constant = callee.as_const()?;
        let ty = consts::type_of(types, constant);
        if ty == types.core().intrinsic_function {
            let ConstData::Bits { bytes, .. } = types.const_data(constant) else { return None };
            let number = bytes.iter().rev().fold(0, |sum, &it| (sum << 8) | u64::from(it));
            return intrinsic_of(number).map(KnownCallee::Intrinsic);
        }
        self.interp.env.rt.callees.of_type(ty).map(KnownCallee::Special)
    }

    /// Infers a call that is dispatched at run time.
    pub(crate) fn dynamic(&mut self, args: &[Arg]) -> CallResult {
        let types = self.interp.env.types;
        let all = args.iter().map(|it| it.ty.widenconst(types)).collect();
        self.frame.widened[self.pc] = Some(Widening::DynamicCall(all));
        let (ty, effects) = (Lattice::any(types), Effects::NONE);
        CallResult::from_outcome(Outcome { ty, effects }, Resolution::Dynamic)
    }
}

/// Returns the negation of a conditional.
pub(crate) fn negated(cond: &Conditional) -> Lattice {
    Lattice::Conditional(Arc::new(Conditional {
        then: cond.other.clone(),
        other: cond.then.clone(),
        ..cond.clone()
    }))
}
