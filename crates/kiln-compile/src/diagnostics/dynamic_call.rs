//! `dynamic-call`: the method of a call is not known when the kernel is compiled.

use super::span;
use crate::check::Blame;
use crate::described::shown_type;
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_types::Type;

pub(super) fn diagnostic(rt: &Runtime, loc: SourceLoc, types: &[Type], blame: &Blame) -> Diagnostic {
    let shown = super::no_matching_method::call_text(rt, types);
    let ty = shown_type(rt, blame.ty);
    let what = match blame.operand {
        0 => "the function called".to_owned(),
        n => format!("argument {n}"),
    };
    let mut diagnostic = Diagnostic::error("dynamic-call", format!("the call `{shown}` would be dynamic"), span(loc))
        .with_label(format!("{what} is only known to be a `{ty}`"))
        .with_help(format!(
            "a kernel has no method table to look in when it runs: make the type of {what} follow from the types of the \
             kernel's arguments"
        ));
    if !blame.loc.is_none() {
        diagnostic = diagnostic.with_secondary(span(blame.loc), blame.why.clone());
    } else {
        diagnostic.help = diagnostic.help.map(|it| format!("{it} ({})", blame.why));
    }
    diagnostic
}
