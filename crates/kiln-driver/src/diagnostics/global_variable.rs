//! `global-variable`: a kernel reads a global that may change.

use super::span;
use kiln_ir::SourceLoc;
use kiln_syntax::Diagnostic;

pub(super) fn diagnostic(loc: SourceLoc, name: &str) -> Diagnostic {
    Diagnostic::error(
        "global-variable",
        format!("a kernel cannot read the global variable `{name}`"),
        span(loc),
    )
    .with_label("its value may change while the program runs")
    .with_help(format!("make it `const {name} = ...`, or pass it to the kernel as an argument"))
}
