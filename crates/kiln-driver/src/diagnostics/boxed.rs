//! `boxed-value`: what a value is would only be known when the kernel runs.

use super::span;
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_types::Type;

pub(super) fn diagnostic(rt: &Runtime, loc: SourceLoc, ty: Type, wide: Type) -> Diagnostic {
    let (shown, wide) = (rt.types.display(ty), rt.types.display(wide));
    let message = format!("a kernel cannot have a value of which only `{wide}` is known");
    Diagnostic::error("boxed-value", message, span(loc))
        .with_label(format!("here a `{shown}` becomes one"))
        .with_help("make the types of all values follow from those of the arguments; a union of up to four types does")
}
