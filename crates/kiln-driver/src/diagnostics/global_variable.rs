//! `global-variable`: a kernel reads a global that may change. `undefined-name`: there is none of that name.

use super::span;
use crate::near::{ambiguous, nearest, visible_names};
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_runtime::tables::Binding;
use kiln_syntax::Diagnostic;
use kiln_types::{Module, Symbol};

pub(super) fn diagnostic(rt: &Runtime, loc: SourceLoc, module: Module, symbol: Symbol) -> Diagnostic {
    let name = rt.types.name(symbol);
    match rt.tables.binding(module, symbol, rt.tables.world()).0 {
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

/// What the host would say when it came there.
fn undefined(rt: &Runtime, loc: SourceLoc, module: Module, symbol: Symbol) -> Diagnostic {
    let (name, path) = (rt.types.name(symbol), rt.types.module_path(module));
    let message = format!("`{name}` not defined in `{path}`");
    let diagnostic = Diagnostic::error("undefined-name", message, span(loc));
    let meant = || nearest(name, &visible_names(rt)).map(|it| format!("did you mean `{it}`?"));
    match ambiguous(rt, module, symbol).or_else(meant) {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}
