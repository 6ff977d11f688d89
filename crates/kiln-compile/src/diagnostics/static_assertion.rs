//! `static-assertion`: what a kernel asserts at compile time is not proven.

use super::span;
use kiln_ir::SourceLoc;
use kiln_syntax::Diagnostic;

/// Returns the diagnostic for the place and the message of an assertion.
pub fn diagnostic(loc: SourceLoc, message: &str) -> Diagnostic {
    Diagnostic::error("static-assertion", format!("static assertion failed: {message}"), span(loc))
        .with_label("that this holds was not proven when the kernel was compiled")
        .with_help(
            "the condition must follow from types and constants, and without optimization little is proven",
        )
}
