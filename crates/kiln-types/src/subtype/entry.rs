//! The questions others ask, with answers that need no walk first.

use super::engine::{Engine, Position};
use crate::{Type, TypeData, Types};
use std::sync::atomic::Ordering;

impl Types {
    /// `a <: b`.
    pub fn subtype(&self, a: Type, b: Type) -> bool {
        self.subtype_within(a, b, 0)
    }

    /// `subtype` asked at some nesting of another question.
    pub(super) fn subtype_within(&self, a: Type, b: Type, nesting: u32) -> bool {
        if let Some(answer) = self.quick_subtype(a, b) {
            return answer;
        }
        // What inherits what must be settled before an answer can be kept.
        let keep =
            !self.has_free_vars(a) && !self.has_free_vars(b) && self.unfinished.load(Ordering::Acquire) == 0;
        if keep && let Some(known) = self.subtypes.get(a, b) {
            return known;
        }
        let mut engine = Engine::new(self, 0);
        engine.start_at(nesting);
        let answer = engine.forall_exists(a, b, Position::Outside);
        if keep && !engine.gave_up {
            self.subtypes.insert(a, b, answer);
        }
        answer
    }

    /// Subtypes both ways (Julia's `==` on types).
    pub fn equal(&self, a: Type, b: Type) -> bool {
        a == b || !(self.is_plain(a) && self.is_plain(b)) && self.subtype(a, b) && self.subtype(b, a)
    }

    /// `subtype(a, b)` with the values of `b`'s outer variables, in order: `subtype_env(Tuple{Int8},
    /// Tuple{T} where T<:Real)` is `[Int8]`. A variable left undetermined stays a `Var`.
    pub fn subtype_env(&self, a: Type, b: Type) -> Option<Vec<Type>> {
        let vars = self.outer_vars(b);
        if vars.is_empty() {
            return self.subtype(a, b).then(Vec::new);
        }
        if a == b || a == Self::BOTTOM {
            return Some(vars);
        }
        let mut engine = Engine::new(self, vars.len());
        let answer = engine.forall_exists(a, b, Position::Outside);
        // A value holds for all choices on the left, or it is unknown.
        let known = engine.out.iter().zip(&engine.out_missed).zip(vars);
        let known = known.map(|((known, missed), var)| known.filter(|_| !missed).unwrap_or(var));
        answer.then(|| known.collect())
    }

    /// Answers that follow from the form of the types.
    fn quick_subtype(&self, a: Type, b: Type) -> Option<bool> {
        if a == b || b == Self::ANY && self.is_closed_type(a) || a == Self::BOTTOM && self.is_closed_type(b) {
            return Some(true);
        }
        match (self.data(a), self.data(b)) {
            (TypeData::Data { name, params }, TypeData::Data { name: other, params: others }) => {
                if !self.is_plain(a) || a == Self::ANY || !self.is_plain(b) {
                    return None;
                }
                if name != other {
                    if params.is_empty() && others.is_empty() {
                        return Some(self.inherits(a, *other));
                    }
                    return Some(
                        self.ancestor(a, *other)
                            .is_some_and(|it| it == b || *other == self.tuple_name() && self.subtype(it, b)),
                    );
                }
                // Both are plain and not one.
                Some(
                    *name == self.tuple_name()
                        && params.len() == others.len()
                        && params.iter().zip(others).all(|(&a, &b)| self.subtype(a, b)),
                )
            }
            (TypeData::Data { .. }, TypeData::Union(members)) if self.is_plain(a) => {
                if members.contains(&a) {
                    return Some(true);
                }
                let plain = members.iter().all(|&it| self.is_plain(it)) && !self.is_tuple(a);
                plain.then(|| members.iter().any(|&it| self.subtype(a, it)))
            }
            _ => None,
        }
    }

    fn is_closed_type(&self, ty: Type) -> bool {
        !self.has_free_vars(ty) && !matches!(self.data(ty), TypeData::Value(_) | TypeData::Vararg { .. })
    }
}
