//! Calls of generic functions: method look-up, union splitting, recursion limits, constant propagation.

use super::calls::{CallResult, negated};
use super::consts::improves;
use super::interpreter::known_arg;
use super::local::{Arg, LocalInference};
use super::resolution::{Case, Resolution};
use super::result::InferenceResult;
use crate::explain::Widening;
use crate::lattice::{Lattice, join, join_types, le, meet_type};
use crate::tfuncs::{Outcome, PURE};
use crate::type_limits::{is_more_complex, limit_signature};
use kiln_ir::{Effects, Instance};
use kiln_runtime::tables::{Edge, KnownArg, MethodMatch, WorldRange};
use kiln_types::{
    FrontMutant, Module, Type, TypeData, Types, consts, datatype, intersect, mutant, typevar, union, unionall,
};
use std::sync::Arc;

/// The recursive calls of one method with growing signatures that are inferred before signatures are widened.
const GROWING_MAX: usize = 3;

/// One applicable method, and the result of calling it.
struct Target {
    case: Case,
    /// The arguments, narrowed to the method's signature.
    args: Vec<Lattice>,
    ty: Lattice,
    effects: Effects,
    exct: Type,
}

/// The targets of a call.
struct Targets {
    list: Vec<Target>,
    /// Every call has an applicable method.
    covered: bool,
    /// Tests of single arguments tell the targets apart.
    decidable: bool,
}

impl LocalInference<'_, '_> {
    /// Calls a generic function.
    pub(crate) fn call_generic(&mut self, args: &[Arg]) -> CallResult {
        let types = self.interp.env.types;
        let callee = args[0].ty.widenconst(types);
        if self.is_open_callee(callee) {
            return self.dynamic(args);
        }
        let plain: Vec<Lattice> = args.iter().map(|it| it.ty.clone().widenconditional(types)).collect();
        let mut found = Targets { list: Vec::new(), covered: true, decidable: true };
        let combos = self.combinations(&plain);
        let last = combos.len() - 1;
        for (n, combo) in combos.iter().enumerate() {
            // The last case needs no test only if the cases cover every call.
            let is_rest = n == last && (found.covered || mutant::is_set(types, FrontMutant::UncoveredMember));
            if self.call_combination(&plain, combo, is_rest, &mut found).is_none() {
                return self.dynamic(args);
            }
        }
        if found.list.is_empty() {
            return self.no_method(&plain);
        }
        if mutant::is_set(types, FrontMutant::MissingIsCovered) {
            if let Some(it) = found.list.last_mut() {
                it.case.certain = true;
            }
            found.covered = true;
        }
        self.merge_targets(args, found)
    }

    /// Calls a generic function with `args[1..]` and any number of arguments of type `rest`.
    pub(crate) fn call_generic_open(&mut self, args: &[Arg], rest: Type) -> CallResult {
        let types = self.interp.env.types;
        let mut elems: Vec<Type> = args.iter().map(|it| it.ty.widenconst(types)).collect();
        let plain: Vec<Lattice> = args.iter().map(|it| it.ty.clone().widenconditional(types)).collect();
        elems.push(datatype::vararg(types, rest, None));
        let sig = datatype::tuple(types, &elems);
        let is_open_callee = self.is_open_callee(elems[0]);
        let Some(found) = self.interp.find_matches(sig).filter(|_| !is_open_callee) else {
            if !is_open_callee {
                self.frame.depend(Edge::TooMany(sig), WorldRange::ALL);
            }
            return self.dynamic(args);
        };
        let ids = found.matches.iter().map(|it| it.method).collect();
        self.frame.depend(Edge::Lookup { sig, found: ids }, found.worlds);
        let covered = !found.ambiguous && found.matches.last().is_some_and(|it| it.fully_covers);
        let (mut ty, mut effects, mut exct) = (Lattice::bottom(types), Effects::TOTAL, Types::BOTTOM);
        for matched in &found.matches {
            let (sig, params) = self.limited_signature(matched);
            let instance = self.interp.env.rt.tables.instance(matched.method, sig, &params);
            let result = self.instance_result(instance);
            ty = join(types, &ty, &result.ret.widenconditional(types));
            effects = effects.merge(result.effects);
            effects.nonoverlayed &= self.interp.is_of_program(matched.method);
            exct = join_exceptions(types, exct, result.exct);
        }
        if !covered {
            effects.nothrow = false;
            exct = join_exceptions(types, exct, types.core().method_error);
        }
        let all = plain.iter().map(|it| it.widenconst(types)).collect();
        self.frame.widened[self.pc] = Some(Widening::DynamicCall(all));
        CallResult { ty, effects, exct, resolution: Resolution::Dynamic }
    }

    /// Whether a callee of this type may be a function that a look-up of methods does not know: any, or one without methods.
    fn is_open_callee(&self, callee: Type) -> bool {
        let types = self.interp.env.types;
        let core = types.core();
        let open = [core.any, core.function, core.type_, core.data_type, core.union_all, core.builtin];
        let is_open = |it: &Type| {
            open.contains(it)
                || *it == core.intrinsic_function
                || self.interp.env.rt.callees.of_type(*it).is_some()
        };
        union::members(types, callee).iter().any(is_open)
    }

    fn no_method(&mut self, args: &[Lattice]) -> CallResult {
        let types = self.interp.env.types;
        let all = args.iter().map(|it| it.widenconst(types)).collect();
        self.frame.widened[self.pc] = Some(Widening::NoMethod(all));
        let outcome = Outcome { ty: Lattice::bottom(types), effects: PURE };
        CallResult::from_outcome(outcome, Resolution::Dynamic).throwing(types.core().method_error)
    }

    /// Splits unions: returns every combination of union members, or only the arguments if there are too many
    /// combinations.
    fn combinations(&self, args: &[Lattice]) -> Vec<Vec<Lattice>> {
        let types = self.interp.env.types;
        let parts: Vec<Vec<Type>> =
            args.iter().map(|it| union::members(types, it.widenconst(types))).collect();
        let cost = split_cost(parts.iter().map(Vec::len));
        if cost == 1 || cost > self.interp.inputs.params.split_max {
            return vec![args.to_vec()];
        }
        let mut combos = vec![Vec::new()];
        for (arg, parts) in args.iter().zip(&parts) {
            let options: Vec<Lattice> = if parts.len() > 1 {
                parts.iter().map(|&it| Lattice::normalize(types, it)).collect()
            } else {
                vec![arg.clone()]
            };
            combos = combos
                .into_iter()
                .flat_map(|combo: Vec<Lattice>| {
                    options.iter().map(move |it| combo.iter().cloned().chain([it.clone()]).collect())
                })
                .collect();
        }
        combos
    }

    /// Infers one combination of union members. `None` if too many methods apply. With `is_rest`, calls that no
    /// earlier target takes are of this combination.
    fn call_combination(
        &mut self,
        args: &[Lattice],
        combo: &[Lattice],
        is_rest: bool,
        targets: &mut Targets,
    ) -> Option<()> {
        let types = self.interp.env.types;
        let elems: Vec<Type> = combo.iter().map(|it| it.widenconst(types)).collect();
        let sig = datatype::tuple(types, &elems);
        let Some(found) = self.interp.find_matches(sig) else {
            self.frame.depend(Edge::TooMany(sig), WorldRange::ALL);
            return None;
        };
        let ids = found.matches.iter().map(|it| it.method).collect();
        self.frame.depend(Edge::Lookup { sig, found: ids }, found.worlds);
        if found.ambiguous && datatype::is_dispatch_tuple(types, sig) {
            targets.covered = false; // every such call throws
            return Some(());
        }
        let covers = !found.ambiguous && found.matches.last().is_some_and(|it| it.fully_covers);
        let count = found.matches.len();
        for (n, matched) in found.matches.iter().enumerate() {
            let certain = covers && n + 1 == count;
            let mut target = self.call_match(matched, combo, None);
            target.case.conditions = self.conditions(args, combo, matched, certain);
            target.case.certain = certain && is_rest;
            targets.decidable &= certain || self.decides(&target.case.conditions, &elems, matched);
            targets.list.push(target);
        }
        targets.covered &= covers;
        // Neither of two ambiguous methods is more specific; testing conditions in order would select the first.
        targets.decidable &= !found.ambiguous || count == 0;
        Some(())
    }

    /// Whether every call with `elems` that meets the conditions selects this method. It does not if the method
    /// compares its arguments with one another: `f(x::T, y::T) where T`.
    fn decides(&self, conditions: &[(u32, Type)], elems: &[Type], matched: &MethodMatch) -> bool {
        let types = self.interp.env.types;
        let mut tested = elems.to_vec();
        for &(at, wanted) in conditions {
            tested[at as usize] = intersect::meet(types, tested[at as usize], wanted);
        }
        types.subtype(datatype::tuple(types, &tested), self.interp.env.rt.tables.method(matched.method).sig)
    }

    /// Returns the type tests that tell the calls of a method from the others.
    fn conditions(
        &self,
        args: &[Lattice],
        combo: &[Lattice],
        matched: &MethodMatch,
        certain: bool,
    ) -> Vec<(u32, Type)> {
        let types = self.interp.env.types;
        let spec = datatype::params(types, unionall::unwrap(types, matched.spec_types));
        let mut conditions = Vec::new();
        for (n, (arg, part)) in args.iter().zip(combo).enumerate() {
            let wanted = match spec.get(n) {
                Some(&it) if !certain && !typevar::has_free_vars(types, it) => it,
                _ => part.widenconst(types),
            };
            let wanted = if matches!(types.data(wanted), TypeData::Vararg { .. }) {
                part.widenconst(types)
            } else {
                wanted
            };
            if !types.subtype(arg.widenconst(types), wanted) {
                conditions.push((n as u32, wanted));
            }
        }
        conditions
    }

    fn merge_targets(&mut self, args: &[Arg], targets: Targets) -> CallResult {
        let Targets { list: targets, covered, decidable } = targets;
        let types = self.interp.env.types;
        let single = targets.len() == 1;
        let mut ty = Lattice::bottom(types);
        let mut effects = Effects::TOTAL;
        let mut exct = Types::BOTTOM;
        let mut wide = false;
        for target in &targets {
            let local = localize(types, &target.ty, args, single);
            let before = ty.clone();
            ty = join(types, &ty, &local);
            wide |= !before.is_bottom(types) && ty.widenconst(types) == types.core().any;
            effects = effects.merge(target.effects);
            exct = join_exceptions(types, exct, target.exct);
        }
        if wide {
            self.frame.widened[self.pc] = Some(Widening::UnionTooLarge);
        }
        if let Some(it) = self.negates(args) {
            ty = it;
        } else if covered && !single && ty == Lattice::Type(types.core().bool) {
            ty = condition_of(types, args, &targets).unwrap_or(ty);
        }
        if !covered {
            effects.nothrow = false;
            exct = join_exceptions(types, exct, types.core().method_error);
        }
        let mut cases: Vec<Case> = targets.into_iter().map(|it| it.case).collect();
        if !covered {
            let (conditions, ty) = (Vec::new(), types.core().bottom);
            cases.push(Case { conditions, certain: true, target: None, value: None, ty });
            let all = args.iter().map(|it| it.ty.widenconst(types)).collect();
            self.frame.widened[self.pc] = Some(Widening::DynamicCall(all));
        }
        let resolution = match (ty.as_const(), &cases[..]) {
            (Some(it), _) if effects.is_removable() => Resolution::Const(it),
            (_, [Case { value: Some(it), conditions, .. }]) if conditions.is_empty() => {
                Resolution::Const(*it)
            }
            _ if !decidable => Resolution::Dynamic,
            _ => Resolution::Cases(cases),
        };
        CallResult { ty, effects, exct, resolution }
    }

    /// Returns the negated conditional of a call `!c`.
    fn negates(&self, args: &[Arg]) -> Option<Lattice> {
        let types = self.interp.env.types;
        let [callee, Arg { ty: Lattice::Conditional(it), .. }] = args else { return None };
        let name = datatype::name_of(types, consts::type_of(types, callee.ty.as_const()?))?;
        let data = types.type_name(name);
        let is_not = data.def.module == Module::BASE && types.name(data.def.name) == "#!";
        is_not.then(|| negated(it))
    }

    /// Infers the call of an applicable method. `invoked` is the signature given to `invoke`.
    fn call_match(&mut self, matched: &MethodMatch, args: &[Lattice], invoked: Option<Type>) -> Target {
        let types = self.interp.env.types;
        let (sig, params) = self.limited_signature(matched);
        let base = self.interp.env.rt.tables.instance(matched.method, sig, &params);
        let mut result = self.callee_result(base, invoked);
        let mut instance = base;
        let exact = sig == matched.spec_types;
        let mut value = None;
        // The instance that evaluates constant calls, and its result.
        let (run, known) = self.original(matched).unwrap_or_else(|| (base, result.clone()));
        // Results in an unfinished recursive group are guesses: nothing is evaluated based on them.
        let settled = self.interp.cached(run).is_some();
        if exact
            && settled
            && let Some(found) = self.evaluate_if_foldable(args, &known)
        {
            value = found.as_const();
            result.ret = found;
            result.effects = Effects { nothrow: value.is_some(), ..Effects::TOTAL };
            if value.is_some() {
                result.exct = Types::BOTTOM;
            }
        } else if exact
            && let Some((better, found)) = self.specialize_for_consts(matched, args, (base, invoked), &result)
        {
            instance = better;
            result = found;
        }
        if value.is_none() && result.effects.is_removable() {
            value = result.ret.as_const();
        }
        let ty = result.ret.clone();
        let (conditions, target) = (Vec::new(), Some(instance));
        let case = Case { conditions, certain: true, target, value, ty: ty.widenconst(types) };
        let spec = datatype::params(types, unionall::unwrap(types, matched.spec_types));
        let args = args
            .iter()
            .enumerate()
            .map(|(n, it)| match spec.get(n) {
                Some(&ty)
                    if !typevar::has_free_vars(types, ty)
                        && !matches!(types.data(ty), TypeData::Vararg { .. }) =>
                {
                    meet_type(types, it, ty)
                }
                _ => it.clone(),
            })
            .collect();
        let mut effects = result.effects;
        effects.nonoverlayed &= self.interp.is_of_program(matched.method);
        Target { case, args, ty, effects, exct: result.exct }
    }

    /// Returns the original of a method defined by `@consistent_overlay`, and adds an edge to it.
    fn original(&mut self, matched: &MethodMatch) -> Option<(Instance, InferenceResult)> {
        let (tables, inputs) = (&self.interp.env.rt.tables, self.interp.inputs);
        if !tables.methods.has_consistent_overlays()
            || !tables.method(matched.method).is_consistent_overlay(self.interp.env.types)
        {
            return None;
        }
        let sig = matched.spec_types;
        let found = tables.find_matches_in(&inputs.view.originals(), sig, inputs.world, usize::MAX)?;
        let first = found.matches.first().filter(|it| it.fully_covers && !found.ambiguous)?;
        let instance = tables.instance(first.method, first.spec_types, &first.static_params);
        let result = self.interp.infer_edge(instance);
        self.frame.depend(Edge::Original { sig, instance }, found.worlds.intersect(result.worlds));
        Some((instance, result))
    }

    /// Returns the result of an instance, and adds an edge to it.
    fn instance_result(&mut self, instance: Instance) -> InferenceResult {
        let result = self.interp.infer_edge(instance);
        self.frame.depend(Edge::Instance(instance), result.worlds);
        result
    }

    /// Returns the result of a callee, and adds an edge to it. The edge of an `invoke` holds its signature, which
    /// selects the method.
    fn callee_result(&mut self, instance: Instance, invoked: Option<Type>) -> InferenceResult {
        let Some(sig) = invoked else { return self.instance_result(instance) };
        let result = self.interp.infer_edge(instance);
        self.frame.depend(Edge::Invoke { sig, instance }, result.worlds);
        result
    }

    /// Returns the signature and static parameters to infer a match for: widened when the method is already being
    /// inferred for smaller signatures that grow.
    fn limited_signature(&mut self, matched: &MethodMatch) -> (Type, Vec<Type>) {
        let types = self.interp.env.types;
        let own = (matched.spec_types, matched.static_params.clone());
        let active = &self.interp.active;
        if active.iter().any(|it| it.sig == matched.spec_types) {
            return own;
        }
        let growing = active.iter().enumerate().filter(|(_, it)| {
            it.method == matched.method && is_more_complex(types, matched.spec_types, it.sig)
        });
        let growing: Vec<usize> = growing.map(|(n, _)| n).collect();
        if growing.len() < GROWING_MAX {
            return own;
        }
        let at = growing[growing.len() - 1];
        let old = self.interp.active[at].sig;
        let declared = self.interp.env.rt.tables.method(matched.method).sig;
        let len_min = datatype::params(types, unionall::unwrap(types, declared)).len() + 1;
        let wider = limit_signature(types, matched.spec_types, old, len_min);
        let (sig, params) = intersect::meet_with_values(types, wider, declared);
        self.interp.depend_on(at);
        self.frame.widened[self.pc] = Some(Widening::Recursion);
        if types.subtype(matched.spec_types, sig) { (sig, params) } else { own }
    }

    /// Propagates constants: infers the method again for the known arguments, if that may improve the result.
    fn specialize_for_consts(
        &mut self,
        matched: &MethodMatch,
        args: &[Lattice],
        (base, invoked): (Instance, Option<Type>),
        general: &InferenceResult,
    ) -> Option<(Instance, InferenceResult)> {
        let types = self.interp.env.types;
        if !self.may_improve(matched, args, general) {
            return None;
        }
        let known: Vec<KnownArg> = args.iter().map(|it| known_arg(types, it)).collect();
        let tables = &self.interp.env.rt.tables;
        let instance =
            tables.known_instance(matched.method, matched.spec_types, &matched.static_params, &known);
        if instance == base || self.interp.active.iter().any(|it| it.instance == instance) {
            return None;
        }
        // A result that is no improvement is a dependency, too.
        let result = self.callee_result(instance, invoked);
        improves(types, &result, general).then_some((instance, result))
    }

    /// Infers `invoke` with a signature.
    pub(crate) fn invoke_method(&mut self, sig: Type, call: &[Arg]) -> Option<CallResult> {
        let types = self.interp.env.types;
        let inputs = self.interp.inputs;
        let plain: Vec<Lattice> = call.iter().map(|it| it.ty.clone().widenconditional(types)).collect();
        let inner = unionall::unwrap(types, sig);
        let mut elems = vec![plain[0].widenconst(types)];
        elems.extend_from_slice(datatype::params(types, inner));
        let wanted = unionall::rewrap(types, datatype::tuple(types, &elems), sig);
        let tables = &self.interp.env.rt.tables;
        let found = tables.find_matches_in(&inputs.view, wanted, inputs.world, usize::MAX)?;
        let Some(method) = found.matches.iter().find(|it| it.fully_covers).map(|it| it.method) else {
            let ids = found.matches.iter().map(|it| it.method).collect();
            self.frame.depend(Edge::Lookup { sig: wanted, found: ids }, found.worlds);
            return None;
        };
        let actual: Vec<Type> = plain.iter().map(|it| it.widenconst(types)).collect();
        let actual = datatype::tuple(types, &actual);
        let (spec_types, static_params) =
            intersect::meet_with_values(types, actual, tables.method(method).sig);
        if spec_types == types.core().bottom {
            return None;
        }
        let fully_covers = types.subtype(actual, spec_types);
        let matched = MethodMatch { method, spec_types, static_params, fully_covers };
        let target = self.call_match(&matched, &plain, Some(wanted));
        let instance = target.case.target?;
        self.frame.depend(Edge::Invoke { sig: wanted, instance }, found.worlds);
        fully_covers
            .then(|| self.merge_targets(call, Targets { list: vec![target], covered: true, decidable: true }))
    }
}

/// Joins two exception types.
fn join_exceptions(types: &Types, a: Type, b: Type) -> Type {
    if a == b { a } else { join_types(types, a, b) }
}

/// Returns the cost of splitting unions of these lengths, as Julia counts it: the product of the lengths, with the
/// longest union counted as two. So one union is always split, and so are two unions of two members.
fn split_cost(lengths: impl Iterator<Item = usize>) -> usize {
    let mut longest = 2;
    let mut cost = 1usize;
    for length in lengths.filter(|it| *it > 1) {
        let counted = if length > longest { std::mem::replace(&mut longest, length) } else { length };
        cost = cost.saturating_mul(counted);
    }
    cost
}

/// Returns the conditional on an argument that the `Bool`s of several targets imply: the result is `true` only if a
/// target that may return `true` was called.
fn condition_of(types: &Types, args: &[Arg], targets: &[Target]) -> Option<Lattice> {
    let bottom = || Lattice::bottom(types);
    for (n, arg) in args.iter().enumerate() {
        let Some((slot, def)) = arg.slot else { continue };
        let (mut then, mut other) = (bottom(), bottom());
        for target in targets {
            let own = target.args.get(n)?;
            let (yes, no) = match &target.ty {
                Lattice::InterConditional(it) if it.slot as usize == n => (it.then.clone(), it.other.clone()),
                ty => match ty.as_bool(types) {
                    Some(true) => (own.clone(), bottom()),
                    Some(false) => (bottom(), own.clone()),
                    None if ty.is_bottom(types) => (bottom(), bottom()),
                    None => (own.clone(), own.clone()),
                },
            };
            then = join(types, &then, &yes);
            other = join(types, &other, &no);
        }
        let tells = |it: &Lattice| *it != arg.ty && le(types, it, &arg.ty);
        if (tells(&then) || tells(&other)) && !then.is_bottom(types) && !other.is_bottom(types) {
            return Some(Lattice::conditional(types, slot, def, then, other));
        }
    }
    None
}

/// Translates a callee's result to the caller: a conditional about an argument becomes one about the argument's slot.
fn localize(types: &Types, ty: &Lattice, args: &[Arg], single: bool) -> Lattice {
    let Lattice::InterConditional(it) = ty else { return ty.clone() };
    let plain = || ty.clone().widenconditional(types);
    let Some(Arg { ty: own, slot: Some((slot, def)) }) = args.get(it.slot as usize).filter(|_| single) else {
        return plain();
    };
    let narrowed = |told: &Lattice| {
        if le(types, told, own) { told.clone() } else { meet_type(types, own, told.widenconst(types)) }
    };
    let (then, other) = (narrowed(&it.then), narrowed(&it.other));
    if then.is_bottom(types) || other.is_bottom(types) {
        return plain();
    }
    Lattice::Conditional(Arc::new(crate::lattice::Conditional { slot: *slot, def: *def, then, other }))
}
