//! `boxed-value`: what a value is would only be known when the kernel runs, and nothing there could tell.

use super::span;
use crate::described::shown_type;
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_types::Type;

pub(super) fn diagnostic(rt: &Runtime, loc: SourceLoc, ty: Type, wide: Type) -> Diagnostic {
    let (shown, wide) = (shown_type(rt, ty), shown_type(rt, wide));
    let message = format!("a kernel cannot have a value of which only `{wide}` is known");
    Diagnostic::error("boxed-value", message, span(loc))
        .with_label(format!("here a `{shown}` becomes one"))
        .with_help("make the types of all values follow from those of the arguments; a union of up to four types does")
}

pub(super) fn untold(rt: &Runtime, loc: SourceLoc, wide: Type, asked: Option<Type>) -> Diagnostic {
    let wide = shown_type(rt, wide);
    let (message, help) = match asked {
        Some(asked) => (
            format!(
                "a kernel cannot tell whether a value of which only `{wide}` is known is a `{}`",
                shown_type(rt, asked)
            ),
            "ask for the types there are, one by one: a value says which concrete type it has, and no table says what types are \
             below an abstract one",
        ),
        None => (
            format!("a kernel cannot tell whether two values of which only `{wide}` is known are identical"),
            "ask for the type of one of them before: `a isa Int && a === b`",
        ),
    };
    Diagnostic::error("boxed-value", message, span(loc)).with_help(help)
}
