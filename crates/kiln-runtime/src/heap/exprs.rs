//! `Expr`s made and read from Rust.

use super::{Heap, Value, arrays, fields};
use kiln_types::Symbol;

/// `Expr(head, args...)`.
pub fn new(heap: &Heap, head: Symbol, args: &[Value]) -> Value {
    let head = Value::symbol(&heap.core, head);
    fields::new_struct(heap, heap.core.expr, &[head, arrays::any_vector(heap, args)])
}

/// Whether an argument of an `Expr` is undefined.
pub(crate) fn has_undefined_part(heap: &Heap, value: Value) -> bool {
    let args = (value.ty() == heap.core.expr).then(|| fields::get(heap, value, 1)).flatten();
    args.is_some_and(|it| (0..arrays::len(heap, it)).any(|at| arrays::get(heap, it, at).is_none()))
}

/// Head and arguments, if the value is an `Expr`.
pub fn parts(heap: &Heap, value: Value) -> Option<(Symbol, Vec<Value>)> {
    if value.ty() != heap.core.expr {
        return None;
    }
    let head = fields::get(heap, value, 0)?.as_symbol(&heap.core)?;
    Some((head, arrays::values(heap, fields::get(heap, value, 1)?)))
}
