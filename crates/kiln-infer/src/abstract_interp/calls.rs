//! Calls: what kind of callee it is.

use super::interpret::{Arg, Interpreter};
use super::resolution::Resolution;
use crate::explain::Widening;
use crate::lattice::{Conditional, Lattice};
use crate::tfuncs::{self, Outcome};
use kiln_ir::{Effects, Intrinsic};
use kiln_runtime::interp::{Special, intrinsic_of};
use kiln_types::ConstData;
use std::sync::Arc;

/// What a call does and what became of it.
#[derive(Clone, Debug)]
pub(crate) struct CallResult {
    /// What it returns.
    pub(crate) ty: Lattice,
    /// What else it may do.
    pub(crate) effects: Effects,
    /// What is made of it.
    pub(crate) resolution: Resolution,
}

impl CallResult {
    /// From a transfer function. A constant that comes without effects needs no call.
    pub(crate) fn of(outcome: Outcome, resolution: Resolution) -> Self {
        let resolution = match outcome.ty.as_const() {
            Some(it) if outcome.effects.is_removable() => Resolution::Const(it),
            _ => resolution,
        };
        Self { ty: outcome.ty, effects: outcome.effects, resolution }
    }
}

/// A callee that is no generic function.
pub(crate) enum Known {
    /// An intrinsic.
    Intrinsic(Intrinsic),
    /// A builtin or a host function.
    Special(Special),
}

impl Interpreter<'_, '_> {
    /// Calls `args[0]`.
    pub(crate) fn call(&mut self, args: &[Arg]) -> CallResult {
        let types = self.session.types;
        let bottom = args.iter().any(|it| it.ty.is_bottom(types));
        let Some(callee) = args.first().filter(|_| !bottom) else {
            return CallResult {
                ty: Lattice::bottom(types),
                effects: tfuncs::PURE,
                resolution: Resolution::None,
            };
        };
        let rest: Vec<Lattice> = args[1..].iter().map(|it| it.ty.clone()).collect();
        match self.known_callee(&callee.ty) {
            Some(Known::Intrinsic(op)) => {
                if op == Intrinsic::NotInt
                    && let Some(Lattice::Cond(it)) = rest.first()
                {
                    let outcome = tfuncs::intrinsic(self.session.env, op, &rest);
                    let ty = negated(it);
                    return CallResult {
                        ty,
                        effects: outcome.effects,
                        resolution: Resolution::Intrinsic(op),
                    };
                }
                let outcome = tfuncs::intrinsic(self.session.env, op, &rest);
                CallResult::of(outcome, Resolution::Intrinsic(op))
            }
            Some(Known::Special(Special::Builtin(builtin))) => self.call_builtin(builtin, args),
            Some(Known::Special(Special::Host(function))) => self.call_host(function, args),
            None => self.call_generic(args),
        }
    }

    /// The intrinsic, builtin or host function that this certainly is.
    pub(crate) fn known_callee(&self, callee: &Lattice) -> Option<Known> {
        let types = self.session.types;
        let constant = callee.as_const()?;
        let ty = types.typeof_const(constant);
        if ty == types.core().intrinsic_function {
            let ConstData::Bits { bytes, .. } = types.const_data(constant) else { return None };
            let number = bytes.iter().rev().fold(0, |sum, &it| (sum << 8) | u64::from(it));
            return intrinsic_of(number).map(Known::Intrinsic);
        }
        self.session.rt.callees.of_type(ty).map(Known::Special)
    }

    /// A call whose method is not known.
    pub(crate) fn dynamic(&mut self, args: &[Arg]) -> CallResult {
        let types = self.session.types;
        let all = args.iter().map(|it| it.ty.widen(types)).collect();
        self.frame.widened[self.pc] = Some(Widening::DynamicCall(all));
        CallResult { ty: Lattice::any(types), effects: Effects::NONE, resolution: Resolution::Dynamic }
    }
}

/// The opposite condition.
pub(crate) fn negated(cond: &Conditional) -> Lattice {
    Lattice::Cond(Arc::new(Conditional {
        then: cond.other.clone(),
        other: cond.then.clone(),
        ..cond.clone()
    }))
}
