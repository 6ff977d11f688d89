//! Tuples: covariant, and of a length that may itself be a variable.

use super::engine::{Engine, Position};
use crate::{Type, TypeData, Types, datatype, typevar, unionall};

/// The elements of a tuple: those written out, and the type and length of the rest.
#[derive(Clone, Copy)]
struct Elements<'a> {
    fixed: &'a [Type],
    rest: Option<(Type, Option<Type>)>,
    /// This many more of the rest are known to exist.
    extra: usize,
}

impl Elements<'_> {
    fn len(&self) -> usize {
        self.fixed.len() + self.extra
    }

    fn get(&self, index: usize) -> Option<Type> {
        self.fixed.get(index).copied().or(self.rest.map(|it| it.0))
    }
}

impl<'a> Engine<'a> {
    fn elements(&self, params: &'a [Type]) -> Elements<'a> {
        match params.split_last().map(|(&last, fixed)| (self.data(last), fixed)) {
            Some((TypeData::Vararg { elem, count }, fixed)) => {
                Elements { fixed, rest: Some((*elem, *count)), extra: 0 }
            }
            _ => Elements { fixed: params, rest: None, extra: 0 },
        }
    }

    /// The value of a length, if it is known by now.
    fn known_length(&self, count: Type) -> Option<i64> {
        match self.lookup(count) {
            Some(at) => self.int_value(self.env[at].lower),
            None => self.int_value(count),
        }
    }

    pub(super) fn sub_tuple(&mut self, x: &'a [Type], y: &'a [Type], position: Position) -> bool {
        let (mut xs, ys) = (self.elements(x), self.elements(y));
        let position = position.in_tuple();
        if let Some((_, Some(count))) = xs.rest
            && let Some(known) = self.known_length(count)
        {
            if known < 0 {
                return false;
            }
            xs.extra = known as usize;
            return self.sub_finite(xs, ys, position);
        }
        match (xs.rest, ys.rest) {
            (None, _) => self.sub_finite(xs, ys, position),
            (Some((_, count)), None) => {
                // Only an existential length can be made to fit.
                let Some(count) = count.filter(|&it| self.is_free_length(it)) else { return false };
                if ys.len() < xs.len() || !self.equal_length(count, (ys.len() - xs.len()) as i64) {
                    return false;
                }
                xs.extra = ys.len() - xs.len();
                self.sub_each(xs, ys, ys.len(), position)
            }
            (Some((_, count)), Some(_)) => {
                let existential = count.is_some_and(|it| self.is_free_length(it));
                if xs.len() < ys.len() && !existential {
                    return false;
                }
                let len = xs.len().max(ys.len());
                self.sub_each(xs, ys, len, position) && self.sub_rest(xs, ys, position)
            }
        }
    }

    fn is_free_length(&self, count: Type) -> bool {
        match self.lookup(count) {
            Some(at) => self.env[at].right,
            None => self.is_var(count) && self.ignore_free,
        }
    }

    /// The left side has a known length.
    fn sub_finite(&mut self, xs: Elements<'a>, ys: Elements<'a>, position: Position) -> bool {
        let len = xs.len();
        if ys.rest.is_none() && len != ys.len() || len < ys.len() {
            return false;
        }
        if !self.sub_each(xs, ys, len, position) {
            return false;
        }
        match ys.rest {
            Some((_, Some(count))) => self.equal_length(count, (len - ys.len()) as i64),
            _ => true,
        }
    }

    /// Both ways, as for any parameter.
    fn equal_length(&mut self, count: Type, len: i64) -> bool {
        let len = self.int(len);
        self.depth += 1;
        let answer = self.sub(len, count, Position::Invariant) && self.sub(count, len, Position::Outside);
        self.depth -= 1;
        answer
    }

    fn sub_each(&mut self, xs: Elements<'a>, ys: Elements<'a>, len: usize, position: Position) -> bool {
        let mut last = None;
        let mut repeated = 0;
        for i in 0..len {
            let (Some(x), Some(y)) = (xs.get(i), ys.get(i)) else { return false };
            if y == Types::ANY && i >= ys.len() {
                continue; // `Vararg{Any}` takes everything
            }
            // Two equal comparisons say all that more would, to the diagonal rule as well.
            repeated = if last == Some((x, y)) { repeated + 1 } else { 0 };
            last = Some((x, y));
            if repeated < 2 && !self.sub_element(x, y, position) {
                return false;
            }
        }
        true
    }

    fn sub_element(&mut self, x: Type, y: Type, position: Position) -> bool {
        let types = self.types;
        let closed = self.is_type(x)
            && self.is_type(y)
            && !typevar::has_free_vars(types, x)
            && !typevar::has_free_vars(types, y);
        if closed && (datatype::is_concrete(types, x) || !self.left.any_taken() && !self.right.any_taken()) {
            return self.closed_subtype(x, y);
        }
        self.sub(x, y, position)
    }

    /// `Vararg` against `Vararg`, behind the elements that only one side writes out.
    fn sub_rest(&mut self, xs: Elements<'a>, ys: Elements<'a>, position: Position) -> bool {
        let (Some((x, x_count)), Some((y, y_count))) = (xs.rest, ys.rest) else { return true };
        let offset = xs.len() as i64 - ys.len() as i64;
        if let Some(count) = y_count
            && let Some(known) = self.known_length(count)
            && (x_count.is_none() || known < offset)
        {
            return false;
        }
        // Twice: there may be several elements, which the diagonal rule must see.
        if !self.sub_element(x, y, position) || !self.sub_element(x, y, Position::Covariant) {
            return false;
        }
        let Some(y_count) = y_count else { return true };
        self.sub_rest_length(x_count, y_count, offset)
    }

    /// The lengths of the rests: the right one is the left one plus `offset`.
    fn sub_rest_length(&mut self, x_count: Option<Type>, y_count: Type, offset: i64) -> bool {
        let known_y = self.known_length(y_count);
        self.depth += 1;
        let answer = match (x_count, known_y) {
            (None, Some(_)) => false,
            (None, None) => {
                // An unbounded length is a universal variable of its own.
                self.depth -= 1;
                let length = self.length_var("N", y_count);
                let answer = self.with_var(length, Types::BOTTOM, false, |it| {
                    it.depth += 1;
                    let answer = it.equal_params(length, y_count);
                    it.depth -= 1;
                    answer
                });
                self.depth += 1;
                answer
            }
            (Some(x_count), _) => match self.known_length(x_count) {
                Some(known) => {
                    let len = self.int(known + offset);
                    self.equal_params(len, y_count)
                }
                None if offset == 0 => self.equal_params(x_count, y_count),
                None => match known_y {
                    Some(known) => {
                        let len = self.int(known - offset);
                        self.equal_params(x_count, len)
                    }
                    None => self.equal_shifted(x_count, y_count, offset),
                },
            },
        };
        self.depth -= 1;
        answer
    }

    /// `y = x + offset` for two variables: a fresh variable represents the sum of the universal one.
    fn equal_shifted(&mut self, x: Type, y: Type, offset: i64) -> bool {
        let x_existential = self.is_free_length(x);
        if x_existential == self.is_free_length(y) {
            return x_existential;
        }
        let (universal, existential, offset) = if x_existential { (y, x, -offset) } else { (x, y, offset) };
        if let (Some(inner), Some(outer)) = (self.lookup(universal), self.lookup(existential))
            && self.env[inner].depth != self.env[outer].depth
        {
            return false;
        }
        let TypeData::Var { name, .. } = self.data(universal) else { return false };
        let name = self.types.symbol(&format!("{}{offset:+}", self.types.name(*name)));
        let sum = unionall::scratch_var(self.types, name, Types::BOTTOM, Types::ANY, |_| false);
        self.equal_params(sum, existential)
    }

    fn length_var(&self, name: &str, other: Type) -> Type {
        let var =
            unionall::scratch_var(self.types, self.types.symbol(name), Types::BOTTOM, Types::ANY, |_| false);
        self.open(var, Types::BOTTOM, other).0
    }
}
