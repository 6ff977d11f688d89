//! `growing-types`: a function calls itself with larger and larger types, so that there is no last specialization to compile.

use super::{no_matching_method::call_text, span};
use crate::described::shown_type;
use crate::inputs::View;
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_runtime::tables::MethodId;
use kiln_syntax::Diagnostic;
use kiln_types::{Type, datatype, unionall};

pub(super) fn diagnostic(
    rt: &Runtime,
    loc: SourceLoc,
    method: MethodId,
    (from, to): (Type, Type),
    count: usize,
) -> Diagnostic {
    let (name, types) = (rt.types.name(rt.tables.method(method).name), &rt.types);
    let shown = |it: Type| call_text(rt, datatype::params(types, unionall::unwrap(types, it)));
    let (first, last) = (shown(from), shown(to));
    // The argument that grows, if one alone does.
    let params = |it: Type| datatype::params(types, unionall::unwrap(types, it));
    let differs = params(from).iter().zip(params(to)).position(|(a, b)| a != b);
    let what = differs.map_or_else(
        || "its arguments' types".to_owned(),
        |at| format!("the type of argument {at}, first `{}`", shown_type(rt, params(from)[at])),
    );
    let message =
        format!("`{name}` calls itself with ever larger types: there is no end to what has to be compiled");
    Diagnostic::error("growing-types", message, span(loc))
        .with_label(format!("`{first}` led to `{last}`, through {count} specializations"))
        .with_help(format!("{what}, grows with each call: end the recursion by a method for some type, or pass values instead"))
}

/// A call of which everything is known, and that was left open because it is of such a function; `None` if no method takes it.
pub(super) fn of_call(rt: &Runtime, view: &View, loc: SourceLoc, types: &[Type]) -> Option<Diagnostic> {
    let found = rt.tables.dispatch_in(view.id(rt), types, view.world).ok()?;
    let method = rt.tables.method(rt.tables.instance_data(found).method);
    let call = call_text(rt, types);
    let message = format!(
        "`{}` calls itself with ever larger types: there is no end to what has to be compiled",
        rt.types.name(method.name)
    );
    // The argument with the most to say is the one that grew.
    let shown = types.iter().skip(1).map(|it| shown_type(rt, *it)).max_by_key(String::len)?;
    Some(
        Diagnostic::error("growing-types", message, span(loc))
            .with_label(format!("`{call}` would be the next specialization"))
            .with_help(format!(
                "the type `{shown}` grows with each call: end the recursion by a method for some type, or pass values instead"
            )),
    )
}
