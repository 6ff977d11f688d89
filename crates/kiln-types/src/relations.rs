//! Relations between types.

use crate::{Type, Types};

impl Types {
    /// The largest type below both, or one above it.
    pub fn intersect(&self, a: Type, b: Type) -> Type {
        self.intersect_env(a, b).0
    }

    /// `typeintersect` with the values that `b`'s outer variables take, in order.
    pub fn intersect_env(&self, a: Type, b: Type) -> (Type, Vec<Type>) {
        if let Some(env) = self.subtype_env(a, b) {
            return (a, env);
        }
        let open = self.outer_vars(b);
        if self.subtype(b, a) { (b, open) } else { (Self::BOTTOM, open) }
    }

    /// Disjoint for sure (cheap; `false` means unknown).
    pub fn obviously_disjoint(&self, a: Type, b: Type) -> bool {
        self.is_concrete(a) && self.is_concrete(b) && a != b && !self.is_tuple(a) && !self.is_tuple(b)
    }

    /// Julia's `morespecific` for method signatures.
    pub fn more_specific(&self, a: Type, b: Type) -> bool {
        self.subtype(a, b) && !self.subtype(b, a)
    }

    /// The least type above both that Julia's `typejoin` finds.
    pub fn typejoin(&self, a: Type, b: Type) -> Type {
        if self.subtype(a, b) {
            b
        } else if self.subtype(b, a) {
            a
        } else {
            Self::ANY
        }
    }
}
