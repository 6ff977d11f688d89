//! `GenericMemory` and `GenericMemoryRef`: the storage under every array.

use super::shape::ELEMENTS;
use super::{ElementLayout, FieldSlot, Heap, ObjectForm, Value, allocation, bits, boxes, coherence, fields};
use kiln_memory::{self as space, UNCOUNTED};
use kiln_types::{Type, display};
use std::sync::atomic::Ordering;

/// The target of a `MemoryRef`.
#[derive(Clone, Copy, Debug)]
pub struct RefParts<'a> {
    /// The memory.
    pub memory: Value,
    /// The element, from 0. Outside `0..length` if the reference was made unchecked, or to an empty memory.
    pub index: i64,
    /// Length of the memory.
    pub length: i64,
    /// The layout of its elements.
    pub element: &'a ElementLayout,
}

impl RefParts<'_> {
    /// Whether element `index` exists.
    #[inline]
    pub fn holds(&self, index: i64) -> bool {
        (0..self.length).contains(&index)
    }
}

/// Returns the layout of the elements of a `GenericMemory` type; `None` for any other type.
#[inline]
pub fn element(heap: &Heap, memory_ty: Type) -> Option<&ElementLayout> {
    match &heap.shape(memory_ty)?.form {
        ObjectForm::Memory(element) => Some(element),
        ObjectForm::Inline | ObjectForm::Struct | ObjectForm::String | ObjectForm::Svec => None,
    }
}

/// Whether a memory of this type and length can exist at all.
pub fn fits(heap: &Heap, memory_ty: Type, length: i64) -> bool {
    let Some(element) = element(heap, memory_ty) else { return false };
    let selector = u64::from(matches!(element.slot, FieldSlot::Union(_)));
    let each = u64::from(element.stride) + selector;
    u64::try_from(length)
        .ok()
        .and_then(|it| it.checked_mul(each))
        .is_some_and(|it| it < i64::MAX as u64 - 256)
}

/// Sets how many bytes behind the elements of new memories belong to nothing.
pub fn set_red_zone(heap: &Heap, bytes: u64) {
    heap.collection.red_zone.store(bytes, Ordering::Relaxed);
}

/// A new memory, zero: every pointer in it undefined.
pub fn new(heap: &Heap, memory_ty: Type, length: usize) -> Value {
    match try_new(heap, memory_ty, length) {
        Some(memory) => memory,
        None => panic!("out of memory: {length} elements"),
    }
}

/// The bytes of a memory of this type and length; `None` unless there can be one.
pub(crate) fn size(heap: &Heap, memory_ty: Type, length: i64) -> Option<u64> {
    let fits = fits(heap, memory_ty, length);
    let element = element(heap, memory_ty).filter(|_| fits)?;
    let selector = u64::from(matches!(element.slot, FieldSlot::Union(_)));
    let bytes = (u64::from(element.stride) + selector) * length as u64;
    Some(ELEMENTS + bytes + heap.collection.red_zone.load(Ordering::Relaxed))
}

/// As [`new`]; `None` when memory is exhausted.
pub fn try_new(heap: &Heap, memory_ty: Type, length: usize) -> Option<Value> {
    let size = size(heap, memory_ty, length as i64);
    let Some(size) = size else { panic!("a memory of {length} elements") };
    // Julia makes the memory without elements once.
    let flags = if length == 0 { UNCOUNTED } else { 0 };
    let address = allocation::try_alloc(heap, memory_ty, flags, size)?;
    // SAFETY: a fresh object of at least 16 bytes.
    unsafe {
        space::store(address, length as u64);
        space::store(address + 8, address + ELEMENTS);
    }
    Some(Value::object(memory_ty, address))
}

/// Makes a memory over `length` elements at `data`: `unsafe_wrap`. The elements are inline, and belong to a
/// permanent object.
pub(crate) fn wrap(heap: &Heap, memory_ty: Type, data: u64, length: usize) -> Value {
    let element = memory_element(heap, memory_ty);
    assert!(fits(heap, memory_ty, length as i64), "a memory of {length} elements");
    assert!(matches!(element.slot, FieldSlot::Inline(_)), "wrapped elements are plain bytes");
    let memory = allocation::alloc(heap, memory_ty, ELEMENTS);
    // SAFETY: a fresh object of 16 bytes.
    unsafe {
        space::store(memory.bits(), length as u64);
        space::store(memory.bits() + 8, data);
    }
    memory
}

#[inline]
fn memory_element(heap: &Heap, memory_ty: Type) -> &ElementLayout {
    match element(heap, memory_ty) {
        Some(element) => element,
        None => panic!("{} is no memory type", display::of_type(&heap.types, memory_ty)),
    }
}

/// `memory.length`.
#[inline]
pub fn len(heap: &Heap, memory: Value) -> usize {
    memory_element(heap, memory.ty());
    // SAFETY: a memory object starts with its length.
    unsafe { space::load::<u64>(memory.bits()) as usize }
}

/// `memory.ptr`: the address of the first element.
#[inline]
pub fn data(heap: &Heap, memory: Value) -> u64 {
    memory_element(heap, memory.ty());
    // SAFETY: a memory object holds its data address second.
    unsafe { space::load::<u64>(memory.bits() + 8) }
}

/// The element, its address and, for a union, the address of its selector.
#[inline]
fn locate(heap: &Heap, memory: Value, index: usize) -> (&ElementLayout, u64, u64) {
    let element = memory_element(heap, memory.ty());
    // SAFETY: a memory object starts with its length and data address.
    let (length, data) =
        unsafe { (space::load::<u64>(memory.bits()), space::load::<u64>(memory.bits() + 8)) };
    assert!((index as u64) < length, "element {index} of a memory of {length}");
    let stride = u64::from(element.stride);
    (element, data + stride * index as u64, data + stride * length + index as u64)
}

/// Element `index` (from 0); `None` when it is undefined.
#[inline]
pub fn get(heap: &Heap, memory: Value, index: usize) -> Option<Value> {
    let (element, address, selector) = locate(heap, memory, index);
    coherence::acquire_for_host(heap, address, false);
    // SAFETY: `locate` checked the index; the element is stored as the slot says.
    unsafe {
        match &element.slot {
            &FieldSlot::Inline(ty) => fields::load_inline(heap, ty, address),
            FieldSlot::Pointer => match space::load::<u64>(address) {
                0 => None,
                object => Some(boxes::value_at(object)),
            },
            FieldSlot::Union(members) => {
                let member = members[usize::from(space::load::<u8>(selector))];
                Some(bits::load_value(heap, heap.concrete(member), address))
            }
        }
    }
}

/// Sets element `index` (from 0); the value must fit the element type.
#[inline]
pub fn set(heap: &Heap, memory: Value, index: usize, value: Value) {
    let (element, address, selector) = locate(heap, memory, index);
    coherence::acquire_for_host(heap, address, true);
    // SAFETY: `locate` checked the index; the value's type is checked.
    unsafe {
        match &element.slot {
            &FieldSlot::Inline(ty) => {
                fields::expect_type(heap, ty, value);
                let shape = heap.concrete(ty);
                heap.collection.keep_overwritten(address, &shape.pointers);
                bits::store_value(shape, address, value);
            }
            FieldSlot::Pointer => {
                heap.collection.keep_overwritten(address, &[0]);
                space::store(address, boxes::box_stored(heap, value));
            }
            FieldSlot::Union(members) => {
                space::store(selector, fields::selector(heap, members, value));
                bits::store_value(heap.concrete(value.ty()), address, value);
            }
        }
    }
}

/// Sets the first elements of a memory whose elements are structs of an object and two words, in this order: all of the same object.
/// Returns false for other memories.
pub(crate) fn set_objects_and_words(
    heap: &Heap,
    memory: Value,
    object: Value,
    words: impl ExactSizeIterator<Item = [u64; 2]>,
) -> bool {
    let Some(last) = words.len().checked_sub(1) else { return true };
    let (element, ..) = locate(heap, memory, last);
    let (_, mut address, _) = locate(heap, memory, 0);
    let FieldSlot::Inline(ty) = element.slot else { return false };
    let shape = heap.concrete(ty);
    if shape.size != 24 || element.stride != 24 || shape.pointers[..] != [0] {
        return false;
    }
    coherence::acquire_for_host(heap, address, true);
    let object = boxes::box_stored(heap, object);
    for [first, second] in words {
        // SAFETY: `locate` checked the index of the last, and each is 24 bytes behind the one before, of which the first 8 are a
        // reference.
        unsafe {
            heap.collection.keep_overwritten(address, &shape.pointers);
            space::store(address, object);
            space::store(address + 8, first);
            space::store(address + 16, second);
        }
        address += 24;
    }
    true
}

/// Makes element `index` (from 0) undefined if it can be (zero otherwise).
pub fn unset(heap: &Heap, memory: Value, index: usize) {
    let (element, address, _) = locate(heap, memory, index);
    coherence::acquire_for_host(heap, address, true);
    // SAFETY: `locate` checked the index.
    unsafe { keep_overwritten_elements(heap, element, address, 1) };
    for offset in 0..u64::from(element.stride) {
        // SAFETY: `locate` checked the index.
        unsafe { space::store(address + offset, 0u8) };
    }
}

/// Whether element `index` (from 0) is defined.
#[inline]
pub fn is_assigned(heap: &Heap, memory: Value, index: usize) -> bool {
    let (element, address, _) = locate(heap, memory, index);
    let first = match &element.slot {
        FieldSlot::Pointer => 0,
        &FieldSlot::Inline(ty) => match heap.concrete(ty).pointers.first() {
            Some(&offset) => offset,
            None => return true,
        },
        FieldSlot::Union(_) => return true,
    };
    // SAFETY: `locate` checked the index, and the pointer lies within the element.
    unsafe { space::load::<u64>(address + u64::from(first)) != 0 }
}

/// Copies elements between memories of one type, as if through a buffer.
pub fn copy(heap: &Heap, from: Value, from_index: usize, to: Value, to_index: usize, count: usize) {
    assert!(from.ty() == to.ty(), "a copy between memories of different types");
    if count == 0 {
        return;
    }
    let (element, source, source_selector) = locate(heap, from, from_index);
    let (_, target, target_selector) = locate(heap, to, to_index);
    locate(heap, from, from_index + count - 1);
    locate(heap, to, to_index + count - 1);
    coherence::acquire_for_host(heap, source, false);
    coherence::acquire_for_host(heap, target, true);
    // SAFETY: both ends of both ranges were checked.
    unsafe {
        keep_overwritten_elements(heap, element, target, count);
        space::copy(source, target, count * element.stride as usize);
        if matches!(element.slot, FieldSlot::Union(_)) {
            space::copy(source_selector, target_selector, count);
        }
    }
}

/// Keeps the objects that overwritten elements refer to, for a collection that runs.
///
/// # Safety
/// `count` elements must lie at `address`.
unsafe fn keep_overwritten_elements(heap: &Heap, element: &ElementLayout, address: u64, count: usize) {
    let offsets: &[u32] = match &element.slot {
        FieldSlot::Pointer => &[0],
        &FieldSlot::Inline(ty) => &heap.concrete(ty).pointers,
        FieldSlot::Union(_) => &[],
    };
    if heap.collection.is_marking() && !offsets.is_empty() {
        for index in 0..count as u64 {
            // SAFETY: the caller's promise.
            unsafe { heap.collection.keep_overwritten(address + index * u64::from(element.stride), offsets) };
        }
    }
}

/// Copies the elements from `first` on (from 0) to bytes, which are of whole elements. The elements are plain bits.
pub fn read(heap: &Heap, memory: Value, first: usize, to: &mut [u8]) {
    let Some(address) = plain_elements(heap, memory, first, to.len()) else { return };
    coherence::acquire_for_host(heap, address, false);
    // SAFETY: the range was checked.
    to.copy_from_slice(unsafe { space::bytes(address, to.len()) });
}

/// Replaces the elements from `first` on (from 0) by bytes, which are of whole elements. The elements are plain bits.
pub fn write(heap: &Heap, memory: Value, first: usize, bytes: &[u8]) {
    let Some(address) = plain_elements(heap, memory, first, bytes.len()) else { return };
    coherence::acquire_for_host(heap, address, true);
    // SAFETY: the range was checked, and bits of any kind are a value.
    unsafe { space::copy(bytes.as_ptr().expose_provenance() as u64, address, bytes.len()) };
}

/// The address of so many bytes of elements of plain bits; `None` for no bytes.
fn plain_elements(heap: &Heap, memory: Value, first: usize, bytes: usize) -> Option<u64> {
    let element = memory_element(heap, memory.ty());
    let is_plain = matches!(element.slot, FieldSlot::Inline(ty) if heap.concrete(ty).is_bits);
    let stride = element.stride as usize;
    assert!(is_plain && stride > 0, "elements of {} as bytes", display::of_type(&heap.types, memory.ty()));
    assert!(bytes.is_multiple_of(stride), "{bytes} bytes of elements of {stride}");
    let count = bytes / stride;
    let last = count.checked_sub(1)?;
    let (_, address, _) = locate(heap, memory, first);
    locate(heap, memory, first + last);
    Some(address)
}

/// The bytes of a memory of single-byte elements.
pub fn bytes(heap: &Heap, memory: Value) -> &[u8] {
    let element = memory_element(heap, memory.ty());
    assert!(element.stride == 1 && matches!(element.slot, FieldSlot::Inline(_)), "bytes of a memory");
    coherence::acquire_for_host(heap, data(heap, memory), false);
    // SAFETY: a memory of single bytes is readable over its length.
    unsafe { space::bytes(data(heap, memory), len(heap, memory)) }
}

/// The first `count` words of a `Memory{UInt64}`, which must have as many.
pub fn words(heap: &Heap, memory: Value, count: usize) -> Vec<u64> {
    assert!(memory.ty() == memory_type(heap, heap.core.uint64), "words of a memory");
    assert!(count <= len(heap, memory), "{count} words of a memory");
    let data = data(heap, memory);
    coherence::acquire_for_host(heap, data, false);
    // SAFETY: a memory of words is readable over its length.
    (0..count as u64).map(|at| unsafe { space::load::<u64>(data + 8 * at) }).collect()
}

/// A new `Memory{UInt64}` of these words; `None` when there is no room for it.
pub fn try_new_words(heap: &Heap, words: &[u64]) -> Option<Value> {
    let memory = try_new(heap, memory_type(heap, heap.core.uint64), words.len())?;
    let data = data(heap, memory);
    for (at, &word) in words.iter().enumerate() {
        // SAFETY: a fresh memory of as many words.
        unsafe { space::store(data + 8 * at as u64, word) };
    }
    Some(memory)
}

/// A `MemoryRef` of type `ref_ty` to element `index` (from 0, unchecked) of a memory.
#[inline]
pub fn new_ref(heap: &Heap, ref_ty: Type, memory: Value, index: i64) -> Value {
    let element = memory_element(heap, memory.ty());
    let word = if element.by_index() {
        index as u64
    } else {
        data(heap, memory).wrapping_add((index as u64).wrapping_mul(u64::from(element.stride)))
    };
    let it = allocation::alloc_value(heap, ref_ty, 16);
    // SAFETY: a fresh object of 16 bytes.
    unsafe {
        space::store(it.bits(), word);
        space::store(it.bits() + 8, memory.bits());
    }
    it
}

/// Returns the target of a `MemoryRef`; `None` for other values, and when its memory is undefined.
#[inline]
pub fn ref_parts(heap: &Heap, value: Value) -> Option<RefParts<'_>> {
    if !heap.shape(value.ty())?.is_ref {
        return None;
    }
    // SAFETY: a reference is an object of 16 bytes: a word and the address of a memory.
    let (word, memory) = unsafe { (space::load::<u64>(value.bits()), space::load::<u64>(value.bits() + 8)) };
    if memory == 0 {
        return None;
    }
    // SAFETY: the second field holds a memory, which starts with its length and data address.
    let (memory, length, data) =
        unsafe { (boxes::value_at(memory), space::load::<u64>(memory), space::load::<u64>(memory + 8)) };
    let element = element(heap, memory.ty())?;
    let index = match (&element.slot, element.stride) {
        (FieldSlot::Union(_), _) | (_, 0) => word as i64,
        (_, 8) => (word.wrapping_sub(data) as i64) / 8,
        (_, stride) => (word.wrapping_sub(data) as i64).wrapping_div(i64::from(stride)),
    };
    Some(RefParts { memory, index, length: length as i64, element })
}

/// `Memory{elem}`.
pub fn memory_type(heap: &Heap, elem: Type) -> Type {
    applied(heap, heap.core.memory, &[elem])
}

/// `GenericMemoryRef` with the parameters of a `GenericMemory` type.
pub fn ref_type(heap: &Heap, memory_ty: Type) -> Type {
    match element(heap, memory_ty) {
        Some(element) => element.ref_type,
        None => panic!("{} is no memory type", display::of_type(&heap.types, memory_ty)),
    }
}

pub(super) fn applied(heap: &Heap, wrapper: Type, params: &[Type]) -> Type {
    match heap.types.apply(wrapper, params) {
        Ok(ty) => ty,
        Err(_) => panic!("{} does not take these parameters", display::of_type(&heap.types, wrapper)),
    }
}
