//! Cheap bounds of two types, for the bounds of variables.

use super::engine::Engine;
use crate::{Type, TypeData, Types};

impl Engine<'_> {
    pub(crate) fn in_union(&self, union: Type, member: Type) -> bool {
        union == member || matches!(self.data(union), TypeData::Union(members) if members.contains(&member))
    }

    fn is_type_or_var(&self, ty: Type) -> bool {
        self.is_type(ty) || self.is_var(ty)
    }

    /// A least type above both: their union, simplified where that is cheap.
    pub(crate) fn join(&self, a: Type, b: Type) -> Type {
        if a == Types::BOTTOM || b == Types::ANY || a == b {
            return b;
        }
        if b == Types::BOTTOM || a == Types::ANY {
            return a;
        }
        if !self.is_type_or_var(a) || !self.is_type_or_var(b) {
            return Types::ANY;
        }
        if self.in_union(a, b) || self.is_kind_over(a, b) || self.is_var(a) && self.declared_bounds(a).0 == b
        {
            return a;
        }
        if self.in_union(b, a) || self.is_kind_over(b, a) || self.is_var(b) && self.declared_bounds(b).0 == a
        {
            return b;
        }
        self.types.union(&[a, b])
    }

    /// A greatest type below both; where that can not be said, `b`, which is an overestimate.
    pub(crate) fn meet(&self, a: Type, b: Type) -> Type {
        if a == Types::ANY || b == Types::BOTTOM || a == b {
            return b;
        }
        if b == Types::ANY || a == Types::BOTTOM {
            return a;
        }
        if !self.is_type_or_var(a) || !self.is_type_or_var(b) {
            return Types::BOTTOM;
        }
        if self.in_union(a, b) || self.is_kind_over(a, b) || self.is_var(b) && self.declared_bounds(b).1 == a
        {
            return b;
        }
        if self.in_union(b, a) || self.is_kind_over(b, a) || self.is_var(a) && self.declared_bounds(a).1 == b
        {
            return a;
        }
        if self.types.obviously_disjoint(a, b) {
            return Types::BOTTOM;
        }
        let closed = !self.types.has_free_vars(a) && !self.types.has_free_vars(b);
        if closed && self.closed_subtype(a, b) { a } else { b }
    }

    /// `DataType` over `Type{Int64}`.
    fn is_kind_over(&self, kind: Type, ty: Type) -> bool {
        self.types.is_kind(kind)
            && self.types.type_type_param(ty).is_some_and(|it| self.types.kind_of_type(it) == kind)
    }
}
