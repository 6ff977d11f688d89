//! `typejoin`: the nearest common ancestor, as Julia's arrays and promotion use it.

use crate::{Type, TypeData, TypeName, Types, datatype, equality, typevar, unionall};

/// A type above both, found along declared supertypes: `typejoin(Int8, Float64)` is `Real`.
pub fn join(types: &Types, a: Type, b: Type) -> Type {
    // Variables of one name in two types are different ones: each counts as its bound.
    match (types.data(a), types.data(b)) {
        (TypeData::Var { upper, .. }, _) => return join(types, *upper, b),
        (_, TypeData::Var { upper, .. }) => return join(types, a, *upper),
        _ => {}
    }
    if a == b {
        return a;
    }
    let is_param = |it: Type| matches!(types.data(it), TypeData::Value(_) | TypeData::Vararg { .. });
    if is_param(a) || is_param(b) {
        return Types::ANY;
    }
    if types.subtype(a, b) {
        return b;
    }
    if types.subtype(b, a) {
        return a;
    }
    match (types.data(a), types.data(b)) {
        (TypeData::Value(_) | TypeData::Vararg { .. } | TypeData::Var { .. }, _)
        | (_, TypeData::Value(_) | TypeData::Vararg { .. } | TypeData::Var { .. }) => Types::ANY,
        (TypeData::UnionAll { .. }, _) => {
            let (var, body) = open_fresh(types, a);
            unionall::new(types, var, join(types, body, b))
        }
        (_, TypeData::UnionAll { .. }) => {
            let (var, body) = open_fresh(types, b);
            unionall::new(types, var, join(types, a, body))
        }
        (TypeData::Union(members), _) => join(types, join_all(types, members), b),
        (_, TypeData::Union(members)) => join(types, a, join_all(types, members)),
        (TypeData::Bottom, _) => b,
        (_, TypeData::Bottom) => a,
        (TypeData::Data { .. }, TypeData::Data { .. }) => join_data(types, a, b),
    }
}

fn join_all(types: &Types, all: &[Type]) -> Type {
    all.iter().fold(Types::BOTTOM, |joined, &it| join(types, joined, it))
}

fn join_data(types: &Types, a: Type, b: Type) -> Type {
    match (datatype::is_tuple(types, a), datatype::is_tuple(types, b)) {
        (true, true) => {
            return join_tuple_types(types, datatype::params(types, a), datatype::params(types, b));
        }
        (false, false) => {}
        _ => return Types::ANY,
    }
    let mut b = b;
    while b != Types::ANY {
        let TypeData::Data { name, params } = types.data(b) else { return Types::ANY };
        let Some(a) = datatype::ancestor(types, a, *name) else {
            b = datatype::supertype(types, b);
            continue;
        };
        if *name == TypeName::TYPE {
            return types.core.type_;
        }
        // Parameters in turn, so that those that agree enter the bounds of the variables of the others.
        let (mut joined, mut open) = (types.type_name(*name).wrapper, Vec::new());
        for (&x, &y) in datatype::params(types, a).iter().zip(params) {
            let (var, body) = open_fresh(types, joined);
            let same = x == y
                || is_type_param(types, x) && is_type_param(types, y) && equality::are_equal(types, x, y);
            joined = if same { unionall::substitute(types, body, var, x) } else { body };
            if !same {
                open.push(var);
            }
        }
        return unionall::wrap_vars(types, joined, &open);
    }
    Types::ANY
}

/// A variable that occurs nowhere else and the body of a `UnionAll` over it.
fn open_fresh(types: &Types, ty: Type) -> (Type, Type) {
    let &TypeData::UnionAll { var, body } = types.data(ty) else { return (ty, ty) };
    let &TypeData::Var { name, lower, upper, .. } = types.data(var) else { return (var, body) };
    let fresh = typevar::new(types, name, lower, upper);
    (fresh, unionall::substitute(types, body, var, fresh))
}

fn is_type_param(types: &Types, ty: Type) -> bool {
    !matches!(types.data(ty), TypeData::Value(_) | TypeData::Var { .. } | TypeData::Vararg { .. })
}

fn join_tuple_types(types: &Types, a: &[Type], b: &[Type]) -> Type {
    let element = |params: &[Type], i: usize| {
        let at = params[i.min(params.len() - 1)];
        if let TypeData::Vararg { elem, .. } = types.data(at) { (*elem, true) } else { (at, false) }
    };
    let tail = |params: &[Type], from: usize| {
        let from = from.min(params.len().saturating_sub(1));
        params[from..]
            .iter()
            .enumerate()
            .fold(Types::BOTTOM, |joined, (i, _)| join(types, joined, element(params, from + i).0))
    };
    let rest = |elem: Type| datatype::vararg(types, elem, None);
    if a.is_empty() || b.is_empty() {
        let elem = if a.is_empty() { tail(b, 0) } else { tail(a, 0) };
        return datatype::tuple(types, &[rest(elem)]);
    }
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let open = element(short, short.len() - 1).1;
    let mut joined = Vec::with_capacity(short.len() + 1);
    let both = if short.len() < long.len() && open { short.len() - 1 } else { short.len() };
    for i in 0..both {
        let ((x, x_open), (y, y_open)) = (element(short, i), element(long, i));
        let elem = join(types, x, y);
        let last = short.len() == long.len() && i + 1 == both;
        joined.push(if last && (x_open || y_open) { rest(elem) } else { elem });
    }
    if short.len() < long.len() {
        let elem = tail(long, both);
        let elem = if open { join(types, element(short, both).0, elem) } else { elem };
        joined.push(rest(elem));
    }
    datatype::tuple(types, &joined)
}
