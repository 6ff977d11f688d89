//! `internal`: the code generator has failed, which is no fault of the program.

use super::span;
use kiln_ir::SourceLoc;
use kiln_syntax::Diagnostic;

/// It failed at a kernel that begins at `loc`.
pub fn diagnostic(loc: SourceLoc, target: &str, what: &str, help: &str) -> Diagnostic {
    let message = format!("internal error in LLVM's back end for {target}: {what}");
    Diagnostic::error("internal", message, span(loc)).with_label("while compiling this").with_help(help)
}

/// kiln itself has not done what it should have.
pub fn bug(what: &str) -> Diagnostic {
    Diagnostic::error("internal", format!("{what}: a bug in kiln"), span(SourceLoc::NONE))
        .with_help("please report it with the program that shows it")
}
