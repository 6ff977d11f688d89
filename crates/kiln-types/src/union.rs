//! Unions in normal form: flat, without members that another contains, in Julia's order.

use crate::{Type, TypeData, TypeName, TypeNameKind, Types};
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
        self.sorted_union(kept)
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

    /// Whether `a <: b`; of open types only where bounds of variables say so at once. Without `mixed`, `Type{T}` of `T`s
    /// of different kinds stay apart although they may be equal as sets.
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

    /// The members of a union, the type itself if it is none, and no type of `Union{}`.
    pub fn members(&self, ty: Type) -> Vec<Type> {
        if let TypeData::Union(members) = self.data(ty) {
            return members.to_vec();
        }
        if ty == Self::BOTTOM { Vec::new() } else { vec![ty] }
    }

    /// The union, in which what others obviously contain is left out, but `Type{T}`s of different kinds are not.
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

    /// Concrete, or as good as that: what a concrete variable may have as lower bound.
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

    /// Singletons, then isbits types, then other `DataType`s, then the rest; by name within each.
    fn union_order(&self, a: Type, b: Type) -> Ordering {
        self.union_rank(a)
            .cmp(&self.union_rank(b))
            .then_with(|| self.name_order(a, b))
            // So that the order never depends on that of the arguments.
            .then_with(|| self.hash128(a).cmp(&self.hash128(b)))
    }

    fn union_rank(&self, ty: Type) -> u8 {
        let TypeData::Data { name, .. } = self.data(ty) else { return 3 };
        if !self.is_concrete(ty) {
            return 2;
        }
        let no_fields = match self.name_kind(*name) {
            TypeNameKind::Struct { mutable } => !mutable && self.type_name(*name).def.field_names.is_empty(),
            TypeNameKind::Tuple => self.params(ty).is_empty(),
            TypeNameKind::Abstract | TypeNameKind::Primitive { .. } | TypeNameKind::NamedTuple => false,
        };
        if no_fields {
            0
        } else if self.looks_like_bits(ty, &[], &mut Vec::new()) {
            1
        } else {
            2
        }
    }

    /// Whether a type is isbits, as far as can be told from definitions alone. Layouts can not be asked for: they
    /// need field types, and a field that is a union of its own struct needs this order. `args` are the values of
    /// the variables that occur, `within` the definitions around.
    fn looks_like_bits(&self, ty: Type, args: &[(Type, Type)], within: &mut Vec<TypeName>) -> bool {
        match self.data(ty) {
            TypeData::Var { .. } => args
                .iter()
                .find(|it| it.0 == ty)
                .is_some_and(|&(_, arg)| self.looks_like_bits(arg, &[], within)),
            TypeData::Union(members) => members.iter().all(|&it| self.looks_like_bits(it, args, within)),
            TypeData::Vararg { elem, .. } => self.looks_like_bits(*elem, args, within),
            TypeData::Bottom | TypeData::UnionAll { .. } | TypeData::Value(_) => false,
            TypeData::Data { name, params } => match self.name_kind(*name) {
                TypeNameKind::Primitive { .. } => true,
                TypeNameKind::Abstract | TypeNameKind::Struct { mutable: true } => false,
                TypeNameKind::Tuple => params.iter().all(|&it| self.looks_like_bits(it, args, within)),
                TypeNameKind::NamedTuple => self.looks_like_bits(params[1], args, within),
                TypeNameKind::Struct { mutable: false } => {
                    self.struct_looks_like_bits(*name, params, args, within)
                }
            },
        }
    }

    fn struct_looks_like_bits(
        &self,
        name: TypeName,
        params: &[Type],
        args: &[(Type, Type)],
        within: &mut Vec<TypeName>,
    ) -> bool {
        if within.contains(&name) {
            return false;
        }
        let def = self.type_name(name);
        let Some(fields) = def.field_types() else { return false };
        let mut inner = Vec::new();
        for (&var, &param) in def.def.params.iter().zip(params) {
            match args.iter().find(|it| it.0 == param) {
                Some(&(_, arg)) => inner.push((var, arg)),
                None if !self.has_free_vars(param) => inner.push((var, param)),
                None => {}
            }
        }
        within.push(name);
        let answer = fields.iter().all(|&it| self.looks_like_bits(it, &inner, within));
        within.pop();
        answer
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
