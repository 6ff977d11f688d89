//! A cheap test for having nothing in common.

use crate::{Type, TypeData, Types};

impl Types {
    /// Disjoint for sure (cheap; `false` means unknown).
    pub fn obviously_disjoint(&self, a: Type, b: Type) -> bool {
        self.disjoint(a, b, false)
    }

    /// With `specificity`, tuples of different lengths, and types of which one inherits the other's name, do not
    /// count as disjoint.
    pub(crate) fn disjoint(&self, a: Type, b: Type, specificity: bool) -> bool {
        if a == b || a == Self::ANY || b == Self::ANY || specificity && a == self.core.typeof_bottom {
            return false;
        }
        if a == Self::BOTTOM || b == Self::BOTTOM {
            return true;
        }
        if self.is_concrete(a) && self.is_concrete(b) && self.is_plain(a) && self.is_plain(b) && !specificity
        {
            return true;
        }
        let (a, b) = (self.unwrap_unionall(a), self.unwrap_unionall(b));
        if let TypeData::Union(members) = self.data(a) {
            return members.iter().all(|&it| self.disjoint(it, b, specificity));
        }
        if let TypeData::Union(members) = self.data(b) {
            return members.iter().all(|&it| self.disjoint(a, it, specificity));
        }
        let (TypeData::Data { name: na, .. }, TypeData::Data { name: nb, .. }) = (self.data(a), self.data(b))
        else {
            return false;
        };
        let (na, nb) = (*na, *nb);
        if a == Self::ANY || b == Self::ANY {
            return false;
        }
        let related = if self.inherits(a, nb) {
            self.ancestor(a, nb).map(|it| (it, b))
        } else if self.inherits(b, na) {
            self.ancestor(b, na).map(|it| (a, it))
        } else {
            // `Type{Int64}` and `DataType` share `Int64`.
            let type_name = self.type_type_name();
            return !(na == type_name && self.is_kind(b) || nb == type_name && self.is_kind(a));
        };
        if na != nb && specificity {
            return false;
        }
        related.is_some_and(|(a, b)| self.params_disjoint(a, b, specificity))
    }

    fn params_disjoint(&self, a: Type, b: Type, specificity: bool) -> bool {
        let (pa, pb) = (self.params(a), self.params(b));
        let is_tuple = self.is_tuple(a);
        let open = |params: &[Type]| {
            is_tuple && matches!(params.last().map(|&it| self.data(it)), Some(TypeData::Vararg { .. }))
        };
        let (open_a, open_b) = (open(pa), open(pb));
        let (fixed_a, fixed_b) = (pa.len() - usize::from(open_a), pb.len() - usize::from(open_b));
        if is_tuple && !specificity {
            let too_short = |open: bool, len: usize, other: usize| !open && len < other;
            if too_short(open_a, fixed_a, fixed_b) || too_short(open_b, fixed_b, fixed_a) {
                return true;
            }
        }
        pa[..fixed_a]
            .iter()
            .zip(&pb[..fixed_b])
            .any(|(&x, &y)| self.param_disjoint(x, y, is_tuple, specificity))
    }

    fn param_disjoint(&self, x: Type, y: Type, in_tuple: bool, specificity: bool) -> bool {
        match (self.data(x), self.data(y)) {
            // Parameters may be any type, `Union{}` included.
            (TypeData::Var { .. }, _) | (_, TypeData::Var { .. }) => false,
            (TypeData::Value(_), TypeData::Value(_)) => x != y,
            (TypeData::Value(_), _) => y != Self::ANY,
            (_, TypeData::Value(_)) => x != Self::ANY,
            (TypeData::Vararg { .. }, _) | (_, TypeData::Vararg { .. }) => false,
            (TypeData::Bottom, _) | (_, TypeData::Bottom) if in_tuple => false,
            _ => self.disjoint(x, y, specificity),
        }
    }
}
