//! `unsupported-print`: output from a kernel that is not one of the ways in which a kernel can print.

use super::span;
use crate::described::shown_type;
use crate::dialects::advice;
use kiln_ir::{Instance, SourceLoc};
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_types::{Type, datatype, layout, module};

/// The functions of the library that print to a stream.
const PRINTERS: &[&str] = &["print", "println", "printstyled", "show", "display", "write", "printf"];

/// The function's name, if it is one of the library's that print.
pub(super) fn printer(rt: &Runtime, callee: Instance) -> Option<&'static str> {
    let method = rt.tables.method(rt.tables.instance_data(callee).method);
    let module = rt.types.name(module::name(&rt.types, method.module));
    let name = rt.types.name(method.name);
    let name = PRINTERS.iter().copied().find(|it| *it == name)?;
    matches!(module, "Base" | "Printf").then_some(name)
}

/// Output through a stream of the host, by this function.
pub(super) fn to_stream(rt: &Runtime, loc: SourceLoc, name: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        "unsupported-print",
        format!("`{name}` writes to a stream of the host, which a kernel does not have"),
        span(loc),
    )
    .with_label("this would print while the kernel runs");
    match advice(rt, "printing") {
        ways if ways.is_empty() => diagnostic,
        ways => diagnostic.with_help(format!("print with {}", ways.join(", or with "))),
    }
}

/// A value that cannot leave the kernel, among those that are printed: the function that would print them comes first.
pub(super) fn of_value(rt: &Runtime, loc: SourceLoc, types: &[Type]) -> Diagnostic {
    let bad = types
        .iter()
        .skip(1)
        .find(|it| !layout::is_flat(&rt.types, **it) && datatype::type_type_param(&rt.types, **it).is_none());
    let what =
        bad.map_or_else(|| "this".to_owned(), |it| format!("a value of type `{}`", shown_type(rt, *it)));
    Diagnostic::error("unsupported-print", format!("a kernel cannot print {what}"), span(loc))
        .with_label("what is printed must be plain bits or known when the kernel is compiled")
        .with_help("print its parts: numbers, characters, tuples and literal strings")
}
