//! How far methods are specialized, under Julia's rules.

use super::{Method, MethodTables};
use kiln_ir::{CodeInfo, Lowered, LoweredStmt};
use kiln_types::{Type, TypeData, datatype, subtype, typevar, unionall};

impl MethodTables {
    /// The signature to compile `method` for when it is called with the concrete `sig`, and its static
    /// parameters: arguments marked `@nospecialize`, types and functions that are only passed on, and long
    /// lists of varargs do not get a specialization each; a generator and another compiler see the exact types.
    pub fn specialize(&self, method: &Method, sig: Type, static_params: &[Type]) -> (Type, Vec<Type>) {
        // What a foreign body does with its arguments is not known here.
        if method.code.meta.generated || method.foreign.is_some() {
            return (sig, static_params.to_vec());
        }
        let types = &self.types;
        let declared = datatype::params(types, unionall::unwrap(types, method.sig));
        let nargs = method.nargs as usize;
        let mut elems = datatype::params(types, sig).to_vec();
        for (at, elem) in elems.iter_mut().enumerate().skip(1) {
            let slot = if method.is_va { at.min(nargs.saturating_sub(1)) } else { at };
            let wanted =
                declared.get(at).or(declared.last()).map_or(types.core().any, |&it| self.element(it));
            if let Some(wider) = self.widened(&method.code, slot, *elem, wanted) {
                *elem = wider;
            }
        }
        self.shorten_varargs(method, declared, &mut elems);
        let wider = datatype::tuple(types, &elems);
        if wider == sig {
            return (sig, static_params.to_vec());
        }
        match subtype::matching(types, wider, method.sig) {
            Some(env) => (wider, env),
            None => (sig, static_params.to_vec()),
        }
    }

    /// The element type of a `Vararg`, anything else itself.
    fn element(&self, declared: Type) -> Type {
        match self.types.data(declared) {
            TypeData::Vararg { elem, .. } => *elem,
            TypeData::Bottom
            | TypeData::Data { .. }
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. }
            | TypeData::Value(_) => declared,
        }
    }

    fn widened(&self, code: &CodeInfo, slot: usize, actual: Type, declared: Type) -> Option<Type> {
        let types = &self.types;
        let core = types.core();
        if slot < 32 && code.meta.nospecialize & (1 << slot) != 0 {
            return (!typevar::has_free_vars(types, declared)).then_some(declared);
        }
        if typevar::has_free_vars(types, declared) || is_called(code, slot) {
            return None;
        }
        if let Some(param) = datatype::type_type_param(types, actual) {
            let asked = datatype::type_type_param(types, declared).is_some();
            if asked {
                return None;
            }
            // `Type{Type{..}}` never gets a specialization; a plain type does where `Type` was asked for.
            if datatype::type_type_param(types, param).is_some() {
                return Some(core.type_);
            }
            return (declared == core.any || declared == core.data_type)
                .then(|| if datatype::is_concrete(types, param) { core.data_type } else { core.type_ });
        }
        let function = declared == core.any || declared == core.function;
        (function && types.subtype(actual, core.function) && !types.subtype(actual, core.builtin))
            .then_some(core.function)
    }

    /// Varargs beyond the declared arguments by more than one become a `Vararg` of their common type.
    fn shorten_varargs(&self, method: &Method, declared: &[Type], elems: &mut Vec<Type>) {
        let keep = declared.len() + 1;
        if !method.is_va || elems.len() <= keep {
            return;
        }
        let open = matches!(
            declared.last().map(|&it| self.types.data(it)),
            Some(TypeData::Vararg { count: None, .. })
        );
        let Some(&last) = elems.last() else { return };
        if open && elems[keep - 1..].iter().all(|&it| it == last) {
            elems.truncate(keep - 1);
            elems.push(datatype::vararg(&self.types, last, None));
        }
    }
}

/// Whether the body calls the value of `slot`.
fn is_called(code: &CodeInfo, slot: usize) -> bool {
    let callee = Lowered::Slot(slot as u32);
    code.stmts.iter().any(|it| matches!(it, LoweredStmt::Call(args) if args.first() == Some(&callee)))
}
