//! `memorynew` and the `memoryref` family. Every access is checked against the memory's length, even under
//! `@inbounds`: only pointer intrinsics can leave a memory.

use super::{bool_argument, int_argument, symbol_argument};
use crate::heap::{FieldSlot, MemoryOrder, RefParts, constants, memory};
use crate::intrinsics::memory_order;
use crate::{Heap, Run, Value, exceptions};
use kiln_types::{datatype, layout};

/// `memorynew(Memory{T}, n)`.
pub(super) fn memorynew(heap: &Heap, ty: Value, length: Value) -> Run {
    let memory_ty = ty.as_type(heap.core()).filter(|&it| memory::element(heap, it).is_some());
    let Some(memory_ty) = memory_ty else {
        return Err(exceptions::type_error(heap, "memorynew", heap.core().generic_memory, ty));
    };
    let types = heap.types();
    if let Some(&elem) = datatype::params(types, memory_ty).get(1)
        && let kiln_types::TypeData::Value(constant) = types.data(elem)
    {
        let given = constants::value_of(heap, *constant);
        return Err(exceptions::type_error(heap, "GenericMemory", heap.core().type_, given));
    }
    let length = int_argument(heap, "memorynew", length)?;
    if length < 0 {
        let message = "invalid GenericMemory size: the number of elements is either negative or too large for \
                       system address width";
        return Err(exceptions::argument_error(heap, message));
    }
    if !memory::fits(heap, memory_ty, length) {
        let message = "invalid GenericMemory size: too large for system address width";
        return Err(exceptions::argument_error(heap, message));
    }
    memory::try_new(heap, memory_ty, length as usize).ok_or_else(|| exceptions::out_of_memory_error(heap))
}

/// `memoryrefnew(memory)`, `memoryrefnew(memory_or_ref, i, [boundscheck])`.
pub(super) fn memoryrefnew(heap: &Heap, args: &[Value]) -> Run {
    let whole = memory::element(heap, args[0].ty()).is_some();
    if args.len() == 1 {
        if !whole {
            return Err(exceptions::type_error(heap, "memoryrefnew", heap.core().generic_memory, args[0]));
        }
        return Ok(memory::new_ref(heap, memory::ref_type(heap, args[0].ty()), args[0], 0));
    }
    let i = int_argument(heap, "memoryrefnew", args[1])?;
    let check = match args.get(2) {
        Some(&it) => bool_argument(heap, "memoryrefnew", it)?,
        None => true,
    };
    if whole {
        let index = i.wrapping_sub(1);
        let inside = usize::try_from(index).is_ok_and(|it| it < memory::len(heap, args[0]));
        if check && !inside {
            return Err(exceptions::bounds_error(heap, args[0], args[1]));
        }
        return Ok(memory::new_ref(heap, memory::ref_type(heap, args[0].ty()), args[0], index));
    }
    let base = reference(heap, "memoryrefnew", args[0])?;
    let index = base.index.wrapping_add(i.wrapping_sub(1));
    if check && !base.holds(index) {
        return Err(exceptions::bounds_error(heap, args[0], args[1]));
    }
    Ok(memory::new_ref(heap, args[0].ty(), base.memory, index))
}

fn reference<'a>(heap: &'a Heap, function: &str, value: Value) -> Run<RefParts<'a>> {
    memory::ref_parts(heap, value)
        .ok_or_else(|| exceptions::type_error(heap, function, heap.core().generic_memory_ref, value))
}

/// `memoryrefoffset(ref)::Int`, from 1.
pub(super) fn memoryrefoffset(heap: &Heap, value: Value) -> Run {
    let parts = reference(heap, "memoryrefoffset", value)?;
    Ok(heap.int(parts.index.wrapping_add(1)))
}

/// Checks the order against the memory's kind (`:not_atomic` or `:atomic`).
#[inline]
fn check_order(heap: &Heap, function: &str, parts: &RefParts<'_>, order: Value, writes: bool) -> Run<()> {
    let plain = order.as_symbol(heap.core()) == Some(heap.not_atomic);
    if plain && !parts.element.atomic {
        return Ok(());
    }
    check_other_order(heap, function, parts, order, writes)
}

#[cold]
fn check_other_order(
    heap: &Heap,
    function: &str,
    parts: &RefParts<'_>,
    order: Value,
    writes: bool,
) -> Run<()> {
    symbol_argument(heap, function, order)?;
    let order = memory_order(heap, function, order, !writes, writes)?;
    let atomic = parts.element.atomic;
    if atomic == (order == MemoryOrder::NotAtomic) {
        let (kind, how) = if atomic { ("atomic", "non-atomically") } else { ("non-atomic", "atomically") };
        let done = if writes { "written" } else { "accessed" };
        let message = format!("{function}: {kind} memory cannot be {done} {how}");
        return Err(exceptions::concurrency_error(heap, &message));
    }
    Ok(())
}

/// Returns the element that a reference points at; fails if it is outside of its memory.
#[inline]
fn place(heap: &Heap, value: Value, parts: &RefParts<'_>) -> Run<usize> {
    if parts.holds(parts.index) {
        return Ok(parts.index as usize);
    }
    let whole = if parts.length == 0 { parts.memory } else { value };
    Err(exceptions::bounds_error(heap, whole, heap.int(1)))
}

/// `memoryrefget(ref, order, boundscheck)`.
pub(super) fn memoryrefget(heap: &Heap, args: &[Value]) -> Run {
    let parts = reference(heap, "memoryrefget", args[0])?;
    check_order(heap, "memoryrefget", &parts, args[1], false)?;
    bool_argument(heap, "memoryrefget", args[2])?;
    let index = place(heap, args[0], &parts)?;
    memory::get(heap, parts.memory, index).ok_or_else(|| exceptions::undef_ref_error(heap))
}

/// `memoryrefset!(ref, value, order, boundscheck)`: the value.
pub(super) fn memoryrefset(heap: &Heap, args: &[Value]) -> Run {
    let parts = reference(heap, "memoryrefset!", args[0])?;
    check_order(heap, "memoryrefset!", &parts, args[2], true)?;
    bool_argument(heap, "memoryrefset!", args[3])?;
    let index = place(heap, args[0], &parts)?;
    let elem = parts.element.ty;
    if !heap.isa(args[1], elem) {
        return Err(exceptions::type_error(heap, "memoryrefset!", elem, args[1]));
    }
    memory::set(heap, parts.memory, index, args[1]);
    Ok(args[1])
}

/// `memoryref_isassigned(ref, order, boundscheck)::Bool`. Elements of plain bytes are always assigned, as in compiled
/// code, which does not look at the memory; references outside of the memory are not assigned.
pub(super) fn memoryref_isassigned(heap: &Heap, args: &[Value]) -> Run {
    let parts = reference(heap, "memoryref_isassigned", args[0])?;
    check_order(heap, "memoryref_isassigned", &parts, args[1], false)?;
    let check = bool_argument(heap, "memoryref_isassigned", args[2])?;
    let assigned = match &parts.element.slot {
        _ if check && !parts.holds(parts.index) => false,
        FieldSlot::Inline(ty) if layout::is_bits(heap.types(), *ty) => true,
        FieldSlot::Union(_) => true,
        FieldSlot::Inline(_) | FieldSlot::Pointer => {
            parts.holds(parts.index) && memory::is_assigned(heap, parts.memory, parts.index as usize)
        }
    };
    Ok(heap.bool(assigned))
}
