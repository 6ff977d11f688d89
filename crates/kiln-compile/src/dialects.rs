//! Dialects, as far as they say something of themselves: records that their files register with `Base.Device`.
//!
//! No dialect is known here by name. Fields are read by their names; `Base.Device` lists them. Nothing of Julia's runs to read
//! them, so that messages can.

use kiln_runtime::heap::{fields, text, tuples};
use kiln_runtime::{Runtime, Value};
use kiln_types::{Module, datatype, module};

/// The registered records, in the order in which their dialects were loaded.
pub fn records(rt: &Runtime) -> Vec<Value> {
    let device = rt.base_global("Device").and_then(|it| it.as_module(rt.types.core()));
    let kept = device.and_then(|it| rt.global(it, rt.types.symbol("DIALECTS")));
    let all = kept.and_then(|it| fields::get(&rt.heap, it, 0));
    all.map_or_else(Vec::new, |it| tuples::values(&rt.heap, it))
}

/// A field of a record; `None` if the dialect says nothing of it.
pub fn field(rt: &Runtime, record: Value, name: &str) -> Option<Value> {
    let at =
        datatype::field_names(&rt.types, record.ty()).iter().position(|it| rt.types.name(*it) == name)?;
    fields::get(&rt.heap, record, at)
}

/// The texts in a field of a record: one, or several in a tuple.
pub fn texts(rt: &Runtime, record: Value, name: &str) -> Vec<String> {
    let Some(value) = field(rt, record, name) else { return Vec::new() };
    match text::read(&rt.heap, value) {
        Some(text) => vec![text],
        None => {
            tuples::values(&rt.heap, value).into_iter().filter_map(|it| text::read(&rt.heap, it)).collect()
        }
    }
}

/// The name of a dialect, which is that of its module.
pub fn name(rt: &Runtime, record: Value) -> Option<String> {
    home(rt, record).map(|it| rt.types.name(module::name(&rt.types, it)).to_owned())
}

/// The module of a dialect.
fn home(rt: &Runtime, record: Value) -> Option<Module> {
    field(rt, record, "home").and_then(|it| it.as_module(rt.types.core()))
}

/// Whether `Main` uses a dialect.
fn is_used(rt: &Runtime, record: Value) -> bool {
    let Some(home) = home(rt, record) else { return false };
    let bound = rt.global(Module::MAIN, module::name(&rt.types, home));
    bound.and_then(|it| it.as_module(rt.types.core())) == Some(home)
}

/// The texts in a field of the dialects that a program may write: those that it uses, else all, and behind them the portable
/// ones.
pub fn advice(rt: &Runtime, name: &str) -> Vec<String> {
    let records = records(rt);
    let is_portable = |it: &Value| {
        field(rt, *it, "is_portable").is_some_and(|it| it.as_bool(rt.types.core()) == Some(true))
    };
    let (portable, own): (Vec<Value>, Vec<Value>) = records.into_iter().rev().partition(is_portable);
    let of = |all: &[Value]| all.iter().flat_map(|it| texts(rt, *it, name)).collect::<Vec<String>>();
    let used: Vec<Value> = own.iter().copied().filter(|it| is_used(rt, *it)).collect();
    let is_known = !used.is_empty() || portable.iter().any(|it| is_used(rt, *it));
    let mut all = of(if is_known { &used } else { &own });
    all.extend(of(&portable));
    if all.is_empty() { of(&own) } else { all }
}
