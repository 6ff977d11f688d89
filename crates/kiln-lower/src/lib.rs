//! From the syntax tree to lowered code: `Expr`s, macro expansion, lowering.
//!
//! `expr` turns the parser's tree into an [`Ast`](kiln_ir::Ast). [`expand`] calls macros until none is left and makes
//! their results hygienic. [`lower_toplevel`] turns one expanded top-level expression into a thunk for the
//! interpreter: desugaring, name resolution, closure conversion, linearization.
//!
//! # Deliberately absent
//! Bindings and values: this crate does not know whether a global exists, or its value.

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
pub use expand::{MacroCall, MacroHost, PLACE_MACROS, expand};
pub use lower::{GeneratedShape, Globals, NoGlobals, Thunk, lower_generated, lower_thunk, lower_toplevel};
