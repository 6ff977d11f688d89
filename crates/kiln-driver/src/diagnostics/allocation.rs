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
        .with_help(if rt.types.is_mutable(ty) && rt.types.is_concrete(ty) && !is_array(rt, ty) {
            "a kernel makes objects whose fields have one type each, known when it is compiled: declare the fields with \
             concrete types"
        } else {
            "a kernel makes no arrays and no values of types that are only known when it runs: use tuples and structs, or \
             arrays that the launch passes in (shared and private arrays for scratch space)"
        })
}

/// Whether it is what arrays are made of, or one.
fn is_array(rt: &Runtime, ty: Type) -> bool {
    let core = rt.types.core();
    let is = |of: Type| rt.types.name_of(ty).is_some() && rt.types.name_of(ty) == rt.types.name_of(of);
    is(core.generic_memory) || is(core.array)
}
