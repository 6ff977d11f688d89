//! Binding variables and replacing them.
//!
//! # Invariant
//! The variable of every interned `UnionAll` is the one `Types::canonical_var` chooses for its body, so two that
//! differ only in the identity of their variables are one. Opening a `UnionAll` therefore yields variables that other
//! types use as well; code that puts a type under a binder must check for capture.

use crate::interner::FIRST_SCRATCH_ORDINAL;
use crate::{Symbol, Type, TypeData, Types};

/// A simultaneous substitution of variables.
#[derive(Clone)]
struct Map(Vec<(Type, Type)>);

impl Types {
    /// `body where var`, in normal form: `body` itself if `var` does not occur, the upper bound if the body is
    /// the variable.
    pub fn union_all(&self, var: Type, body: Type) -> Type {
        let &TypeData::Var { name, lower, upper, .. } = self.data(var) else { return body };
        if body == var {
            return upper;
        }
        if let &TypeData::Vararg { elem, count } = self.data(body) {
            // `Vararg{T} where T` scopes over the element; a bound length can not.
            return if count == Some(var) { body } else { self.vararg(self.union_all(var, elem), count) };
        }
        if !self.occurs(var, body) {
            return body;
        }
        let bound = self.canonical_var(name, lower, upper, body, var);
        let body = if bound == var { body } else { self.substitute(body, var, bound) };
        self.intern(TypeData::UnionAll { var: bound, body })
    }

    /// `body` with `var` replaced.
    pub fn substitute(&self, body: Type, var: Type, with: Type) -> Type {
        if body == var {
            return with;
        }
        if !self.occurs(var, body) || var == with {
            return body;
        }
        self.replace(body, &Map(vec![(var, with)]))
    }

    /// Replaces each of `vars` in `body` by the corresponding element of `with`, simultaneously.
    pub fn substitute_all(&self, body: Type, vars: &[Type], with: &[Type]) -> Type {
        let map =
            Map(vars.iter().copied().zip(with.iter().copied()).filter(|(var, with)| var != with).collect());
        self.replace(body, &map)
    }

    fn replace(&self, ty: Type, map: &Map) -> Type {
        if let TypeData::Var { .. } = self.data(ty) {
            return map.0.iter().find(|(var, _)| *var == ty).map_or(ty, |(_, with)| *with);
        }
        let free = &self.entry(ty).free;
        if !map.0.iter().any(|(var, _)| free.binary_search(var).is_ok()) {
            return ty;
        }
        match self.data(ty) {
            TypeData::Bottom | TypeData::Value(_) | TypeData::Var { .. } => ty,
            TypeData::Data { name, params } => {
                let params: Vec<Type> = params.iter().map(|&it| self.replace(it, map)).collect();
                if self.is_tuple(ty) {
                    self.tuple(&params)
                } else {
                    self.intern(TypeData::Data { name: *name, params: params.into() })
                }
            }
            TypeData::Union(members) => {
                let members: Vec<Type> = members.iter().map(|&it| self.replace(it, map)).collect();
                self.union(&members)
            }
            TypeData::Vararg { elem, count } => {
                self.vararg(self.replace(*elem, map), count.map(|it| self.replace(it, map)))
            }
            &TypeData::UnionAll { var, body } => self.replace_under(var, body, map),
        }
    }

    fn replace_under(&self, var: Type, body: Type, map: &Map) -> Type {
        let &TypeData::Var { name, lower, upper, .. } = self.data(var) else { return body };
        // Bounds are outside the scope of their variable.
        let (new_lower, new_upper) = (self.replace(lower, map), self.replace(upper, map));
        let mut inner = map.clone();
        inner.0.retain(|(it, _)| *it != var && self.occurs(*it, body));
        let captures = inner.0.iter().any(|(_, with)| self.occurs(var, *with));
        if (new_lower, new_upper) == (lower, upper) && !captures {
            return self.union_all(var, self.replace(body, &inner));
        }
        let avoid = |it| self.occurs(it, body) || inner.0.iter().any(|(_, with)| self.occurs(it, *with));
        let renamed = self.scratch_var(name, new_lower, new_upper, avoid);
        inner.0.push((var, renamed));
        self.union_all(renamed, self.replace(body, &inner))
    }

    /// Returns a working variable that `avoid` does not reject. All callers share scratch variables.
    pub(crate) fn scratch_var(
        &self,
        name: Symbol,
        lower: Type,
        upper: Type,
        avoid: impl Fn(Type) -> bool,
    ) -> Type {
        let mut ordinal = FIRST_SCRATCH_ORDINAL;
        loop {
            let candidate = self.intern(TypeData::Var { name, lower, upper, ordinal });
            if !avoid(candidate) {
                return candidate;
            }
            ordinal += 1;
        }
    }

    /// The type inside all `UnionAll`s.
    pub fn unwrap_unionall(&self, ty: Type) -> Type {
        let mut ty = ty;
        while let TypeData::UnionAll { body, .. } = self.data(ty) {
            ty = *body;
        }
        ty
    }

    /// The variables of the outer `UnionAll`s of a type, outermost first.
    pub fn outer_vars(&self, ty: Type) -> Vec<Type> {
        let (mut ty, mut vars) = (ty, Vec::new());
        while let TypeData::UnionAll { var, body } = self.data(ty) {
            vars.push(*var);
            ty = *body;
        }
        vars
    }

    /// `ty` inside the `UnionAll`s that `like` has.
    pub fn rewrap_unionall(&self, ty: Type, like: Type) -> Type {
        self.wrap_vars(ty, &self.outer_vars(like))
    }

    /// `ty` inside `UnionAll`s over `vars`, the first outermost.
    pub fn wrap_vars(&self, ty: Type, vars: &[Type]) -> Type {
        vars.iter().rev().fold(ty, |body, &var| self.union_all(var, body))
    }

    /// Whether a variable occurs inside a constructor; with `invariant`, inside one that is not a tuple.
    pub(crate) fn occurs_inside(&self, ty: Type, var: Type, invariant: bool) -> bool {
        self.occurs_in(ty, var, invariant, false)
    }

    fn occurs_in(&self, ty: Type, var: Type, invariant: bool, inside: bool) -> bool {
        if ty == var {
            return inside;
        }
        if inside || !self.occurs(var, ty) {
            return inside && self.occurs(var, ty);
        }
        match self.data(ty) {
            TypeData::Union(members) => members.iter().any(|&it| self.occurs_in(it, var, invariant, false)),
            TypeData::UnionAll { var: bound, body } => {
                if let TypeData::Var { lower, upper, .. } = self.data(*bound)
                    && [lower, upper].iter().any(|&&it| self.occurs_in(it, var, invariant, false))
                {
                    return true;
                }
                self.occurs_in(*body, var, invariant, false)
            }
            TypeData::Data { params, .. } => {
                let inside = !invariant || !self.is_tuple(ty);
                params.iter().any(|&it| self.occurs_in(it, var, invariant, inside))
            }
            TypeData::Vararg { elem, count } => {
                self.occurs_in(*elem, var, invariant, !invariant) || *count == Some(var)
            }
            TypeData::Bottom | TypeData::Value(_) | TypeData::Var { .. } => false,
        }
    }
}
