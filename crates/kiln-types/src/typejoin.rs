//! `typejoin`: the nearest common ancestor, as Julia's arrays and promotion use it.

use crate::{Type, TypeData, Types};

impl Types {
    /// A type above both, found along declared supertypes: `typejoin(Int8, Float64)` is `Real`.
    pub fn typejoin(&self, a: Type, b: Type) -> Type {
        // Variables of one name in two types are different ones: each counts as its bound.
        match (self.data(a), self.data(b)) {
            (TypeData::Var { upper, .. }, _) => return self.typejoin(*upper, b),
            (_, TypeData::Var { upper, .. }) => return self.typejoin(a, *upper),
            _ => {}
        }
        if a == b {
            return a;
        }
        let is_param = |it: Type| matches!(self.data(it), TypeData::Value(_) | TypeData::Vararg { .. });
        if is_param(a) || is_param(b) {
            return Self::ANY;
        }
        if self.subtype(a, b) {
            return b;
        }
        if self.subtype(b, a) {
            return a;
        }
        match (self.data(a), self.data(b)) {
            (TypeData::Value(_) | TypeData::Vararg { .. } | TypeData::Var { .. }, _)
            | (_, TypeData::Value(_) | TypeData::Vararg { .. } | TypeData::Var { .. }) => Self::ANY,
            (TypeData::UnionAll { .. }, _) => {
                let (var, body) = self.open_fresh(a);
                self.union_all(var, self.typejoin(body, b))
            }
            (_, TypeData::UnionAll { .. }) => {
                let (var, body) = self.open_fresh(b);
                self.union_all(var, self.typejoin(a, body))
            }
            (TypeData::Union(members), _) => self.typejoin(self.join_all(members), b),
            (_, TypeData::Union(members)) => self.typejoin(a, self.join_all(members)),
            (TypeData::Bottom, _) => b,
            (_, TypeData::Bottom) => a,
            (TypeData::Data { .. }, TypeData::Data { .. }) => self.join_data(a, b),
        }
    }

    fn join_all(&self, types: &[Type]) -> Type {
        types.iter().fold(Self::BOTTOM, |joined, &it| self.typejoin(joined, it))
    }

    fn join_data(&self, a: Type, b: Type) -> Type {
        match (self.is_tuple(a), self.is_tuple(b)) {
            (true, true) => return self.join_tuple_types(self.params(a), self.params(b)),
            (false, false) => {}
            _ => return Self::ANY,
        }
        let mut b = b;
        while b != Self::ANY {
            let TypeData::Data { name, params } = self.data(b) else { return Self::ANY };
            let Some(a) = self.ancestor(a, *name) else {
                b = self.supertype(b);
                continue;
            };
            if *name == self.type_type_name() {
                return self.core.type_;
            }
            // Parameters in turn, so that those that agree enter the bounds of the variables of the others.
            let (mut joined, mut open) = (self.type_name(*name).wrapper, Vec::new());
            for (&x, &y) in self.params(a).iter().zip(params) {
                let (var, body) = self.open_fresh(joined);
                let same = x == y || self.is_type_param(x) && self.is_type_param(y) && self.equal(x, y);
                joined = if same { self.substitute(body, var, x) } else { body };
                if !same {
                    open.push(var);
                }
            }
            return self.wrap_vars(joined, &open);
        }
        Self::ANY
    }

    /// A variable that occurs nowhere else and the body of a `UnionAll` over it.
    fn open_fresh(&self, ty: Type) -> (Type, Type) {
        let &TypeData::UnionAll { var, body } = self.data(ty) else { return (ty, ty) };
        let &TypeData::Var { name, lower, upper, .. } = self.data(var) else { return (var, body) };
        let fresh = self.type_var(name, lower, upper);
        (fresh, self.substitute(body, var, fresh))
    }

    fn is_type_param(&self, ty: Type) -> bool {
        !matches!(self.data(ty), TypeData::Value(_) | TypeData::Var { .. } | TypeData::Vararg { .. })
    }

    fn join_tuple_types(&self, a: &[Type], b: &[Type]) -> Type {
        let element = |params: &[Type], i: usize| {
            let at = params[i.min(params.len() - 1)];
            if let TypeData::Vararg { elem, .. } = self.data(at) { (*elem, true) } else { (at, false) }
        };
        let tail = |params: &[Type], from: usize| {
            let from = from.min(params.len().saturating_sub(1));
            params[from..]
                .iter()
                .enumerate()
                .fold(Self::BOTTOM, |joined, (i, _)| self.typejoin(joined, element(params, from + i).0))
        };
        let rest = |elem: Type| self.vararg(elem, None);
        if a.is_empty() || b.is_empty() {
            let elem = if a.is_empty() { tail(b, 0) } else { tail(a, 0) };
            return self.tuple(&[rest(elem)]);
        }
        let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let open = element(short, short.len() - 1).1;
        let mut joined = Vec::with_capacity(short.len() + 1);
        let both = if short.len() < long.len() && open { short.len() - 1 } else { short.len() };
        for i in 0..both {
            let ((x, x_open), (y, y_open)) = (element(short, i), element(long, i));
            let elem = self.typejoin(x, y);
            let last = short.len() == long.len() && i + 1 == both;
            joined.push(if last && (x_open || y_open) { rest(elem) } else { elem });
        }
        if short.len() < long.len() {
            let elem = tail(long, both);
            let elem = if open { self.typejoin(element(short, both).0, elem) } else { elem };
            joined.push(rest(elem));
        }
        self.tuple(&joined)
    }
}
