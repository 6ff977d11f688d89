//! The text of an exception, and of a type.

use kiln_runtime::heap::{fields, params, text};
use kiln_runtime::{Runtime, Value};
use kiln_types::{Type, display};
use std::fmt::Write;

/// The text that `Base.showerror` prints; its type and fields where that throws, or is not there yet.
pub fn describe(rt: &Runtime, exception: Value) -> String {
    let shown = match (rt.base_global("sprint"), rt.base_global("showerror")) {
        (Some(sprint), Some(showerror)) => rt.call_latest(sprint, &[showerror, exception]).ok(),
        _ => None,
    };
    shown.and_then(|it| text::read(&rt.heap, it)).unwrap_or_else(|| plain(rt, exception))
}

/// The type as `print` shows it to the program: those of device arrays have the names of the dialect in use.
pub(crate) fn shown_type(rt: &Runtime, ty: Type) -> String {
    let text = rt
        .base_global("string")
        .and_then(|it| rt.call_latest(it, &[params::value_of_param(&rt.heap, ty)]).ok());
    text.and_then(|it| text::read(&rt.heap, it)).unwrap_or_else(|| display::of_type(&rt.types, ty))
}

/// The type and the fields that are strings or symbols: all that can be said without running code.
fn plain(rt: &Runtime, exception: Value) -> String {
    let mut text = display::of_type(&rt.types, rt.heap.dispatch_type(exception));
    for n in 0..fields::count(&rt.heap, exception) {
        let Some(field) = fields::get(&rt.heap, exception, n) else { continue };
        let _ = if let Some(field) = text::read(&rt.heap, field) {
            write!(text, ": {field}")
        } else if let Some(name) = field.as_symbol(rt.types.core()) {
            write!(text, " {}", rt.types.name(name))
        } else {
            write!(text, " ({})", plain(rt, field))
        };
    }
    text
}
