//! The tree as Julia's `Expr`: the same heads, arguments and line nodes as `Meta.parse` gives.
//!
//! Conversion reads the tree front to back and keeps a stack, so its depth does not depend on the program's.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "most kinds of node and forms of expression are treated alike; matches name the exceptions"
)]

mod argument;
mod convert;
mod deparse;
mod form;
mod heads;
mod literals;
mod print;
mod strings;

pub use deparse::deparse;
pub use print::{print, print_with_lines};

use kiln_ir::{Ast, ExprId};
use kiln_syntax::Parse;
use kiln_types::Types;

/// Adds the statements of a parsed text to `ast`, one expression each.
pub fn to_ast(parse: &Parse, types: &Types, ast: &mut Ast) -> Vec<ExprId> {
    convert::Converter::new(parse, types, ast).run()
}
