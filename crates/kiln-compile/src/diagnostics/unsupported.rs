//! `unsupported`: something that is valid Julia and that kiln does not compile.

use super::span;
use kiln_ir::SourceLoc;
use kiln_syntax::Diagnostic;

/// Codegen refused a statement.
pub fn refusal(loc: SourceLoc, message: &str) -> Diagnostic {
    Diagnostic::error("unsupported", format!("cannot compile this for the device: {message}"), span(loc))
        .with_help(
            "this is a limit of kiln, not of your program; please report it with the code that shows it",
        )
}

/// Codegen refused a statement because the target cannot do it.
pub fn target_limit(loc: SourceLoc, message: &str) -> Diagnostic {
    Diagnostic::error("target-limit", format!("the target cannot do this: {message}"), span(loc))
        .with_help("this is a limit of the target: compile for another, or have the kernel do without it")
}

/// A throw that could not be outlined.
pub(super) fn throw(loc: SourceLoc) -> Diagnostic {
    Diagnostic::error("unsupported-throw", "the exception thrown here cannot leave a kernel", span(loc))
        .with_label("it is made from values that exist on the device only")
        .with_help("throw an exception made of numbers and constants")
}
