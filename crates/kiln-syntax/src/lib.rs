//! Files and spans, tokens, the lossless tree and its parser; diagnostics and their display.
//!
//! [`parse`] always returns a tree, whatever the text; [`Parse::diagnostics`] lists the errors. This crate does not
//! interpret programs: `kiln_lower::expr` turns the tree into Julia's `Expr`.

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
pub use files::{File, FileId, Files, LineStarts, Span, Unread};
pub use kind::{Flags, SyntaxKind};
pub use parser::{parse, parse_atom, parse_one};
pub use tree::{Parse, SyntaxNode, Token};
