//! Relations between types.

use crate::{Type, TypeData, Types};

impl Types {
    /// `a <: b`.
    pub fn subtype(&self, a: Type, b: Type) -> bool {
        self.subtype_env(a, b).is_some()
    }

    /// Subtypes both ways (Julia's `==` on types).
    pub fn equal(&self, a: Type, b: Type) -> bool {
        a == b || (self.subtype(a, b) && self.subtype(b, a))
    }

    /// `subtype(a, b)` with the values of `b`'s outer variables, in order.
    pub fn subtype_env(&self, a: Type, b: Type) -> Option<Vec<Type>> {
        let vars = self.outer_vars(b);
        let mut env: Vec<(Type, Option<Type>)> = vars.iter().map(|&it| (it, None)).collect();
        let ok = self.below(a, self.unwrap_unionall(b), &mut env, false);
        ok.then(|| env.into_iter().map(|(var, value)| value.unwrap_or(var)).collect())
    }

    fn below(&self, a: Type, b: Type, env: &mut Vec<(Type, Option<Type>)>, inv: bool) -> bool {
        if let Some(at) = env.iter().position(|it| it.0 == b) {
            if let Some(known) = env[at].1 {
                return a == known || (!inv && self.below(a, known, env, false));
            }
            if let TypeData::Var { lower, upper, .. } = *self.data(b) {
                if !self.below(a, upper, env, false) || !self.below(lower, a, env, false) {
                    return false;
                }
            }
            env[at].1 = Some(a);
            return true;
        }
        if a == b || (!inv && (b == Self::ANY || a == Self::BOTTOM)) {
            return true;
        }
        match (self.data(a).clone(), self.data(b).clone()) {
            (TypeData::Union(members), _) => members.iter().all(|&it| self.below(it, b, env, inv)),
            (_, TypeData::Union(members)) => members.iter().any(|&it| {
                let mut trial = env.clone();
                let ok = self.below(a, it, &mut trial, inv);
                if ok {
                    *env = trial;
                }
                ok
            }),
            (TypeData::UnionAll { body, .. }, _) => self.below(body, b, env, inv),
            (_, TypeData::UnionAll { var, body }) => {
                env.push((var, None));
                let ok = self.below(a, body, env, inv);
                env.pop();
                ok
            }
            (TypeData::Var { upper, .. }, _) => !inv && self.below(upper, b, env, false),
            (TypeData::Data { name, params }, TypeData::Data { name: other, params: others }) => {
                if name == self.type_type_name() && other != name && !inv {
                    return self.below(self.kind_of_type(params[0]), b, env, inv);
                }
                if name != other {
                    return !inv && a != Self::ANY && self.below(self.supertype(a), b, env, false);
                }
                if name == self.tuple_name() {
                    return self.tuple_below(&params, &others, env, inv);
                }
                params.iter().zip(&others).all(|(&x, &y)| self.below(x, y, env, true))
            }
            _ => false,
        }
    }

    fn tuple_below(&self, a: &[Type], b: &[Type], env: &mut Vec<(Type, Option<Type>)>, inv: bool) -> bool {
        let vararg = |it: Option<&Type>| match it.map(|&it| self.data(it)) {
            Some(TypeData::Vararg { elem, count }) => Some((*elem, *count)),
            _ => None,
        };
        let (va, vb) = (vararg(a.last()), vararg(b.last()));
        let fixed = a.len() - usize::from(va.is_some());
        let wanted = b.len() - usize::from(vb.is_some());
        let fits = match (va, vb) {
            (None, None) => fixed == wanted,
            (None, Some(_)) => fixed >= wanted,
            (Some(_), None) => false,
            (Some((x, _)), Some((y, _))) => fixed >= wanted && self.below(x, y, env, inv),
        };
        if !fits {
            return false;
        }
        for (i, &x) in a[..fixed].iter().enumerate() {
            let y = if i < wanted { b[i] } else { vb.map_or(Self::ANY, |it| it.0) };
            if !self.below(x, y, env, inv) {
                return false;
            }
        }
        match (va, vb) {
            (None, Some((_, Some(count)))) => {
                let count_value = self.const_param(self.const_int((fixed - wanted) as i64));
                self.below(count_value, count, env, true)
            }
            _ => true,
        }
    }

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
