//! Files and places, tokens, the lossless tree and its parser; diagnostics and how they are shown.
//!
//! [`parse`] always gives a tree, whatever the text; [`Parse::diagnostics`] says what was wrong. Nothing here knows
//! what the program means: `kiln_lower::expr` turns the tree into Julia's `Expr`.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule of the grammar names the tokens it knows; any other token belongs to another rule, new ones too"
)]

mod chars;
mod diagnostic;
mod files;
mod incomplete;
mod kind;
mod lexer;
pub mod literal;
mod parser;
mod tree;

pub use diagnostic::{Diagnostic, Label, Severity, render_all};
pub use files::{File, FileId, Files, LineStarts, Span};
pub use kind::{Flags, Kind};
pub use parser::{parse, parse_atom, parse_one};
pub use tree::{Node, Parse, Token};
