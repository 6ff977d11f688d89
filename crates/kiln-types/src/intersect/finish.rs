//! The end of a variable's scope: its remaining occurrences in the result and in the bounds of others.

use crate::subtype::{Binding, Constraint, Engine, Position};
use crate::{Type, TypeData, Types, typevar, unionall};

/// The findings of one pass over the scope of a variable.
pub(super) struct Seen {
    pub(super) common: Type,
    pub(super) lower: Type,
    pub(super) upper: Type,
    pub(super) inner: Vec<Type>,
    pub(super) invariant: u8,
    pub(super) covariant: u8,
    pub(super) concrete: bool,
}

/// Bounds to start from in a second pass, and whether the variable is known to be concrete.
type Known = (Option<(Type, Type, Vec<Type>)>, bool);

impl Engine<'_> {
    #[expect(clippy::too_many_arguments, reason = "one place calls it, with all that a scope consists of")]
    pub(super) fn scope_once(
        &mut self,
        other: Type,
        var: Type,
        body: Type,
        right: bool,
        position: Position,
        constraint: Constraint,
        known: Option<Known>,
    ) -> Seen {
        self.bind(var, right);
        let at = self.env.len() - 1;
        self.env[at].constraint = constraint;
        if let Some((bounds, concrete)) = known {
            self.env[at].concrete = concrete;
            if let Some((lower, upper, inner)) = bounds {
                self.env[at].lower = lower;
                self.env[at].upper = upper;
                self.env[at].inner = inner;
            }
        }
        let mut common = if right {
            self.intersect_at(other, body, position)
        } else {
            self.intersect_at(body, other, position)
        };
        let diagonal = self.env[at].covariant > 1
            && self.is_leaf_bound(self.declared_bounds(var).0)
            && !unionall::occurs_inside(self.types, var, body, true);
        self.env[at].concrete |= diagonal;
        let Some(mut binding) = self.env.pop() else { return self.nothing() };
        let unsatisfiable =
            binding.concrete && !self.is_var(binding.lower) && !self.is_leaf_bound(binding.lower)
                || binding.upper == Types::BOTTOM && binding.covariant > 0
                || binding.lower == var
                || typevar::occurs(self.types, var, binding.lower);
        if !unsatisfiable && common != Types::BOTTOM {
            binding.upper = self.without_var(binding.upper, var);
            if binding.upper == Types::BOTTOM && binding.lower != Types::BOTTOM {
                common = Types::BOTTOM;
            }
        }
        let mut seen = Seen {
            common: Types::BOTTOM,
            lower: binding.lower,
            upper: binding.upper,
            inner: binding.inner.clone(),
            invariant: binding.invariant,
            covariant: binding.covariant,
            concrete: binding.concrete,
        };
        if common != Types::BOTTOM && !unsatisfiable {
            common = self.finish(common, binding);
            seen.common = common;
        }
        seen
    }

    fn nothing(&self) -> Seen {
        let bottom = Types::BOTTOM;
        let inner = Vec::new();
        Seen {
            common: bottom,
            lower: bottom,
            upper: bottom,
            inner,
            invariant: 0,
            covariant: 0,
            concrete: false,
        }
    }

    /// Returns the single possible value of a variable, if it is known.
    fn single_value(&self, binding: &Binding) -> Option<Type> {
        let (lower, upper) = (binding.lower, binding.upper);
        let fixed = lower == upper
            || self.is_value(upper) && self.is_var(lower)
            // `Tuple{T} where T<:Int64` is `Tuple{Int64}`.
            || binding.covariant > 0 && self.is_leaf_bound(upper) && self.is_closed(upper);
        fixed.then_some(upper)
    }

    /// A bound without the members of unions in which its own variable occurs, which say nothing.
    fn without_var(&self, bound: Type, var: Type) -> Type {
        let types = self.types;
        if bound == var {
            return Types::BOTTOM;
        }
        if !typevar::occurs(types, var, bound) {
            return bound;
        }
        match self.data(bound) {
            TypeData::Union(members) => {
                let left: Vec<Type> = members.iter().map(|&it| self.without_var(it, var)).collect();
                types.union(&left)
            }
            &TypeData::UnionAll { var: inner, body } => {
                let left = self.without_var(body, var);
                if !typevar::occurs(types, inner, left) {
                    return left;
                }
                let &TypeData::Var { name, lower, upper, .. } = self.data(inner) else { return left };
                if typevar::occurs(types, var, lower) || lower == var {
                    return Types::BOTTOM;
                }
                let narrowed = self.without_var(upper, var);
                if narrowed == Types::BOTTOM && lower != narrowed {
                    return Types::BOTTOM;
                }
                if narrowed == lower {
                    return unionall::substitute(types, left, inner, narrowed);
                }
                if narrowed == upper {
                    return unionall::new(types, inner, left);
                }
                let fresh = unionall::scratch_var(types, name, lower, narrowed, |it| {
                    typevar::occurs(types, it, left)
                });
                unionall::new(types, fresh, unionall::substitute(types, left, inner, fresh))
            }
            TypeData::Bottom
            | TypeData::Data { .. }
            | TypeData::Var { .. }
            | TypeData::Vararg { .. }
            | TypeData::Value(_) => Types::BOTTOM,
        }
    }

    fn finish(&mut self, common: Type, binding: Binding) -> Type {
        let types = self.types;
        let var = binding.var;
        let value = self.single_value(&binding);
        if binding.is_length {
            let is_int = value.is_some_and(|it| self.int_value(it).is_some());
            let free = (binding.lower, binding.upper) == (Types::BOTTOM, Types::ANY)
                || self.is_var(binding.lower) && binding.lower == binding.upper;
            if !is_int && !free {
                return Types::BOTTOM;
            }
        }
        let unchanged = (binding.lower, binding.upper) == self.declared_bounds(var);
        let mut replacement = var;
        if let TypeData::Var { name, .. } = self.data(var)
            && value.is_none()
            && !unchanged
        {
            replacement = unionall::scratch_var(types, *name, binding.lower, binding.upper, |it| {
                typevar::occurs(types, it, common) || binding.inner.contains(&it) || self.mentions(it)
            });
        }
        let Some(wrap) = self.leave_bounds(&binding, value, replacement) else { return Types::BOTTOM };
        let mut common = common;
        if typevar::occurs(types, var, common) {
            common = match value {
                Some(value) => self.simplify(unionall::substitute(types, common, var, value)),
                None => {
                    let renamed = unionall::substitute(types, common, var, replacement);
                    if wrap { unionall::new(types, replacement, renamed) } else { renamed }
                }
            };
        }
        for &inner in &binding.inner {
            if typevar::occurs(types, inner, common) {
                common = unionall::new(types, inner, common);
            }
        }
        common
    }

    fn mentions(&self, var: Type) -> bool {
        let types = self.types;
        self.env.iter().any(|it| {
            it.var == var || typevar::occurs(types, var, it.lower) || typevar::occurs(types, var, it.upper)
        })
    }

    /// `UnionAll`s whose bounds have become equal are applied.
    fn simplify(&self, ty: Type) -> Type {
        let mut ty = ty;
        while let &TypeData::UnionAll { var, body } = self.data(ty) {
            let (lower, upper) = self.declared_bounds(var);
            if lower != upper {
                break;
            }
            ty = unionall::substitute(self.types, body, var, lower);
        }
        ty
    }

    /// Removes a variable from the bounds of those around it. `Some(false)`: one of them now needs it bound
    /// outside itself. `None`: there is no solution.
    fn leave_bounds(&mut self, binding: &Binding, value: Option<Type>, replacement: Type) -> Option<bool> {
        let types = self.types;
        let var = binding.var;
        let mut wrap = true;
        for at in 0..self.env.len() {
            let outer = self.env[at].var;
            let mut hoisted = false;
            for is_upper in [false, true] {
                let bound = if is_upper { self.env[at].upper } else { self.env[at].lower };
                if !typevar::occurs(types, var, bound) {
                    continue;
                }
                let own = if is_upper { binding.upper } else { binding.lower };
                if own == outer {
                    if !is_upper {
                        return None;
                    }
                    let left = self.without_var(bound, var);
                    if left == Types::BOTTOM && self.env[at].lower != left {
                        return None;
                    }
                    self.env[at].upper = left;
                    continue;
                }
                let mentions = typevar::occurs(types, outer, binding.lower)
                    || typevar::occurs(types, outer, binding.upper);
                let left = if let Some(value) = value {
                    unionall::substitute(types, bound, var, value)
                } else if bound == var {
                    own
                } else if self.env[at].depth == binding.depth && !mentions {
                    // `S` is `Ref{T}` for the `T` that goes out of scope: `T` is bound outside `S`.
                    hoisted = true;
                    unionall::substitute(types, bound, var, replacement)
                } else {
                    unionall::new(types, var, bound)
                };
                if is_upper {
                    self.env[at].upper = left;
                } else {
                    self.env[at].lower = left;
                }
                // Variables that this one was to have outside itself are now mentioned further out.
                for &inner in &binding.inner {
                    if typevar::occurs(types, inner, left) && !self.env[at].inner.contains(&inner) {
                        self.env[at].inner.push(inner);
                    }
                }
            }
            // A variable that is bound outside this one already may itself depend on it.
            let depends = |it: &Type| {
                let (lower, upper) = self.declared_bounds(*it);
                typevar::occurs(types, var, lower) || typevar::occurs(types, var, upper)
            };
            hoisted |= value.is_none() && replacement == var && self.env[at].inner.iter().any(depends);
            if hoisted {
                wrap = false;
                if !self.env[at].inner.contains(&replacement) {
                    self.env[at].inner.push(replacement);
                }
            }
        }
        Some(wrap)
    }
}
