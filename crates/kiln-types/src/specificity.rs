//! The more specific of two method signatures.
//!
//! A subtype is more specific than its supertype. Otherwise Julia compares element by element: an element that is
//! more specific wins if none is less so; repeated variables, values against variables, and lengths of `Vararg` break
//! ties. As in Julia, the relation is not transitive in every corner.

use crate::{Type, TypeData, TypeName, Types, consts, datatype, disjoint, equality, typevar, unionall};
use std::cmp::Ordering as Order;
use std::sync::atomic::Ordering;

/// Nesting and steps after which a comparison is left undecided.
const DEPTH: u32 = 100;
const WORK: u32 = 50_000;

/// The element types of a tuple by index, the rest of a `Vararg` included.
struct Elements<'a> {
    params: &'a [Type],
    rest: Option<(Type, Option<Type>)>,
}

impl Elements<'_> {
    fn get(&self, index: usize) -> Option<Type> {
        match self.rest {
            Some((elem, _)) if index + 1 >= self.params.len() => Some(elem),
            _ => self.params.get(index).copied(),
        }
    }

    /// The length of the rest, if it is a variable.
    fn bound_length(&self) -> Option<Type> {
        self.rest.and_then(|it| it.1)
    }
}

/// Points for one pair of types with the same name.
#[derive(Default)]
struct Score {
    specific: [u32; 2],
    value: [bool; 2],
    repeats: [bool; 2],
}

struct Compare<'a> {
    types: &'a Types,
    /// Variables in scope and how often each occurs in its body.
    scope: Vec<(Type, usize)>,
    depth: u32,
    work: u32,
}

/// Julia's `morespecific` for method signatures.
pub fn is_more_specific(types: &Types, a: Type, b: Type) -> bool {
    if let Some(known) = types.orders.get(a, b) {
        return known;
    }
    if disjoint::are_disjoint(types, a, b, true)
        || typevar::has_free_vars(types, a)
        || typevar::has_free_vars(types, b)
    {
        return false;
    }
    let answer = !types.subtype(b, a) && (types.subtype(a, b) || is_more_specific_by_parts(types, a, b));
    if types.unfinished.load(Ordering::Acquire) == 0 {
        types.orders.insert(a, b, answer);
    }
    answer
}

/// The comparison by elements alone, which subtyping does not precede.
pub fn is_more_specific_by_parts(types: &Types, a: Type, b: Type) -> bool {
    Compare { types, scope: Vec::new(), depth: 0, work: WORK }.more_specific(a, b, false)
}

impl<'a> Compare<'a> {
    fn data(&self, ty: Type) -> &'a TypeData {
        self.types.data(ty)
    }

    fn var_bounds(&self, ty: Type) -> Option<(Type, Type)> {
        if let TypeData::Var { lower, upper, .. } = self.data(ty) { Some((*lower, *upper)) } else { None }
    }

    fn is_value(&self, ty: Type) -> bool {
        matches!(self.data(ty), TypeData::Value(_))
    }

    /// Closed over the variables in scope.
    fn close(&self, ty: Type) -> Type {
        self.scope.iter().rev().fold(ty, |body, &(var, _)| unionall::new(self.types, var, body))
    }

    fn equal(&self, a: Type, b: Type) -> bool {
        if self.is_value(a) || self.is_value(b) {
            return a == b;
        }
        equality::are_equal(self.types, self.close(a), self.close(b))
    }

    fn subtype(&self, a: Type, b: Type) -> bool {
        self.types.subtype(self.close(a), self.close(b))
    }

    fn occurrences(&self, var: Type) -> usize {
        self.scope.iter().rev().find(|it| it.0 == var).map_or(0, |it| it.1)
    }

    fn repeats(&self, ty: Type) -> bool {
        self.var_bounds(ty).is_some() && self.occurrences(ty) > 1
    }

    /// Returns the number of occurrences of a variable; in a union, the maximum over its members.
    fn count(&self, ty: Type, var: Type) -> usize {
        if ty == var {
            return 1;
        }
        if !typevar::occurs(self.types, var, ty) {
            return 0;
        }
        match self.data(ty) {
            TypeData::Union(members) => members.iter().map(|&it| self.count(it, var)).max().unwrap_or(0),
            TypeData::UnionAll { body, .. } => self.count(*body, var),
            TypeData::Data { params, .. } => params.iter().map(|&it| self.count(it, var)).sum(),
            TypeData::Vararg { elem, count } => {
                self.count(*elem, var) + count.map_or(0, |it| self.count(it, var))
            }
            TypeData::Bottom | TypeData::Var { .. } | TypeData::Value(_) => 0,
        }
    }

    /// Compares the body of a `UnionAll`, its variable in scope under a name nothing else uses.
    fn within(
        &mut self,
        var: Type,
        body: Type,
        other: Type,
        compare: impl FnOnce(&mut Self, Type) -> bool,
    ) -> bool {
        let types = self.types;
        let in_use =
            |it: Type| typevar::occurs(types, it, other) || self.scope.iter().any(|scoped| scoped.0 == it);
        let (var, body) = match (in_use(var), self.data(var)) {
            (true, &TypeData::Var { name, lower, upper, .. }) => {
                let fresh = unionall::scratch_var(types, name, lower, upper, |it| {
                    in_use(it) || typevar::occurs(types, it, body)
                });
                (fresh, unionall::substitute(types, body, var, fresh))
            }
            _ => (var, body),
        };
        self.scope.push((var, self.count(body, var)));
        let answer = compare(self, body);
        self.scope.pop();
        answer
    }

    fn more_specific(&mut self, a: Type, b: Type, invariant: bool) -> bool {
        if a == b || self.depth >= DEPTH || self.work == 0 {
            return false;
        }
        self.work -= 1;
        self.depth += 1;
        let answer = self.compare(a, b, invariant);
        self.depth -= 1;
        answer
    }

    fn compare(&mut self, a: Type, b: Type, invariant: bool) -> bool {
        let types = self.types;
        if datatype::is_tuple(types, a) && datatype::is_tuple(types, b) {
            return self.tuples(a, b, invariant);
        }
        let a_is_var = self.var_bounds(a).is_some();
        if !invariant && (a == Types::ANY || b == Types::ANY && !a_is_var) {
            return a != Types::ANY;
        }
        match (self.data(a), self.data(b)) {
            (TypeData::Union(_), &TypeData::UnionAll { var, body }) => {
                return self.within(var, body, a, |it, body| it.more_specific(a, body, invariant));
            }
            (TypeData::Union(members), _) => return self.union_first(a, members, b, invariant),
            _ => {}
        }
        if !invariant && let Some(answer) = self.type_type_first(a, b) {
            return answer;
        }
        match (self.data(a), self.data(b)) {
            (&TypeData::UnionAll { var, body }, TypeData::Union(_)) => {
                self.within(var, body, b, |it, body| it.more_specific(body, b, invariant))
            }
            (_, TypeData::Union(members)) => {
                members.iter().any(|&it| self.more_specific(a, it, invariant))
                    && !self.more_specific(b, a, invariant)
            }
            (TypeData::Data { .. }, TypeData::Data { .. }) => self.datatypes(a, b),
            (TypeData::Var { .. }, _) => self.var_first(a, b, invariant),
            (_, TypeData::Var { .. }) => self.var_second(a, b, invariant),
            (&TypeData::UnionAll { var, body }, _) => {
                self.within(var, body, b, |it, body| it.more_specific(body, b, invariant))
            }
            (_, &TypeData::UnionAll { var, body }) => {
                self.within(var, body, a, |it, body| it.more_specific(a, body, invariant))
            }
            _ => false,
        }
    }

    /// A union is more specific if a member is, and no member of the other is more specific than it.
    fn union_first(&mut self, a: Type, members: &[Type], b: Type, invariant: bool) -> bool {
        if self.subtype(b, a) || !members.iter().any(|&it| self.more_specific(it, b, invariant)) {
            return false;
        }
        let TypeData::Union(others) = self.data(b) else { return true };
        !others.iter().any(|&it| self.more_specific(it, a, invariant))
    }

    /// `Type{..}` is more specific than the kinds.
    fn type_type_first(&mut self, a: Type, b: Type) -> Option<bool> {
        let types = self.types;
        let TypeData::Data { name, params } = self.data(a) else { return None };
        if *name != TypeName::TYPE {
            return None;
        }
        let core = &types.core;
        if b == core.typeof_bottom {
            return Some(false);
        }
        let wins = match self.var_bounds(params[0]) {
            Some((_, upper)) => datatype::is_kind(types, b) && !self.subtype(Types::ANY, upper),
            None if params[0] == Types::BOTTOM => self.subtype(b, core.type_),
            None => [core.data_type, core.union_all, core.union_type].contains(&b),
        };
        wins.then_some(true)
    }

    fn datatypes(&mut self, a: Type, b: Type) -> bool {
        let types = self.types;
        let TypeData::Data { name, params: b_params } = self.data(b) else { return false };
        let is_type_type = *name == TypeName::TYPE;
        if a == types.core.typeof_bottom && (datatype::is_kind(types, b) || is_type_type) {
            return true;
        }
        let Some(ancestor) = datatype::ancestor(types, a, *name).filter(|&it| it != Types::ANY) else {
            return false;
        };
        if ancestor != a {
            if !is_type_type {
                return true;
            }
            if let Some((_, upper)) = self.var_bounds(b_params[0])
                && self.subtype(Types::ANY, upper)
            {
                return true;
            }
        }
        self.same_name(datatype::params(types, ancestor), b_params)
    }

    fn same_name(&mut self, a: &[Type], b: &[Type]) -> bool {
        let mut score = Score::default();
        for (i, (&x, &y)) in a.iter().zip(b).enumerate() {
            if !self.score_param(x, y, &mut score) {
                return false;
            }
            for (side, (param, params)) in [(x, a), (y, b)].into_iter().enumerate() {
                let is_var = self.var_bounds(param).is_some();
                score.repeats[side] |=
                    is_var && params[i + 1..].iter().any(|&it| typevar::occurs(self.types, param, it));
            }
        }
        let [value, other_value] = score.value;
        if value != other_value {
            return value;
        }
        let ([own, others], [repeats, other_repeats]) = (score.specific, score.repeats);
        if others > own || other_repeats && !repeats {
            return false;
        }
        own > others || repeats && !other_repeats
    }

    /// False if the parameters are closed and differ: neither is more specific then.
    fn score_param(&mut self, x: Type, y: Type, score: &mut Score) -> bool {
        let types = self.types;
        let (x_free, y_free) = (typevar::has_free_vars(types, x), typevar::has_free_vars(types, y));
        if !x_free && !y_free && !self.equal(x, y) {
            return false;
        }
        let (x_var, y_var) = (self.var_bounds(x).is_some(), self.var_bounds(y).is_some());
        if self.more_specific(x, y, true) && (x_var || !x_free || y_free) {
            score.specific[0] += 1;
        } else if self.more_specific(y, x, true) && (y_var || !y_free || x_free) {
            score.specific[1] += 1;
        } else if self.equal(x, y) {
            score.specific[0] += u32::from(!x_free && y_free);
            score.specific[1] += u32::from(x_free && !y_free);
        }
        score.value[0] |= y_var && self.is_value(x);
        score.value[1] |= x_var && self.is_value(y);
        true
    }

    fn var_first(&mut self, a: Type, b: Type, invariant: bool) -> bool {
        let Some((lower, upper)) = self.var_bounds(a) else { return false };
        if let Some((b_lower, b_upper)) = self.var_bounds(b) {
            return self.more_specific(upper, b_upper, false) && !self.more_specific(lower, b_lower, false)
                || self.more_specific(b_lower, lower, false) && !self.more_specific(b_upper, upper, false);
        }
        if self.is_value(b) || matches!(self.data(b), TypeData::Vararg { .. }) {
            return false;
        }
        if invariant {
            if upper == Types::BOTTOM {
                return true;
            }
            if !typevar::has_free_vars(self.types, b) {
                return false;
            }
            if self.equal(upper, b) {
                return self.occurrences(a) >= 2;
            }
        } else if b == Types::ANY && upper == Types::ANY && self.occurrences(a) >= 2 {
            // `Tuple{T,T} where T` before `Tuple{Any,Any}`.
            return true;
        }
        self.more_specific(upper, b, false)
    }

    fn var_second(&mut self, a: Type, b: Type, invariant: bool) -> bool {
        let Some((_, upper)) = self.var_bounds(b) else { return false };
        if self.is_value(a) {
            return true;
        }
        if !invariant {
            return self.more_specific(a, upper, false);
        }
        if upper == Types::BOTTOM {
            return false;
        }
        if typevar::has_free_vars(self.types, a) {
            return self.more_specific(a, upper, false) || self.equal(a, upper) && self.occurrences(b) < 2;
        }
        !disjoint::are_disjoint(self.types, a, upper, true) && !self.more_specific(upper, a, false)
    }

    fn elements(&self, tuple: Type) -> Elements<'a> {
        let params = datatype::params(self.types, tuple);
        let rest = match params.last().map(|&it| self.data(it)) {
            Some(TypeData::Vararg { elem, count }) => Some((*elem, *count)),
            _ => None,
        };
        Elements { params, rest }
    }

    /// `Type{Union{}}` is compared before all else: of two tuples, the greater is the one that has it first.
    fn compare_bottoms(&self, a: Type, b: Type) -> Order {
        let (a, b) = (datatype::params(self.types, a), datatype::params(self.types, b));
        let is_bottom = |params: &[Type], at: usize| {
            params.get(at).is_some_and(|&it| {
                it == self.types.core.typeof_bottom
                    || datatype::type_type_param(self.types, it) == Some(Types::BOTTOM)
            })
        };
        let orders = (0..a.len().max(b.len())).map(|at| is_bottom(a, at).cmp(&is_bottom(b, at)));
        orders.into_iter().find(|it| it.is_ne()).unwrap_or(Order::Equal)
    }

    fn tuples(&mut self, a: Type, b: Type, invariant: bool) -> bool {
        let bottoms = self.compare_bottoms(a, b);
        if bottoms.is_ne() {
            return bottoms == Order::Greater;
        }
        let (ea, eb) = (self.elements(a), self.elements(b));
        // A length that is a variable may be fixed by the other side having a certain length.
        if ea.bound_length().is_some()
            && eb.rest.is_none()
            && self.with_fixed_length(&ea, a, b, false) == Some(true)
        {
            return true;
        }
        if eb.bound_length().is_some()
            && ea.rest.is_none()
            && self.with_fixed_length(&eb, b, a, true) == Some(false)
        {
            return false;
        }
        self.elementwise(&ea, &eb, invariant)
    }

    /// Compares `varied` with its length set to that of `fixed`, if that makes an earlier element more precise.
    fn with_fixed_length(
        &mut self,
        elements: &Elements<'_>,
        varied: Type,
        fixed: Type,
        swap: bool,
    ) -> Option<bool> {
        let count = elements.bound_length()?;
        let len = datatype::params(self.types, fixed).len() + 1;
        let rest = len.checked_sub(elements.params.len()).filter(|&it| it > 0)?;
        let rest = consts::to_param(self.types, consts::int(self.types, rest as i64));
        let set = unionall::substitute(self.types, varied, count, rest);
        let written = elements.params.len() - 1;
        let changed = datatype::params(self.types, set).iter().take(written).ne(&elements.params[..written]);
        if !changed {
            return None;
        }
        Some(if self.equal(fixed, set) {
            swap
        } else if swap {
            self.more_specific(fixed, set, false)
        } else {
            self.more_specific(set, fixed, false)
        })
    }

    fn elementwise(&mut self, a: &Elements<'_>, b: &Elements<'_>, invariant: bool) -> bool {
        let (len_a, len_b) = (a.params.len(), b.params.len());
        if len_b == 0 || len_a == 0 {
            return len_b != 0;
        }
        let (a_open, b_open) = (a.rest.is_some(), b.rest.is_some());
        let (mut a_repeats, mut b_repeats, mut some) = (false, false, false);
        for i in 0.. {
            if a_open && b_open && i >= len_a && i >= len_b {
                break;
            }
            let (x, y) = match (a.get(i), b.get(i)) {
                (None, None) => break,
                (None, Some(_)) => return true,
                (Some(_), None) if !a_open && !some => return false,
                (Some(_), None) => break,
                (Some(x), Some(y)) => (x, y),
            };
            if self.more_specific(y, x, invariant) {
                return false;
            }
            a_repeats |= self.repeats(x);
            b_repeats |= self.repeats(y);
            let in_rests = a_open && b_open && i + 1 >= len_a && i + 1 >= len_b;
            if in_rests && (some || a_repeats && !b_repeats) {
                return true;
            }
            let wins = self.more_specific(x, y, invariant);
            if !wins && !self.subtype(x, y) {
                // Keeps the order transitive: `Tuple{Array{T,N}, Vararg{Int,N}}` before `Tuple{AbstractArray,
                // Int, Array}` because there is `Tuple{Array, Int}` between them.
                return some && a.bound_length().is_some_and(|it| self.occurrences(it) > 1);
            }
            let both_vars = self.var_bounds(x).is_some() && self.var_bounds(y).is_some();
            let last = i + 1 == len_a && len_a == len_b && !a_open && b_open;
            if !wins && last && both_vars && !a_repeats && b_repeats && self.equal(x, y) {
                return false;
            }
            some |= wins;
        }
        if a_open && b_open && len_a > len_b && (!b_repeats || a_repeats) {
            return true;
        }
        if a_open && !b_open && !some {
            return false;
        }
        some || a_repeats && !b_repeats
    }
}
