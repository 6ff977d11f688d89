//! Variables in an intersection.

use crate::subtype::{Constraint, Engine, Position};
use crate::{Type, TypeData, Types};

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

    /// As `sub_existential`, leaving no trace.
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

    /// Whether following bounds from `ty` leads to `var`.
    fn reaches(&self, ty: Type, var: Type, fuel: u32) -> bool {
        if fuel == 0 || self.in_union(ty, var) {
            return true;
        }
        match self.lookup(ty) {
            Some(at) => {
                self.reaches(self.env[at].upper, var, fuel - 1)
                    || self.reaches(self.env[at].lower, var, fuel - 1)
            }
            None => false,
        }
    }

    /// `X == Ref{X}` has no solution, nor has it for variables equal to `X`.
    fn is_circular(&self, ty: Type, var: Type) -> bool {
        self.types.occurs_inside(ty, var, false)
            || self
                .env
                .iter()
                .any(|it| (it.lower, it.upper) == (var, var) && self.types.occurs_inside(ty, it.var, false))
    }

    fn set_upper(&mut self, at: usize, upper: Type) {
        let var = self.env[at].var;
        let alias =
            self.env.iter().any(|it| (it.lower, it.upper) == (var, var) && self.in_union(upper, it.var));
        if !self.in_union(upper, var) && !alias {
            self.env[at].upper = upper;
        }
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
        if self.reaches(lower, var, 16) || self.reaches(upper, var, 16) {
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
        if self.in_bound > 0 && position == Position::Covariant {
            if self.is_circular(common, var) {
                return Types::BOTTOM;
            }
            self.set_upper(at, common);
            return var;
        }
        match self.env[at].constraint {
            Constraint::Below => {
                self.set_upper(at, common);
                var
            }
            Constraint::None => {
                let covered = !self.is_var(ty) && {
                    let before = self.save();
                    let upper = self.env[at].upper;
                    let answer = self.sub_aside(upper, ty);
                    self.restore(&before);
                    answer
                };
                if covered { var } else { common }
            }
            Constraint::Overlap => {
                let (lower, upper) = (self.env[at].lower, self.env[at].upper);
                if !self.is_var(ty) {
                    if common == ty && lower != Types::BOTTOM || lower == upper {
                        return common;
                    }
                    self.set_upper(at, common);
                }
                var
            }
        }
    }

    /// In parameter position a variable equals what it meets.
    fn set_equal(&mut self, at: usize, ty: Type, right: bool) -> Type {
        let (var, lower, upper) = (self.env[at].var, self.env[at].lower, self.env[at].upper);
        let value = if self.types.has_free_vars(ty) {
            self.in_bound += 1;
            let common = self.intersect_bound(at, ty, right);
            self.in_bound -= 1;
            let lower = self.env[at].lower;
            if !self.try_existential(lower, common) {
                return Types::BOTTOM;
            }
            common
        } else {
            if !self.try_existential(lower, ty) || !self.try_existential(ty, upper) {
                return Types::BOTTOM;
            }
            ty
        };
        if value != var {
            if self.types.has_free_vars(value) && self.is_circular(value, var) {
                return Types::BOTTOM;
            }
            self.env[at].upper = value;
            self.env[at].lower = value;
        }
        value
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
        self.record(at_x, position);
        if let (Some(at_x), Some(at_y)) = (at_x, at_y)
            && self.env[at_x].depth != self.env[at_y].depth
        {
            self.record(Some(at_y), position);
            return if self.sub_aside(y_upper, y_lower) { y } else { Types::BOTTOM };
        }
        if x_lower == x_upper && self.is_var(x_upper) {
            if y == x_upper {
                self.record(at_y, position);
                return y;
            }
            return self.intersect_at(y, x_upper, position);
        }
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
        if swapped {
            self.flip_sides();
        }
        let consistent = self.sub_aside(x_lower, y_upper) && self.sub_aside(y_lower, x_upper);
        if swapped {
            self.flip_sides();
        }
        if !consistent {
            return Types::BOTTOM;
        }
        let types = self.types;
        let mentions = |ty: Type| types.occurs(x, ty) || types.occurs(y, ty);
        if mentions(x_upper) && mentions(y_upper) {
            // Circular: there is no solution, which shows when the scopes end.
            return y;
        }
        let depth = at_x.map_or(0, |it| self.env[it].depth);
        let upper = self.intersect_aside(x_upper, y_upper, depth);
        let lower = self.join(x_lower, y_lower);
        if let Some(at) = at_y {
            if lower != y {
                self.env[at].lower = lower;
            }
            if !self.reaches(upper, y, 16) {
                self.env[at].upper = upper;
            }
        }
        if let Some(at) = at_x
            && !self.reaches(y, x, 16)
        {
            self.env[at].lower = y;
            self.env[at].upper = y;
        }
        y
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
        let covariant_only = !self.types.occurs_inside(body, var, true);
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
            let concrete = seen.concrete;
            seen = self.scope_once(other, var, body, right, position, second, Some((keep, concrete)));
        }
        seen.common
    }

    fn always_covariant(&self, ty: Type, var: Type, position: Position) -> bool {
        if position == Position::Invariant || !self.types.occurs(var, ty) {
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
                let inner = if self.types.is_tuple(ty) { Position::Covariant } else { position };
                params.iter().any(|&it| self.always_covariant(it, var, inner))
            }
            TypeData::Bottom | TypeData::Value(_) => false,
        }
    }
}
