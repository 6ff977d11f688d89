//! Julia's order of the members of a union.

use crate::{
    Type, TypeData, TypeName, TypeNameKind, Types, consts, datatype, display, hash, module, name_entry,
    typevar, unionall,
};
use std::cmp::Ordering;

/// Singletons, then isbits types, then other `DataType`s, then the rest; by module and name within each.
pub(crate) fn order(types: &Types, a: Type, b: Type) -> Ordering {
    rank(types, a)
        .cmp(&rank(types, b))
        .then_with(|| name_order(types, a, b))
        // So that the order never depends on that of the arguments.
        .then_with(|| hash::of_type(types, a).cmp(&hash::of_type(types, b)))
}

fn rank(types: &Types, ty: Type) -> u8 {
    let TypeData::Data { .. } = types.data(ty) else { return 3 };
    if !datatype::is_concrete(types, ty) {
        return 2;
    }
    if looks_like_singleton(types, ty, &mut Vec::new()) {
        0
    } else if looks_like_bits(types, ty, &[], &mut Vec::new()) {
        1
    } else {
        2
    }
}

/// Whether a concrete type has one value: it is immutable, as are all its fields, and none has bits.
fn looks_like_singleton(types: &Types, ty: Type, within: &mut Vec<TypeName>) -> bool {
    let TypeData::Data { name, params } = types.data(ty) else { return false };
    match name_entry::kind(types, *name) {
        TypeNameKind::Tuple => params.iter().all(|&it| looks_like_singleton(types, it, within)),
        TypeNameKind::NamedTuple => looks_like_singleton(types, params[1], within),
        TypeNameKind::Struct { mutable: false } => {
            let def = types.type_name(*name);
            let Some(fields) = def.field_types() else { return false };
            if within.contains(name) {
                return false;
            }
            within.push(*name);
            let answer = fields.iter().all(|&it| {
                let it = unionall::substitute_all(types, it, &def.def.params, params);
                datatype::is_concrete(types, it) && looks_like_singleton(types, it, within)
            });
            within.pop();
            answer
        }
        TypeNameKind::Abstract | TypeNameKind::Primitive { .. } | TypeNameKind::Struct { mutable: true } => {
            false
        }
    }
}

/// Whether a type is isbits, as far as definitions alone tell. Layouts are unavailable here: they need field
/// types, and a field that is a union of its own struct needs this order. `args` are the values of the variables
/// that occur, `within` the definitions around.
fn looks_like_bits(types: &Types, ty: Type, args: &[(Type, Type)], within: &mut Vec<TypeName>) -> bool {
    match types.data(ty) {
        TypeData::Var { .. } => args
            .iter()
            .find(|it| it.0 == ty)
            .is_some_and(|&(_, arg)| looks_like_bits(types, arg, &[], within)),
        TypeData::Union(members) => members.iter().all(|&it| looks_like_bits(types, it, args, within)),
        TypeData::Vararg { elem, .. } => looks_like_bits(types, *elem, args, within),
        TypeData::Bottom | TypeData::UnionAll { .. } | TypeData::Value(_) => false,
        TypeData::Data { name, params } => match name_entry::kind(types, *name) {
            TypeNameKind::Primitive { .. } => true,
            TypeNameKind::Abstract | TypeNameKind::Struct { mutable: true } => false,
            TypeNameKind::Tuple => params.iter().all(|&it| looks_like_bits(types, it, args, within)),
            TypeNameKind::NamedTuple => looks_like_bits(types, params[1], args, within),
            TypeNameKind::Struct { mutable: false } => {
                struct_looks_like_bits(types, *name, params, args, within)
            }
        },
    }
}

fn struct_looks_like_bits(
    types: &Types,
    name: TypeName,
    params: &[Type],
    args: &[(Type, Type)],
    within: &mut Vec<TypeName>,
) -> bool {
    if within.contains(&name) {
        return false;
    }
    let def = types.type_name(name);
    let Some(fields) = def.field_types() else { return false };
    let mut inner = Vec::new();
    for (&var, &param) in def.def.params.iter().zip(params) {
        match args.iter().find(|it| it.0 == param) {
            Some(&(_, arg)) => inner.push((var, arg)),
            None if !typevar::has_free_vars(types, param) => inner.push((var, param)),
            None => {}
        }
    }
    within.push(name);
    let answer = fields.iter().all(|&it| looks_like_bits(types, it, &inner, within));
    within.pop();
    answer
}

fn name_order(types: &Types, a: Type, b: Type) -> Ordering {
    let by_module = sort_module(types, a).cmp(sort_module(types, b));
    let by_name = || sort_name(types, a).cmp(sort_name(types, b));
    by_module.then_with(by_name).then_with(|| {
        let (a, b) = (
            datatype::params(types, unionall::unwrap(types, a)),
            datatype::params(types, unionall::unwrap(types, b)),
        );
        a.iter()
            .zip(b)
            .map(|(&a, &b)| param_order(types, a, b))
            .find(|it| it.is_ne())
            .unwrap_or_else(|| a.len().cmp(&b.len()))
    })
}

fn param_order(types: &Types, a: Type, b: Type) -> Ordering {
    match (types.data(a), types.data(b)) {
        (TypeData::Value(x), TypeData::Value(y)) => {
            match (consts::as_int(types, *x), consts::as_int(types, *y)) {
                (Some(x), Some(y)) => x.cmp(&y),
                _ => display::of_const(types, *x).cmp(&display::of_const(types, *y)),
            }
        }
        _ => name_order(types, a, b),
    }
}

fn sort_name(types: &Types, ty: Type) -> &str {
    match types.data(unionall::unwrap(types, ty)) {
        TypeData::Data { name, .. } => types.name(types.type_name(*name).def.name),
        TypeData::Var { name, .. } => types.name(*name),
        TypeData::Bottom
        | TypeData::Union(_)
        | TypeData::UnionAll { .. }
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => "",
    }
}

/// The name of the module of a type's definition.
fn sort_module(types: &Types, ty: Type) -> &str {
    let name = datatype::name_of(types, unionall::unwrap(types, ty));
    name.map_or("", |it| types.name(module::name(types, types.type_name(it).def.module)))
}
