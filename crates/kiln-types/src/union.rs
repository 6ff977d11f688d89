//! Unions in normal form: flat, without members that another contains, in Julia's order.

use crate::{Type, TypeData, Types};

impl Types {
    /// The union of these types.
    pub fn union(&self, members: &[Type]) -> Type {
        let mut flat = Vec::new();
        for &member in members {
            self.flatten_union(member, &mut flat);
        }
        if flat.contains(&Self::ANY) {
            return Self::ANY;
        }
        let mut kept: Vec<Type> = Vec::new();
        for (i, &member) in flat.iter().enumerate() {
            let covered_by = |other: Type| self.covers(other, member);
            // Of two equal members the first stays, so only strictly later ones may absorb with equality.
            let absorbed = kept.iter().any(|&it| covered_by(it))
                || flat[i + 1..].iter().any(|&it| covered_by(it) && !self.covers(member, it));
            if !absorbed {
                kept.push(member);
            }
        }
        self.merge_open_tuples(&mut kept);
        self.sorted_union(kept)
    }

    /// `Tuple{P..., T, Vararg{T}}` takes in `Tuple{P...}`, as long as one is left to take in: together they are
    /// `Tuple{P..., Vararg{T}}`.
    fn merge_open_tuples(&self, members: &mut Vec<Type>) {
        if members.len() < 2 {
            return;
        }
        let merged = |open: Type| {
            let [fixed @ .., before, last] = self.tuple_elements(open)? else { return None };
            match self.data(*last) {
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
                let shorter = members.iter().position(|&it| self.tuple_elements(it) == Some(fixed))?;
                Some((at, shorter, self.tuple(&[fixed, &[last]].concat())))
            })
        };
        while let Some((at, shorter, whole)) = pair(members) {
            members[at] = whole;
            members.remove(shorter);
        }
    }

    fn tuple_elements(&self, ty: Type) -> Option<&[Type]> {
        self.is_tuple(ty).then(|| self.params(ty))
    }

    fn flatten_union(&self, ty: Type, out: &mut Vec<Type>) {
        match self.data(ty) {
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
    fn covers(&self, other: Type, member: Type) -> bool {
        other == member || self.obviously_below(member, other, true)
    }

    /// Whether `a <: b`; for open types only where bounds of variables decide it at once. Without `mixed`, `Type{T}`
    /// of `T`s of different kinds stay apart although they may be equal as sets.
    pub(crate) fn obviously_below(&self, a: Type, b: Type, mixed: bool) -> bool {
        if a == b || a == Self::BOTTOM || b == Self::ANY {
            return true;
        }
        match (self.data(a), self.data(b)) {
            (TypeData::Value(_) | TypeData::Vararg { .. }, _)
            | (_, TypeData::Value(_) | TypeData::Vararg { .. }) => false,
            (TypeData::Var { upper, .. }, _) => self.obviously_below(*upper, b, mixed),
            // A variable that stands for concrete types may not be merged into.
            (_, TypeData::Var { lower, .. }) => {
                !self.is_leaf_bound(*lower) && self.obviously_below(a, *lower, mixed)
            }
            _ if self.has_free_vars(a) || self.has_free_vars(b) => {
                let is_kind = b == self.core.data_type || b == self.core.typeof_bottom;
                let TypeData::Data { name, params } = self.data(a) else { return false };
                is_kind
                    && *name == self.type_type_name()
                    && !matches!(self.data(params[0]), TypeData::Var { .. })
                    && self.kind_of_type(params[0]) == b
            }
            _ => {
                if !mixed
                    && let (Some(x), Some(y)) = (self.type_type_param(a), self.type_type_param(b))
                    && self.kind_of_type(x) != self.kind_of_type(y)
                {
                    return false;
                }
                self.subtype(a, b)
            }
        }
    }

    /// Returns the members of a union; the type itself if it is not a union; nothing for `Union{}`.
    pub fn members(&self, ty: Type) -> Vec<Type> {
        if let TypeData::Union(members) = self.data(ty) {
            return members.to_vec();
        }
        if ty == Self::BOTTOM { Vec::new() } else { vec![ty] }
    }

    /// Returns the union without members that others obviously contain, except `Type{T}`s of different kinds.
    pub(crate) fn join_union(&self, a: Type, b: Type) -> Type {
        let (mut xs, mut ys) = (self.members(a), self.members(b));
        xs.retain(|&x| {
            let covered = ys.iter().any(|&y| self.obviously_below(x, y, false));
            if !covered {
                ys.retain(|&y| !self.obviously_below(y, x, false));
            }
            !covered
        });
        if ys.is_empty() && xs.len() == self.members(a).len() {
            return a;
        }
        if xs.is_empty() && ys.len() == self.members(b).len() {
            return b;
        }
        xs.extend(ys);
        self.sorted_union(xs)
    }

    fn sorted_union(&self, mut members: Vec<Type>) -> Type {
        members.sort_by(|&a, &b| self.union_order(a, b));
        match members[..] {
            [] => Self::BOTTOM,
            [one] => one,
            _ => self.intern(TypeData::Union(members.into())),
        }
    }

    /// Whether a concrete variable may have this lower bound: the type is concrete, or effectively so.
    pub(crate) fn is_leaf_bound(&self, ty: Type) -> bool {
        match self.data(ty) {
            TypeData::Bottom | TypeData::Value(_) => true,
            TypeData::Data { name, .. } => *name == self.type_type_name() || self.is_concrete(ty),
            TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. }
            | TypeData::Vararg { .. } => false,
        }
    }
}
