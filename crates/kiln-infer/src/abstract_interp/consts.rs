//! Constants across calls: concrete evaluation of foldable calls, and constant propagation into callees.

use super::calls::CallResult;
use super::interpreter::{AbstractInterpreter, CONST_PROP_STMTS_MAX};
use super::local::LocalInference;
use super::resolution::Resolution;
use super::result::InferenceResult;
use crate::lattice::{Lattice, le};
use crate::tfuncs::Outcome;
use kiln_ir::Effects;
use kiln_runtime::heap::constants;
use kiln_runtime::interp::call;
use kiln_runtime::tables::{Edge, MethodMatch, MethodTableView, ViewId, WorldRange};
use kiln_types::{Const, ConstData, Types, datatype};

/// The active specializations of one method for constants, at most.
const NESTED_MAX: usize = 6;
impl LocalInference<'_, '_> {
    /// Evaluates a foldable call whose arguments are all constants.
    pub(crate) fn evaluate_if_foldable(
        &mut self,
        args: &[Lattice],
        result: &InferenceResult,
    ) -> Option<Lattice> {
        let effects = Effects { terminates: true, ..result.effects };
        // The address of an object differs between sessions.
        if !effects.is_foldable() || !effects.no_identity || result.ret.is_bottom(self.interp.env.types) {
            return None;
        }
        if result.ret.as_const().is_some() && result.effects.is_removable() {
            return None;
        }
        // Where an `@inbounds` extends to the callee, its `@boundscheck` blocks may not run.
        let inbounds = self.frame.inbounds.get(self.pc) == Some(&true);
        if !effects.noub_unless_inbounds && (inbounds || self.frame.code.meta.propagate_inbounds) {
            return None;
        }
        let call = self.constants(args)?;
        let value = self.interp.evaluate(&call);
        self.frame.depend(Edge::Constant { call: call.into(), value }, WorldRange::ALL);
        value.map(Lattice::Const)
    }

    /// Returns the callee and the arguments, if all are immutable constants.
    fn constants(&self, call: &[Lattice]) -> Option<Vec<Const>> {
        let types = self.interp.env.types;
        let consts: Option<Vec<Const>> = call.iter().map(Lattice::as_const).collect();
        consts.filter(|it| !it.iter().any(|&it| is_mutable(types, it)))
    }

    /// Evaluates a call of a function that cannot be redefined.
    pub(crate) fn evaluate(&mut self, call: &[Lattice]) -> Option<CallResult> {
        let call = self.constants(call)?;
        let constant = self.interp.evaluate(&call)?;
        let ty = Lattice::Const(constant);
        let outcome = Outcome { ty, effects: Effects::TOTAL };
        Some(CallResult::from_outcome(outcome, Resolution::Const(constant)))
    }

    /// Whether inference for these constants may improve the general result.
    pub(crate) fn may_improve(
        &self,
        matched: &MethodMatch,
        args: &[Lattice],
        general: &InferenceResult,
    ) -> bool {
        let types = self.interp.env.types;
        if !args.iter().any(|it| is_informative(types, it)) || general.ret.is_bottom(types) {
            return false;
        }
        if general.ret.as_const().is_some() && general.effects.nothrow {
            return false;
        }
        let method = self.interp.env.rt.tables.method(matched.method);
        let setting = method.code.meta.constprop.map(|it| types.name(it).trim_start_matches(':'));
        if setting == Some("none") {
            return false;
        }
        let nested = self.interp.active.iter().filter(|it| it.method == matched.method).count();
        if nested > NESTED_MAX {
            return false;
        }
        if setting == Some("aggressive") || general.imprecise {
            return true;
        }
        // The optimizer folds arithmetic on numbers once the body is inlined.
        let scalar = general
            .ret
            .exact_type(types)
            .is_some_and(|it| datatype::is_primitive(types, it) && it != types.core().bool);
        let numbers = args.iter().all(|it| !is_informative(types, it) || is_number(types, it));
        let pointless = scalar && numbers && general.effects.nothrow;
        !pointless && method.code.stmts.len() <= CONST_PROP_STMTS_MAX
    }
}

impl AbstractInterpreter<'_> {
    /// Evaluates a call in the runtime's interpreter with the method tables of this job, within the budget. `None` if
    /// it throws, exceeds the budget or returns something mutable.
    ///
    /// For a method defined by `@consistent_overlay` its equivalent original runs. A call that turns out to need a
    /// device runs again with all such methods replaced by their originals.
    pub(crate) fn evaluate(&self, call: &[Const]) -> Option<Const> {
        if !self.env.rt.tables.methods.has_consistent_overlays() {
            return self.evaluate_in(self.view(), call);
        }
        let originals = self.inputs.params.view_id(self.env.rt, &self.inputs.view.originals());
        if self.has_original(call) {
            return self.evaluate_in(originals, call);
        }
        self.evaluate_in(self.view(), call).or_else(|| self.evaluate_in(originals, call))
    }

    /// Returns the view in which calls are evaluated.
    fn view(&self) -> ViewId {
        self.inputs.params.view_id(self.env.rt, &self.inputs.view)
    }

    /// Whether the call selects a consistent overlay that has an original.
    fn has_original(&self, call: &[Const]) -> bool {
        let (tables, inputs) = (&self.env.rt.tables, self.inputs);
        let elements = call.iter().map(|it| Lattice::Const(*it).widenconst(self.env.types));
        let sig = datatype::tuple(self.env.types, &elements.collect::<Vec<_>>());
        let found = |view: &MethodTableView| {
            let found = tables.find_matches_in(view, sig, inputs.world, usize::MAX)?;
            found.matches.into_iter().find(|it| it.fully_covers)
        };
        let is_overlay = |it: MethodMatch| tables.method(it.method).is_consistent_overlay(self.env.types);
        found(&inputs.view).is_some_and(is_overlay) && found(&inputs.view.originals()).is_some()
    }

    fn evaluate_in(&self, view: ViewId, call: &[Const]) -> Option<Const> {
        let heap = &self.env.rt.heap;
        let values: Vec<_> = call.iter().map(|&it| constants::value_of(heap, it)).collect();
        let budget = self.inputs.params.eval_budget;
        let value =
            call::call_in_view(self.env.rt, values[0], &values[1..], self.inputs.world, view, budget).ok()?;
        let constant = constants::const_of(heap, value);
        (!is_mutable(self.env.types, constant)).then_some(constant)
    }
}

/// Whether an argument holds more information than its type.
fn is_informative(types: &Types, arg: &Lattice) -> bool {
    match arg {
        Lattice::Const(it) => {
            *arg != Lattice::normalize(types, arg.widenconst(types)) && !is_mutable(types, *it)
        }
        Lattice::PartialStruct(it) => it.fields.iter().any(|it| match it {
            Lattice::Const(_) => true,
            other => is_informative(types, other),
        }),
        Lattice::Type(_) | Lattice::Conditional(_) | Lattice::InterConditional(_) => false,
    }
}

fn is_number(types: &Types, arg: &Lattice) -> bool {
    let ty = arg.widenconst(types);
    datatype::is_primitive(types, ty) && ty != types.core().bool
}

fn is_mutable(types: &Types, constant: Const) -> bool {
    match types.const_data(constant) {
        ConstData::Object { ty, .. } => datatype::is_mutable(types, *ty) || *ty == types.core().expr,
        ConstData::Aggregate { fields, .. } => fields.iter().any(|&it| is_mutable(types, it)),
        ConstData::Bits { .. }
        | ConstData::Symbol(_)
        | ConstData::Type(_)
        | ConstData::String(_)
        | ConstData::Module(_) => false,
    }
}

/// Whether the result for constants is better than the general one.
pub(crate) fn improves(types: &Types, special: &InferenceResult, general: &InferenceResult) -> bool {
    let narrower = special.ret != general.ret && le(types, &special.ret, &general.ret);
    let calmer = special.effects.nothrow && !general.effects.nothrow
        || special.effects.is_effect_free() && !general.effects.is_effect_free();
    narrower || calmer || (general.imprecise && !special.imprecise)
}
