//! `allocation`: a kernel would need a heap object.

use super::span;
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_types::Type;

pub(super) fn diagnostic(rt: &Runtime, loc: SourceLoc, ty: Type) -> Diagnostic {
    let shown = rt.types.display(ty);
    Diagnostic::error("allocation", format!("a kernel cannot allocate a `{shown}`"), span(loc))
        .with_label(format!("this makes a `{shown}`"))
        .with_help(
            "a device has no heap: use tuples and immutable structs, or arrays that the launch passes in \
             (shared and private arrays for scratch space)",
        )
}
