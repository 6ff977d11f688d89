//! Calls that go through `_apply_iterate` and `invoke`.

use super::calls::CallResult;
use super::interpret::{Arg, Interpreter};
use super::resolution::{Expansion, Resolution};
use crate::lattice::{Lattice, field};
use crate::tfuncs::{Outcome, svec_elements};
use kiln_ir::{Builtin, Effects};
use kiln_runtime::interp::Special;
use kiln_types::{Const, Type, TypeData};

/// Tuples longer than this are not spread out.
const SPLAT_MAX: usize = 64;

impl Interpreter<'_, '_> {
    /// `_apply_iterate(iterate, f, args...)`.
    pub(crate) fn call_splat(&mut self, args: &[Arg]) -> CallResult {
        let types = self.session.types;
        let [_, _iterate, callee, splatted @ ..] = args else { return self.dynamic(args) };
        let mut call = vec![callee.clone()];
        let mut expansions = Vec::new();
        for arg in splatted {
            let Some((expansion, elements)) = self.expand(&arg.ty) else {
                return self.splat_unknown(callee, splatted, args);
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

    /// The elements of something whose length is known.
    fn expand(&self, arg: &Lattice) -> Option<(Expansion, Vec<Lattice>)> {
        let types = self.session.types;
        if let Some(all) = svec_elements(self.session.env, arg) {
            let consts: Vec<Const> = all.iter().filter_map(Lattice::as_const).collect();
            return Some((Expansion::Consts(consts), all));
        }
        let ty = arg.exact_type(types)?;
        if !types.is_tuple(ty) && !types.is_named_tuple(ty) {
            return None;
        }
        let declared: Vec<Type> = types.field_types(ty).to_vec();
        let open = declared.last().is_some_and(|&it| matches!(types.data(it), TypeData::Vararg { .. }));
        if open || declared.len() > SPLAT_MAX {
            return None;
        }
        let elements: Vec<Lattice> = (0..declared.len()).filter_map(|n| field(types, arg, n)).collect();
        let known = elements.iter().map(|it| it.widen(types)).collect();
        Some((Expansion::Fields(known), elements))
    }

    /// A splat of something whose length is not known.
    fn splat_unknown(&mut self, callee: &Arg, splatted: &[Arg], args: &[Arg]) -> CallResult {
        let types = self.session.types;
        let special =
            callee.ty.as_const().and_then(|it| self.session.rt.callees.of_type(types.typeof_const(it)));
        if special == Some(Special::Builtin(Builtin::Tuple)) {
            let elem = splatted
                .iter()
                .map(|it| self.element(&it.ty))
                .reduce(|a, b| crate::lattice::join_types(types, a, b));
            let elem = elem.unwrap_or(types.core().any);
            let ty = Lattice::of(types, types.tuple(&[types.vararg(elem, None)]));
            let outcome = Outcome { ty, effects: Effects::NONE };
            return CallResult::of(outcome, Resolution::Builtin(Builtin::ApplyIterate));
        }
        let result = self.dynamic(&args[2..]);
        CallResult { resolution: Resolution::Builtin(Builtin::ApplyIterate), ..result }
    }

    fn element(&self, arg: &Lattice) -> Type {
        let types = self.session.types;
        let ty = arg.widen(types);
        if types.is_tuple(ty) {
            let all = types.params(ty).iter().map(|&it| match types.data(it) {
                TypeData::Vararg { elem, .. } => *elem,
                _ => it,
            });
            return all.reduce(|a, b| crate::lattice::join_types(types, a, b)).unwrap_or(types.core().any);
        }
        types.core().any
    }

    /// `invoke(f, types, args...)`.
    pub(crate) fn call_invoke(&mut self, args: &[Arg]) -> CallResult {
        let types = self.session.types;
        let [_, callee, sig, rest @ ..] = args else { return self.dynamic(args) };
        let sig = sig.ty.as_type(types).filter(|&it| types.is_tuple(types.unwrap_unionall(it)));
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
