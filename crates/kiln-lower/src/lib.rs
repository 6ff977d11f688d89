//! From the syntax tree to lowered code: `Expr`s, macro expansion, lowering.
//!
//! `expr` turns the parser's tree into an [`Ast`](kiln_ir::Ast). [`expand`] calls macros until none is left and makes their
//! results hygienic. [`lower_toplevel`] turns one expanded top-level expression into a thunk that the interpreter
//! runs: desugaring, resolution of names, closure conversion, flat statements.
//!
//! # Deliberately absent
//! Bindings and values: whether a global exists, and what it is, is not known here.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "most forms are walked alike through `Kind::children`, which names them all; matches name the exceptions"
)]

mod analyze;
mod desugar;
mod error;
mod expand;
pub mod expr;
mod gensym;
mod hir;
mod hygiene;
mod hygiene_names;
mod linearize;
mod lower;
mod resolve;

pub use error::{LowerError, LowerWarning};
pub use expand::{MacroCall, MacroHost, expand};
pub use lower::{GeneratedShape, Globals, NoGlobals, lower_generated, lower_toplevel};
