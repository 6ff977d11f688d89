//! Unions in normal form: flat, without members that another contains, in Julia's order.

use crate::{Type, TypeData, TypeName, Types, consts, datatype, typevar, union_order};

impl Types {
    /// The union of these types.
    pub fn union(&self, members: &[Type]) -> Type {
        let mut flat = Vec::new();
        for &member in members {
            flatten(self, member, &mut flat);
        }
        if flat.contains(&Self::ANY) {
            return Self::ANY;
        }
        let mut kept: Vec<Type> = Vec::new();
        for (i, &member) in flat.iter().enumerate() {
            let covered_by = |other: Type| covers(self, other, member);
            // Of two equal members the first stays, so only strictly later ones may absorb with equality.
            let absorbed = kept.iter().any(|&it| covered_by(it))
                || flat[i + 1..].iter().any(|&it| covered_by(it) && !covers(self, member, it));
            if !absorbed {
                kept.push(member);
            }
        }
        merge_open_tuples(self, &mut kept);
        sorted(self, kept)
    }
}

/// `Tuple{P..., T, Vararg{T}}` takes in `Tuple{P...}`, as long as one is left to take in: together they are
/// `Tuple{P..., Vararg{T}}`.
fn merge_open_tuples(types: &Types, members: &mut Vec<Type>) {
    if members.len() < 2 {
        return;
    }
    let merged = |open: Type| {
        let [fixed @ .., before, last] = tuple_elements(types, open)? else { return None };
        match types.data(*last) {
            TypeData::Vararg { elem, count: None } if elem == before => Some((fixed, *last)),
            TypeData::Vararg { .. }
            | TypeData::Bottom
            | TypeData::Data { .. }
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. }
            | TypeData::Value(_) => None,
        }
    };
    let pair = |members: &[Type]| {
        members.iter().enumerate().find_map(|(at, &open)| {
            let (fixed, last) = merged(open)?;
            let shorter = members.iter().position(|&it| tuple_elements(types, it) == Some(fixed))?;
            Some((at, shorter, datatype::tuple(types, &[fixed, &[last]].concat())))
        })
    };
    while let Some((at, shorter, whole)) = pair(members) {
        members[at] = whole;
        members.remove(shorter);
    }
}

fn tuple_elements(types: &Types, ty: Type) -> Option<&[Type]> {
    datatype::is_tuple(types, ty).then(|| datatype::params(types, ty))
}

fn flatten(types: &Types, ty: Type, out: &mut Vec<Type>) {
    match types.data(ty) {
        TypeData::Bottom => {}
        TypeData::Union(members) => {
            out.extend(members.iter().copied().filter(|it| !out.contains(it)).collect::<Vec<_>>())
        }
        TypeData::Data { .. }
        | TypeData::UnionAll { .. }
        | TypeData::Var { .. }
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => {
            if !out.contains(&ty) {
                out.push(ty);
            }
        }
    }
}

/// Whether a union that has `other` gains nothing from `member`.
fn covers(types: &Types, other: Type, member: Type) -> bool {
    other == member || obviously_below(types, member, other, true)
}

/// Whether `a <: b`; for open types only where bounds of variables decide it at once. Without `mixed`, `Type{T}`
/// of `T`s of different kinds stay apart although they may be equal as sets.
pub(crate) fn obviously_below(types: &Types, a: Type, b: Type, mixed: bool) -> bool {
    if a == b || a == Types::BOTTOM || b == Types::ANY {
        return true;
    }
    match (types.data(a), types.data(b)) {
        (TypeData::Value(_) | TypeData::Vararg { .. }, _)
        | (_, TypeData::Value(_) | TypeData::Vararg { .. }) => false,
        (TypeData::Var { upper, .. }, _) => obviously_below(types, *upper, b, mixed),
        // A variable that stands for concrete types may not be merged into.
        (_, TypeData::Var { lower, .. }) => {
            !is_leaf_bound(types, *lower) && obviously_below(types, a, *lower, mixed)
        }
        _ if typevar::has_free_vars(types, a) || typevar::has_free_vars(types, b) => {
            let is_kind = b == types.core.data_type || b == types.core.typeof_bottom;
            let TypeData::Data { name, params } = types.data(a) else { return false };
            is_kind
                && *name == TypeName::TYPE
                && !matches!(types.data(params[0]), TypeData::Var { .. })
                && consts::kind_of_type(types, params[0]) == b
        }
        _ => {
            if !mixed
                && let (Some(x), Some(y)) =
                    (datatype::type_type_param(types, a), datatype::type_type_param(types, b))
                && consts::kind_of_type(types, x) != consts::kind_of_type(types, y)
            {
                return false;
            }
            types.subtype(a, b)
        }
    }
}

/// Returns the members of a union; the type itself if it is not a union; nothing for `Union{}`.
pub fn members(types: &Types, ty: Type) -> Vec<Type> {
    if let TypeData::Union(members) = types.data(ty) {
        return members.to_vec();
    }
    if ty == Types::BOTTOM { Vec::new() } else { vec![ty] }
}

/// Returns the union without members that others obviously contain, except `Type{T}`s of different kinds.
pub(crate) fn join(types: &Types, a: Type, b: Type) -> Type {
    let (mut xs, mut ys) = (members(types, a), members(types, b));
    xs.retain(|&x| {
        let covered = ys.iter().any(|&y| obviously_below(types, x, y, false));
        if !covered {
            ys.retain(|&y| !obviously_below(types, y, x, false));
        }
        !covered
    });
    if ys.is_empty() && xs.len() == members(types, a).len() {
        return a;
    }
    if xs.is_empty() && ys.len() == members(types, b).len() {
        return b;
    }
    xs.extend(ys);
    sorted(types, xs)
}

fn sorted(types: &Types, mut members: Vec<Type>) -> Type {
    members.sort_by(|&a, &b| union_order::order(types, a, b));
    match members[..] {
        [] => Types::BOTTOM,
        [one] => one,
        _ => types.intern(TypeData::Union(members.into())),
    }
}

/// Whether a concrete variable may have this lower bound: the type is concrete, or effectively so.
pub(crate) fn is_leaf_bound(types: &Types, ty: Type) -> bool {
    match types.data(ty) {
        TypeData::Bottom | TypeData::Value(_) => true,
        TypeData::Data { name, .. } => *name == TypeName::TYPE || datatype::is_concrete(types, ty),
        TypeData::Union(_) | TypeData::UnionAll { .. } | TypeData::Var { .. } | TypeData::Vararg { .. } => {
            false
        }
    }
}
