//! Cheap bounds of two types, for the bounds of variables.

use super::engine::Engine;
use crate::{Type, TypeData, Types, consts, datatype, disjoint, intersect, union};

/// The comparison of a member of one union with those of another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Unknown,
    Equal,
    /// Below one of them.
    Smaller,
    /// Above one of them.
    Larger,
}

impl Size {
    fn is_within(self) -> bool {
        matches!(self, Self::Equal | Self::Smaller)
    }

    /// Combines two findings: "larger" is final, and "smaller" is stronger than "equal".
    fn or(self, next: Self) -> Self {
        match (self, next) {
            (Self::Unknown, _) | (Self::Equal, Self::Smaller) => next,
            _ => self,
        }
    }
}

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
        union::join(self.types, a, b)
    }

    /// Returns a greatest type below both; `b`, an overestimate, where it has no name.
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
        self.meet_members(a, b)
    }

    /// Returns the members of two unions that are below the other one; members disjoint from all of the other are
    /// dropped. An overestimate where members only overlap.
    fn meet_members(&self, a: Type, b: Type) -> Type {
        let types = self.types;
        let (xs, ys) = (union::members(types, a), union::members(types, b));
        let meets = |x: Type, y: Type| {
            if self.is_closed(x) && self.is_closed(y) {
                !intersect::are_disjoint(types, x, y)
            } else {
                !disjoint::are_obviously_disjoint(types, x, y)
            }
        };
        let x_meets: Vec<bool> = xs.iter().map(|&x| ys.iter().any(|&y| meets(x, y))).collect();
        let y_meets: Vec<bool> = ys.iter().map(|&y| xs.iter().any(|&x| meets(x, y))).collect();
        if !x_meets.contains(&true) {
            return Types::BOTTOM;
        }
        let (mut x_size, mut y_size) = (vec![Size::Unknown; xs.len()], vec![Size::Unknown; ys.len()]);
        for (i, &x) in xs.iter().enumerate().filter(|it| x_meets[it.0]) {
            for (j, &y) in ys.iter().enumerate().filter(|it| y_meets[it.0]) {
                let below = union::obviously_below(types, x, y, false);
                match (below, union::obviously_below(types, y, x, false)) {
                    (true, false) => (x_size[i], y_size[j]) = (x_size[i].or(Size::Smaller), Size::Larger),
                    (false, true) => (x_size[i], y_size[j]) = (Size::Larger, y_size[j].or(Size::Smaller)),
                    (true, true) => {
                        (x_size[i], y_size[j]) = (x_size[i].or(Size::Equal), y_size[j].or(Size::Equal));
                    }
                    (false, false) => {}
                }
            }
        }
        let within = |meets: &[bool], sizes: &[Size]| {
            meets.iter().zip(sizes).all(|(&meets, &size)| !meets || size.is_within())
        };
        let kept = |from: &[Type], meets: &[bool]| {
            from.iter().zip(meets).filter(|it| *it.1).map(|it| *it.0).collect::<Vec<_>>()
        };
        let left: Vec<Type> = if within(&x_meets, &x_size) {
            kept(&xs, &x_meets)
        } else if within(&y_meets, &y_size) {
            kept(&ys, &y_meets)
        } else {
            let smaller = (0..xs.len()).filter(|&i| x_meets[i] && x_size[i] == Size::Smaller).map(|i| xs[i]);
            let rest = (0..ys.len()).filter(|&j| y_meets[j] && y_size[j] != Size::Larger).map(|j| ys[j]);
            smaller.chain(rest).collect()
        };
        types.union(&left)
    }

    /// `DataType` over `Type{Int64}`.
    fn is_kind_over(&self, kind: Type, ty: Type) -> bool {
        datatype::is_kind(self.types, kind)
            && datatype::type_type_param(self.types, ty)
                .is_some_and(|it| consts::kind_of_type(self.types, it) == kind)
    }
}
