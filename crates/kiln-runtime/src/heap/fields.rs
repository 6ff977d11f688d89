//! Structs and their fields.

use super::{FieldShape, FieldSlot, Heap, ObjectForm, Shape, Value, allocation, bits, boxes};
use kiln_memory as space;
use kiln_types::{Type, display};

/// `new(ty, fields...)`: every value must fit its field's type; trailing fields may be left undefined.
pub fn new_struct(heap: &Heap, ty: Type, values: &[Value]) -> Value {
    let shape = heap.concrete(ty);
    assert!(values.len() <= shape.fields.len(), "too many fields for {}", display::of_type(&heap.types, ty));
    match shape.form {
        ObjectForm::Inline => {
            let mut word = 0u64;
            let address = (&raw mut word).expose_provenance() as u64;
            for (field, &value) in shape.fields.iter().zip(values) {
                // SAFETY: fields of an inline type lie within 8 bytes.
                unsafe {
                    store_slot(heap, &field.slot, address + u64::from(field.offset), field.size, value)
                };
            }
            // SAFETY: `word` is alive and initialized.
            Value::inline(ty, unsafe { space::load(address) })
        }
        ObjectForm::Struct => {
            let size = u64::from(shape.size);
            let object = if shape.mutable {
                allocation::alloc(heap, ty, size)
            } else {
                allocation::alloc_value(heap, ty, size)
            };
            for (field, &value) in shape.fields.iter().zip(values) {
                let address = object.bits() + u64::from(field.offset);
                // SAFETY: a fresh object of the type's size.
                unsafe { store_slot(heap, &field.slot, address, field.size, value) };
            }
            object
        }
        ObjectForm::String | ObjectForm::Svec | ObjectForm::Memory(_) => {
            panic!("`new` of {}", display::of_type(&heap.types, ty))
        }
    }
}

/// The fields of a struct of an object and two words, in this order; `None` for others.
pub(crate) fn object_and_words(heap: &Heap, value: Value) -> Option<(Value, [u64; 2])> {
    let shape = heap.shape_of(value);
    if shape.form != ObjectForm::Struct || shape.size != 24 || shape.pointers[..] != [0] {
        return None;
    }
    let address = value.bits();
    // SAFETY: a struct of 24 bytes, of which the first 8 are the address of an object or zero.
    unsafe {
        let object = space::load::<u64>(address);
        let words = [space::load(address + 8), space::load(address + 16)];
        (object != 0).then(|| (boxes::value_at(object), words))
    }
}

/// Returns the number of fields of a value.
pub fn count(heap: &Heap, value: Value) -> usize {
    heap.shape_of(value).fields.len()
}

/// Field `index` (from 0); `None` when it is undefined.
#[inline]
pub fn get(heap: &Heap, value: Value, index: usize) -> Option<Value> {
    let shape = heap.shape_of(value);
    get_laid_out(heap, shape, value, &shape.fields[index])
}

/// Field `index` (from 0); `None` if the value has no such field or does not have it in its bytes, as a type does not, and when the
/// field is undefined.
#[inline]
pub fn get_plain(heap: &Heap, value: Value, index: u64) -> Option<Value> {
    let shape = heap.shape_of(value);
    let field = shape.fields.get(usize::try_from(index).ok()?)?;
    if shape.is_name { None } else { get_laid_out(heap, shape, value, field) }
}

#[inline]
fn get_laid_out(heap: &Heap, shape: &Shape, value: Value, field: &FieldShape) -> Option<Value> {
    let word = value.bits();
    let base = if value.is_inline() { (&raw const word).expose_provenance() as u64 } else { word };
    // SAFETY: a value has the fields its shape says, where it says.
    unsafe {
        if shape.is_weak {
            // What is read lives on, though no collection may have reached it.
            heap.collection.keep_overwritten(base, &[0]);
        }
        load_slot(heap, &field.slot, base + u64::from(field.offset), field.size)
    }
}

/// Sets field `index` (from 0) of a mutable object; the value must fit the field's type.
#[inline]
pub fn set(heap: &Heap, object: Value, index: usize, value: Value) {
    let shape = heap.shape_of(object);
    assert!(
        shape.mutable && !object.is_inline(),
        "{} is immutable",
        display::of_type(&heap.types, object.ty())
    );
    let field = &shape.fields[index];
    let address = object.bits() + u64::from(field.offset);
    let overwritten: &[u32] = match &field.slot {
        FieldSlot::Pointer => &[0],
        &FieldSlot::Inline(ty) => &heap.concrete(ty).pointers,
        FieldSlot::Union(_) => &[],
    };
    // SAFETY: an object has the fields its shape says, where it says.
    unsafe {
        heap.collection.keep_overwritten(address, overwritten);
        store_slot(heap, &field.slot, address, field.size, value);
    }
}

/// The bits of field `index` of an object, if that is plain data of one byte or eight.
#[inline]
pub fn plain_bits(heap: &Heap, object: Value, index: usize) -> Option<u64> {
    let field = heap.shape_of(object).fields.get(index)?;
    if object.is_inline() || !matches!(&field.slot, &FieldSlot::Inline(ty) if heap.concrete(ty).is_bits) {
        return None;
    }
    let address = object.bits() + u64::from(field.offset);
    // SAFETY: an object has the fields its shape says, where it says; these have so many bytes.
    unsafe {
        match field.size {
            1 => Some(u64::from(space::load::<u8>(address))),
            8 => Some(space::load::<u64>(address)),
            _ => None,
        }
    }
}

/// Sets field `index` of a mutable object, which is an `Int`.
#[inline]
pub fn set_int(heap: &Heap, object: Value, index: usize, value: i64) {
    let shape = heap.shape_of(object);
    let field = &shape.fields[index];
    let is_int = matches!(&field.slot, &FieldSlot::Inline(ty) if ty == heap.core.int64);
    assert!(shape.mutable && !object.is_inline() && is_int, "field {index} is no `Int` that can be set");
    // SAFETY: an object has the fields its shape says, where it says. No reference is overwritten.
    unsafe { space::store(object.bits() + u64::from(field.offset), value) }
}

/// # Safety
/// `address` must hold a field of `size` bytes stored so.
#[inline]
pub(super) unsafe fn load_slot(heap: &Heap, slot: &FieldSlot, address: u64, size: u32) -> Option<Value> {
    // SAFETY: the caller's promise; see each arm.
    unsafe {
        match slot {
            &FieldSlot::Inline(ty) => load_inline(heap, ty, address),
            FieldSlot::Pointer => match space::load::<u64>(address) {
                0 => None,
                object => Some(boxes::value_at(object)),
            },
            FieldSlot::Union(members) => {
                let selector: u8 = space::load(address + u64::from(size) - 1);
                Some(bits::load_value(heap, heap.concrete(members[usize::from(selector)]), address))
            }
        }
    }
}

/// # Safety
/// `address` must hold the bytes of a value of this type.
#[inline]
pub(super) unsafe fn load_inline(heap: &Heap, ty: Type, address: u64) -> Option<Value> {
    let shape = heap.concrete(ty);
    if let Some(&first) = shape.pointers.first() {
        // SAFETY: the caller's promise. As in Julia, a null first pointer means the whole is undefined.
        if unsafe { space::load::<u64>(address + u64::from(first)) } == 0 {
            return None;
        }
    }
    // SAFETY: the caller's promise.
    Some(unsafe { bits::load_value(heap, shape, address) })
}

/// # Safety
/// `address` must hold a field of `size` bytes stored so.
#[inline]
pub(super) unsafe fn store_slot(heap: &Heap, slot: &FieldSlot, address: u64, size: u32, value: Value) {
    // SAFETY: the caller's promise; the value's type is checked.
    unsafe {
        match slot {
            &FieldSlot::Inline(ty) => {
                expect_type(heap, ty, value);
                bits::store_value(heap.concrete(ty), address, value);
            }
            FieldSlot::Pointer => space::store(address, boxes::box_stored(heap, value)),
            FieldSlot::Union(members) => {
                let selector = selector(heap, members, value);
                bits::store_value(heap.concrete(value.ty()), address, value);
                space::store(address + u64::from(size) - 1, selector);
            }
        }
    }
}

#[inline]
pub(super) fn expect_type(heap: &Heap, ty: Type, value: Value) {
    assert!(
        value.ty() == ty,
        "a value of type {} where one of {} is stored",
        display::of_type(&heap.types, value.ty()),
        display::of_type(&heap.types, ty)
    );
}

pub(super) fn selector(heap: &Heap, members: &[Type], value: Value) -> u8 {
    match members.iter().position(|&it| it == value.ty()) {
        Some(index) => index as u8,
        None => panic!("a value of type {} in a union without it", display::of_type(&heap.types, value.ty())),
    }
}
