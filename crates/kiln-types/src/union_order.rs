//! Julia's order of the members of a union.

use crate::{Type, TypeData, TypeName, TypeNameKind, Types};
use std::cmp::Ordering;

impl Types {
    /// Singletons, then isbits types, then other `DataType`s, then the rest; by module and name within each.
    pub(crate) fn union_order(&self, a: Type, b: Type) -> Ordering {
        self.union_rank(a)
            .cmp(&self.union_rank(b))
            .then_with(|| self.name_order(a, b))
            // So that the order never depends on that of the arguments.
            .then_with(|| self.hash128(a).cmp(&self.hash128(b)))
    }

    fn union_rank(&self, ty: Type) -> u8 {
        let TypeData::Data { .. } = self.data(ty) else { return 3 };
        if !self.is_concrete(ty) {
            return 2;
        }
        if self.looks_like_singleton(ty, &mut Vec::new()) {
            0
        } else if self.looks_like_bits(ty, &[], &mut Vec::new()) {
            1
        } else {
            2
        }
    }

    /// Whether a concrete type has one value: it is immutable, as are all its fields, and none has bits.
    fn looks_like_singleton(&self, ty: Type, within: &mut Vec<TypeName>) -> bool {
        let TypeData::Data { name, params } = self.data(ty) else { return false };
        match self.name_kind(*name) {
            TypeNameKind::Tuple => params.iter().all(|&it| self.looks_like_singleton(it, within)),
            TypeNameKind::NamedTuple => self.looks_like_singleton(params[1], within),
            TypeNameKind::Struct { mutable: false } => {
                let def = self.type_name(*name);
                let Some(fields) = def.field_types() else { return false };
                if within.contains(name) {
                    return false;
                }
                within.push(*name);
                let answer = fields.iter().all(|&it| {
                    let it = self.substitute_all(it, &def.def.params, params);
                    self.is_concrete(it) && self.looks_like_singleton(it, within)
                });
                within.pop();
                answer
            }
            TypeNameKind::Abstract
            | TypeNameKind::Primitive { .. }
            | TypeNameKind::Struct { mutable: true } => false,
        }
    }

    /// Whether a type is isbits, as far as definitions alone tell. Layouts are unavailable here: they need field
    /// types, and a field that is a union of its own struct needs this order. `args` are the values of the variables
    /// that occur, `within` the definitions around.
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
        let by_module = self.sort_module(a).cmp(self.sort_module(b));
        let by_name = || self.sort_name(a).cmp(self.sort_name(b));
        by_module.then_with(by_name).then_with(|| {
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

    /// The name of the module of a type's definition.
    fn sort_module(&self, ty: Type) -> &str {
        let name = self.name_of(self.unwrap_unionall(ty));
        name.map_or("", |it| self.name(self.module_name(self.type_name(it).def.module)))
    }
}
