//! `ambiguous-call`: several methods take these arguments, and none of them is the most specific.

use super::no_matching_method::{call_text, signature_text};
use super::span;
use crate::inputs::View;
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_types::Type;

/// `None` if the call is not ambiguous.
pub(super) fn diagnostic(rt: &Runtime, view: &View, loc: SourceLoc, types: &[Type]) -> Option<Diagnostic> {
    let failure = rt.tables.dispatch_in(view.id(rt), types, view.world).err().filter(|it| it.ambiguous)?;
    let shown = call_text(rt, types);
    let mut diagnostic =
        Diagnostic::error("ambiguous-call", format!("the call `{shown}` is ambiguous"), span(loc))
            .with_label("none of the methods that take these arguments is the most specific")
            .with_help(format!("define `{shown}` for exactly these types"));
    for id in failure.candidates {
        let method = rt.tables.method(id);
        let sig = signature_text(rt, method.sig);
        diagnostic = diagnostic.with_secondary(span(method.loc), format!("`{sig}` takes the arguments"));
    }
    Some(diagnostic)
}
