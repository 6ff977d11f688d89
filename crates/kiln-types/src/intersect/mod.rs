//! `typeintersect`: the walk of `subtype` over the same environment, building the intersection on the way.
//!
//! The result is never too small. Where the intersection has no name in the algebra (a variable below two unrelated
//! bounds), or finding it takes too much work, the result is one of the two types.

mod finish;
mod tuple;
mod variables;
mod walk;

use crate::subtype::Engine;
use crate::{
    FrontMutant, Type, TypeData, TypeName, Types, datatype, disjoint, entry, mutant, subtype, typevar,
    unionall,
};
use std::sync::atomic::Ordering;

/// The largest type below both, or one somewhat above it.
pub fn meet(types: &Types, a: Type, b: Type) -> Type {
    if a == b || b == Types::ANY && entry::is_plain(types, a) {
        return a;
    }
    if a == Types::ANY && entry::is_plain(types, b) {
        return b;
    }
    if typevar::has_free_vars(types, a)
        || typevar::has_free_vars(types, b)
        || types.unfinished.load(Ordering::Acquire) != 0
    {
        return meet_anew(types, a, b);
    }
    if let Some(known) = types.meets.get(a, b) {
        return known;
    }
    let common = meet_anew(types, a, b);
    types.meets.insert(a, b, common);
    common
}

/// Whether nothing is below both but `Union{}`. Variables of the result are of no interest.
pub fn are_disjoint(types: &Types, a: Type, b: Type) -> bool {
    disjoint::are_obviously_disjoint(types, a, b) || meet(types, a, b) == Types::BOTTOM
}

/// `typeintersect` with the values that `b`'s outer variables take, in order: the static parameters of a
/// method with signature `b` called with `a`. A variable left undetermined stays a `Var`.
pub fn meet_with_values(types: &Types, a: Type, b: Type) -> (Type, Vec<Type>) {
    if let Some(env) = subtype::matching(types, a, b) {
        return (a, env);
    }
    let common = meet(types, a, b);
    let env = if common == Types::BOTTOM { None } else { subtype::matching(types, common, b) };
    (common, env.unwrap_or_else(|| unionall::outer_vars(types, b)))
}

fn meet_anew(types: &Types, a: Type, b: Type) -> Type {
    if disjoint::are_obviously_disjoint(types, a, b) {
        return Types::BOTTOM;
    }
    if types.subtype(a, b) {
        return a;
    }
    let (a_concrete, b_concrete) = (datatype::is_concrete(types, a), datatype::is_concrete(types, b));
    if types.subtype(b, a) {
        return b;
    }
    if datatype::is_dispatch_tuple(types, a) || datatype::is_dispatch_tuple(types, b) {
        return Types::BOTTOM;
    }
    if a_concrete && !may_meet_concrete(types, b) || b_concrete && !may_meet_concrete(types, a) {
        return Types::BOTTOM;
    }
    if mutant::is_set(types, FrontMutant::IntersectionEmpty) && is_open_pair(types, a, b) {
        return Types::BOTTOM;
    }
    if mutant::is_set(types, FrontMutant::IntersectionSecond) {
        return b;
    }
    let common = walk_both(types, a, b);
    if common != Types::BOTTOM
        && is_signature(types, a)
        && is_signature(types, b)
        && !is_signature(types, common)
    {
        // Signatures are single tuples.
        return join_tuples(types, common).unwrap_or(b);
    }
    common
}

/// The intersection as the walk through both types finds it, though one may be below the other.
pub fn meet_by_walk(types: &Types, a: Type, b: Type) -> Type {
    if disjoint::are_obviously_disjoint(types, a, b) {
        return Types::BOTTOM;
    }
    if datatype::is_dispatch_tuple(types, a) || datatype::is_dispatch_tuple(types, b) {
        return match (types.subtype(a, b), types.subtype(b, a)) {
            (true, _) => a,
            (false, true) => b,
            (false, false) => Types::BOTTOM,
        };
    }
    walk_both(types, a, b)
}

fn is_open_pair(types: &Types, a: Type, b: Type) -> bool {
    [a, b].iter().any(|it| matches!(types.data(*it), TypeData::UnionAll { .. }))
}

fn is_signature(types: &Types, ty: Type) -> bool {
    datatype::is_tuple(types, unionall::unwrap(types, ty))
}

fn walk_both(types: &Types, a: Type, b: Type) -> Type {
    let closed = !typevar::has_free_vars(types, a) && !typevar::has_free_vars(types, b);
    let attempt = |x: Type, y: Type| {
        let mut engine = Engine::new(types, 0);
        engine.intersecting = true;
        engine.ignore_free = true;
        let common = engine.intersect_all(x, y);
        // Variables that depend on each other in a circle are not always disentangled.
        let open = closed && typevar::has_free_vars(types, common);
        (!engine.gave_up && !open).then_some(common)
    };
    attempt(a, b).or_else(|| attempt(b, a)).unwrap_or(b)
}

/// Whether a type may share instances with a concrete one without containing it: `Tuple{Type{<:Array}}` and
/// `Tuple{DataType}` do.
fn may_meet_concrete(types: &Types, ty: Type) -> bool {
    let ty = unionall::unwrap(types, ty);
    match types.data(ty) {
        TypeData::Var { .. } => true,
        TypeData::Union(members) => members.iter().any(|&it| may_meet_concrete(types, it)),
        TypeData::Vararg { elem, .. } => may_meet_concrete(types, *elem),
        TypeData::Data { name, params } => {
            *name == TypeName::TYPE
                || params.iter().any(|&it| {
                    let is_var = matches!(types.data(it), TypeData::Var { .. });
                    is_var
                        || datatype::is_tuple(types, ty)
                            && (it == Types::BOTTOM || may_meet_concrete(types, it))
                })
        }
        TypeData::Bottom | TypeData::UnionAll { .. } | TypeData::Value(_) => false,
    }
}

/// The tuple of unions above a union of tuples of one length.
fn join_tuples(types: &Types, ty: Type) -> Option<Type> {
    let mut members = Vec::new();
    collect_tuples(types, ty, &mut Vec::new(), &mut members)?;
    let len = datatype::params(types, unionall::unwrap(types, members[0].0)).len();
    let mut elems = vec![Vec::new(); len];
    let mut vars = Vec::new();
    for (tuple, scope) in &members {
        let params = datatype::params(types, *tuple);
        let open = matches!(params.last().map(|&it| types.data(it)), Some(TypeData::Vararg { .. }));
        if params.len() != len || open {
            return None;
        }
        for (elem, &param) in elems.iter_mut().zip(params) {
            elem.push(param);
        }
        vars.extend(scope.iter().copied());
    }
    let elems: Vec<Type> = elems.iter().map(|it| types.union(it)).collect();
    Some(unionall::wrap_vars(types, datatype::tuple(types, &elems), &vars))
}

fn collect_tuples(
    types: &Types,
    ty: Type,
    scope: &mut Vec<Type>,
    out: &mut Vec<(Type, Vec<Type>)>,
) -> Option<()> {
    match types.data(ty) {
        TypeData::UnionAll { var, body } => {
            // Variables of different members may have one id.
            let (mut var, mut body) = (*var, *body);
            let taken = |it: Type| out.iter().any(|member| member.1.contains(&it)) || scope.contains(&it);
            if taken(var)
                && let &TypeData::Var { name, lower, upper, .. } = types.data(var)
            {
                let renamed = unionall::scratch_var(types, name, lower, upper, |it| {
                    taken(it) || typevar::occurs(types, it, body)
                });
                body = unionall::substitute(types, body, var, renamed);
                var = renamed;
            }
            scope.push(var);
            collect_tuples(types, body, scope, out)?;
            scope.pop();
            Some(())
        }
        TypeData::Union(members) => members.iter().try_for_each(|&it| collect_tuples(types, it, scope, out)),
        TypeData::Data { .. } if datatype::is_tuple(types, ty) => {
            out.push((ty, scope.clone()));
            Some(())
        }
        TypeData::Data { .. }
        | TypeData::Bottom
        | TypeData::Var { .. }
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => None,
    }
}
