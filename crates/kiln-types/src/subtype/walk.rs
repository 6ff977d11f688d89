//! The walk through both types at once.

use super::choice::Choices;
use super::engine::{Engine, Position};
use crate::{Type, TypeData, Types};

impl Engine<'_> {
    /// Whether for all choices on the left there are choices on the right such that `x <: y`. Own choices: those
    /// of the question around it stay as they are.
    pub(crate) fn forall_exists(&mut self, x: Type, y: Type, position: Position) -> bool {
        let outer_left = std::mem::take(&mut self.left);
        let outer_right = std::mem::take(&mut self.right);
        let answer = self.forall(x, y, position).0;
        self.left = outer_left;
        self.right = outer_right;
        answer
    }

    /// The loop over choices on the left; also whether the right side had any choice.
    fn forall(&mut self, x: Type, y: Type, position: Position) -> (bool, bool) {
        let mut saved = self.save();
        let mut had_choice = false;
        self.left = Choices::default();
        loop {
            self.right = Choices::default();
            loop {
                self.left.rewind();
                self.right.rewind();
                if self.sub(x, y, position) {
                    had_choice |= self.right.any_taken();
                    break;
                }
                had_choice |= self.right.any_taken();
                self.restore(&saved);
                if self.gave_up || !self.right.advance() {
                    return (false, had_choice);
                }
            }
            if !self.left.advance() {
                return (true, had_choice);
            }
            saved = self.save();
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
            x = members[self.left.pick(members.len())];
        }
        if let TypeData::Union(members) = self.data(y) {
            if members.contains(&x) {
                return true;
            }
            if let &TypeData::UnionAll { var, body } = self.data(x) {
                return self.sub_left_unionall(var, body, y, position);
            }
            if self.is_var(x) {
                // First the union as a whole: `Tuple{Type{T}, T}` with a union for `T` needs it.
                let pick = self.right.pick(members.len() + 1);
                if pick > 0 {
                    y = members[pick - 1];
                }
            } else {
                y = members[self.right.pick(members.len())];
            }
        }
        match (self.is_var(x), self.is_var(y)) {
            (true, true) => self.var_below_var(x, y, position),
            (true, false) => self.var_below(x, y, position),
            (false, true) => self.var_above(y, x, position),
            (false, false) => self.sub_types(x, y, position),
        }
    }

    fn sub_types(&mut self, x: Type, y: Type, position: Position) -> bool {
        let types = self.types;
        if y == Types::ANY && !types.has_free_vars(x)
            || x == Types::BOTTOM && self.is_type(y) && !types.has_free_vars(y)
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
            let (var, body) = self.open(var, body, x);
            return self.with_var(var, body, true, |it| it.sub(x, body, position));
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

    /// Rejects early when no ancestor of `x` has the name of `y`.
    fn names_fit(&self, x: Type, y: Type) -> bool {
        let types = self.types;
        let (ux, uy) = (types.unwrap_unionall(x), types.unwrap_unionall(y));
        if ux == x && uy == y || y == Types::ANY {
            return true;
        }
        let (TypeData::Data { name: nx, .. }, TypeData::Data { name: ny, .. }) =
            (self.data(ux), self.data(uy))
        else {
            return true;
        };
        *nx == types.type_type_name() || uy == Types::ANY || types.inherits(ux, *ny)
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
        let type_name = types.type_type_name();
        if *nx == type_name && *ny != type_name {
            // `Int64 isa DataType`, so `Type{Int64}` passes for a subtype of it.
            return !self.is_var(px[0]) && types.kind_of_type(px[0]) == y;
        }
        if *ny == type_name && *nx != type_name && x != types.core.typeof_bottom {
            // A kind is below `Type{T}` if `T` can be any type.
            let open = self.is_var(py[0]) && types.is_kind(x);
            return open && self.sub(types.core.type_, y, position);
        }
        let Some(x) = types.ancestor(x, *ny) else { return false };
        if *ny == types.tuple_name() {
            return self.sub_tuple(types.params(x), py, position);
        }
        self.depth += 1;
        let answer = types.params(x).iter().zip(py).all(|(&a, &b)| self.equal_params(a, b));
        self.depth -= 1;
        answer
    }

    /// `x == y` in parameter position: below each other.
    pub(crate) fn equal_params(&mut self, x: Type, y: Type) -> bool {
        if x == y {
            return true;
        }
        let types = self.types;
        if types.is_plain(x) && types.is_plain(y) || self.lengths_differ(x, y) {
            return false;
        }
        if let (TypeData::Data { name: nx, .. }, TypeData::Data { name: ny, .. }) =
            (self.data(x), self.data(y))
        {
            if nx != ny {
                return false;
            }
            if *nx != types.tuple_name() {
                return self.sub(x, y, Position::Invariant);
            }
        }
        let saved_left = self.left.clone();
        let answer = self.nested(x, y, Position::Invariant) && self.nested(y, x, Position::Outside);
        self.left = saved_left;
        answer
    }

    /// A tuple of definite length equals none of indefinite length.
    fn lengths_differ(&self, x: Type, y: Type) -> bool {
        let definite = |ty: Type| {
            let ty = self.types.unwrap_unionall(ty);
            if !self.types.is_tuple(ty) {
                return None;
            }
            match self.types.params(ty).last().map(|&it| self.data(it)) {
                Some(TypeData::Vararg { count: None, .. }) => Some(false),
                Some(TypeData::Vararg { count: Some(_), .. }) => None,
                _ => Some(true),
            }
        };
        matches!((definite(x), definite(y)), (Some(a), Some(b)) if a != b)
    }

    /// One direction of an equality. Choices on the right are first tried locally, since an equality seldom
    /// depends on the choices made elsewhere; if that is not the answer, together with those around.
    fn nested(&mut self, x: Type, y: Type, position: Position) -> bool {
        let types = self.types;
        if self.is_type(x) && self.is_type(y) && !types.has_free_vars(x) && !types.has_free_vars(y) {
            return self.closed_subtype(x, y);
        }
        let choice = self.right.depth();
        if self.may_choose(y, 4) && self.right.pick(2) == 0 {
            let outer = std::mem::take(&mut self.right);
            let (answer, had_choice) = self.forall(x, y, position);
            self.right = outer;
            if !had_choice {
                self.right.settle(choice);
            }
            return answer;
        }
        self.left = Choices::default();
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

    /// Whether comparing with this type on the right may come upon a union.
    fn may_choose(&self, ty: Type, fuel: u32) -> bool {
        if fuel == 0 {
            return true;
        }
        match self.data(ty) {
            TypeData::Union(_) => true,
            TypeData::Data { params, .. } => {
                !self.types.is_concrete(ty) && params.iter().any(|&it| self.may_choose(it, fuel))
            }
            TypeData::Var { .. } => {
                let (lower, upper) = self.bounds(ty);
                self.may_choose(lower, fuel - 1) || self.may_choose(upper, fuel - 1)
            }
            TypeData::UnionAll { body, .. } => self.may_choose(*body, fuel),
            TypeData::Vararg { elem, .. } => self.may_choose(*elem, fuel),
            TypeData::Bottom | TypeData::Value(_) => false,
        }
    }
}
