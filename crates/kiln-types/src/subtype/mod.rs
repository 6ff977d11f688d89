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
mod entry;
mod join;
mod tuple;
mod variables;
mod walk;

pub(crate) use engine::{Binding, Constraint, Engine, Position, Saved};
