//! `_svec_len`, `_svec_ref`, `_expr`.

use super::{int_argument, symbol_argument};
use crate::heap::{exprs, svecs};
use crate::{Heap, Run, Value, exceptions};

fn check_svec(heap: &Heap, function: &str, vector: Value) -> Run<()> {
    if vector.ty() == heap.core().simple_vector {
        return Ok(());
    }
    Err(exceptions::type_error(heap, function, heap.core().simple_vector, vector))
}

/// `_svec_len(v)::Int`.
pub(super) fn svec_len(heap: &Heap, vector: Value) -> Run {
    check_svec(heap, "_svec_len", vector)?;
    Ok(heap.int(svecs::len(heap, vector) as i64))
}

/// `_svec_ref(v, i)`.
pub(super) fn svec_ref(heap: &Heap, vector: Value, index: Value) -> Run {
    check_svec(heap, "_svec_ref", vector)?;
    let i = int_argument(heap, "_svec_ref", index)?;
    if i < 1 || i > svecs::len(heap, vector) as i64 {
        return Err(exceptions::bounds_error(heap, vector, index));
    }
    svecs::get(heap, vector, i as usize - 1).ok_or_else(|| exceptions::undef_ref_error(heap))
}

/// `_expr(head, args...)`: an `Expr`.
pub(super) fn expr(heap: &Heap, args: &[Value]) -> Run {
    let head = symbol_argument(heap, "Expr", args[0])?;
    Ok(exprs::new(heap, head, &args[1..]))
}
