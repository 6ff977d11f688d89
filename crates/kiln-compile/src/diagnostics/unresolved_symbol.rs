//! `unresolved-symbol`: a kernel calls a function that no library of its target defines.

use super::span;
use kiln_ir::SourceLoc;
use kiln_syntax::Diagnostic;

/// Returns the diagnostic for the place that names a symbol, and the symbol.
pub fn diagnostic(loc: SourceLoc, name: &str) -> Diagnostic {
    Diagnostic::error("unresolved-symbol", format!("nothing defines the function `{name}`"), span(loc))
        .with_label("call to an unknown function")
        .with_help(
            "a kernel may call what a device library of its target defines: name the library with --device-library PATH, or in KILN_DEVICE_LIBRARY",
        )
}
