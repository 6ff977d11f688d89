//! `kernel-returns`: a kernel returns a value.

use super::span;
use crate::described::shown_type;
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_types::Type;

pub(super) fn diagnostic(rt: &Runtime, loc: SourceLoc, name: &str, ty: Type) -> Diagnostic {
    let shown = shown_type(rt, ty);
    Diagnostic::error("kernel-returns", format!("the kernel `{name}` returns a `{shown}`"), span(loc))
        .with_label("a kernel returns nothing")
        .with_help("end it with `return` or `return nothing`: the value of its last expression is its result")
}
