//! What a launch says about how its kernel is compiled: a named tuple of options.

use kiln_runtime::tables::TableId;
use kiln_runtime::{Run, Runtime, Value};
use kiln_types::Symbol;

/// The option of this name.
fn option(rt: &Runtime, options: Value, name: &str) -> Option<Value> {
    let at = rt.types.field_index(options.ty(), rt.types.symbol(name))?;
    rt.heap.get_field(options, at)
}

/// The overlay tables the kernel sees, the front one first: `method_tables`, a tuple of tables.
pub(crate) fn method_tables(rt: &Runtime, options: Value) -> Run<Vec<TableId>> {
    let Some(given) = option(rt, options, "method_tables") else { return Ok(Vec::new()) };
    let tables = if rt.types.is_tuple(given.ty()) { rt.heap.tuple_values(given) } else { vec![given] };
    let ids: Option<Vec<TableId>> = tables.iter().map(|&it| rt.method_table(it)).collect();
    ids.ok_or_else(|| rt.argument_error("`method_tables` must be a tuple of method tables"))
}

/// What the launch calls the kernel: `name`, a symbol.
pub(crate) fn name(rt: &Runtime, options: Value) -> Option<Symbol> {
    option(rt, options, "name")?.as_symbol(rt.types.core())
}
