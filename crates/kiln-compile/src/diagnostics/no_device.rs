//! `no-device`: a kernel is compiled for a target that nothing here runs.

use super::span;
use kiln_ir::SourceLoc;
use kiln_syntax::Diagnostic;

/// Returns the diagnostic for the name of a target.
pub fn diagnostic(target: &str) -> Diagnostic {
    let message = format!("nothing here runs kernels that are compiled for `{target}`");
    Diagnostic::error("no-device", message, span(SourceLoc::NONE))
        .with_help("leave out the option `target` to compile for the processor this runs on")
}
