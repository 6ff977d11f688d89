//! Calls through `_apply_iterate` and `invoke`.

use super::calls::{CallResult, KnownCallee};
use super::local::{Arg, LocalInference};
use super::resolution::{Expansion, Resolution};
use crate::explain::Widening;
use crate::lattice::{Lattice, field, is_type, join, join_types};
use crate::tfuncs::{Outcome, READ_OBJECT, svec_elements};
use kiln_ir::{Builtin, Effects};
use kiln_runtime::interp::Special;
use kiln_types::{Const, Type, TypeData, Types, consts, datatype, typevar, union, unionall};

/// Longer tuples are not expanded.
const SPLAT_MAX: usize = 64;
/// Returns the elements that `iterate` yields.
const ITERATED_MAX: usize = 16;
/// The rounds after which the elements of a long iteration are widened to `Any`.
const ROUNDS_MAX: usize = 3;

/// The arguments that a splat of unknown length yields.
struct Spread {
    /// The leading arguments.
    fixed: Vec<Lattice>,
    /// The type of further arguments; `None` if there are none.
    rest: Option<Type>,
    /// The effects of iterating.
    effects: Effects,
}

impl LocalInference<'_, '_> {
    /// Infers `_apply_iterate(iterate, f, args...)`.
    pub(crate) fn call_splat(&mut self, args: &[Arg]) -> CallResult {
        let types = self.interp.env.types;
        let [_, iterate, callee, splatted @ ..] = args else { return self.dynamic(args) };
        let mut call = vec![callee.clone()];
        let mut expansions = Vec::new();
        for arg in splatted {
            let Some((expansion, elements)) = self.expand(&arg.ty) else {
                return self.splat_open(iterate, callee, splatted);
            };
            expansions.push(expansion);
            call.extend(elements.into_iter().map(|ty| Arg { ty, slot: None }));
        }
        let result = self.call(&call);
        let resolution = match result.resolution {
            Resolution::Const(it) => Resolution::Const(it),
            Resolution::Dynamic | Resolution::None if result.ty.is_bottom(types) => Resolution::Dynamic,
            inner => Resolution::Splat(expansions, Box::new(inner)),
        };
        CallResult { resolution, ..result }
    }

    /// Returns the elements of an iterable of known length.
    fn expand(&self, arg: &Lattice) -> Option<(Expansion, Vec<Lattice>)> {
        let types = self.interp.env.types;
        if let Some(all) = svec_elements(self.interp.env, arg) {
            let consts: Vec<Const> = all.iter().filter_map(Lattice::as_const).collect();
            return Some((Expansion::Consts(consts), all));
        }
        let Some(ty) = arg.exact_type(types) else { return self.expand_tuple(arg) };
        if !datatype::is_tuple(types, ty) && !datatype::is_named_tuple(types, ty) {
            return None;
        }
        let declared: Vec<Type> = datatype::field_types(types, ty).to_vec();
        let open = declared.last().is_some_and(|&it| matches!(types.data(it), TypeData::Vararg { .. }));
        if open || declared.len() > SPLAT_MAX {
            return None;
        }
        let elements: Vec<Lattice> = (0..declared.len()).filter_map(|n| field(types, arg, n)).collect();
        let known = elements.iter().map(|it| it.widenconst(types)).collect();
        Some((Expansion::Fields(known), elements))
    }

    /// Returns the elements of a tuple of known length whose type is not known to the last.
    fn expand_tuple(&self, arg: &Lattice) -> Option<(Expansion, Vec<Lattice>)> {
        let types = self.interp.env.types;
        let ty = arg.widenconst(types);
        if !datatype::is_tuple(types, ty) {
            return None; // unions, and types with variables
        }
        let (elements, rest) = tuple_elements(types, ty)?;
        if rest.is_some() || elements.len() > SPLAT_MAX {
            return None;
        }
        let known = elements.iter().map(|it| it.widenconst(types)).collect();
        Some((Expansion::Fields(known), elements))
    }

    /// Infers a splat of unknown length: the call is dispatched at run time.
    fn splat_open(&mut self, iterate: &Arg, callee: &Arg, splatted: &[Arg]) -> CallResult {
        let types = self.interp.env.types;
        let mut all = Spread { fixed: Vec::new(), rest: None, effects: Effects::TOTAL };
        for arg in splatted {
            let part = self.spread(iterate, &arg.ty);
            all.effects = all.effects.merge(part.effects);
            if part.fixed.iter().any(|it| it.is_bottom(types)) || part.rest == Some(types.core().bottom) {
                let outcome = Outcome { ty: Lattice::bottom(types), effects: all.effects };
                return CallResult::from_outcome(outcome, Resolution::Builtin(Builtin::ApplyIterate));
            }
            match all.rest {
                None => {
                    all.fixed.extend(part.fixed);
                    all.rest = part.rest;
                }
                Some(rest) => {
                    let further = part.fixed.iter().map(|it| it.widenconst(types)).chain(part.rest);
                    all.rest = Some(further.fold(rest, |a, b| join_types(types, a, b)));
                }
            }
        }
        let mut call = vec![callee.clone()];
        call.extend(all.fixed.into_iter().map(|ty| Arg { ty, slot: None }));
        let result = match all.rest {
            Some(rest) => self.call_open(&call, rest),
            None => self.call(&call),
        };
        let widened = self.frame.widened[self.pc].take();
        let of_all = splatted.iter().map(|it| it.ty.widenconst(types));
        let dynamic =
            || Widening::DynamicCall([callee.ty.widenconst(types)].into_iter().chain(of_all).collect());
        self.frame.widened[self.pc] = Some(widened.unwrap_or_else(dynamic));
        let effects = result.effects.merge(all.effects);
        let exct = if all.effects.nothrow { result.exct } else { Types::ANY };
        CallResult { effects, exct, resolution: Resolution::Builtin(Builtin::ApplyIterate), ..result }
    }

    /// Returns the elements of an iterable, as far as they are known.
    fn spread(&mut self, iterate: &Arg, it: &Lattice) -> Spread {
        let types = self.interp.env.types;
        let ty = it.widenconst(types);
        if let Some((_, fixed)) = self.expand(it) {
            return Spread { fixed, rest: None, effects: Effects::TOTAL };
        }
        if let Some((fixed, rest)) = tuple_elements(types, ty) {
            return Spread { fixed, rest, effects: Effects::TOTAL };
        }
        if ty == types.core().any {
            return Spread { fixed: Vec::new(), rest: Some(ty), effects: Effects::NONE };
        }
        if let Some(elem) = array_element(types, ty) {
            let effects = Effects { terminates: true, ..READ_OBJECT };
            return Spread { fixed: Vec::new(), rest: Some(elem), effects };
        }
        self.iterated(iterate, it)
    }

    /// Returns the elements that `iterate` yields.
    fn iterated(&mut self, iterate: &Arg, it: &Lattice) -> Spread {
        let types = self.interp.env.types;
        let it = Arg { ty: it.clone().widenconditional(types), slot: None };
        let mut fixed = Vec::new();
        let mut effects = Effects::TOTAL;
        let mut state = None;
        let mut rest: Option<Type> = None;
        for round in 0.. {
            let mut call = vec![iterate.clone(), it.clone()];
            call.extend(state.clone().map(|ty| Arg { ty, slot: None }));
            let result = self.call(&call);
            effects = effects.merge(result.effects);
            let next = step(types, &result.ty);
            let Step::More { elem, state: next, may_end } = next else {
                let ended = matches!(next, Step::End);
                let rest = if ended { rest } else { rest.or(Some(types.core().any)) };
                let rest = if result.ty.is_bottom(types) { Some(types.core().bottom) } else { rest };
                return Spread { fixed, rest, effects };
            };
            let open = rest.is_some() || may_end || round >= ITERATED_MAX;
            if !open {
                fixed.push(elem);
                state = Some(next);
                continue;
            }
            let elem = elem.widenconst(types);
            let known = rest.unwrap_or(elem);
            let joined = join_types(types, known, elem);
            let before = state.clone();
            let after = match &before {
                Some(before) if rest.is_some() => join(types, before, &next),
                _ => next,
            };
            if rest == Some(joined) && before.as_ref() == Some(&after) {
                return Spread { fixed, rest, effects: Effects { terminates: false, ..effects } };
            }
            if round > ITERATED_MAX + ROUNDS_MAX || fixed.len() + ROUNDS_MAX + 1 < round {
                return Spread { fixed, rest: Some(types.core().any), effects: Effects::NONE };
            }
            rest = Some(joined);
            state = Some(after);
        }
        Spread { fixed, rest, effects }
    }

    /// Infers a call of `args[0]` with `args[1..]` and any number of arguments of type `rest`.
    pub(crate) fn call_open(&mut self, args: &[Arg], rest: Type) -> CallResult {
        let types = self.interp.env.types;
        let known = self.known_callee(&args[0].ty);
        if let Some(KnownCallee::Special(Special::Builtin(Builtin::Tuple))) = known {
            let mut elems: Vec<Type> = args[1..].iter().map(|it| element_type(types, &it.ty)).collect();
            elems.push(datatype::vararg(types, rest, None));
            let outcome = Outcome {
                ty: Lattice::normalize(types, datatype::tuple(types, &elems)),
                effects: Effects::TOTAL,
            };
            return CallResult::from_outcome(outcome, Resolution::Dynamic);
        }
        let mut call = args.to_vec();
        call.push(Arg { ty: Lattice::Type(rest), slot: None });
        if known.is_some() {
            return self.dynamic(&call);
        }
        self.call_generic_open(args, rest)
    }

    /// Infers `invoke(f, types, args...)`.
    pub(crate) fn call_invoke(&mut self, args: &[Arg]) -> CallResult {
        let types = self.interp.env.types;
        let [_, callee, sig, rest @ ..] = args else { return self.dynamic(args) };
        let sig = sig.ty.as_type(types).filter(|&it| datatype::is_tuple(types, unionall::unwrap(types, it)));
        let mut call = vec![callee.clone()];
        call.extend_from_slice(rest);
        if let Some(sig) = sig
            && let Some(result) = self.invoke_method(sig, &call)
        {
            let resolution = match result.resolution {
                Resolution::Const(it) => Resolution::Const(it),
                inner => Resolution::Invoke(Box::new(inner)),
            };
            return CallResult { resolution, ..result };
        }
        let result = self.dynamic(&call);
        CallResult { resolution: Resolution::Builtin(Builtin::Invoke), ..result }
    }
}

/// One step of an iteration.
enum Step {
    /// The end.
    End,
    /// An element and the next state; with `may_end`, possibly the end.
    More { elem: Lattice, state: Lattice, may_end: bool },
    /// Unknown.
    Unknown,
}

fn step(types: &Types, result: &Lattice) -> Step {
    let nothing = types.core().nothing;
    if result.widenconst(types) == nothing {
        return Step::End;
    }
    let pair = |it: &Lattice, may_end| match (field(types, it, 0), field(types, it, 1), field(types, it, 2)) {
        (Some(elem), Some(state), None) => Step::More { elem, state, may_end },
        _ => Step::Unknown,
    };
    let parts = union::members(types, result.widenconst(types));
    let others: Vec<Type> = parts.iter().copied().filter(|it| *it != nothing).collect();
    match others.as_slice() {
        [_] if parts.len() == 1 => pair(result, false),
        [only] => pair(&Lattice::normalize(types, *only), true),
        _ => Step::Unknown,
    }
}

/// Returns the element type that a tuple type has for an element: for a type, its kind.
fn element_type(types: &Types, it: &Lattice) -> Type {
    match it.as_type(types) {
        Some(ty) if is_type(types, ty) => consts::type_of(types, consts::of_type(types, ty)),
        _ => it.widenconst(types),
    }
}

/// Returns the leading elements of a tuple type, and the type of further ones.
fn tuple_elements(types: &Types, ty: Type) -> Option<(Vec<Lattice>, Option<Type>)> {
    if let TypeData::Union(parts) = types.data(ty) {
        let mut all = Vec::new();
        for &part in parts.iter() {
            let (fixed, rest) = tuple_elements(types, part)?;
            all.extend(fixed.iter().map(|it| it.widenconst(types)).chain(rest));
        }
        let elem = all.into_iter().reduce(|a, b| join_types(types, a, b));
        return Some((Vec::new(), elem));
    }
    let inner = unionall::unwrap(types, ty);
    if !datatype::is_tuple(types, inner) {
        return None;
    }
    let close = |it: Type| match types.data(it) {
        TypeData::Var { upper, .. } if !typevar::has_free_vars(types, *upper) => *upper,
        TypeData::Var { .. } => types.core().any,
        _ if typevar::has_free_vars(types, it) => {
            let closed = unionall::rewrap(types, it, ty);
            if typevar::has_free_vars(types, closed) { types.core().any } else { closed }
        }
        _ => it,
    };
    let params = datatype::params(types, inner);
    let (fixed, rest) = match params.split_last() {
        Some((&last, fixed)) => match types.data(last) {
            TypeData::Vararg { elem, .. } => (fixed, Some(close(*elem))),
            _ => (params, None),
        },
        None => (params, None),
    };
    Some((fixed.iter().map(|&it| Lattice::normalize(types, close(it))).collect(), rest))
}

/// Returns the element type of an `Array` or `Memory` type.
fn array_element(types: &Types, ty: Type) -> Option<Type> {
    let core = types.core();
    let params = datatype::params(types, ty);
    let name = datatype::name_of(types, ty).filter(|_| !params.is_empty());
    let at = match name {
        Some(it) if Some(it) == datatype::name_of(types, core.array) => 0,
        Some(it) if Some(it) == datatype::name_of(types, core.generic_memory) => 1,
        _ => return None,
    };
    params.get(at).copied().filter(|it| is_type(types, *it) && !typevar::has_free_vars(types, *it))
}
