//! Binding variables and replacing them.
//!
//! # Invariant
//! The variable of every interned `UnionAll` is the one `typevar::canonical` chooses for its body, so two that
//! differ only in the identity of their variables are one. Opening a `UnionAll` therefore yields variables that other
//! types use as well; code that puts a type under a binder must check for capture.

use crate::entry::FIRST_SCRATCH_ORDINAL;
use crate::{Symbol, Type, TypeData, Types, datatype, typevar};

/// A simultaneous substitution of variables.
#[derive(Clone)]
struct Map(Vec<(Type, Type)>);

/// `body where var`, in normal form: `body` itself if `var` does not occur, the upper bound if the body is
/// the variable.
pub fn new(types: &Types, var: Type, body: Type) -> Type {
    let &TypeData::Var { name, lower, upper, .. } = types.data(var) else { return body };
    if body == var {
        return upper;
    }
    if let &TypeData::Vararg { elem, count } = types.data(body) {
        // `Vararg{T} where T` scopes over the element; a bound length can not.
        return if count == Some(var) { body } else { datatype::vararg(types, new(types, var, elem), count) };
    }
    if !typevar::occurs(types, var, body) {
        return body;
    }
    let bound = typevar::canonical(types, name, lower, upper, body, var);
    let body = if bound == var { body } else { substitute(types, body, var, bound) };
    types.intern(TypeData::UnionAll { var: bound, body })
}

/// `body` with `var` replaced.
pub fn substitute(types: &Types, body: Type, var: Type, with: Type) -> Type {
    if body == var {
        return with;
    }
    if !typevar::occurs(types, var, body) || var == with {
        return body;
    }
    replace(types, body, &Map(vec![(var, with)]))
}

/// Replaces each of `vars` in `body` by the corresponding element of `with`, simultaneously.
pub(crate) fn substitute_all(types: &Types, body: Type, vars: &[Type], with: &[Type]) -> Type {
    let map = Map(vars.iter().copied().zip(with.iter().copied()).filter(|(var, with)| var != with).collect());
    replace(types, body, &map)
}

fn replace(types: &Types, ty: Type, map: &Map) -> Type {
    if let TypeData::Var { .. } = types.data(ty) {
        return map.0.iter().find(|(var, _)| *var == ty).map_or(ty, |(_, with)| *with);
    }
    let free = &types.entry(ty).facts.free;
    if !map.0.iter().any(|(var, _)| free.binary_search(var).is_ok()) {
        return ty;
    }
    match types.data(ty) {
        TypeData::Bottom | TypeData::Value(_) | TypeData::Var { .. } => ty,
        TypeData::Data { name, params } => {
            let params: Vec<Type> = params.iter().map(|&it| replace(types, it, map)).collect();
            if datatype::is_tuple(types, ty) {
                datatype::tuple(types, &params)
            } else {
                types.intern(TypeData::Data { name: *name, params: params.into() })
            }
        }
        TypeData::Union(members) => {
            let members: Vec<Type> = members.iter().map(|&it| replace(types, it, map)).collect();
            types.union(&members)
        }
        TypeData::Vararg { elem, count } => {
            datatype::vararg(types, replace(types, *elem, map), count.map(|it| replace(types, it, map)))
        }
        &TypeData::UnionAll { var, body } => replace_under(types, var, body, map),
    }
}

fn replace_under(types: &Types, var: Type, body: Type, map: &Map) -> Type {
    let &TypeData::Var { name, lower, upper, .. } = types.data(var) else { return body };
    // Bounds are outside the scope of their variable.
    let (new_lower, new_upper) = (replace(types, lower, map), replace(types, upper, map));
    let mut inner = map.clone();
    inner.0.retain(|(it, _)| *it != var && typevar::occurs(types, *it, body));
    let captures = inner.0.iter().any(|(_, with)| typevar::occurs(types, var, *with));
    if (new_lower, new_upper) == (lower, upper) && !captures {
        return new(types, var, replace(types, body, &inner));
    }
    let avoid = |it| {
        typevar::occurs(types, it, body) || inner.0.iter().any(|(_, with)| typevar::occurs(types, it, *with))
    };
    let renamed = scratch_var(types, name, new_lower, new_upper, avoid);
    inner.0.push((var, renamed));
    new(types, renamed, replace(types, body, &inner))
}

/// Returns a working variable that `avoid` does not reject. All callers share scratch variables.
pub(crate) fn scratch_var(
    types: &Types,
    name: Symbol,
    lower: Type,
    upper: Type,
    avoid: impl Fn(Type) -> bool,
) -> Type {
    let mut ordinal = FIRST_SCRATCH_ORDINAL;
    loop {
        let candidate = types.intern(TypeData::Var { name, lower, upper, ordinal });
        if !avoid(candidate) {
            return candidate;
        }
        ordinal += 1;
    }
}

/// The type inside all `UnionAll`s.
pub fn unwrap(types: &Types, ty: Type) -> Type {
    let mut ty = ty;
    while let TypeData::UnionAll { body, .. } = types.data(ty) {
        ty = *body;
    }
    ty
}

/// The variables of the outer `UnionAll`s of a type, outermost first.
pub fn outer_vars(types: &Types, ty: Type) -> Vec<Type> {
    let (mut ty, mut vars) = (ty, Vec::new());
    while let TypeData::UnionAll { var, body } = types.data(ty) {
        vars.push(*var);
        ty = *body;
    }
    vars
}

/// `ty` inside the `UnionAll`s that `like` has.
pub fn rewrap(types: &Types, ty: Type, like: Type) -> Type {
    wrap_vars(types, ty, &outer_vars(types, like))
}

/// `ty` inside `UnionAll`s over `vars`, the first outermost.
pub fn wrap_vars(types: &Types, ty: Type, vars: &[Type]) -> Type {
    vars.iter().rev().fold(ty, |body, &var| new(types, var, body))
}

/// Whether a variable occurs inside a constructor; with `invariant`, inside one that is not a tuple.
pub(crate) fn occurs_inside(types: &Types, var: Type, ty: Type, invariant: bool) -> bool {
    occurs_in(types, var, ty, invariant, false)
}

fn occurs_in(types: &Types, var: Type, ty: Type, invariant: bool, inside: bool) -> bool {
    if ty == var {
        return inside;
    }
    if inside || !typevar::occurs(types, var, ty) {
        return inside && typevar::occurs(types, var, ty);
    }
    match types.data(ty) {
        TypeData::Union(members) => members.iter().any(|&it| occurs_in(types, var, it, invariant, false)),
        TypeData::UnionAll { var: bound, body } => {
            if let TypeData::Var { lower, upper, .. } = types.data(*bound)
                && [lower, upper].iter().any(|&&it| occurs_in(types, var, it, invariant, false))
            {
                return true;
            }
            occurs_in(types, var, *body, invariant, false)
        }
        TypeData::Data { params, .. } => {
            let inside = !invariant || !datatype::is_tuple(types, ty);
            params.iter().any(|&it| occurs_in(types, var, it, invariant, inside))
        }
        TypeData::Vararg { elem, count } => {
            occurs_in(types, var, *elem, invariant, !invariant) || *count == Some(var)
        }
        TypeData::Bottom | TypeData::Value(_) | TypeData::Var { .. } => false,
    }
}
