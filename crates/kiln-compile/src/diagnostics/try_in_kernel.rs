//! `try-in-kernel`: a kernel catches exceptions.

use super::span;
use kiln_ir::SourceLoc;
use kiln_syntax::Diagnostic;

pub(super) fn diagnostic(loc: SourceLoc) -> Diagnostic {
    Diagnostic::error("try-in-kernel", "a kernel cannot catch exceptions", span(loc))
        .with_label("this `try` would have to go on where something was thrown")
        .with_help(
            "what is thrown in a kernel ends the item and is thrown by the launch: catch it there, or test for the condition \
             before the operation that throws",
        )
}
