//! `host-object`: a kernel uses an object that is on the host.

use super::span;
use crate::described::shown_type;
use crate::dialects::advice;
use kiln_ir::{Instance, SourceLoc};
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_types::Type;

pub(super) fn diagnostic(rt: &Runtime, loc: SourceLoc, ty: Type) -> Diagnostic {
    let shown = shown_type(rt, ty);
    let core = rt.types.core();
    let help = if ty == core.string {
        "a device knows no strings: use a `Symbol`, or a number"
    } else {
        "pass it to the launch as an argument (arrays become arrays of the device), or make the constant a tuple, a number or \
         an immutable struct of such"
    };
    Diagnostic::error("host-object", format!("a kernel cannot use a `{shown}` of the host"), span(loc))
        .with_label(format!("this `{shown}` is a constant of the program, in memory of the host"))
        .with_help(help)
}

/// A string is made or looked into; by the library's function of this name, if it is one's doing.
pub(super) fn string(rt: &Runtime, loc: SourceLoc, maker: Option<Instance>) -> Diagnostic {
    let name = |it: Instance| rt.types.name(super::method_of(rt, it).name).to_owned();
    let name = maker.map(name).filter(|it| it.starts_with(char::is_alphabetic));
    let label = name.map_or_else(|| "this needs one".to_owned(), |it| format!("`{it}` needs one"));
    let ways = advice(rt, "printing_parts");
    let printing = if ways.is_empty() {
        String::new()
    } else {
        format!("; to print, {}, which take the parts", ways.join(" or "))
    };
    let diagnostic = Diagnostic::error("host-object", "a kernel has no strings", span(loc));
    diagnostic.with_label(label).with_help(format!("use a `Symbol` or a number{printing}"))
}
