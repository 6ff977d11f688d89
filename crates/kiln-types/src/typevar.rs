//! Type variables: new ones, and which occur free in a type.

use crate::{Symbol, Type, TypeData, Types, entry};
use std::sync::atomic::Ordering;

/// A new variable, distinct from all others.
pub fn new(types: &Types, name: Symbol, lower: Type, upper: Type) -> Type {
    let ordinal = types.next_ordinal.fetch_add(1, Ordering::Relaxed);
    let data = TypeData::Var { name, lower, upper, ordinal };
    Type::from_index(types.types.push(entry::new(types, data)))
}

/// Whether variables occur that no `UnionAll` inside `ty` binds.
pub fn has_free_vars(types: &Types, ty: Type) -> bool {
    !types.entry(ty).facts.free.is_empty() || matches!(types.data(ty), TypeData::Var { .. })
}

/// Whether this variable occurs free.
pub fn occurs(types: &Types, var: Type, ty: Type) -> bool {
    ty == var || types.entry(ty).facts.free.binary_search(&var).is_ok()
}

/// The free variables of a type, in no particular but a fixed order.
pub(crate) fn free(types: &Types, ty: Type) -> Vec<Type> {
    if matches!(types.data(ty), TypeData::Var { .. }) {
        vec![ty]
    } else {
        types.entry(ty).facts.free.to_vec()
    }
}

/// Returns the variable that a `UnionAll` over `body` binds in place of `var`: the first of this name and bounds
/// that neither occurs in the body nor is bound in it. It depends on the structure of the body only, so types
/// that are equal up to renaming have one id.
pub(crate) fn canonical(
    types: &Types,
    name: Symbol,
    lower: Type,
    upper: Type,
    body: Type,
    var: Type,
) -> Type {
    let mut ordinal = types.entry(body).facts.height;
    loop {
        let candidate = types.intern(TypeData::Var { name, lower, upper, ordinal });
        if candidate == var || !occurs(types, candidate, body) {
            return candidate;
        }
        ordinal += 1;
    }
}
