//! `a <: b`, after Zappa Nardelli et al., "Julia Subtyping: A Rational Reconstruction" (2018), with Julia's own
//! extensions: the diagonal rule, lengths of `Vararg`, values as parameters, `Type{T}`.
//!
//! A query is read as a formula: variables of the left side are universal, those of the right side existential, and
//! each union on the left (right) is a universal (existential) choice. `walk` traverses both types at once,
//! `variables` keeps the bounds learned for variables, `choice` enumerates the choices.
//!
//! # Deliberately absent
//! Completeness. Work is bounded; a query that exceeds the bound is answered "no".

mod choice;
mod engine;
mod join;
mod tuple;
mod variables;
mod walk;

pub(crate) use engine::{Binding, Constraint, Engine, Position, Saved};

use crate::{Type, TypeData, TypeName, Types, datatype, entry, typevar, unionall};
use std::sync::atomic::Ordering;

impl Types {
    /// `a <: b`.
    pub fn subtype(&self, a: Type, b: Type) -> bool {
        holds_within(self, a, b, 0)
    }
}

/// `subtype` asked at some nesting of another question.
pub(crate) fn holds_within(types: &Types, a: Type, b: Type, nesting: u32) -> bool {
    if let Some(answer) = quick(types, a, b) {
        return answer;
    }
    // What inherits what must be settled before an answer can be kept.
    let keep = !typevar::has_free_vars(types, a)
        && !typevar::has_free_vars(types, b)
        && types.unfinished.load(Ordering::Acquire) == 0;
    if keep && let Some(known) = types.subtypes.get(a, b) {
        return known;
    }
    let mut engine = Engine::new(types, 0);
    engine.start_at(nesting);
    let answer = engine.forall_exists(a, b, Position::Outside);
    if keep && !engine.gave_up {
        types.subtypes.insert(a, b, answer);
    }
    answer
}

/// Returns the values of `b`'s outer variables, in order, if `a <: b`: `matching(Tuple{Int8}, Tuple{T} where T<:Real)` is
/// `[Int8]`. A variable left undetermined stays a `Var`.
pub fn matching(types: &Types, a: Type, b: Type) -> Option<Vec<Type>> {
    let vars = unionall::outer_vars(types, b);
    if vars.is_empty() {
        return types.subtype(a, b).then(Vec::new);
    }
    if a == b || a == Types::BOTTOM {
        return Some(vars);
    }
    let mut engine = Engine::new(types, vars.len());
    let answer = engine.forall_exists(a, b, Position::Outside);
    // A value holds for all choices on the left, or it is unknown.
    let known = engine.out.iter().zip(&engine.out_missed).zip(vars);
    let known = known.map(|((known, missed), var)| known.filter(|_| !missed).unwrap_or(var));
    answer.then(|| known.collect())
}

/// Answers that follow from the form of the types.
fn quick(types: &Types, a: Type, b: Type) -> Option<bool> {
    if a == b || b == Types::ANY && is_closed_type(types, a) || a == Types::BOTTOM && is_closed_type(types, b)
    {
        return Some(true);
    }
    match (types.data(a), types.data(b)) {
        (TypeData::Data { name, params }, TypeData::Data { name: other, params: others }) => {
            if !entry::is_plain(types, a) || a == Types::ANY || !entry::is_plain(types, b) {
                return None;
            }
            if name != other {
                if params.is_empty() && others.is_empty() {
                    return Some(datatype::inherits(types, a, *other));
                }
                return Some(
                    datatype::ancestor(types, a, *other)
                        .is_some_and(|it| it == b || *other == TypeName::TUPLE && types.subtype(it, b)),
                );
            }
            // Both are plain and not one.
            Some(
                *name == TypeName::TUPLE
                    && params.len() == others.len()
                    && params.iter().zip(others).all(|(&a, &b)| types.subtype(a, b)),
            )
        }
        (TypeData::Data { .. }, TypeData::Union(members)) if entry::is_plain(types, a) => {
            if members.contains(&a) {
                return Some(true);
            }
            let plain = members.iter().all(|&it| entry::is_plain(types, it)) && !datatype::is_tuple(types, a);
            plain.then(|| members.iter().any(|&it| types.subtype(a, it)))
        }
        _ => None,
    }
}

fn is_closed_type(types: &Types, ty: Type) -> bool {
    !typevar::has_free_vars(types, ty)
        && !matches!(types.data(ty), TypeData::Value(_) | TypeData::Vararg { .. })
}
