//! `host-call`: a kernel calls something that only the host has.

use super::span;
use kiln_ir::SourceLoc;
use kiln_syntax::Diagnostic;

pub(super) fn diagnostic(loc: SourceLoc, name: &str) -> Diagnostic {
    Diagnostic::error("host-call", format!("a kernel cannot call the host function `{name}`"), span(loc))
        .with_label("strings, files, clocks and the compiler live on the host")
        .with_help("compute it before the launch and pass it as an argument")
}

pub(super) fn of_builtin(loc: SourceLoc, name: &str) -> Diagnostic {
    Diagnostic::error("runtime-call", format!("`{name}` here needs the language runtime"), span(loc))
        .with_label("this is not decided when the kernel is compiled")
        .with_help(
            "a kernel has no runtime: make the types and sizes involved follow from the arguments' types",
        )
}
