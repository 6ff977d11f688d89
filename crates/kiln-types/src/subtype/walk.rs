//! The walk through both types at once.

use super::choice::Choices;
use super::engine::{Engine, Position};
use crate::{Type, TypeData, TypeName, Types, consts, datatype, entry, typevar, unionall};

/// Choices on the left from which on those on the right are not tried in all combinations.
const MANY: usize = 4;

impl Engine<'_> {
    /// Whether for all choices on the left there are choices on the right such that `x <: y`. Uses choices of its
    /// own: those of the surrounding query are unchanged.
    pub(crate) fn forall_exists(&mut self, x: Type, y: Type, position: Position) -> bool {
        let outer_left = std::mem::take(&mut self.left);
        let outer_right = std::mem::take(&mut self.right);
        let answer = self.forall(x, y, position);
        self.left = outer_left;
        self.right = outer_right;
        answer
    }

    /// The loop over choices on the left.
    fn forall(&mut self, x: Type, y: Type, position: Position) -> bool {
        let mut saved = self.save();
        let outermost = self.env.is_empty();
        loop {
            self.right = Choices::default();
            loop {
                self.left.rewind();
                self.right.rewind();
                if outermost {
                    self.out_found.fill(false);
                }
                if self.sub(x, y, position) {
                    break;
                }
                let more = !self.gave_up && self.right.advance();
                if more {
                    // Values of variables that other choices have found stay, to be compared with.
                    self.restore_bounds(&saved);
                } else {
                    self.restore(&saved);
                    return false;
                }
            }
            if outermost {
                for (missed, found) in self.out_missed.iter_mut().zip(&self.out_found) {
                    *missed |= !found;
                }
            }
            if !self.left.advance() {
                return true;
            }
            saved = self.save();
        }
    }

    /// Checks `x <: y` inside another query, with choices of its own on the left. Choices on the right are tried here
    /// first; if their effect on existential variables does not fit the rest of the query, it backtracks to others.
    /// `limit`: gives up if there are many.
    pub(crate) fn local(&mut self, x: Type, y: Type, position: Position, limit: Option<bool>) -> bool {
        if self.is_part_of(x, y) {
            return true;
        }
        let (x_closed, y_closed) = (self.is_closed(x), self.is_closed(y));
        if x_closed && y_closed && self.is_type(x) && self.is_type(y) {
            return self.closed_subtype(x, y);
        }
        let has_existential = !x_closed && self.has_existential(x) || !y_closed && self.has_existential(y);
        if !has_existential {
            return self.forall_exists(x, y, position);
        }
        let outer = std::mem::take(&mut self.left);
        let answer = if self.is_existential(x) != self.is_existential(y) {
            self.all_left(x, y, position)
        } else {
            self.local_choices(x, y, position, limit.unwrap_or(x_closed || y_closed))
        };
        self.left = outer;
        answer
    }

    /// All choices on the left, one choice on the right each.
    fn all_left(&mut self, x: Type, y: Type, position: Position) -> bool {
        loop {
            self.left.rewind();
            if !self.sub(x, y, position) {
                return false;
            }
            if !self.left.advance() {
                return true;
            }
        }
    }

    fn local_choices(&mut self, x: Type, y: Type, position: Position, limit: bool) -> bool {
        let base = self.right.depth();
        let mut saved = self.save();
        // Choices on the left that are done with, whose choices on the right are settled.
        let (mut done, mut done_count) = (Choices::default(), 0);
        let mut limited = false;
        loop {
            let mut count = done_count;
            self.left = done.clone();
            let answer = loop {
                self.left.rewind();
                count = (count + 1).min(MANY);
                let answer = self.sub(x, y, position);
                limited |= limit && count == MANY;
                if !answer || !self.left.advance() {
                    break answer;
                }
                if limited || !self.right.has_more(base) {
                    (done, done_count) = (self.left.clone(), count);
                    saved = self.save();
                    self.right.settle(base);
                }
            };
            if answer {
                if limited {
                    self.right.settle(base);
                }
                return true;
            }
            if self.gave_up || !self.right.has_more(base) {
                return false;
            }
            self.right.advance_from(base);
            self.restore(&saved);
            self.right.rewind_to(saved.right_depth());
        }
    }

    /// `x <: y` along the current choices.
    pub(crate) fn sub(&mut self, x: Type, y: Type, position: Position) -> bool {
        if !self.enter() {
            self.leave();
            return false;
        }
        let answer = self.sub_unions(x, y, position);
        self.leave();
        answer
    }

    fn sub_unions(&mut self, x: Type, y: Type, position: Position) -> bool {
        let (mut x, mut y) = (x, y);
        if let TypeData::Union(members) = self.data(x) {
            if x == y {
                return true;
            }
            if self.right.depth() == 0
                && self.is_closed(x)
                && let Some(var) = self.takes_whole_union(y)
            {
                return self.var_above(var, x, position);
            }
            x = members[self.left.pick(members.len())];
        }
        if let TypeData::Union(members) = self.data(y) {
            if self.is_part_of(x, y) {
                return true;
            }
            if let &TypeData::UnionAll { var, body } = self.data(x) {
                return self.sub_left_unionall(var, body, y, position);
            }
            if self.is_var(x) {
                // First the union as a whole: `Tuple{Type{T}, T}` with a union for `T` needs it.
                if self.is_existential(x) || !self.is_closed(y) {
                    let pick = self.right.pick(members.len() + 1);
                    if pick > 0 {
                        y = members[pick - 1];
                    }
                }
            } else {
                y = members[self.right.pick(members.len())];
            }
        }
        match (self.is_var(x), self.is_var(y)) {
            (true, true) => self.var_below_var(x, y, position),
            (true, false) => {
                if let &TypeData::UnionAll { var, body } = self.data(y)
                    && self.opens_first(x, y)
                {
                    return self.sub_right_unionall(x, var, body, position);
                }
                self.var_below(x, y, position)
            }
            (false, true) => self.var_above(y, x, position),
            (false, false) => self.sub_types(x, y, position),
        }
    }

    /// The variable `y` that a closed union on the left may be compared with as a whole: nothing existential is in its
    /// bound, which members would determine one after the other.
    fn takes_whole_union(&self, y: Type) -> Option<Type> {
        if !self.is_var(y) {
            return None;
        }
        let mut var = y;
        while self.intersecting
            && let Some(at) = self.lookup(var)
            && self.env[at].lower == self.env[at].upper
            && self.is_var(self.env[at].lower)
        {
            var = self.env[at].lower;
        }
        let Some(at) = self.lookup(var) else { return Some(var) };
        (!self.env[at].right || !self.has_existential(self.env[at].upper)).then_some(var)
    }

    /// A `UnionAll` above a universal variable is opened before the variable is replaced by its bound.
    fn opens_first(&self, var: Type, unionall: Type) -> bool {
        match self.lookup(var) {
            None => !self.ignore_free && self.declared_bounds(var).1 != unionall,
            Some(at) => !self.env[at].right && self.env[at].upper != unionall,
        }
    }

    /// Whether all members of `x` are members of `y`.
    pub(crate) fn is_part_of(&self, x: Type, y: Type) -> bool {
        match (self.data(x), self.data(y)) {
            _ if x == y => true,
            (TypeData::Union(members), _) => members.iter().all(|&it| self.in_union(y, it)),
            _ => self.in_union(y, x),
        }
    }

    fn sub_types(&mut self, x: Type, y: Type, position: Position) -> bool {
        let types = self.types;
        if y == Types::ANY && !typevar::has_free_vars(types, x)
            || x == Types::BOTTOM && self.is_type(y) && !typevar::has_free_vars(types, y)
        {
            return true;
        }
        if !self.names_fit(x, y) {
            return false;
        }
        // Universal variables first.
        if let &TypeData::UnionAll { var, body } = self.data(x) {
            if x == y && self.out_index >= self.out.len() {
                return true;
            }
            return self.sub_left_unionall(var, body, y, position);
        }
        if let &TypeData::UnionAll { var, body } = self.data(y) {
            return self.sub_right_unionall(x, var, body, position);
        }
        match (self.data(x), self.data(y)) {
            (TypeData::Data { .. }, TypeData::Data { .. }) => self.sub_data(x, y, position),
            (TypeData::Vararg { elem, count }, TypeData::Vararg { elem: other, count: other_count }) => {
                self.sub(*elem, *other, position)
                    && match (count, other_count) {
                        (_, None) => true,
                        (None, Some(_)) => false,
                        (Some(a), Some(b)) => self.equal_params(*a, *b),
                    }
            }
            _ if self.is_type(y) => x == Types::BOTTOM,
            _ => x == y,
        }
    }

    fn sub_left_unionall(&mut self, var: Type, body: Type, y: Type, position: Position) -> bool {
        let (var, body) = self.open(var, body, y);
        self.with_var(var, body, false, |it| it.sub(body, y, position))
    }

    fn sub_right_unionall(&mut self, x: Type, var: Type, body: Type, position: Position) -> bool {
        let (var, body) = self.open(var, body, x);
        self.with_var(var, body, true, |it| it.sub(x, body, position))
    }

    /// Rejects early when no ancestor of `x` has the name of `y`.
    fn names_fit(&self, x: Type, y: Type) -> bool {
        let types = self.types;
        let (ux, uy) = (unionall::unwrap(types, x), unionall::unwrap(types, y));
        if ux == x && uy == y || y == Types::ANY {
            return true;
        }
        let (TypeData::Data { name: nx, .. }, TypeData::Data { name: ny, .. }) =
            (self.data(ux), self.data(uy))
        else {
            return true;
        };
        *nx == TypeName::TYPE || uy == Types::ANY || datatype::inherits(types, ux, *ny)
    }

    fn sub_data(&mut self, x: Type, y: Type, position: Position) -> bool {
        if x == y || y == Types::ANY {
            return true;
        }
        let types = self.types;
        let (TypeData::Data { name: nx, params: px }, TypeData::Data { name: ny, params: py }) =
            (self.data(x), self.data(y))
        else {
            return false;
        };
        let type_name = TypeName::TYPE;
        if *nx == type_name && *ny != type_name {
            // `Int64 isa DataType`, so `Type{Int64}` passes for a subtype of it.
            return !self.is_var(px[0]) && consts::kind_of_type(types, px[0]) == y;
        }
        if *ny == type_name && *nx != type_name && x != types.core.typeof_bottom {
            // A kind is below `Type{T}` if `T` can be any type.
            let open = self.is_var(py[0]) && datatype::is_kind(types, x);
            return open && self.sub(types.core.type_, y, position);
        }
        let Some(x) = datatype::ancestor(types, x, *ny) else { return false };
        if *ny == TypeName::TUPLE {
            return self.sub_tuple(datatype::params(types, x), py, position);
        }
        self.depth += 1;
        let answer = datatype::params(types, x).iter().zip(py).all(|(&a, &b)| self.equal_params(a, b));
        self.depth -= 1;
        answer
    }

    /// `x == y` in parameter position: below each other.
    pub(crate) fn equal_params(&mut self, x: Type, y: Type) -> bool {
        if x == y {
            return true;
        }
        let types = self.types;
        if entry::is_plain(types, x) && entry::is_plain(types, y) || self.lengths_differ(x, y) {
            return false;
        }
        if let (TypeData::Data { name: nx, .. }, TypeData::Data { name: ny, .. }) =
            (self.data(x), self.data(y))
        {
            if nx != ny {
                return false;
            }
            if *nx != TypeName::TUPLE {
                return self.sub(x, y, Position::Invariant);
            }
        }
        if let (TypeData::Union(xs), TypeData::Union(ys)) = (self.data(x), self.data(y))
            && self.right.pick(2) == 0
        {
            // The members by themselves, which is quicker and most often right.
            let (x_rest, y_rest) = (types.union(&xs[1..]), types.union(&ys[1..]));
            return self.equal_params(xs[0], ys[0]) && self.equal_params(x_rest, y_rest);
        }
        let is_union = matches!(self.data(x), TypeData::Union(_));
        if self.is_var(y) && self.is_type(x) && !(self.intersecting && is_union) {
            return self.equal_var(y, x);
        }
        self.local(x, y, Position::Invariant, None) && self.local(y, x, Position::Outside, Some(false))
    }

    /// `x == var` for a type: as below each other, with less to check.
    fn equal_var(&mut self, var: Type, x: Type) -> bool {
        let Some(at) = self.lookup(var) else {
            let (lower, upper) = self.declared_bounds(var);
            return self.ignore_free || self.equal_bounds(x, lower, upper);
        };
        let (lower, upper) = (self.env[at].lower, self.env[at].upper);
        if self.intersecting && lower == upper && self.is_var(lower) {
            return self.equal_var(lower, x);
        }
        self.record(Some(at), Position::Invariant);
        if !self.env[at].right {
            return self.equal_bounds(x, lower, upper);
        }
        if lower == x {
            return self.var_below(var, x, Position::Outside);
        }
        if !self.consistent(x, upper) {
            return false;
        }
        let joined = self.join(self.env[at].lower, x);
        self.set_lower(at, joined);
        if self.env[at].upper == x {
            return true;
        }
        if !self.consistent(self.env[at].lower, x) {
            return false;
        }
        if !self.intersecting || !self.reaches(x, var) {
            self.env[at].upper = x;
        }
        true
    }

    /// `x` equals a universal variable with these bounds.
    fn equal_bounds(&mut self, x: Type, lower: Type, upper: Type) -> bool {
        let limit = Some(self.is_closed(x));
        self.local(x, lower, Position::Invariant, limit)
            && self.local(upper, x, Position::Outside, Some(false))
    }

    /// A tuple of definite length equals none of indefinite length.
    fn lengths_differ(&self, x: Type, y: Type) -> bool {
        let definite = |ty: Type| {
            let ty = if self.is_var(ty) { self.declared_bounds(ty).1 } else { ty };
            let ty = unionall::unwrap(self.types, ty);
            if !datatype::is_tuple(self.types, ty) {
                return None;
            }
            match datatype::params(self.types, ty).last().map(|&it| self.data(it)) {
                Some(TypeData::Vararg { count: None, .. }) => Some(false),
                Some(TypeData::Vararg { count: Some(_), .. }) => None,
                _ => Some(true),
            }
        };
        let indefinite = |ty: Type| !self.is_var(ty) && definite(ty) == Some(false);
        indefinite(x) && definite(y) == Some(true) || definite(x) == Some(true) && indefinite(y)
    }
}
