//! `a <: b`, after Zappa Nardelli et al., "Julia Subtyping: A Rational Reconstruction" (2018), with Julia's own
//! extensions: the diagonal rule, lengths of `Vararg`, values as parameters, `Type{T}`.
//!
//! The question is read as a formula: variables of the left side are universal, those of the right side
//! existential, and each union on the left (right) is a universal (existential) choice. `walk` goes through both
//! types at once, `variables` keeps the bounds learned for variables, `choice` enumerates the choices.
//!
//! # Deliberately absent
//! Completeness. Work is bounded; a question that takes more is answered "no".

mod choice;
mod engine;
mod entry;
mod join;
mod tuple;
mod variables;
mod walk;

pub(crate) use engine::{Binding, Constraint, Engine, Position, Saved};
