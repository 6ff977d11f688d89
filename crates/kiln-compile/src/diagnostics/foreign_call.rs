//! `foreign-call`: a kernel calls a C function.

use super::span;
use kiln_ir::SourceLoc;
use kiln_syntax::Diagnostic;

/// Where there is no name, the call is through a pointer.
pub(super) fn diagnostic(loc: SourceLoc, name: Option<&str>) -> Diagnostic {
    let (message, label) = match name {
        Some(name) => {
            (format!("a kernel cannot call the C function `{name}`"), "call to an external C function")
        }
        None => {
            ("a kernel cannot call a C function through a pointer".into(), "call through a literal pointer")
        }
    };
    Diagnostic::error("foreign-call", message, span(loc))
        .with_label(label)
        .with_help("C functions live on the host: compute it before the launch, or write it in Julia")
}
