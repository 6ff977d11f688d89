//! Unions in normal form: flat, without members that another contains, in Julia's order.

use crate::{Type, TypeData, Types};
use std::cmp::Ordering;

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
        kept.sort_by(|&a, &b| self.union_order(a, b));
        match kept[..] {
            [] => Self::BOTTOM,
            [one] => one,
            _ => self.intern(TypeData::Union(kept.into())),
        }
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

    /// Whether a union that has `other` gains nothing from `member`. Open types are left alone.
    fn covers(&self, other: Type, member: Type) -> bool {
        if other == member {
            return true;
        }
        if self.has_free_vars(other) || self.has_free_vars(member) {
            return false;
        }
        // `Type{T}` of different kinds of `T` stay apart although they may be equal as sets.
        if let (Some(a), Some(b)) = (self.type_type_param(other), self.type_type_param(member))
            && self.kind_of_type(a) != self.kind_of_type(b)
        {
            return false;
        }
        self.subtype(member, other)
    }

    /// Singletons, then isbits types, then other `DataType`s, then the rest; by name within each.
    fn union_order(&self, a: Type, b: Type) -> Ordering {
        let rank = |ty: Type| match self.data(ty) {
            TypeData::Data { .. } if self.singleton(ty).is_some() => 0,
            TypeData::Data { .. } if self.is_bits(ty) => 1,
            TypeData::Data { .. } => 2,
            TypeData::Bottom
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. }
            | TypeData::Vararg { .. }
            | TypeData::Value(_) => 3,
        };
        rank(a)
            .cmp(&rank(b))
            .then_with(|| self.name_order(a, b))
            // So that the order never depends on that of the arguments.
            .then_with(|| self.hash128(a).cmp(&self.hash128(b)))
    }

    fn name_order(&self, a: Type, b: Type) -> Ordering {
        let by_name = self.sort_name(a).cmp(self.sort_name(b));
        by_name.then_with(|| {
            let (a, b) = (self.params(self.unwrap_unionall(a)), self.params(self.unwrap_unionall(b)));
            a.iter()
                .zip(b)
                .map(|(&a, &b)| self.param_order(a, b))
                .find(|it| it.is_ne())
                .unwrap_or_else(|| a.len().cmp(&b.len()))
        })
    }

    fn param_order(&self, a: Type, b: Type) -> Ordering {
        match (self.data(a), self.data(b)) {
            (TypeData::Value(x), TypeData::Value(y)) => {
                match (self.const_as_int(*x), self.const_as_int(*y)) {
                    (Some(x), Some(y)) => x.cmp(&y),
                    _ => self.display_const(*x).cmp(&self.display_const(*y)),
                }
            }
            _ => self.name_order(a, b),
        }
    }

    fn sort_name(&self, ty: Type) -> &str {
        match self.data(self.unwrap_unionall(ty)) {
            TypeData::Data { name, .. } => self.name(self.type_name(*name).def.name),
            TypeData::Var { name, .. } => self.name(*name),
            TypeData::Bottom
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Vararg { .. }
            | TypeData::Value(_) => "",
        }
    }
}
