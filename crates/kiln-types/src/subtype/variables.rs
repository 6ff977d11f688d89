//! Variables: their bounds grow together as the walk meets them.

use super::engine::{Binding, Engine, Position};
use crate::{FrontMutant, Type, TypeData, TypeName, Types, consts, mutant, typevar, union, unionall};

impl Engine<'_> {
    /// Runs `walk` with a variable in scope, then checks the constraints of the scope as a whole.
    pub(crate) fn with_var(
        &mut self,
        var: Type,
        body: Type,
        right: bool,
        walk: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        self.bind(var, right);
        if right {
            self.out_index += 1;
        }
        let mut answer = walk(self);
        let at = self.env.len() - 1;
        if right {
            self.out_index -= 1;
            if self.env[at].invariant == 0 {
                // An argument `T` of type `Type{T}` is seen as its kind.
                self.env[at].lower = self.widen_type_type(self.env[at].lower);
            }
        }
        answer = answer && self.diagonal_holds(at, body);
        let Some(binding) = self.env.pop() else { return false };
        answer &= binding.lower == binding.upper || !self.escapes(binding.var, binding.depth);
        if answer && right {
            self.write_out(&binding);
        }
        answer
    }

    /// The diagonal rule: a variable that occurs more than once, and only in covariant position, ranges over concrete
    /// types.
    fn diagonal_holds(&mut self, at: usize, body: Type) -> bool {
        let binding = &self.env[at];
        let (var, lower, upper, concrete) = (binding.var, binding.lower, binding.upper, binding.concrete);
        let diagonal = binding.covariant > 1 && !unionall::occurs_inside(self.types, var, body, true);
        let declared_leaf = self.is_leaf_bound(self.declared_bounds(var).0);
        if !(concrete || diagonal && declared_leaf)
            || mutant::is_set(self.types, FrontMutant::DiagonalIgnored)
        {
            return true;
        }
        if concrete && !diagonal && !self.is_leaf_bound(upper) {
            return false;
        }
        if self.is_var(lower) {
            if let Some(other) = self.lookup(lower) {
                self.env[other].concrete = true;
            }
            return true;
        }
        self.is_leaf_bound(lower)
    }

    /// Whether a variable further out, at another depth, has been given a bound in which `var` occurs inside a
    /// constructor: no single value can satisfy that.
    fn escapes(&self, var: Type, depth: u32) -> bool {
        self.env.iter().any(|it| {
            let (lower, upper) = self.declared_bounds(it.var);
            let inside = |bound: Type, declared: Type| {
                bound != var && bound != declared && unionall::occurs_inside(self.types, var, bound, false)
            };
            it.depth != depth && (inside(it.upper, upper) || inside(it.lower, lower))
        })
    }

    /// Passes the value found for an outer variable of the right side to the caller.
    fn write_out(&mut self, binding: &Binding) {
        let index = self.out_index;
        if index >= self.out.len() {
            return;
        }
        let (var, lower, upper) = (binding.var, binding.lower, binding.upper);
        let in_arguments_only = binding.invariant == 0;
        let value = if in_arguments_only && lower != Types::BOTTOM {
            if self.is_leaf_bound(lower) { lower } else { self.fresh_like(var, Types::BOTTOM, lower) }
        } else if lower == upper || lower != Types::BOTTOM {
            lower
        } else if (lower, upper) == self.declared_bounds(var) {
            var
        } else {
            self.fresh_like(var, lower, upper)
        };
        // Different members of a union on the left may want different values: then it is unknown.
        let value = match self.out[index] {
            Some(old) if old != value => var,
            _ => self.closed_value(var, value),
        };
        self.out[index] = Some(value);
        self.out_found[index] = true;
    }

    /// A variable of the same name with other bounds.
    pub(crate) fn fresh_like(&self, var: Type, lower: Type, upper: Type) -> Type {
        let TypeData::Var { name, .. } = self.data(var) else { return var };
        unionall::scratch_var(self.types, *name, lower, upper, |_| false)
    }

    /// A value with variables of its own becomes a variable bounded by the closed type.
    pub(crate) fn closed_value(&self, var: Type, value: Type) -> Type {
        if self.is_var(value) || !typevar::has_free_vars(self.types, value) {
            return value;
        }
        let closed = typevar::free(self.types, value)
            .iter()
            .fold(value, |body, &it| unionall::new(self.types, it, body));
        if typevar::has_free_vars(self.types, closed) {
            return var;
        }
        self.fresh_like(var, Types::BOTTOM, closed)
    }

    /// `Type{T}` seen as an argument: the kind of `T`.
    fn widen_type_type(&self, ty: Type) -> Type {
        match self.data(ty) {
            TypeData::Data { name, params } => {
                let is_type_type = *name == TypeName::TYPE && !self.is_var(params[0]);
                if is_type_type { consts::kind_of_type(self.types, params[0]) } else { ty }
            }
            TypeData::Union(members) => {
                let kinds: Vec<Type> = members.iter().map(|&it| self.widen_type_type(it)).collect();
                if kinds.iter().all(|&it| it == kinds[0]) { kinds[0] } else { ty }
            }
            TypeData::Bottom
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. }
            | TypeData::Vararg { .. }
            | TypeData::Value(_) => ty,
        }
    }

    /// Whether a concrete variable may have this lower bound: the type is concrete, or effectively so.
    pub(crate) fn is_leaf_bound(&self, ty: Type) -> bool {
        union::is_leaf_bound(self.types, ty)
    }

    /// Whether `x <: y` for variables, each universal (left or free) or existential (right).
    pub(crate) fn var_below_var(&mut self, x: Type, y: Type, position: Position) -> bool {
        if x == y {
            return true;
        }
        let (at_x, at_y) = (self.lookup(x), self.lookup(y));
        let (x_lower, x_upper) = self.bounds(x);
        let (y_lower, y_upper) = self.bounds(y);
        if self.intersecting {
            // Variables found equal stand for each other.
            if x_lower == x_upper && self.is_var(x_upper) {
                return self.sub(x_upper, y, position);
            }
            if y_lower == y_upper && self.is_var(y_upper) {
                return self.sub(x, y_upper, position);
            }
        }
        let x_right = at_x.is_some_and(|it| self.env[it].right);
        let y_right = at_y.is_some_and(|it| self.env[it].right);
        if x_right {
            self.record(at_y, position);
            if y_right {
                self.record(at_x, position);
                return self.intersecting && self.is_below_by_bounds(x_lower, y_upper)
                    || self.sub(x_lower, y_upper, Position::Outside);
            }
            return self.var_below(x, y, position);
        }
        if y_right {
            self.record(at_x, position);
            return self.var_above(y, x, position);
        }
        // Both universal: bounds only lead outwards, so one of the two ways suffices.
        self.sub(x_upper, y, position) || self.sub(x, y_lower, position)
    }

    /// `var <: ty`: holds for a universal variable if its upper bound does; narrows an existential one.
    pub(crate) fn var_below(&mut self, var: Type, ty: Type, position: Position) -> bool {
        let Some(at) = self.lookup(var) else {
            let upper = self.declared_bounds(var).1;
            return self.ignore_free || self.bound_below(upper, ty, position);
        };
        let (lower, upper) = (self.env[at].lower, self.env[at].upper);
        if self.intersecting && lower == upper && self.is_var(upper) {
            return self.var_below(upper, ty, position);
        }
        self.record(Some(at), position);
        if !self.env[at].right {
            return self.bound_below(upper, ty, position);
        }
        if upper == ty {
            return true;
        }
        let is_unknown_value = lower == Types::BOTTOM && self.is_value(ty);
        if !is_unknown_value && !self.consistent(lower, ty) {
            return false;
        }
        if self.intersecting {
            let (upper, depth) = (self.env[at].upper, self.env[at].depth);
            let met = self.intersect_aside(ty, upper, depth);
            if met != var && !(self.is_var(met) && self.reaches(met, var)) {
                self.env[at].upper = met;
            }
        } else {
            let met = self.meet(self.env[at].upper, ty);
            if met != var {
                self.env[at].upper = met;
            }
        }
        if self.is_var(ty)
            && let Some(other) = self.lookup(ty)
            && !self.env[other].right
            && self.env[at].depth != self.env[other].depth
            && self.in_union(self.env[at].lower, ty)
            && self.is_outside(var, ty)
        {
            // An existential variable cannot equal a universal one inside it unless that one is fixed.
            let (lower, upper) = (self.env[other].lower, self.env[other].upper);
            return self.bound_below(upper, lower, position);
        }
        true
    }

    /// `ty <: var`.
    pub(crate) fn var_above(&mut self, var: Type, ty: Type, position: Position) -> bool {
        let Some(at) = self.lookup(var) else {
            let lower = self.declared_bounds(var).0;
            return self.ignore_free || self.bound_below(ty, lower, position);
        };
        let (lower, upper) = (self.env[at].lower, self.env[at].upper);
        if self.intersecting && lower == upper && self.is_var(upper) {
            return self.var_above(upper, ty, position);
        }
        self.record(Some(at), position);
        if !self.env[at].right {
            return self.bound_below(ty, lower, position);
        }
        if lower == ty {
            return true;
        }
        if lower == upper {
            if self.is_var(lower) && self.is_value(ty) {
                return self.var_above(lower, ty, position);
            }
            if self.is_var(ty) && self.is_value(lower) {
                return self.var_below(ty, lower, position);
            }
        }
        let is_unknown_value = upper == Types::ANY && self.is_value(ty);
        let ignored = mutant::is_set(self.types, FrontMutant::BoundIgnored);
        if !is_unknown_value && !ignored && !self.consistent(ty, upper) {
            return false;
        }
        let joined = self.join(self.env[at].lower, ty);
        self.set_lower(at, joined);
        if position == Position::Invariant
            && self.is_var(ty)
            && let Some(other) = self.lookup(ty)
            && !self.env[other].right
            && self.env[at].depth != self.env[other].depth
            && self.is_outside(var, ty)
        {
            let (lower, upper) = (self.env[other].lower, self.env[other].upper);
            return self.bound_below(upper, lower, position);
        }
        true
    }

    /// Whether the bounds known of variables say that `x <: y`; no work is done to find out.
    pub(crate) fn is_below_by_bounds(&self, x: Type, y: Type) -> bool {
        match (self.data(x), self.data(y)) {
            (TypeData::Union(members), _) => members.iter().all(|&it| self.is_below_by_bounds(it, y)),
            (_, TypeData::Union(members)) => members.iter().any(|&it| self.is_below_by_bounds(x, it)),
            _ if x == Types::BOTTOM || y == Types::ANY || x == y => true,
            (_, TypeData::Var { .. }) => {
                self.is_var(x) && self.vars_ordered(x, y) || self.is_part_of(x, self.bounds(y).0)
            }
            _ => false,
        }
    }

    /// Whether the chain of upper bounds of `x` leads to `y`, or that of lower bounds of `y` to `x`.
    pub(crate) fn vars_ordered(&self, x: Type, y: Type) -> bool {
        let leads = |from: Type, to: Type, up: bool| {
            let mut at = from;
            for _ in 0..=self.env.len() {
                if at == to {
                    return true;
                }
                let Some(binding) = self.lookup(at).map(|it| &self.env[it]) else { return false };
                at = if up { binding.upper } else { binding.lower };
            }
            false
        };
        self.is_var(x) && self.is_var(y) && (leads(x, y, true) || leads(y, x, false))
    }

    /// Sets a lower bound, unless the variable would be its own.
    pub(super) fn set_lower(&mut self, at: usize, lower: Type) {
        let var = self.env[at].var;
        if lower != var && !(self.intersecting && self.is_var(lower) && self.reaches(lower, var)) {
            self.env[at].lower = lower;
        }
    }

    /// Whether following bounds from `ty` leads to `var`.
    pub(crate) fn reaches(&self, ty: Type, var: Type) -> bool {
        self.reaches_past(ty, var, &mut Vec::new())
    }

    fn reaches_past(&self, ty: Type, var: Type, seen: &mut Vec<Type>) -> bool {
        if ty == var {
            return true;
        }
        if let TypeData::Union(members) = self.data(ty) {
            return members.iter().any(|&it| self.reaches_past(it, var, seen));
        }
        if !self.is_var(ty) || seen.contains(&ty) {
            return false;
        }
        seen.push(ty);
        let (lower, upper) = self.bounds(ty);
        self.reaches_past(upper, var, seen) || self.reaches_past(lower, var, seen)
    }

    /// `x <: y` where one of them is a bound: the trivial cases without touching any choice.
    fn bound_below(&mut self, x: Type, y: Type, position: Position) -> bool {
        if let Some(answer) = self.trivially_below(x, y) {
            return answer;
        }
        self.sub(x, y, position)
    }

    fn trivially_below(&self, x: Type, y: Type) -> Option<bool> {
        if x == y || x == Types::BOTTOM && self.is_type(y) || y == Types::ANY && self.is_type(x) {
            return Some(true);
        }
        (x == Types::ANY && matches!(self.data(y), TypeData::Data { .. })).then_some(false)
    }

    /// `x <: y` between a bound and its replacement, with choices of its own.
    pub(super) fn consistent(&mut self, x: Type, y: Type) -> bool {
        self.trivially_below(x, y).unwrap_or_else(|| self.local(x, y, Position::Outside, Some(true)))
    }
}
