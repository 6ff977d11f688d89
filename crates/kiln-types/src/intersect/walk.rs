//! The walk through both types.

use crate::subtype::{Engine, Position, Saved};
use crate::{Type, TypeData, TypeName, Types, consts, datatype, typevar};

/// Results of choices that are united before the whole is overestimated.
const MAX_UNITED: usize = 4;

impl Engine<'_> {
    /// The union of the intersections along all choices; choices of its own.
    pub(crate) fn intersect_all(&mut self, x: Type, y: Type) -> Type {
        let outer = std::mem::take(&mut self.right);
        let before = self.save();
        let mut merged: Option<Saved> = None;
        let mut found = Vec::new();
        let result = loop {
            self.right.rewind();
            let common = self.intersect_at(x, y, Position::Outside);
            if common != Types::BOTTOM {
                if !found.contains(&common) {
                    found.push(common);
                }
                let this = self.save();
                merged = Some(match merged {
                    Some(old) => self.merge(old, &this, &before),
                    None => this,
                });
            }
            if self.gave_up || found.len() > MAX_UNITED {
                self.restore(&before);
                break y;
            }
            let more = self.right.advance();
            if more {
                self.restore(&before);
                continue;
            }
            match &merged {
                Some(merged) => self.restore(merged),
                None => self.restore(&before),
            }
            break self.types.union(&found);
        };
        self.right = outer;
        result
    }

    /// Merges the knowledge about variables from two choices: only facts that hold for both, and no more than
    /// `before` if one of them has no more.
    fn merge(&self, mut old: Saved, new: &Saved, before: &Saved) -> Saved {
        for ((a, b), was) in old.env_mut().iter_mut().zip(new.env()).zip(before.env()) {
            a.lower = match was.lower {
                lower if a.lower == lower || b.lower == lower => lower,
                _ if a.lower == b.lower => a.lower,
                _ => self.meet_below(a.lower, b.lower),
            };
            a.upper = match was.upper {
                upper if a.upper == upper || b.upper == upper => upper,
                _ => self.join(a.upper, b.upper),
            };
            a.invariant = a.invariant.max(b.invariant);
            a.covariant = a.covariant.max(b.covariant);
            for &inner in &b.inner {
                if !a.inner.contains(&inner) {
                    a.inner.push(inner);
                }
            }
        }
        old
    }

    /// A type below both: the smaller one if they compare, else `Union{}`.
    fn meet_below(&self, a: Type, b: Type) -> Type {
        let types = self.types;
        if !self.is_type(a)
            || !self.is_type(b)
            || typevar::has_free_vars(types, a)
            || typevar::has_free_vars(types, b)
        {
            return Types::BOTTOM;
        }
        if self.closed_subtype(a, b) {
            a
        } else if self.closed_subtype(b, a) {
            b
        } else {
            Types::BOTTOM
        }
    }

    pub(crate) fn intersect_at(&mut self, x: Type, y: Type, position: Position) -> Type {
        if !self.enter() {
            self.leave();
            return y;
        }
        let common = self.intersect_step(x, y, position);
        self.leave();
        common
    }

    fn intersect_step(&mut self, x: Type, y: Type, position: Position) -> Type {
        let types = self.types;
        if x == y {
            return y;
        }
        match (self.is_var(x), self.is_var(y)) {
            (true, true) => return self.intersect_vars(x, y, position),
            (true, false) => {
                let at = self.lookup(x);
                self.record(at, position);
                return self.intersect_var(x, y, false, position);
            }
            (false, true) => {
                let at = self.lookup(y);
                self.record(at, position);
                return self.intersect_var(y, x, true, position);
            }
            (false, false) => {}
        }
        let closed = !typevar::has_free_vars(types, x) && !typevar::has_free_vars(types, y);
        if closed && self.is_type(x) && self.is_type(y) {
            if self.closed_subtype(x, y) {
                return x;
            }
            if self.closed_subtype(y, x) {
                return y;
            }
        }
        match (self.data(x), self.data(y)) {
            (TypeData::Union(members), data) => {
                if members.contains(&y) {
                    return y;
                }
                if matches!(data, TypeData::Union(_)) && self.is_part_of(x, y) {
                    return x;
                }
                self.intersect_union(y, members, false, closed, position)
            }
            (data, TypeData::Union(members)) => {
                if members.contains(&x) {
                    return x;
                }
                if let (&TypeData::UnionAll { var, body }, false) = (data, closed) {
                    return self.intersect_unionall(y, var, body, false, position);
                }
                self.intersect_union(x, members, true, closed, position)
            }
            _ if y == Types::ANY => x,
            _ if x == Types::ANY => y,
            (&TypeData::UnionAll { var, body }, TypeData::UnionAll { .. }) => {
                self.intersect_unionalls(x, y, var, body, position)
            }
            (&TypeData::UnionAll { var, body }, _) => self.intersect_unionall(y, var, body, false, position),
            (_, &TypeData::UnionAll { var, body }) => self.intersect_unionall(x, var, body, true, position),
            (TypeData::Data { .. }, TypeData::Data { .. }) => self.intersect_data(x, y, position),
            _ => Types::BOTTOM,
        }
    }

    /// Variables of one side may depend on those of the other, so a result with nested bounds is also sought in
    /// the other order.
    fn intersect_unionalls(&mut self, x: Type, y: Type, var: Type, body: Type, position: Position) -> Type {
        let types = self.types;
        let before = self.save();
        let a = self.intersect_unionall(y, var, body, false, position);
        let mut b = Types::BOTTOM;
        if let &TypeData::UnionAll { var: outer, body } = self.data(a)
            && let &TypeData::UnionAll { var: inner, .. } = self.data(body)
        {
            let (lower, upper) = self.declared_bounds(inner);
            if typevar::occurs(types, outer, lower) || typevar::occurs(types, outer, upper) {
                self.restore_counts(&before);
                self.right.rewind_to(before.right_depth());
                let &TypeData::UnionAll { var, body } = self.data(y) else { return a };
                b = self.intersect_unionall(x, var, body, true, position);
            }
        }
        // Both hold all of the common part.
        if b == Types::BOTTOM {
            return a;
        }
        if !typevar::has_free_vars(types, a) && !typevar::has_free_vars(types, b) {
            if self.closed_subtype(a, b) {
                return b;
            }
            if self.closed_subtype(b, a) {
                return a;
            }
        }
        self.join(a, b)
    }

    /// `other` with a union, which is on the right side if `right`.
    fn intersect_union(
        &mut self,
        other: Type,
        members: &[Type],
        right: bool,
        closed: bool,
        position: Position,
    ) -> Type {
        if position != Position::Invariant && !closed {
            // Each choice is followed to the end and the results are united there.
            let member = members[self.right.pick(members.len())];
            return if right {
                self.intersect_at(other, member, position)
            } else {
                self.intersect_at(member, other, position)
            };
        }
        // What one member fixes holds for the next.
        let each = members
            .iter()
            .map(|&it| if right { self.intersect_all(other, it) } else { self.intersect_all(it, other) });
        let found: Vec<Type> = each.collect();
        self.types.union(&found)
    }

    fn intersect_data(&mut self, x: Type, y: Type, position: Position) -> Type {
        let types = self.types;
        let (Some(nx), Some(ny)) = (datatype::name_of(types, x), datatype::name_of(types, y)) else {
            return Types::BOTTOM;
        };
        let type_name = TypeName::TYPE;
        if position != Position::Invariant && (nx == type_name) != (ny == type_name) {
            return if nx == type_name { self.intersect_kind(x, y) } else { self.intersect_kind(y, x) };
        }
        if nx == ny {
            return if nx == TypeName::TUPLE {
                self.intersect_tuple(x, y, position)
            } else {
                self.intersect_same_name(x, y)
            };
        }
        if position == Position::Invariant {
            return Types::BOTTOM;
        }
        if let Some(ancestor) = datatype::ancestor(types, x, ny) {
            return self.intersect_descendant(x, ancestor, y, false, position);
        }
        match datatype::ancestor(types, y, nx) {
            Some(ancestor) => self.intersect_descendant(y, ancestor, x, true, position),
            None => Types::BOTTOM,
        }
    }

    fn intersect_same_name(&mut self, x: Type, y: Type) -> Type {
        let types = self.types;
        let (px, py) = (datatype::params(types, x), datatype::params(types, y));
        let mut params = Vec::with_capacity(px.len());
        for (&a, &b) in px.iter().zip(py) {
            match self.intersect_invariant(a, b) {
                Some(common) => params.push(common),
                None => return Types::BOTTOM,
            }
        }
        self.apply_name(x, &params)
    }

    /// Returns the type with the name of `like` and these parameters; `Union{}` if it does not exist.
    fn apply_name(&self, like: Type, params: &[Type]) -> Type {
        let Some(name) = datatype::name_of(self.types, like) else { return Types::BOTTOM };
        let wrapper = self.types.type_name(name).wrapper;
        if params.is_empty() {
            return wrapper;
        }
        self.types.apply(wrapper, params).unwrap_or(Types::BOTTOM)
    }

    /// `Type{..}` with a type that is not one.
    fn intersect_kind(&mut self, type_type: Type, other: Type) -> Type {
        let types = self.types;
        let param = datatype::params(types, type_type)[0];
        if !self.is_var(param) {
            return if consts::kind_of_type(types, param) == other { type_type } else { Types::BOTTOM };
        }
        if !datatype::is_kind(types, other) {
            return Types::BOTTOM;
        }
        let (lower, upper) = self.declared_bounds(param);
        if other == types.core.typeof_bottom && lower == Types::BOTTOM {
            return datatype::type_type(types, Types::BOTTOM);
        }
        // `Type{<:Integer}` within `DataType` has no name of its own.
        if upper == Types::ANY { other } else { type_type }
    }

    /// Intersects `x`, whose `ancestor` has the name of `y`. `swapped` if `x` is on the right side.
    fn intersect_descendant(
        &mut self,
        x: Type,
        ancestor: Type,
        y: Type,
        swapped: bool,
        position: Position,
    ) -> Type {
        let common = if swapped {
            self.intersect_at(y, ancestor, position)
        } else {
            self.intersect_at(ancestor, y, position)
        };
        if common == Types::BOTTOM {
            return common;
        }
        // What that says of the variables shows at the end of their scopes.
        x
    }

    /// Intersects two parameters: the type that both equal. `None` if they cannot be equal.
    pub(crate) fn intersect_invariant(&mut self, x: Type, y: Type) -> Option<Type> {
        let types = self.types;
        if !typevar::has_free_vars(types, x) && !typevar::has_free_vars(types, y) {
            let same = x == y
                || self.is_type(x)
                    && self.is_type(y)
                    && self.closed_subtype(x, y)
                    && self.closed_subtype(y, x);
            return same.then_some(y);
        }
        self.depth += 1;
        let common = self.intersect_at(x, y, Position::Invariant);
        self.depth -= 1;
        if self.is_var(x) && self.is_var(y) && !self.is_type(common) {
            return Some(common);
        }
        if common == Types::BOTTOM {
            let mut below = self.sub_aside(x, Types::BOTTOM);
            if below {
                self.flip_sides();
                below = self.sub_aside(y, Types::BOTTOM);
                self.flip_sides();
            }
            return below.then_some(common);
        }
        let before = self.save();
        let equal = self.sub_existential(x, y) && self.sub_existential(y, x);
        self.restore(&before);
        equal.then_some(common)
    }
}
