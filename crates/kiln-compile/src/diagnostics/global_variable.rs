//! `global-variable`: a kernel reads a global that may change. `undefined-name`: there is none of that name.

use super::span;
use crate::near::advice;
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_runtime::tables::Binding;
use kiln_syntax::Diagnostic;
use kiln_types::{Module, Symbol, module};

pub(super) fn diagnostic(rt: &Runtime, loc: SourceLoc, module: Module, symbol: Symbol) -> Diagnostic {
    let name = rt.types.name(symbol);
    match rt.tables.bindings.binding(module, symbol, rt.tables.world()).0 {
        Binding::Undefined | Binding::Ambiguous(..) => undefined(rt, loc, module, symbol),
        Binding::Const(_) | Binding::Global(..) => Diagnostic::error(
            "global-variable",
            format!("a kernel cannot read the global variable `{name}`"),
            span(loc),
        )
        .with_label("its value may change while the program runs")
        .with_help(format!("make it `const {name} = ...`, or pass it to the kernel as an argument")),
    }
}

/// Returns the host's message at that place.
fn undefined(rt: &Runtime, loc: SourceLoc, module: Module, symbol: Symbol) -> Diagnostic {
    let (name, path) = (rt.types.name(symbol), module::path(&rt.types, module));
    let message = format!("`{name}` not defined in `{path}`");
    let diagnostic = Diagnostic::error("undefined-name", message, span(loc));
    match advice(rt, module, symbol, loc) {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}
