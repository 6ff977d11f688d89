//! `not-bits-argument`: an argument of a kernel is not plain bits.

use super::span;
use crate::arguments::NotBits;
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_types::Type;

pub(super) fn diagnostic(
    rt: &Runtime,
    loc: SourceLoc,
    position: usize,
    ty: Type,
    found: &NotBits,
) -> Diagnostic {
    let (shown, inner) = (rt.types.display(ty), rt.types.display(found.ty));
    let message = format!("argument {position} of the kernel, a `{shown}`, is not plain bits");
    let label = match found.path.as_str() {
        "" => format!("a `{inner}` lives on the host"),
        path => format!("its field `{path}` is a `{inner}`, which lives on the host"),
    };
    Diagnostic::error("not-bits-argument", format!("{message}: {label}"), span(loc)).with_help(
        "pass arrays whose elements are plain bits, as device arrays; for a struct that holds arrays define `Adapt.adapt_structure` (or use \
             `Adapt.@adapt_structure`)",
    )
}
