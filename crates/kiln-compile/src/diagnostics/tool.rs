//! `tool`: what kernels are made or run with is missing, or is not what this program works with.

use super::span;
use kiln_codegen_client::CodegenError;
use kiln_ir::SourceLoc;
use kiln_syntax::Diagnostic;

/// The code generator cannot be asked.
pub fn codegen(error: &CodegenError) -> Diagnostic {
    let diagnostic = Diagnostic::error("tool", error.to_string(), span(SourceLoc::NONE));
    match error.help() {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}

/// A device's driver does not take what it is given.
pub fn driver(why: &str) -> Diagnostic {
    Diagnostic::error("tool", why.to_owned(), span(SourceLoc::NONE)).with_help(
        "`kiln run --device cpu` runs the kernels on the processor; `kiln targets` says what each device is",
    )
}
