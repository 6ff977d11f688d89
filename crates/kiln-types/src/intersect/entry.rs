//! The questions others ask.

use crate::subtype::Engine;
use crate::{FrontMutant, Type, TypeData, Types};
use std::sync::atomic::Ordering;

impl Types {
    /// The largest type below both, or one somewhat above it.
    pub fn intersect(&self, a: Type, b: Type) -> Type {
        if a == b || b == Self::ANY && self.is_plain(a) {
            return a;
        }
        if a == Self::ANY && self.is_plain(b) {
            return b;
        }
        if self.has_free_vars(a) || self.has_free_vars(b) || self.unfinished.load(Ordering::Acquire) != 0 {
            return self.intersect_types(a, b);
        }
        if let Some(known) = self.meets.get(a, b) {
            return known;
        }
        let common = self.intersect_types(a, b);
        self.meets.insert(a, b, common);
        common
    }

    /// Whether nothing is below both but `Union{}`. Variables of the result are of no interest.
    pub fn is_disjoint(&self, a: Type, b: Type) -> bool {
        self.obviously_disjoint(a, b) || self.intersect(a, b) == Self::BOTTOM
    }

    /// `typeintersect` with the values that `b`'s outer variables take, in order: the static parameters of a
    /// method with signature `b` called with `a`. A variable left undetermined stays a `Var`.
    pub fn intersect_env(&self, a: Type, b: Type) -> (Type, Vec<Type>) {
        if let Some(env) = self.subtype_env(a, b) {
            return (a, env);
        }
        let common = self.intersect(a, b);
        let env = if common == Self::BOTTOM { None } else { self.subtype_env(common, b) };
        (common, env.unwrap_or_else(|| self.outer_vars(b)))
    }

    fn intersect_types(&self, a: Type, b: Type) -> Type {
        if self.obviously_disjoint(a, b) {
            return Self::BOTTOM;
        }
        if self.subtype(a, b) {
            return a;
        }
        let (a_concrete, b_concrete) = (self.is_concrete(a), self.is_concrete(b));
        if self.subtype(b, a) {
            return b;
        }
        if self.is_dispatch_tuple(a) || self.is_dispatch_tuple(b) {
            return Self::BOTTOM;
        }
        if a_concrete && !self.may_meet_concrete(b) || b_concrete && !self.may_meet_concrete(a) {
            return Self::BOTTOM;
        }
        if self.is_mutant(FrontMutant::IntersectionEmpty) && self.is_open_pair(a, b) {
            return Self::BOTTOM;
        }
        if self.is_mutant(FrontMutant::IntersectionSecond) {
            return b;
        }
        let common = self.walk_both(a, b);
        if common != Self::BOTTOM
            && self.is_signature(a)
            && self.is_signature(b)
            && !self.is_signature(common)
        {
            // Signatures are single tuples.
            return self.join_tuples(common).unwrap_or(b);
        }
        common
    }

    /// The intersection as the walk through both types finds it, though one may be below the other.
    pub fn intersect_by_walk(&self, a: Type, b: Type) -> Type {
        if self.obviously_disjoint(a, b) {
            return Self::BOTTOM;
        }
        if self.is_dispatch_tuple(a) || self.is_dispatch_tuple(b) {
            return match (self.subtype(a, b), self.subtype(b, a)) {
                (true, _) => a,
                (false, true) => b,
                (false, false) => Self::BOTTOM,
            };
        }
        self.walk_both(a, b)
    }

    fn is_open_pair(&self, a: Type, b: Type) -> bool {
        [a, b].iter().any(|it| matches!(self.data(*it), TypeData::UnionAll { .. }))
    }

    fn is_signature(&self, ty: Type) -> bool {
        self.is_tuple(self.unwrap_unionall(ty))
    }

    fn walk_both(&self, a: Type, b: Type) -> Type {
        let closed = !self.has_free_vars(a) && !self.has_free_vars(b);
        let attempt = |x: Type, y: Type| {
            let mut engine = Engine::new(self, 0);
            engine.intersecting = true;
            engine.ignore_free = true;
            let common = engine.intersect_all(x, y);
            // Variables that depend on each other in a circle are not always disentangled.
            let open = closed && self.has_free_vars(common);
            (!engine.gave_up && !open).then_some(common)
        };
        attempt(a, b).or_else(|| attempt(b, a)).unwrap_or(b)
    }

    /// Whether a type may share instances with a concrete one without containing it: `Tuple{Type{<:Array}}` and
    /// `Tuple{DataType}` do.
    fn may_meet_concrete(&self, ty: Type) -> bool {
        let ty = self.unwrap_unionall(ty);
        match self.data(ty) {
            TypeData::Var { .. } => true,
            TypeData::Union(members) => members.iter().any(|&it| self.may_meet_concrete(it)),
            TypeData::Vararg { elem, .. } => self.may_meet_concrete(*elem),
            TypeData::Data { name, params } => {
                *name == self.type_type_name()
                    || params.iter().any(|&it| {
                        let is_var = matches!(self.data(it), TypeData::Var { .. });
                        is_var || self.is_tuple(ty) && (it == Self::BOTTOM || self.may_meet_concrete(it))
                    })
            }
            TypeData::Bottom | TypeData::UnionAll { .. } | TypeData::Value(_) => false,
        }
    }

    /// The tuple of unions above a union of tuples of one length.
    fn join_tuples(&self, ty: Type) -> Option<Type> {
        let mut members = Vec::new();
        self.collect_tuples(ty, &mut Vec::new(), &mut members)?;
        let len = self.params(self.unwrap_unionall(members[0].0)).len();
        let mut elems = vec![Vec::new(); len];
        let mut vars = Vec::new();
        for (tuple, scope) in &members {
            let params = self.params(*tuple);
            let open = matches!(params.last().map(|&it| self.data(it)), Some(TypeData::Vararg { .. }));
            if params.len() != len || open {
                return None;
            }
            for (elem, &param) in elems.iter_mut().zip(params) {
                elem.push(param);
            }
            vars.extend(scope.iter().copied());
        }
        let elems: Vec<Type> = elems.iter().map(|it| self.union(it)).collect();
        Some(self.wrap_vars(self.tuple(&elems), &vars))
    }

    fn collect_tuples(
        &self,
        ty: Type,
        scope: &mut Vec<Type>,
        out: &mut Vec<(Type, Vec<Type>)>,
    ) -> Option<()> {
        match self.data(ty) {
            TypeData::UnionAll { var, body } => {
                // Variables of different members may have one id.
                let (mut var, mut body) = (*var, *body);
                let taken = |it: Type| out.iter().any(|member| member.1.contains(&it)) || scope.contains(&it);
                if taken(var)
                    && let &TypeData::Var { name, lower, upper, .. } = self.data(var)
                {
                    let renamed =
                        self.scratch_var(name, lower, upper, |it| taken(it) || self.occurs(it, body));
                    body = self.substitute(body, var, renamed);
                    var = renamed;
                }
                scope.push(var);
                self.collect_tuples(body, scope, out)?;
                scope.pop();
                Some(())
            }
            TypeData::Union(members) => {
                members.iter().try_for_each(|&it| self.collect_tuples(it, scope, out))
            }
            TypeData::Data { .. } if self.is_tuple(ty) => {
                out.push((ty, scope.clone()));
                Some(())
            }
            TypeData::Data { .. }
            | TypeData::Bottom
            | TypeData::Var { .. }
            | TypeData::Vararg { .. }
            | TypeData::Value(_) => None,
        }
    }
}
