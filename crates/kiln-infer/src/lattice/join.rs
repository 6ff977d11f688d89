//! Joins that keep ascending chains short: Julia's `tmerge`.

use super::{Conditional, Lattice, field, le};
use kiln_types::{Type, TypeData, Types, datatype, typejoin, typevar, union, unionall};
use std::sync::Arc;

/// A union with more members is widened.
const UNION_LENGTH_MAX: usize = 4;
/// A union with deeper nested alternatives is widened.
const UNION_COMPLEXITY_MAX: usize = 3;
/// Deeper types are widened when they are joined with others.
const DEPTH_MAX: usize = 8;

/// Returns an upper bound of two elements.
pub fn join(types: &Types, a: &Lattice, b: &Lattice) -> Lattice {
    if le(types, a, b) {
        return b.clone();
    }
    if le(types, b, a) {
        return a.clone();
    }
    if let Some(both) = join_conditions(types, a, b) {
        return both;
    }
    let (a, b) = (a.clone().widenconditional(types), b.clone().widenconditional(types));
    if let Some(both) = join_fields(types, &a, &b) {
        return both;
    }
    Lattice::normalize(types, join_types(types, a.widenconst(types), b.widenconst(types)))
}

fn join_conditions(types: &Types, a: &Lattice, b: &Lattice) -> Option<Lattice> {
    let (x, y, argument) = match (a, b) {
        (Lattice::Conditional(x), Lattice::Conditional(y)) => (x, y, false),
        (Lattice::InterConditional(x), Lattice::InterConditional(y)) => (x, y, true),
        _other => return None,
    };
    if x.slot != y.slot || x.def != y.def {
        return None;
    }
    let both = Arc::new(Conditional {
        slot: x.slot,
        def: x.def,
        then: join(types, &x.then, &y.then),
        other: join(types, &x.other, &y.other),
    });
    Some(if argument { Lattice::InterConditional(both) } else { Lattice::Conditional(both) })
}

/// Joins field by field: two immutable structs of one concrete type, of which one is more than the type.
fn join_fields(types: &Types, a: &Lattice, b: &Lattice) -> Option<Lattice> {
    let ty = a.exact_type(types)?;
    if b.exact_type(types) != Some(ty) || datatype::is_mutable(types, ty) || a.as_type(types).is_some() {
        return None;
    }
    let count = datatype::field_types(types, ty).len();
    if count == 0 || matches!(a, Lattice::Type(_)) || matches!(b, Lattice::Type(_)) {
        return Some(Lattice::Type(ty));
    }
    let known = |it: &Lattice| match it {
        Lattice::PartialStruct(it) => it.fields.len(),
        Lattice::Type(_) | Lattice::Const(_) | Lattice::Conditional(_) | Lattice::InterConditional(_) => {
            count
        }
    };
    let count = known(a).min(known(b));
    let fields: Option<Vec<Lattice>> = (0..count)
        .map(|n| {
            let (x, y) = (field(types, a, n)?, field(types, b, n)?);
            Some(if x == y { x } else { join(types, &x, &y) })
        })
        .collect();
    Some(Lattice::partial_struct(types, ty, fields?))
}

/// Returns an upper bound of two types with a bounded number of members.
pub fn join_types(types: &Types, a: Type, b: Type) -> Type {
    if types.subtype(a, b) {
        return b;
    }
    if types.subtype(b, a) {
        return a;
    }
    if let Some(open) = with_any_length(types, a, b).or_else(|| with_any_length(types, b, a)) {
        return open;
    }
    let union = types.union(&[a, b]);
    let members = union::members(types, union);
    if members.len() <= UNION_LENGTH_MAX && is_simple(types, union) {
        return union;
    }
    merge_by_name(types, &members)
}

/// Returns `Tuple{Vararg{T}}` for `Tuple{}` and `Tuple{T, Vararg{T}}`.
fn with_any_length(types: &Types, empty: Type, other: Type) -> Option<Type> {
    let is_empty = datatype::is_tuple(types, empty) && datatype::params(types, empty).is_empty();
    let [first, rest] = *datatype::params(types, other) else { return None };
    match types.data(rest) {
        TypeData::Vararg { elem, count: None }
            if is_empty && datatype::is_tuple(types, other) && *elem == first =>
        {
            Some(datatype::tuple(types, &[rest]))
        }
        _ => None,
    }
}

/// Whether a type may stay in a union unchanged.
fn is_simple(types: &Types, ty: Type) -> bool {
    type_depth(types, ty) <= DEPTH_MAX && union_complexity(types, ty) <= UNION_COMPLEXITY_MAX
}

/// Returns the nesting depth of alternatives in a union and in the elements of its tuples, where numbers of
/// alternatives multiply. The parameters of invariant types do not count.
fn union_complexity(types: &Types, ty: Type) -> usize {
    match types.data(ty) {
        TypeData::Union(members) => members
            .iter()
            .rev()
            .map(|&it| union_complexity(types, it))
            .reduce(|a, b| a.max(b) + 1)
            .unwrap_or(0),
        TypeData::Data { params, .. } if datatype::is_tuple(types, ty) => {
            params.iter().map(|&it| union_complexity(types, it)).max().unwrap_or(0)
        }
        TypeData::UnionAll { var, body } => union_complexity(types, *var).max(union_complexity(types, *body)),
        TypeData::Var { upper, .. } => union_complexity(types, *upper),
        TypeData::Vararg { elem, .. } => union_complexity(types, *elem),
        TypeData::Data { .. } | TypeData::Bottom | TypeData::Value(_) => 0,
    }
}

/// Returns the nesting depth of a type.
pub fn type_depth(types: &Types, ty: Type) -> usize {
    match types.data(ty) {
        TypeData::Data { params, .. } => {
            1 + params.iter().map(|&it| type_depth(types, it)).max().unwrap_or(0)
        }
        TypeData::Union(members) => members.iter().map(|&it| type_depth(types, it)).max().unwrap_or(0),
        TypeData::UnionAll { var, body } => type_depth(types, *var).max(type_depth(types, *body)),
        TypeData::Var { upper, .. } => {
            if *upper == types.core().any {
                0
            } else {
                1
            }
        }
        TypeData::Vararg { elem, .. } => type_depth(types, *elem),
        TypeData::Bottom | TypeData::Value(_) => 0,
    }
}

/// Merges the members of one definition: tuples element by element, others with the parameters that agree. If the
/// result is still too large, their join in the type hierarchy replaces it.
fn merge_by_name(types: &Types, members: &[Type]) -> Type {
    let mut merged: Vec<Type> = Vec::new();
    for &member in members {
        let same = merged.iter().position(|&it| {
            let name = datatype::name_of(types, it);
            name.is_some() && name == datatype::name_of(types, member)
        });
        match same {
            Some(at) => merged[at] = merge_same_name(types, merged[at], member),
            None if is_simple(types, member) => merged.push(member),
            None => merged.push(wrapper(types, member)),
        }
    }
    let union = types.union(&merged);
    if union::members(types, union).len() <= UNION_LENGTH_MAX {
        return union;
    }
    merged.into_iter().reduce(|a, b| typejoin::join(types, a, b)).unwrap_or(types.core().any)
}

/// Returns the definition without parameters.
pub fn wrapper(types: &Types, ty: Type) -> Type {
    if datatype::is_tuple(types, unionall::unwrap(types, ty)) {
        return types.core().tuple;
    }
    match datatype::name_of(types, ty) {
        Some(name) => types.type_name(name).wrapper,
        None => types.core().any,
    }
}

fn merge_same_name(types: &Types, a: Type, b: Type) -> Type {
    if a == b {
        return a;
    }
    if !datatype::is_tuple(types, a) || !datatype::is_tuple(types, b) {
        return with_common_params(types, a, b);
    }
    let (x, y) = (datatype::params(types, a), datatype::params(types, b));
    let has_vararg =
        |it: &[Type]| it.last().is_some_and(|&it| matches!(types.data(it), TypeData::Vararg { .. }));
    if x.len() == y.len() && !has_vararg(x) && !has_vararg(y) {
        let elems: Vec<Type> = x.iter().zip(y).map(|(&a, &b)| shallow(types, a, b)).collect();
        return datatype::tuple(types, &elems);
    }
    let all = x.iter().chain(y).map(|&it| match types.data(it) {
        TypeData::Vararg { elem, .. } => *elem,
        TypeData::Bottom
        | TypeData::Data { .. }
        | TypeData::Union(_)
        | TypeData::UnionAll { .. }
        | TypeData::Var { .. }
        | TypeData::Value(_) => it,
    });
    let elem = all.reduce(|a, b| shallow(types, a, b)).unwrap_or(types.core().any);
    let elem = if type_depth(types, elem) > 3 { types.core().any } else { elem };
    datatype::tuple(types, &[datatype::vararg(types, elem, None)])
}

/// Returns the common definition with the parameters that agree.
fn with_common_params(types: &Types, a: Type, b: Type) -> Type {
    let whole = wrapper(types, a);
    let (x, y) = (
        datatype::params(types, unionall::unwrap(types, a)),
        datatype::params(types, unionall::unwrap(types, b)),
    );
    let declared = datatype::params(types, unionall::unwrap(types, whole));
    if x.len() != declared.len() || y.len() != declared.len() {
        return whole;
    }
    let agree = |n: usize| x[n] == y[n] && !typevar::has_free_vars(types, x[n]);
    if !(0..declared.len()).any(agree) {
        return whole;
    }
    let params: Vec<Type> =
        declared.iter().enumerate().map(|(n, &var)| if agree(n) { x[n] } else { var }).collect();
    let Ok(mut merged) = types.apply(whole, &params) else { return whole };
    for (n, &var) in declared.iter().enumerate().rev() {
        if !agree(n) {
            merged = unionall::new(types, var, merged);
        }
    }
    if typevar::has_free_vars(types, merged) || !types.subtype(a, merged) || !types.subtype(b, merged) {
        return whole;
    }
    merged
}

fn shallow(types: &Types, a: Type, b: Type) -> Type {
    if a == b || types.subtype(a, b) {
        b
    } else if types.subtype(b, a) {
        a
    } else {
        typejoin::join(types, a, b)
    }
}
