//! `generator-threw`: a `@generated` function has no body for some types, because its generator threw.

use super::{no_matching_method::call_text, span};
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_runtime::tables::MethodId;
use kiln_syntax::Diagnostic;
use kiln_types::Type;

pub(super) fn diagnostic(
    rt: &Runtime,
    loc: SourceLoc,
    (method, types): (MethodId, &[Type]),
    said: &str,
    thrown: Option<SourceLoc>,
) -> Diagnostic {
    let name = rt.types.name(rt.tables.method(method).name);
    let diagnostic = Diagnostic::error(
        "generator-threw",
        format!("the generator of `{name}` threw an exception: {said}"),
        span(loc),
    )
    .with_label(format!("for `{}`", call_text(rt, types)))
    .with_help("a generator sees the types of the arguments: call the function with types that it takes");
    match thrown {
        Some(thrown) => diagnostic.with_secondary(span(thrown), "thrown here"),
        None => diagnostic,
    }
}
