//! `global-variable`: a kernel reads a global that may change. `undefined-name`: there is none of that name.

use super::span;
use crate::near::{nearest, visible_names};
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_runtime::tables::Binding;
use kiln_syntax::Diagnostic;
use kiln_types::{Module, Symbol};

pub(super) fn diagnostic(rt: &Runtime, loc: SourceLoc, module: Module, symbol: Symbol) -> Diagnostic {
    let name = rt.types.name(symbol);
    match rt.tables.binding(module, symbol, rt.tables.world()).0 {
        Binding::Undefined | Binding::Ambiguous(..) => undefined(rt, loc, module, name),
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
fn undefined(rt: &Runtime, loc: SourceLoc, module: Module, name: &str) -> Diagnostic {
    let module = rt.types.module_path(module);
    let diagnostic =
        Diagnostic::error("undefined-name", format!("`{name}` not defined in `{module}`"), span(loc));
    match nearest(name, &visible_names(rt)) {
        Some(found) => diagnostic.with_help(format!("did you mean `{found}`?")),
        None => diagnostic,
    }
}
