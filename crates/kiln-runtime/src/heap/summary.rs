//! The size of everything that a value reaches: `Base.summarysize`.

use super::{FieldSlot, Heap, ObjectForm, Value, shape::ELEMENTS};
use kiln_memory as space;
use kiln_types::Type;
use rustc_hash::FxHashSet;

/// Returns the bytes of the value and of all objects that it reaches, each once, without their headers. Types, symbols and modules
/// take none: they are the session's.
pub(crate) fn size(heap: &Heap, value: Value) -> u64 {
    let shape = heap.shape_of(value);
    if value.is_inline() {
        return if shape.is_name { 0 } else { u64::from(shape.size) };
    }
    let (mut seen, mut pending, mut sum) = (FxHashSet::default(), vec![value.bits()], 0);
    while let Some(address) = pending.pop() {
        if address != 0 && seen.insert(address) {
            sum += own_size(heap, address, &mut pending);
        }
    }
    sum
}

fn own_size(heap: &Heap, address: u64, pending: &mut Vec<u64>) -> u64 {
    let mut reach = |first: u64, count: u64, stride: u64| {
        // SAFETY: the places of the references of one live object.
        pending.extend((0..count).map(|it| unsafe { space::load::<u64>(first + it * stride) }));
    };
    // SAFETY: objects reach only objects; those that have a length start with it.
    let (ty, len) = unsafe { (space::header(address).0, space::load::<u64>(address)) };
    let shape = heap.concrete(Type::from_index(ty as usize));
    match &shape.form {
        ObjectForm::Inline if shape.is_name => 0,
        ObjectForm::Inline => u64::from(shape.size),
        ObjectForm::String => 8 + len,
        ObjectForm::Svec => {
            reach(address + 8, len, 8);
            8 + 8 * len
        }
        ObjectForm::Struct => {
            shape.pointers.iter().for_each(|it| reach(address + u64::from(*it), 1, 8));
            u64::from(shape.size)
        }
        ObjectForm::Memory(element) => {
            let stride = u64::from(element.stride);
            // SAFETY: a memory has the address of its elements second.
            let data: u64 = unsafe { space::load(address + 8) };
            if data != address + ELEMENTS {
                return ELEMENTS;
            }
            match &element.slot {
                FieldSlot::Pointer => reach(data, len, stride),
                &FieldSlot::Inline(ty) => {
                    let offsets = &heap.concrete(ty).pointers;
                    offsets.iter().for_each(|it| reach(data + u64::from(*it), len, stride));
                }
                FieldSlot::Union(_) => return ELEMENTS + (stride + 1) * len,
            }
            ELEMENTS + stride * len
        }
    }
}
