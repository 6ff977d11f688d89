//! Variables in an intersection.

use crate::subtype::{Binding, Constraint, Engine, Position};
use crate::{Type, TypeData, Types, datatype, typevar, unionall};

impl Engine<'_> {
    /// `x <: y` in the current environment with choices of its own.
    pub(super) fn sub_aside(&mut self, x: Type, y: Type) -> bool {
        self.forall_exists(x, y, Position::Outside)
    }

    /// `x <: y` with all variables existential.
    pub(super) fn sub_existential(&mut self, x: Type, y: Type) -> bool {
        if x == Types::BOTTOM || y == Types::ANY {
            return true;
        }
        let sides: Vec<bool> = self.env.iter().map(|it| it.right).collect();
        for binding in &mut self.env {
            binding.right = true;
        }
        let answer = self.sub_aside(x, y);
        for (binding, right) in self.env.iter_mut().zip(sides) {
            binding.right = right;
        }
        answer
    }

    /// As `sub_existential`, but restores the environment.
    fn try_existential(&mut self, x: Type, y: Type) -> bool {
        let before = self.save();
        let answer = self.sub_existential(x, y);
        self.restore(&before);
        answer
    }

    pub(super) fn flip_sides(&mut self) {
        for binding in &mut self.env {
            binding.right = !binding.right;
        }
    }

    /// An intersection of bounds, with choices and a depth of its own.
    pub(crate) fn intersect_aside(&mut self, x: Type, y: Type, depth: u32) -> Type {
        if x == Types::ANY && !self.is_var(y) {
            return y;
        }
        if y == Types::ANY && !self.is_var(x) {
            return x;
        }
        if self.is_part_of(y, x) {
            return y;
        }
        if self.is_part_of(x, y) {
            return x;
        }
        let outer = std::mem::replace(&mut self.depth, depth);
        let common = self.intersect_all(x, y);
        self.depth = outer;
        common
    }

    fn intersect_bound(&mut self, at: usize, ty: Type, right: bool) -> Type {
        let (upper, depth) = (self.env[at].upper, self.env[at].depth);
        if right { self.intersect_aside(ty, upper, depth) } else { self.intersect_aside(upper, ty, depth) }
    }

    /// A variable gets a value that is not a type.
    pub(super) fn set_to_value(&mut self, at: usize, value: Type) -> Type {
        let binding = &mut self.env[at];
        if (binding.lower, binding.upper) == (Types::BOTTOM, Types::ANY) {
            (binding.lower, binding.upper) = (value, value);
            value
        } else if binding.lower == value {
            value
        } else {
            Types::BOTTOM
        }
    }

    /// `X == Ref{X}` has no solution, nor for variables equal to `X`.
    fn is_circular(&self, ty: Type, var: Type) -> bool {
        unionall::occurs_inside(self.types, var, ty, false)
            || self.env.iter().any(|it| {
                (it.lower, it.upper) == (var, var) && unionall::occurs_inside(self.types, it.var, ty, false)
            })
    }

    fn set_upper(&mut self, at: usize, upper: Type) {
        if !self.is_own_bound(at, upper) {
            self.env[at].upper = upper;
        }
    }

    /// Whether a bound of the variable at `at` would be the variable itself, or one equal to it.
    fn is_own_bound(&self, at: usize, bound: Type) -> bool {
        let var = self.env[at].var;
        let is_alias = |it: &Binding| (it.lower == var || it.upper == var) && self.in_union(bound, it.var);
        self.in_union(bound, var) || self.env.iter().any(is_alias)
    }

    /// The variable `var` with something else; `right` if the variable is on the right side.
    pub(super) fn intersect_var(&mut self, var: Type, ty: Type, right: bool, position: Position) -> Type {
        let Some(at) = self.lookup(var) else {
            let upper = self.declared_bounds(var).1;
            return if right {
                self.intersect_aside(ty, upper, 0)
            } else {
                self.intersect_aside(upper, ty, 0)
            };
        };
        let (lower, upper) = (self.env[at].lower, self.env[at].upper);
        if self.reaches(lower, var) || self.reaches(upper, var) {
            return ty;
        }
        if lower == upper && self.is_var(lower) {
            return if right {
                self.intersect_at(ty, lower, position)
            } else {
                self.intersect_at(lower, ty, position)
            };
        }
        if self.is_value(ty) {
            return self.set_to_value(at, ty);
        }
        if position == Position::Invariant {
            return self.set_equal(at, ty, right);
        }
        let common = self.intersect_bound(at, ty, right);
        if common == Types::BOTTOM {
            return common;
        }
        let narrows = self.in_bound > 0 && position == Position::Covariant;
        if narrows && self.is_circular(common, var) {
            return Types::BOTTOM;
        }
        match self.env[at].constraint {
            _ if narrows => {
                self.set_upper(at, common);
                var
            }
            Constraint::Below => {
                self.set_upper(at, common);
                var
            }
            Constraint::None => {
                let upper = self.env[at].upper;
                if !self.is_var(ty) && self.is_below_now(upper, ty) { var } else { common }
            }
            Constraint::Overlap => {
                let (lower, upper) = (self.env[at].lower, self.env[at].upper);
                let known = common == ty && lower != Types::BOTTOM || lower == upper;
                if !known && self.is_leaf_bound(common) && !self.is_own_bound(at, common) {
                    self.env[at].lower = common;
                }
                common
            }
        }
    }

    /// `x <: y` in the current environment, leaving no trace.
    fn is_below_now(&mut self, x: Type, y: Type) -> bool {
        if self.is_below_by_bounds(x, y) {
            return true;
        }
        let before = self.save();
        let answer = self.sub_aside(x, y);
        self.restore(&before);
        answer
    }

    /// Makes a variable in parameter position equal to `ty`.
    fn set_equal(&mut self, at: usize, ty: Type, right: bool) -> Type {
        let (var, lower, upper) = (self.env[at].var, self.env[at].lower, self.env[at].upper);
        let value = if typevar::has_free_vars(self.types, ty) {
            self.in_bound += 1;
            let common = self.intersect_bound(at, ty, right);
            self.in_bound -= 1;
            let lower = self.env[at].lower;
            if !self.try_existential(lower, common) {
                return Types::BOTTOM;
            }
            common
        } else {
            if !self.bounds_agree((lower, upper), (ty, ty), !right) {
                return Types::BOTTOM;
            }
            ty
        };
        if value == var {
            return value;
        }
        if typevar::has_free_vars(self.types, value) && self.is_circular(value, var) {
            return Types::BOTTOM;
        }
        self.env[at].upper = value;
        let is_union = |it: Type| matches!(self.data(it), TypeData::Union(_));
        let is_unionall = |it: Type| matches!(self.data(it), TypeData::UnionAll { .. });
        if is_union(value) && !is_union(ty) || is_unionall(value) && !is_unionall(ty) {
            return var; // only a part of it may be meant
        }
        self.env[at].lower = value;
        value
    }

    /// Whether two variables with these bounds (lower, upper) can be equal. Tries both assignments of universal and
    /// existential.
    fn bounds_agree(&mut self, x: (Type, Type), y: (Type, Type), flip: bool) -> bool {
        let pairs = [(x.0, y.1), (y.0, x.1)];
        let closed = |it: &Self, pair: (Type, Type)| it.is_closed(pair.0) && it.is_closed(pair.1);
        let mut open = Vec::new();
        for pair in pairs {
            let (low, high) = pair;
            if low == Types::BOTTOM || high == Types::ANY || self.is_part_of(low, high) {
                continue;
            }
            if !closed(self, pair) {
                open.push(pair);
            } else if !self.is_type(low) || !self.is_type(high) || !self.closed_subtype(low, high) {
                return false;
            }
        }
        if open.is_empty() {
            return true;
        }
        let before = self.save();
        for flip in [flip, !flip] {
            if flip {
                self.flip_sides();
            }
            let agree = open.iter().all(|&(low, high)| self.sub_aside(low, high));
            if flip {
                self.flip_sides();
            }
            if agree {
                return true;
            }
            self.restore(&before);
        }
        open.iter().all(|&(low, high)| self.try_existential(low, high))
    }

    /// Two variables.
    pub(super) fn intersect_vars(&mut self, x: Type, y: Type, position: Position) -> Type {
        let (mut x, mut y, mut swapped) = (x, y, false);
        if self.lookup(x).is_some() && self.lookup(y).is_some() && self.is_outside(x, y) {
            // Bounds gather on the outer variable, to which the inner one is set equal.
            (x, y) = (y, x);
            swapped = true;
        }
        let (at_x, at_y) = (self.lookup(x), self.lookup(y));
        if position == Position::Invariant {
            return self.equate_vars(x, y, swapped);
        }
        self.record(at_x, position);
        self.record(at_y, position);
        let concrete = |at: Option<usize>| at.map(|it| self.env[it].concrete);
        if concrete(at_x) == Some(true) && concrete(at_y) == Some(false) {
            return self.intersect_var(x, y, swapped, position);
        }
        self.intersect_var(y, x, !swapped, position)
    }

    fn equate_vars(&mut self, x: Type, y: Type, swapped: bool) -> Type {
        let position = Position::Invariant;
        let (at_x, at_y) = (self.lookup(x), self.lookup(y));
        let ((x_lower, x_upper), (y_lower, y_upper)) = (self.bounds(x), self.bounds(y));
        if let (Some(at_x), Some(at_y)) = (at_x, at_y)
            && self.env[at_x].depth != self.env[at_y].depth
        {
            self.record(Some(at_x), position);
            self.record(Some(at_y), position);
            return if self.sub_aside(y_upper, y_lower) { y } else { Types::BOTTOM };
        }
        if x_lower == x_upper && self.is_var(x_upper) {
            self.record(at_x, position);
            if y == x_upper {
                self.record(at_y, position);
                return y;
            }
            return self.intersect_at(x_upper, y, position);
        }
        if y_lower == y_upper && self.is_var(y_upper) {
            self.record(at_y, position);
            return self.intersect_at(x, y_upper, position);
        }
        self.record(at_x, position);
        self.record(at_y, position);
        if self.is_value(y_lower) {
            return match at_x {
                Some(at) => self.set_to_value(at, y_lower),
                None if (x_lower, x_upper) == (Types::BOTTOM, Types::ANY) || x_lower == y_lower => y_lower,
                None => Types::BOTTOM,
            };
        }
        if self.is_value(x_lower) {
            return match at_y {
                Some(at) => self.set_to_value(at, x_lower),
                None if (y_lower, y_upper) == (Types::BOTTOM, Types::ANY) => x_lower,
                None => Types::BOTTOM,
            };
        }
        if !self.can_be_equal(x, y, swapped) {
            return Types::BOTTOM;
        }
        let mentions = |ty: Type| self.occurs_by_alias(x, ty) || self.occurs_by_alias(y, ty);
        if mentions(x_upper) && mentions(y_upper) {
            // Circular: there is no solution, which shows when the scopes end.
            return y;
        }
        let depth = at_x.or(at_y).map_or(0, |it| self.env[it].depth);
        let upper = if swapped {
            self.intersect_aside(y_upper, x_upper, depth)
        } else {
            self.intersect_aside(x_upper, y_upper, depth)
        };
        let lower = if self.reaches(x_lower, y) { y_lower } else { self.join(x_lower, y_lower) };
        if let Some(at) = at_y {
            if lower != y {
                self.env[at].lower = lower;
            }
            if !self.reaches(upper, y) {
                self.env[at].upper = upper;
            }
        }
        if let Some(at) = at_x
            && !self.reaches(y, x)
        {
            self.env[at].lower = y;
            self.env[at].upper = y;
        }
        y
    }

    fn can_be_equal(&mut self, x: Type, y: Type, swapped: bool) -> bool {
        let (x_bounds, y_bounds) = (self.bounds(x), self.bounds(y));
        let fixed = |it: (Type, Type)| it.0 == it.1;
        if fixed(x_bounds)
            && fixed(y_bounds)
            && typevar::occurs(self.types, y, x_bounds.0)
            && typevar::occurs(self.types, x, y_bounds.0)
        {
            return false; // `X == Val{Y}`, `Y == Val{X}`
        }
        let ordered = self.vars_ordered(x_bounds.0, y_bounds.1) && self.vars_ordered(y_bounds.0, x_bounds.1);
        x_bounds.1 == y_bounds.1 || ordered || self.bounds_agree(x_bounds, y_bounds, swapped)
    }

    /// Whether `var`, or a variable equal to it, occurs in `ty`.
    fn occurs_by_alias(&self, var: Type, ty: Type) -> bool {
        let within = |it: Type| it == ty || typevar::occurs(self.types, it, ty);
        let inside = self.lookup(var).map_or(0, |at| at + 1);
        let is_alias = |it: &Binding| (it.lower, it.upper) == (var, var) && within(it.var);
        within(var) || self.env[inside..].iter().any(is_alias)
    }

    /// `other` with `body where var`; `right` if the `UnionAll` is on the right side.
    pub(super) fn intersect_unionall(
        &mut self,
        other: Type,
        var: Type,
        body: Type,
        right: bool,
        position: Position,
    ) -> Type {
        let before = self.save();
        let (var, body) = self.open(var, body, other);
        let declared = self.declared_bounds(var);
        let covariant_only = !unionall::occurs_inside(self.types, var, body, true);
        let first =
            if self.is_leaf_bound(declared.0) && covariant_only && self.always_covariant(body, var, position)
            {
                Constraint::Below
            } else {
                Constraint::None
            };
        let mut seen = self.scope_once(other, var, body, right, position, first, None);
        if seen.common == Types::BOTTOM {
            return seen.common;
        }
        let mixed = seen.invariant > 1 || seen.invariant > 0 && seen.covariant > 0;
        let second = if seen.concrete {
            Constraint::Below
        } else if mixed || declared.0 != Types::BOTTOM {
            Constraint::Overlap
        } else if seen.covariant > 0 && covariant_only {
            Constraint::Below
        } else {
            first
        };
        if second != first || seen.concrete {
            // Now that it is known how the variable occurs, once more with the right kind of constraint.
            let keep = (first != Constraint::Below).then(|| (seen.lower, seen.upper, seen.inner.clone()));
            if second == Constraint::Below {
                self.restore(&before);
            } else {
                self.restore_counts(&before);
            }
            self.right.rewind_to(before.right_depth());
            let concrete = seen.concrete;
            seen = self.scope_once(other, var, body, right, position, second, Some((keep, concrete)));
        }
        seen.common
    }

    fn always_covariant(&self, ty: Type, var: Type, position: Position) -> bool {
        if position == Position::Invariant || !typevar::occurs(self.types, var, ty) {
            return false;
        }
        match self.data(ty) {
            TypeData::Var { .. } => position == Position::Covariant,
            TypeData::Union(members) => members.iter().all(|&it| self.always_covariant(it, var, position)),
            TypeData::UnionAll { var: inner, body } => {
                let upper = self.declared_bounds(*inner).1;
                self.always_covariant(upper, var, Position::Outside)
                    || self.always_covariant(*body, var, position)
            }
            TypeData::Vararg { elem, .. } => self.always_covariant(*elem, var, position),
            TypeData::Data { params, .. } => {
                let inner = if datatype::is_tuple(self.types, ty) { Position::Covariant } else { position };
                params.iter().any(|&it| self.always_covariant(it, var, inner))
            }
            TypeData::Bottom | TypeData::Value(_) => false,
        }
    }
}
