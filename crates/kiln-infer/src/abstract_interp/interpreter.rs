//! The abstract interpreter: infers instances and their callees, iterates recursive groups to a fixed point, and
//! publishes code instances, callees first.

use super::local::LocalInference;
use super::pending::{Derivation, PendingResult, PendingResults};
use super::publication::in_order;
use super::result::{InferenceResult, Inlining};
use super::state::InferenceState;
use crate::explain::{Provenance, Widened};
use crate::lattice::{Lattice, field, join, join_types, le};
use crate::tfuncs::{Env, tuple_of};
use crate::{Finished, InferError, InferenceInputs};
use kiln_ir::{Effects, Instance, IrCode, Op};
use kiln_runtime::eval::generated;
use kiln_runtime::tables::{
    Code, CodeInstance, CodeResult, KnownArg, KnownField, Matches, MethodId, MethodInstance, TableId,
    WorldRange, depends_on_program,
};
use kiln_runtime::{Runtime, TypedQuery, deferred};
use kiln_types::{Type, TypeData, Types, datatype, typevar, unionall};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Calls nested deeper are not inferred: their result is `Any`.
const DEPTH_MAX: usize = 250;
/// Rounds after which the result of a recursive function is widened to its type, and to `Any`.
const ROUNDS_WIDEN: usize = 4;
const ROUNDS_MAX: usize = 8;
/// Larger bodies are not inferred again for constants unless their author asks for it.
pub(crate) const CONST_PROP_STMTS_MAX: usize = 400;
/// The native stack that one frame may need, and the size of a further segment.
const RED_ZONE_BYTES: usize = 256 * 1024;
const SEGMENT_BYTES: usize = 16 * 1024 * 1024;

/// An instance that is being inferred.
pub(crate) struct ActiveInstance {
    /// The instance.
    pub(crate) instance: Instance,
    /// Its method.
    pub(crate) method: MethodId,
    /// Its signature.
    pub(crate) sig: Type,
    /// The assumed result, which recursive calls are given.
    pub(crate) guess: InferenceResult,
    used: bool,
    /// The position of the lowest active instance that the result depends on.
    pub(crate) lowest: usize,
    /// The invalidated code instance that is assumed to be valid.
    pub(crate) kept: Option<Arc<CodeInstance>>,
}

impl ActiveInstance {
    /// Assumes that the invalidated `ci` is valid, until its edges are checked.
    pub(crate) fn assume(&mut self, own: usize, guess: InferenceResult, ci: &Arc<CodeInstance>) {
        self.guess = guess;
        self.kept = Some(ci.clone());
        self.used = false;
        self.lowest = own;
    }
}

/// The work permitted to find the result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Policy {
    /// Results of this and of other sessions are reused, nothing is inferred.
    ReuseOnly,
    /// Missing results are inferred.
    Infer,
}

/// A search for an existing result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Search {
    /// Among the invalidated results of this session, under this policy.
    Ended(Policy),
    /// Among the results of other sessions.
    OtherSessions,
}

/// The origin of a result.
enum Origin {
    /// This session.
    Own(Derivation, InferenceResult),
    /// Another session.
    Other(Arc<CodeInstance>),
}

/// See the [module](self).
pub(crate) struct AbstractInterpreter<'a> {
    /// The environment of transfer functions.
    pub(crate) env: Env<'a>,
    /// The inputs of inference.
    pub(crate) inputs: &'a InferenceInputs,
    /// Instances being inferred, callers first.
    pub(crate) active: Vec<ActiveInstance>,
    finish: &'a mut dyn FnMut(Instance, IrCode) -> Finished,
    pub(crate) pending: PendingResults,
    /// The searches without a result, which are not repeated.
    pub(crate) searched: FxHashSet<(Instance, Search)>,
    /// The current policy.
    pub(crate) policy: Policy,
    /// The results of method look-ups.
    matches: FxHashMap<Type, Option<Arc<Matches>>>,
}

impl<'a> AbstractInterpreter<'a> {
    /// Returns an interpreter without active instances.
    pub(crate) fn new(
        rt: &'a Runtime,
        inputs: &'a InferenceInputs,
        finish: &'a mut dyn FnMut(Instance, IrCode) -> Finished,
    ) -> Self {
        let env = Env { rt, types: &rt.types, params: &inputs.params };
        Self {
            env,
            inputs,
            active: Vec::new(),
            finish,
            pending: PendingResults::default(),
            searched: FxHashSet::default(),
            policy: Policy::Infer,
            matches: FxHashMap::default(),
        }
    }

    /// Returns the methods that calls with this signature may select; `None` if there are too many.
    pub(crate) fn find_matches(&mut self, sig: Type) -> Option<Arc<Matches>> {
        let (rt, inputs) = (self.env.rt, self.inputs);
        let found = self.matches.entry(sig).or_insert_with(|| {
            let limit = inputs.params.methods_max;
            rt.tables.find_matches_in(&inputs.view, sig, inputs.world, limit).map(Arc::new)
        });
        found.clone()
    }

    /// Whether a method is in the global method table, not in an overlay.
    pub(crate) fn is_of_program(&self, method: MethodId) -> bool {
        self.env.rt.tables.method(method).table == TableId::GLOBAL
    }

    /// Returns the code instance of an instance.
    pub(crate) fn cached(&self, instance: Instance) -> Option<Arc<CodeInstance>> {
        self.env.rt.tables.code_instance(instance, self.inputs.owner, self.inputs.world)
    }

    /// Returns another session's result: of the requested instance, of one that depends on the program, or of one of the library
    /// that such a one calls. What these call within the library is mostly inlined, and never kept.
    fn of_other_sessions(&mut self, own: usize, instance: Instance) -> Option<Arc<CodeInstance>> {
        let (rt, inputs) = (self.env.rt, self.inputs);
        let is_asked = rt.tables.world() == inputs.world && !rt.tables.inference.is_own_only();
        let kept = rt.stored_code.get().filter(|_| is_asked)?;
        let is_kept = || {
            let caller = self.active[own - 1].instance;
            depends_on_program(&rt.tables, instance) || depends_on_program(&rt.tables, caller)
        };
        let query = if own == 0 { TypedQuery::Requested } else { TypedQuery::Callee };
        if own > 0 && !is_kept() || self.searched.contains(&(instance, Search::OtherSessions)) {
            return None;
        }
        let found = kept.find(rt, &inputs.view, inputs.owner, instance, query);
        if found.is_none() {
            self.searched.insert((instance, Search::OtherSessions));
        }
        found
    }

    fn unknown_result(&self) -> InferenceResult {
        InferenceResult {
            ret: Lattice::any(self.env.types),
            effects: Effects::NONE,
            exct: self.env.types.core().any,
            imprecise: true,
            worlds: WorldRange::ALL,
        }
    }

    /// Returns the result of a callee, inferring it if needed. Without one, the result is unknown.
    pub(crate) fn infer_edge(&mut self, instance: Instance) -> InferenceResult {
        self.known_result(instance).unwrap_or_else(|| self.unknown_result())
    }

    /// Returns the result of a callee. `None` if it has no body, or if it must be inferred and the policy forbids it.
    pub(crate) fn known_result(&mut self, instance: Instance) -> Option<InferenceResult> {
        if let Some(ci) = self.cached(instance) {
            return Some(self.result_of_cached(&ci));
        }
        if let Some(at) = self.active.iter().position(|it| it.instance == instance) {
            self.active[at].used = true;
            self.depend_on(at);
            return Some(self.active[at].guess.clone());
        }
        if let Some(found) = self.pending.find(instance) {
            let (result, lowest) = (found.result.clone(), found.lowest);
            self.depend_on(lowest);
            return Some(result);
        }
        // Instances of other owners are compiled later, by a compiler that may ask for the instance being inferred
        // now.
        let mut unknown = self.unknown_result();
        if self.active.len() >= DEPTH_MAX || deferred::owner(self.env.rt, instance).is_some() {
            return Some(unknown);
        }
        if self.is_generated_for_open_types(instance) {
            unknown.effects.nonoverlayed = true;
            return Some(unknown);
        }
        stacker::maybe_grow(RED_ZONE_BYTES, SEGMENT_BYTES, || self.find_or_infer(instance))
    }

    /// Whether a generator would run for a type that no value has. Its expansion for concrete types may differ.
    fn is_generated_for_open_types(&self, instance: Instance) -> bool {
        let data = self.env.rt.tables.instance_data(instance);
        self.env.rt.tables.method(data.method).code.meta.generated
            && !datatype::is_dispatch_tuple(self.env.types, data.spec_types)
    }

    fn result_of_cached(&self, ci: &CodeInstance) -> InferenceResult {
        let worlds = ci.range_of(self.inputs.world).unwrap_or_else(|| ci.worlds());
        if let Some(it) = ci.result::<InferenceResult>() {
            return InferenceResult { worlds, ..(*it).clone() };
        }
        let ret = match ci.return_const {
            Some(it) => Lattice::Const(it),
            None => Lattice::normalize(self.env.types, ci.return_type),
        };
        InferenceResult { ret, effects: ci.effects, exct: ci.exception_type, imprecise: false, worlds }
    }

    /// Notes that the innermost active instance depends on the one at `at`.
    pub(crate) fn depend_on(&mut self, at: usize) {
        if let Some(top) = self.active.last_mut() {
            top.lowest = top.lowest.min(at);
        }
    }

    fn find_or_infer(&mut self, instance: Instance) -> Option<InferenceResult> {
        let data = self.env.rt.tables.instance_data(instance);
        let own = self.active.len();
        let first_pending = self.pending.len();
        self.active.push(ActiveInstance {
            instance,
            method: data.method,
            sig: data.spec_types,
            guess: self.bottom_result(),
            used: false,
            lowest: own,
            kept: None,
        });
        let origin = self.origin(own, first_pending, &data);
        let lowest = self.active.pop().map_or(own, |it| it.lowest);
        let (derivation, result) = match origin? {
            Origin::Other(ci) => return Some(self.result_of_cached(&ci)),
            Origin::Own(derivation, result) => (derivation, result),
        };
        self.pending.push(PendingResult { instance, derivation, result: result.clone(), lowest });
        if lowest < own {
            self.depend_on(lowest);
        } else {
            self.publish(first_pending);
            // The optimizer may have improved the result.
            if let Some(ci) = self.cached(instance) {
                return Some(self.result_of_cached(&ci));
            }
        }
        Some(result)
    }

    /// Returns the result of the instance that is active at `own` from the cheapest origin. Results of this session
    /// come before those of others, since other compiled code refers to them; unless inference is needed to
    /// revalidate them.
    fn origin(&mut self, own: usize, first_pending: usize, data: &MethodInstance) -> Option<Origin> {
        let instance = data.instance;
        let allowed = std::mem::replace(&mut self.policy, Policy::ReuseOnly);
        let kept = self.revalidate(own, instance);
        self.policy = allowed;
        if let Some((ci, result)) = kept {
            return Some(Origin::Own(Derivation::Kept(ci), result));
        }
        if let Some(ci) = self.of_other_sessions(own, instance) {
            return Some(Origin::Other(ci));
        }
        if allowed == Policy::ReuseOnly {
            return None;
        }
        let (derivation, result) = match self.revalidate(own, instance) {
            Some((ci, result)) => (Derivation::Kept(ci), result),
            None => self.infer_in_rounds(own, first_pending, data)?,
        };
        Some(Origin::Own(derivation, result))
    }

    /// Returns bottom, the first assumption for recursive calls.
    fn bottom_result(&self) -> InferenceResult {
        InferenceResult {
            ret: Lattice::bottom(self.env.types),
            effects: Effects { terminates: false, ..Effects::TOTAL },
            exct: self.env.types.core().bottom,
            imprecise: false,
            worlds: WorldRange::ALL,
        }
    }

    /// Infers the instance that is active at `own`, in rounds until the assumed result is stable. `None` if it has no
    /// body.
    fn infer_in_rounds(
        &mut self,
        own: usize,
        first_pending: usize,
        data: &MethodInstance,
    ) -> Option<(Derivation, InferenceResult)> {
        let earlier = self.pending.earlier_result(data.instance);
        let guess = match earlier {
            Some(it) => InferenceResult { worlds: WorldRange::ALL, ..it.clone() },
            None => self.bottom_result(),
        };
        let active = &mut self.active[own];
        (active.guess, active.used, active.lowest, active.kept) = (guess, false, own, None);
        let mut round = 0;
        loop {
            let frame = self.frame(data)?;
            let frame = LocalInference::new(self, frame).run();
            let result = result_of_state(self.env.types, &frame);
            if self.is_stable(own, &result, round) {
                return Some((Derivation::Inferred(Box::new(frame)), result));
            }
            self.pending.retry_from(first_pending);
            round += 1;
        }
    }

    /// Whether the assumed result is stable; if not, raises it.
    fn is_stable(&mut self, own: usize, result: &InferenceResult, round: usize) -> bool {
        let types = self.env.types;
        let active = &mut self.active[own];
        let guess = &mut active.guess;
        let effects = guess.effects.merge(result.effects);
        let imprecise = guess.imprecise || result.imprecise;
        let exct = join_types(types, guess.exct, result.exct);
        let below = le(types, &result.ret, &guess.ret) && exct == guess.exct;
        if !active.used || below && effects == guess.effects && imprecise == guess.imprecise {
            return true;
        }
        guess.exct = exct;
        guess.effects = effects;
        guess.imprecise = imprecise;
        guess.ret = join(types, &guess.ret, &result.ret);
        if round >= ROUNDS_WIDEN {
            guess.ret = Lattice::normalize(types, guess.ret.widenconst(types));
        }
        if round >= ROUNDS_MAX {
            guess.ret = Lattice::any(types);
            guess.effects = Effects::NONE;
            guess.exct = types.core().any;
        }
        false
    }

    fn frame(&self, data: &MethodInstance) -> Option<InferenceState> {
        let method = self.env.rt.tables.method(data.method);
        let code = generated::instance_body(self.env.rt, data.instance).ok()?;
        let args = self.arguments(data, code.nargs as usize, code.is_va);
        let static_params = self.static_params(data, code.static_params.len());
        Some(InferenceState::new(self.env.types, data.instance, &method, code, static_params, args))
    }

    /// Returns the static parameters of a body that names `count` of them. `None` for a parameter that calls of
    /// exactly these types do not determine, and for those behind the signature's.
    fn static_params(&self, data: &MethodInstance, count: usize) -> Vec<Option<Type>> {
        let is_exact = datatype::is_dispatch_tuple(self.env.types, data.spec_types);
        let is_open = |it: &Type| is_exact && matches!(self.env.types.data(*it), TypeData::Var { .. });
        let known = |n: usize| data.static_params.get(n).copied().filter(|it| !is_open(it));
        (0..count.max(data.static_params.len())).map(known).collect()
    }

    /// Returns the lattice elements of the argument slots.
    fn arguments(&self, data: &MethodInstance, nargs: usize, is_va: bool) -> Vec<Lattice> {
        let types = self.env.types;
        let sig = data.spec_types;
        let elems = datatype::params(types, unionall::unwrap(types, sig));
        let close = |ty: Type| {
            if typevar::has_free_vars(types, ty) { unionall::rewrap(types, ty, sig) } else { ty }
        };
        let open = elems.last().is_some_and(|&it| matches!(types.data(it), TypeData::Vararg { .. }));
        let fixed = if is_va { nargs.saturating_sub(1) } else { nargs };
        let element = |n: usize| -> Lattice {
            match data.known_args.get(n) {
                Some(known) if *known != KnownArg::Type => known_lattice(types, known),
                _ => match elems.get(n).or(elems.last()).map(|&it| (it, types.data(it))) {
                    Some((_, TypeData::Vararg { elem, .. })) => Lattice::normalize(types, close(*elem)),
                    Some((ty, _)) => Lattice::normalize(types, close(ty)),
                    None => Lattice::any(types),
                },
            }
        };
        let mut args: Vec<Lattice> = (0..fixed).map(element).collect();
        if is_va && open {
            let rest: Vec<Type> =
                elems.get(fixed..).unwrap_or_default().iter().map(|&it| close(it)).collect();
            let rest = if rest.is_empty() { elems[elems.len() - 1..].to_vec() } else { rest };
            args.push(Lattice::normalize(types, datatype::tuple(types, &rest)));
        } else if is_va {
            let rest: Vec<Lattice> = (fixed..elems.len()).map(element).collect();
            args.push(tuple_of(self.env.types, &rest));
        }
        args
    }

    /// Publishes the results from `first` on: a recursive group.
    fn publish(&mut self, first: usize) {
        let group = self.pending.take_from(first);
        let alone = group.len() == 1;
        let mut worlds = WorldRange::ALL;
        for it in &group {
            match &it.derivation {
                Derivation::Inferred(frame) => worlds = worlds.intersect(frame.worlds),
                Derivation::Kept(ci) => self.env.rt.tables.revive(ci, it.instance, self.inputs.world),
            }
        }
        for PendingResult { derivation, result, .. } in in_order(self.env.rt, group) {
            if let Derivation::Inferred(frame) = derivation {
                self.publish_inferred(*frame, result, worlds, alone);
            }
        }
    }

    fn publish_inferred(
        &mut self,
        mut frame: InferenceState,
        mut result: InferenceResult,
        mut worlds: WorldRange,
        alone: bool,
    ) {
        let ret = &result.ret;
        let constant = ret.as_const().filter(|_| result.effects.is_removable());
        let provenance = provenance(self.env.types, &frame);
        let mut inlining = Inlining(0);
        let code = crate::ssa::build(self.env.rt, &frame).map(|code| {
            let finished = (self.finish)(frame.instance, code);
            worlds = worlds.intersect(finished.worlds);
            inlining = Inlining(finished.inlining);
            finished.edges.into_iter().for_each(|it| frame.depend(it, finished.worlds));
            finished.code
        });
        let code = code.map(|code| Arc::new(self.narrow_return(&mut result, frame.instance, code, alone)));
        self.env.rt.tables.inference.note_inferred();
        let added = CodeResult {
            instance: frame.instance,
            owner: self.inputs.owner,
            view: self.inputs.view.clone(),
            worlds,
            return_type: result.ret.widenconst(self.env.types),
            return_const: constant,
            effects: result.effects,
            exception_type: result.exct,
            code: code.map(Code::Made),
            edges: frame.edges.into(),
        };
        let ci = self.env.rt.tables.add_code_instance(added, self.inputs.world);
        ci.set_result(Arc::new(InferenceResult { worlds, ..result }));
        ci.set_result(Arc::new(provenance));
        ci.set_result(Arc::new(inlining));
    }

    /// Adopts the optimizer's narrower return type, unless callers have used the inferred one: in a recursive group,
    /// or if the body calls itself.
    fn narrow_return(
        &self,
        result: &mut InferenceResult,
        instance: Instance,
        mut code: IrCode,
        alone: bool,
    ) -> IrCode {
        let inferred = result.ret.widenconst(self.env.types);
        if code.return_type == inferred {
            return code;
        }
        let calls_itself = code.stmts.values().any(|it| matches!(it.op, Op::Invoke(it, _) if it == instance));
        if alone && !calls_itself {
            result.ret = Lattice::normalize(self.env.types, code.return_type);
        } else {
            code.return_type = inferred;
        }
        code
    }

    /// Infers an instance and returns its code instance.
    pub(crate) fn run(&mut self, instance: Instance) -> Result<Arc<CodeInstance>, InferError> {
        if self.cached(instance).is_none() {
            let data = self.env.rt.tables.instance_data(instance);
            let method = self.env.rt.tables.method(data.method);
            if method.code.meta.generated
                && let Err(thrown) = generated::instance_body(self.env.rt, instance)
            {
                return Err(InferError::Generator(thrown));
            }
            self.infer_edge(instance);
        }
        self.cached(instance).ok_or(InferError::Stale)
    }
}

fn result_of_state(types: &Types, frame: &InferenceState) -> InferenceResult {
    let ret = match &frame.ret {
        Lattice::InterConditional(it) if it.then.is_bottom(types) || it.other.is_bottom(types) => {
            frame.ret.clone().widenconditional(types)
        }
        other => other.clone(),
    };
    let imprecise = frame.widened.iter().any(Option::is_some);
    let nothrow = frame.effects.nothrow && !ret.is_bottom(types);
    let effects = Effects { nothrow, ..frame.effects };
    InferenceResult { ret, effects, exct: frame.exct, imprecise, worlds: frame.worlds }
}

fn provenance(types: &Types, frame: &InferenceState) -> Provenance {
    let mut places = Vec::new();
    for (pc, why) in frame.widened.iter().enumerate() {
        if let Some(why) = why {
            let ty = frame.values[pc].as_ref().map_or(types.core().bottom, |it| it.widenconst(types));
            places.push(Widened { loc: frame.code.locs[pc], ty, why: why.clone() });
        }
    }
    Provenance { places }
}

/// Returns the lattice element of a known argument.
fn known_lattice(types: &Types, known: &KnownArg) -> Lattice {
    match known {
        KnownArg::Type => Lattice::any(types),
        KnownArg::Const(it) => Lattice::Const(*it),
        KnownArg::Fields(ty, fields) => {
            let fields = fields
                .iter()
                .map(|it| match it {
                    KnownField::Type(ty) => Lattice::normalize(types, *ty),
                    KnownField::More(known) => known_lattice(types, known),
                })
                .collect();
            Lattice::partial_struct(types, *ty, fields)
        }
    }
}

/// Returns the part of a lattice element that is not in its type.
pub(crate) fn known_arg(types: &Types, arg: &Lattice) -> KnownArg {
    match arg {
        Lattice::Const(it) if *arg != Lattice::normalize(types, arg.widenconst(types)) => {
            KnownArg::Const(*it)
        }
        Lattice::PartialStruct(it) => {
            let fields = (0..it.fields.len()).filter_map(|n| field(types, arg, n));
            let fields = fields.map(|it| match known_arg(types, &it) {
                KnownArg::Type => KnownField::Type(it.widenconst(types)),
                known => KnownField::More(known),
            });
            KnownArg::Fields(it.ty, fields.collect())
        }
        Lattice::Const(_) | Lattice::Type(_) | Lattice::Conditional(_) | Lattice::InterConditional(_) => {
            KnownArg::Type
        }
    }
}
