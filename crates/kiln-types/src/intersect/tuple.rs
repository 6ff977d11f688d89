//! Intersections of tuples.

use crate::subtype::{Engine, Position};
use crate::{Type, TypeData, Types, datatype, unionall};

/// The elements written out, and the rest.
struct Elements<'a> {
    fixed: &'a [Type],
    rest: Option<(Type, Option<Type>)>,
}

impl Elements<'_> {
    fn get(&self, index: usize) -> Option<Type> {
        self.fixed.get(index).copied().or(self.rest.map(|it| it.0))
    }
}

impl<'a> Engine<'a> {
    fn split(&self, tuple: Type) -> Elements<'a> {
        let params = datatype::params(self.types, tuple);
        match params.split_last().map(|(&last, fixed)| (self.data(last), fixed)) {
            Some((TypeData::Vararg { elem, count }, fixed)) => {
                Elements { fixed, rest: Some((*elem, *count)) }
            }
            _ => Elements { fixed: params, rest: None },
        }
    }

    pub(super) fn intersect_tuple(&mut self, x: Type, y: Type, position: Position) -> Type {
        let (xs, ys) = (self.split(x), self.split(y));
        let (len_x, len_y) = (xs.fixed.len(), ys.fixed.len());
        if xs.rest.is_none() && len_x < len_y
            || ys.rest.is_none() && len_y < len_x
            || !self.fits_length(&xs, &ys, false)
            || !self.fits_length(&ys, &xs, true)
        {
            return Types::BOTTOM;
        }
        let position = position.in_tuple();
        let len = len_x.max(len_y);
        let mut params = Vec::with_capacity(len + 1);
        for i in 0..len {
            let (Some(a), Some(b)) = (xs.get(i), ys.get(i)) else { return Types::BOTTOM };
            let common = self.intersect_at(a, b, position);
            if common == Types::BOTTOM {
                return common;
            }
            params.push(common);
        }
        if let (Some(a), Some(b)) = (xs.rest, ys.rest) {
            match self.intersect_rest(a, b, len_x as i64 - len_y as i64, position) {
                Some(Some(rest)) => params.push(rest),
                Some(None) => {}
                None => return Types::BOTTOM,
            }
        }
        datatype::tuple(self.types, &params)
    }

    /// A rest against a side without one: its length follows.
    fn fits_length(&mut self, varied: &Elements<'_>, other: &Elements<'_>, right: bool) -> bool {
        let (Some((_, Some(count))), None) = (varied.rest, other.rest) else { return true };
        let len = self.int(other.fixed.len() as i64 - varied.fixed.len() as i64);
        let common = if right {
            self.intersect_at(len, count, Position::Invariant)
        } else {
            self.intersect_at(count, len, Position::Invariant)
        };
        common != Types::BOTTOM
    }

    fn value_of_length(&self, count: Type) -> Option<i64> {
        self.int_value(count).or_else(|| self.int_value(self.bounds(count).0))
    }

    fn set_length(&mut self, count: Option<Type>, value: i64) -> bool {
        match count.map(|it| (it, self.lookup(it))) {
            None => true,
            _ if value < 0 => false,
            Some((_, Some(at))) => {
                let value = self.int(value);
                self.set_to_value(at, value) != Types::BOTTOM
            }
            Some((count, None)) => self.int_value(count).is_none_or(|it| it == value),
        }
    }

    /// Two rests, the right one longer by `offset`. `Some(None)`: both are empty. `None`: no common part.
    fn intersect_rest(
        &mut self,
        x: (Type, Option<Type>),
        y: (Type, Option<Type>),
        offset: i64,
        position: Position,
    ) -> Option<Option<Type>> {
        let ((x_elem, x_count), (y_elem, y_count)) = (x, y);
        // Twice: there may be several elements, which the diagonal rule must see.
        let mut common = self.intersect_at(x_elem, y_elem, position);
        if common != Types::BOTTOM {
            common = self.intersect_at(x_elem, y_elem, Position::Covariant);
        }
        if common == Types::BOTTOM {
            // Only if both are empty.
            let (x_len, y_len) = ((-offset).max(0), offset.max(0));
            let open = x_count.is_none() != y_count.is_none();
            if position == Position::Invariant && open {
                return None;
            }
            return (self.set_length(x_count, x_len) && self.set_length(y_count, y_len)).then_some(None);
        }
        for count in [x_count, y_count].into_iter().flatten() {
            if let Some(at) = self.lookup(count) {
                self.env[at].is_length = true;
            }
        }
        let count = self.common_length(x_count, y_count, offset, position)?;
        Some(Some(datatype::vararg(self.types, common, count)))
    }

    /// The length of the common rest, which begins behind the longer of the fixed parts.
    fn common_length(
        &mut self,
        x: Option<Type>,
        y: Option<Type>,
        offset: i64,
        position: Position,
    ) -> Option<Option<Type>> {
        if let (Some(x), Some(y), 0) = (x, y, offset) {
            let common = self.intersect_invariant(x, y)?;
            let valid = self.is_var(common) || self.int_value(common).is_some_and(|it| it >= 0);
            return valid.then_some(Some(common));
        }
        self.depth += 1;
        for count in [x, y].into_iter().flatten() {
            let at = self.lookup(count);
            self.record(at, Position::Invariant);
        }
        self.depth -= 1;
        let (x_value, y_value) =
            (x.and_then(|it| self.value_of_length(it)), y.and_then(|it| self.value_of_length(it)));
        if let Some(value) = x_value.or(y_value.map(|it| it - offset)) {
            if !self.set_length(x, value) || !self.set_length(y, value + offset) {
                return None;
            }
            let rest = if offset < 0 { value + offset } else { value };
            return (rest >= 0).then(|| Some(self.int(rest)));
        }
        if let (Some(count), None) | (None, Some(count)) = (x, y)
            && position == Position::Invariant
            && let Some(at) = self.lookup(count)
            && self.env[at].depth < self.depth
        {
            // `Ref{NTuple{N,T}}` is no `Ref{Tuple{Vararg{T}}}` for any `N`.
            return None;
        }
        // One length may be named in the result; a relation between two different ones has no name.
        let (behind, other) = if offset >= 0 { (x, y) } else { (y, x) };
        Some(match (behind, other) {
            (None, Some(other)) if offset == 0 => Some(other),
            (None, Some(other)) if self.in_bound > 0 => Some(self.shorter_length(other)),
            _ => behind,
        })
    }

    /// A length that is less than `count` by some constant: a variable bound where that one is.
    fn shorter_length(&mut self, count: Type) -> Type {
        let (Some(at), TypeData::Var { name, .. }) = (self.lookup(count), self.data(count)) else {
            return count;
        };
        let in_use = |it: Type| self.lookup(it).is_some() || self.env.iter().any(|b| b.inner.contains(&it));
        let length = unionall::scratch_var(self.types, *name, Types::BOTTOM, Types::ANY, in_use);
        self.env[at].inner.push(length);
        length
    }
}
