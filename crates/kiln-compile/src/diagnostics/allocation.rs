//! `allocation`: a kernel would need a heap object.

use super::span;
use crate::check::is_array;
use crate::described::shown_type;
use crate::dialects::advice;
use kiln_ir::{Instance, SourceLoc};
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_types::{Type, TypeData, datatype};

/// The advice for scratch space.
fn instead(rt: &Runtime) -> String {
    let (mut item, mut group) = (advice(rt, "item_memory"), advice(rt, "group_memory"));
    item.push("an `MArray`".into());
    group.reverse(); // what every program may write first
    let group = if group.is_empty() { String::new() } else { format!(" ({})", group.join(", ")) };
    let item = item.join(", ");
    format!(
        "use a tuple, memory of the item ({item}) or of its group{group}, or an array that the launch passes in"
    )
}

/// Functions that what people write as brackets or types calls.
const UNWRITTEN: [&str; 9] =
    ["vect", "getindex", "hcat", "vcat", "hvcat", "typed_hcat", "typed_vcat", "typed_hvcat", "Type"];

/// `maker` is the library's function that makes it, if there is one.
pub(super) fn diagnostic(rt: &Runtime, loc: SourceLoc, ty: Type, maker: Option<Instance>) -> Diagnostic {
    if is_array(&rt.types, ty) {
        return array(rt, loc, ty, maker);
    }
    let shown = shown_type(rt, ty);
    let diagnostic =
        Diagnostic::error("allocation", format!("a kernel cannot allocate a `{shown}`"), span(loc))
            .with_label(format!("this makes a `{shown}`"));
    diagnostic.with_help(format!(
        "a kernel makes no arrays and no values of types that are only known when it runs: {}",
        instead(rt)
    ))
}

fn array(rt: &Runtime, loc: SourceLoc, ty: Type, maker: Option<Instance>) -> Diagnostic {
    let of_type = maker.is_some_and(|it| {
        let spec = rt.tables.instance_data(it).spec_types;
        datatype::params(&rt.types, spec)
            .get(1)
            .is_some_and(|it| datatype::type_type_param(&rt.types, *it).is_some())
    });
    let method = maker.map(|it| super::method_of(rt, it));
    // `T[...]` is no copy of anything.
    let maker = method.map(|it| rt.types.name(it.name)).filter(|it| !(of_type && *it == "getindex"));
    let elements = datatype::params(&rt.types, ty)
        .iter()
        .find(|it| matches!(rt.types.data(**it), TypeData::Data { .. } | TypeData::Union(_)));
    let elements = elements.map_or_else(|| "values".to_owned(), |it| format!("`{}`", shown_type(rt, *it)));
    let label = match maker {
        Some("materialize") => "a broadcast that assigns to nothing makes one".to_owned(),
        Some(name) if name.starts_with(char::is_alphabetic) && !UNWRITTEN.contains(&name) => {
            format!("`{name}` makes one")
        }
        Some(_) | None => "this makes one".to_owned(),
    };
    let help = match maker {
        Some("ntuple") => {
            "`ntuple(f, Val(n))` makes a tuple whose length is known when the kernel is compiled: without `Val` a long one \
             goes through an array"
                .to_owned()
        }
        Some("getindex" | "copy") => {
            format!("a copy of an array, or of a part of it, is an array: `view` makes none; else {}", instead(rt))
        }
        Some(_) | None => format!("a kernel makes no arrays: {}", instead(rt)),
    };
    Diagnostic::error("allocation", format!("a kernel cannot allocate an array of {elements}"), span(loc))
        .with_label(label)
        .with_help(help)
}
