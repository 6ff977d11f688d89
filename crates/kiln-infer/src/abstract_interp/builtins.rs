//! Builtins that need more than a transfer function: conditionals, globals, calls through other builtins.

use super::calls::CallResult;
use super::local::{Arg, LocalInference};
use super::resolution::Resolution;
use crate::explain::Widening;
use crate::lattice::{Lattice, meet_type};
use crate::tfuncs::{self, Outcome, WRITE};
use kiln_ir::{Builtin, Effects, HostFunction};
use kiln_types::{ConstData, Module, Symbol, Type, TypeData, consts, datatype, definition, typevar, union};

impl LocalInference<'_, '_> {
    /// Infers a call of a builtin with `args[1..]`.
    pub(crate) fn call_builtin(&mut self, builtin: Builtin, args: &[Arg]) -> CallResult {
        let types = self.interp.env.types;
        let rest = &args[1..];
        match builtin {
            Builtin::ApplyIterate => return self.call_splat(args),
            Builtin::Invoke => return self.call_invoke(args),
            Builtin::Deferred => return self.deferred(rest),
            Builtin::Invokelatest => {
                let result = self.dynamic(rest);
                return CallResult { resolution: Resolution::Builtin(builtin), ..result };
            }
            Builtin::Getglobal | Builtin::Getfield => {
                if let Some((module, name)) = self.module_and_name(rest) {
                    return self.get_global(module, name);
                }
            }
            Builtin::Isdefinedglobal | Builtin::Isdefined if rest.len() == 2 => {
                if let Some((module, name)) = self.module_and_name(rest) {
                    let ty = self.is_defined_global(module, name);
                    let outcome = Outcome::new(self.interp.env, ty, tfuncs::READ);
                    return known_or(outcome, Resolution::Builtin(builtin));
                }
            }
            Builtin::Is | Builtin::Isa => {
                let all: Vec<Lattice> = rest.iter().map(|it| it.ty.clone()).collect();
                let outcome = tfuncs::builtin(self.interp.env, builtin, &all);
                if outcome.ty == Lattice::Type(types.core().bool)
                    && let Some(ty) = self.condition(builtin, rest)
                {
                    return CallResult::from_outcome(Outcome { ty, ..outcome }, Resolution::Builtin(builtin));
                }
                return CallResult::from_outcome(outcome, Resolution::Builtin(builtin));
            }
            Builtin::Setglobal => {
                // Compiled code assigns a variable by its declared type.
                if let Some((module, name)) = self.module_and_name(rest) {
                    self.depend_on_binding(module, name);
                }
                let value = rest.get(2).map_or_else(|| Lattice::bottom(types), |it| it.ty.clone());
                return CallResult::from_outcome(
                    Outcome::new(self.interp.env, value, WRITE),
                    Resolution::Builtin(builtin),
                );
            }
            _ => {}
        }
        let all: Vec<Lattice> = rest.iter().map(|it| it.ty.clone()).collect();
        let outcome = tfuncs::builtin(self.interp.env, builtin, &all);
        let boxed = builtin == Builtin::Getfield
            && all.first().is_some_and(|it| it.widenconst(types) == types.core().box_);
        if boxed {
            self.frame.widened[self.pc] = Some(Widening::CapturedBox);
        }
        CallResult::from_outcome(outcome, Resolution::Builtin(builtin))
    }

    fn module_and_name(&self, args: &[Arg]) -> Option<(Module, Symbol)> {
        let types = self.interp.env.types;
        let [module, name, ..] = args else { return None };
        match (types.const_data(module.ty.as_const()?), types.const_data(name.ty.as_const()?)) {
            (ConstData::Module(module), ConstData::Symbol(name)) => Some((*module, *name)),
            _ => None,
        }
    }

    fn get_global(&mut self, module: Module, name: Symbol) -> CallResult {
        let (ty, effects) = self.look_up_global(module, name);
        CallResult::from_outcome(Outcome { ty, effects }, Resolution::Global(module, name))
            .throwing(self.interp.env.types.core().undef_var_error)
    }

    /// Returns the conditional on a slot that `a === b` or `isa(a, T)` implies.
    fn condition(&self, builtin: Builtin, args: &[Arg]) -> Option<Lattice> {
        let types = self.interp.env.types;
        let [a, b] = args else { return None };
        if builtin == Builtin::Isa {
            let (slot, def) = a.slot?;
            let ty = b.ty.as_type(types).filter(|&it| !typevar::has_free_vars(types, it))?;
            let then = meet_type(types, &a.ty, ty);
            let other = self.without(&a.ty, ty);
            return Some(Lattice::conditional(types, slot, def, then, other));
        }
        let (it, value) = match (a.slot, b.slot) {
            (Some(_), _) if b.ty.as_const().is_some() => (a, b),
            (_, Some(_)) if a.ty.as_const().is_some() => (b, a),
            _ => return None,
        };
        let (slot, def) = it.slot?;
        let ty = value.ty.widenconst(types);
        let single = definition::singleton(types, ty).is_some();
        let other = if single { self.without(&it.ty, ty) } else { it.ty.clone() };
        Some(Lattice::conditional(types, slot, def, value.ty.clone(), other))
    }

    /// Returns `it` without the values of type `ty`.
    fn without(&self, it: &Lattice, ty: Type) -> Lattice {
        let types = self.interp.env.types;
        let own = it.widenconst(types);
        let left: Vec<Type> =
            union::members(types, own).into_iter().filter(|&it| !types.subtype(it, ty)).collect();
        if left.len() == union::members(types, own).len() {
            return it.clone();
        }
        Lattice::normalize(types, types.union(&left))
    }

    /// Infers a call of a host function with `args[1..]`.
    pub(crate) fn call_host(&mut self, function: HostFunction, args: &[Arg]) -> CallResult {
        let rest: Vec<Lattice> = args[1..].iter().map(|it| it.ty.clone()).collect();
        if function == HostFunction::ReturnType
            && let Some(result) = self.return_type(&rest)
        {
            return result;
        }
        let outcome = tfuncs::host(self.interp.env, function, &rest);
        if outcome.effects.is_foldable()
            && let Some(value) = self.evaluate(&args.iter().map(|it| it.ty.clone()).collect::<Vec<_>>())
        {
            return value;
        }
        CallResult::from_outcome(outcome, Resolution::Host(function))
    }

    /// Infers `return_type(f, Tuple{..})` immediately.
    fn return_type(&mut self, args: &[Lattice]) -> Option<CallResult> {
        let types = self.interp.env.types;
        let [function, tuple, ..] = args else { return None };
        let tuple = tuple.as_type(types).filter(|&it| datatype::is_tuple(types, it))?;
        let params = datatype::params(types, tuple);
        let (fixed, rest) = match params.split_last() {
            Some((&last, fixed)) => match types.data(last) {
                TypeData::Vararg { elem, .. } => (fixed, Some(*elem)),
                _ => (params, None),
            },
            None => (params, None),
        };
        let mut call = vec![Arg { ty: function.clone(), slot: None }];
        call.extend(fixed.iter().map(|&it| Arg { ty: Lattice::normalize(types, it), slot: None }));
        let why = self.frame.widened[self.pc].clone();
        let result = match rest {
            Some(rest) => self.call_open(&call, rest),
            None => self.call(&call),
        };
        self.frame.widened[self.pc] = why;
        let ty = match result.ty.as_const() {
            Some(it) => consts::type_of(types, it),
            None => result.ty.widenconst(types),
        };
        let found = Lattice::Const(consts::of_type(types, ty));
        let effects = Effects { nortcall: false, ..Effects::TOTAL };
        let outcome = Outcome::new(self.interp.env, found, effects);
        Some(CallResult::from_outcome(outcome, Resolution::Host(HostFunction::ReturnType)))
    }
}

/// Returns the constant of an outcome without the effects of computing it, or the outcome.
fn known_or(outcome: Outcome, resolution: Resolution) -> CallResult {
    match outcome.ty.as_const() {
        Some(it) => {
            let outcome = Outcome { effects: Effects::TOTAL, ..outcome };
            CallResult {
                resolution: Resolution::Const(it),
                ..CallResult::from_outcome(outcome, Resolution::None)
            }
        }
        None => CallResult { resolution, ..CallResult::from_outcome(outcome, Resolution::None) },
    }
}
