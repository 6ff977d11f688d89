//! `GenericMemory` and `GenericMemoryRef`: the storage under every array.

use super::{ElementLayout, FieldSlot, Heap, ObjectForm, Value};
use kiln_memory::{self as space, UNCOUNTED};
use kiln_types::Type;
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

/// Bytes of `{ length, data }` before the elements.
pub(super) const ELEMENTS: u64 = 16;

impl Heap {
    /// Returns the layout of the elements of a `GenericMemory` type; `None` for any other type.
    #[inline]
    pub fn element(&self, memory_ty: Type) -> Option<&ElementLayout> {
        match &self.shape(memory_ty)?.form {
            ObjectForm::Memory(element) => Some(element),
            ObjectForm::Inline | ObjectForm::Struct | ObjectForm::String | ObjectForm::Svec => None,
        }
    }

    /// Whether a memory of this type and length can exist at all.
    pub fn memory_fits(&self, memory_ty: Type, length: i64) -> bool {
        let Some(element) = self.element(memory_ty) else { return false };
        let selector = u64::from(matches!(element.slot, FieldSlot::Union(_)));
        let each = u64::from(element.stride) + selector;
        u64::try_from(length)
            .ok()
            .and_then(|it| it.checked_mul(each))
            .is_some_and(|it| it < i64::MAX as u64 - 256)
    }

    /// Sets how many bytes behind the elements of new memories belong to nothing.
    pub fn set_red_zone(&self, bytes: u64) {
        self.collection.red_zone.store(bytes, Ordering::Relaxed);
    }

    /// A new memory, zero: every pointer in it undefined.
    pub fn new_memory(&self, memory_ty: Type, length: usize) -> Value {
        match self.try_new_memory(memory_ty, length) {
            Some(memory) => memory,
            None => panic!("out of memory: {length} elements"),
        }
    }

    /// The bytes of a memory of this type and length; `None` unless there can be one.
    pub(crate) fn memory_size(&self, memory_ty: Type, length: i64) -> Option<u64> {
        let fits = self.memory_fits(memory_ty, length);
        let element = self.element(memory_ty).filter(|_| fits)?;
        let selector = u64::from(matches!(element.slot, FieldSlot::Union(_)));
        let bytes = (u64::from(element.stride) + selector) * length as u64;
        Some(ELEMENTS + bytes + self.collection.red_zone.load(Ordering::Relaxed))
    }

    /// As [`Self::new_memory`]; `None` when memory is exhausted.
    pub fn try_new_memory(&self, memory_ty: Type, length: usize) -> Option<Value> {
        let size = self.memory_size(memory_ty, length as i64);
        let Some(size) = size else { panic!("a memory of {length} elements") };
        // Julia makes the memory without elements once.
        let flags = if length == 0 { UNCOUNTED } else { 0 };
        let address = self.try_alloc(memory_ty, flags, size)?;
        // SAFETY: a fresh object of at least 16 bytes.
        unsafe {
            space::store(address, length as u64);
            space::store(address + 8, address + ELEMENTS);
        }
        Some(Value::object(memory_ty, address))
    }

    /// Makes a memory over `length` elements at `data`: `unsafe_wrap`. The elements are inline, and belong to a
    /// permanent object.
    pub(crate) fn wrap_memory(&self, memory_ty: Type, data: u64, length: usize) -> Value {
        let element = self.memory_element(memory_ty);
        assert!(self.memory_fits(memory_ty, length as i64), "a memory of {length} elements");
        assert!(matches!(element.slot, FieldSlot::Inline(_)), "wrapped elements are plain bytes");
        let memory = self.alloc(memory_ty, ELEMENTS);
        // SAFETY: a fresh object of 16 bytes.
        unsafe {
            space::store(memory.bits(), length as u64);
            space::store(memory.bits() + 8, data);
        }
        memory
    }

    #[inline]
    fn memory_element(&self, memory_ty: Type) -> &ElementLayout {
        match self.element(memory_ty) {
            Some(element) => element,
            None => panic!("{} is no memory type", self.types.display(memory_ty)),
        }
    }

    /// `memory.length`.
    #[inline]
    pub fn memory_len(&self, memory: Value) -> usize {
        self.memory_element(memory.ty());
        // SAFETY: a memory object starts with its length.
        unsafe { space::load::<u64>(memory.bits()) as usize }
    }

    /// `memory.ptr`: the address of the first element.
    #[inline]
    pub fn memory_data(&self, memory: Value) -> u64 {
        self.memory_element(memory.ty());
        // SAFETY: a memory object holds its data address second.
        unsafe { space::load::<u64>(memory.bits() + 8) }
    }

    /// The element, its address and, for a union, the address of its selector.
    #[inline]
    fn locate(&self, memory: Value, index: usize) -> (&ElementLayout, u64, u64) {
        let element = self.memory_element(memory.ty());
        // SAFETY: a memory object starts with its length and data address.
        let (length, data) =
            unsafe { (space::load::<u64>(memory.bits()), space::load::<u64>(memory.bits() + 8)) };
        assert!((index as u64) < length, "element {index} of a memory of {length}");
        let stride = u64::from(element.stride);
        (element, data + stride * index as u64, data + stride * length + index as u64)
    }

    /// Element `index` (from 0); `None` when it is undefined.
    #[inline]
    pub fn memory_get(&self, memory: Value, index: usize) -> Option<Value> {
        let (element, address, selector) = self.locate(memory, index);
        self.acquire_for_host(address, false);
        // SAFETY: `locate` checked the index; the element is stored as the slot says.
        unsafe {
            match &element.slot {
                &FieldSlot::Inline(ty) => self.load_inline(ty, address),
                FieldSlot::Pointer => match space::load::<u64>(address) {
                    0 => None,
                    object => Some(self.value_at(object)),
                },
                FieldSlot::Union(members) => {
                    let member = members[usize::from(space::load::<u8>(selector))];
                    Some(self.load_value(self.concrete(member), address))
                }
            }
        }
    }

    /// Sets element `index` (from 0); the value must fit the element type.
    #[inline]
    pub fn memory_set(&self, memory: Value, index: usize, value: Value) {
        let (element, address, selector) = self.locate(memory, index);
        self.acquire_for_host(address, true);
        // SAFETY: `locate` checked the index; the value's type is checked.
        unsafe {
            match &element.slot {
                &FieldSlot::Inline(ty) => {
                    self.expect_type(ty, value);
                    let shape = self.concrete(ty);
                    self.keep_overwritten(address, &shape.pointers);
                    self.store_value(shape, address, value);
                }
                FieldSlot::Pointer => {
                    self.keep_overwritten(address, &[0]);
                    space::store(address, self.box_stored(value));
                }
                FieldSlot::Union(members) => {
                    space::store(selector, self.selector(members, value));
                    self.store_value(self.concrete(value.ty()), address, value);
                }
            }
        }
    }

    /// Sets the fields of element `index` (from 0), of a memory that holds structs themselves; the values must fit. Returns false for
    /// other memories.
    pub(crate) fn memory_set_fields(&self, memory: Value, index: usize, values: &[Value]) -> bool {
        let (element, address, _) = self.locate(memory, index);
        let FieldSlot::Inline(ty) = element.slot else { return false };
        self.acquire_for_host(address, true);
        let shape = self.concrete(ty);
        // SAFETY: `locate` checked the index; the element is a struct of these fields, whose types are checked.
        unsafe {
            self.keep_overwritten(address, &shape.pointers);
            for (field, &value) in shape.fields.iter().zip(values) {
                self.store_slot(&field.slot, address + u64::from(field.offset), field.size, value);
            }
        }
        true
    }

    /// Makes element `index` (from 0) undefined if it can be (zero otherwise).
    pub fn memory_unset(&self, memory: Value, index: usize) {
        let (element, address, _) = self.locate(memory, index);
        self.acquire_for_host(address, true);
        // SAFETY: `locate` checked the index.
        unsafe { self.keep_overwritten_elements(element, address, 1) };
        for offset in 0..u64::from(element.stride) {
            // SAFETY: `locate` checked the index.
            unsafe { space::store(address + offset, 0u8) };
        }
    }

    /// Whether element `index` (from 0) is defined.
    #[inline]
    pub fn memory_is_assigned(&self, memory: Value, index: usize) -> bool {
        let (element, address, _) = self.locate(memory, index);
        let first = match &element.slot {
            FieldSlot::Pointer => 0,
            &FieldSlot::Inline(ty) => match self.concrete(ty).pointers.first() {
                Some(&offset) => offset,
                None => return true,
            },
            FieldSlot::Union(_) => return true,
        };
        // SAFETY: `locate` checked the index, and the pointer lies within the element.
        unsafe { space::load::<u64>(address + u64::from(first)) != 0 }
    }

    /// Copies elements between memories of one type, as if through a buffer.
    pub fn memory_copy(&self, from: Value, from_index: usize, to: Value, to_index: usize, count: usize) {
        assert!(from.ty() == to.ty(), "a copy between memories of different types");
        if count == 0 {
            return;
        }
        let (element, source, source_selector) = self.locate(from, from_index);
        let (_, target, target_selector) = self.locate(to, to_index);
        self.locate(from, from_index + count - 1);
        self.locate(to, to_index + count - 1);
        self.acquire_for_host(source, false);
        self.acquire_for_host(target, true);
        // SAFETY: both ends of both ranges were checked.
        unsafe {
            self.keep_overwritten_elements(element, target, count);
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
    unsafe fn keep_overwritten_elements(&self, element: &ElementLayout, address: u64, count: usize) {
        let offsets: &[u32] = match &element.slot {
            FieldSlot::Pointer => &[0],
            &FieldSlot::Inline(ty) => &self.concrete(ty).pointers,
            FieldSlot::Union(_) => &[],
        };
        if self.is_marking() && !offsets.is_empty() {
            for index in 0..count as u64 {
                // SAFETY: the caller's promise.
                unsafe { self.keep_overwritten(address + index * u64::from(element.stride), offsets) };
            }
        }
    }

    /// Copies the elements from `first` on (from 0) to bytes, which are of whole elements. The elements are plain bits.
    pub fn memory_read(&self, memory: Value, first: usize, to: &mut [u8]) {
        let Some(address) = self.plain_elements(memory, first, to.len()) else { return };
        self.acquire_for_host(address, false);
        // SAFETY: the range was checked.
        to.copy_from_slice(unsafe { space::bytes(address, to.len()) });
    }

    /// Replaces the elements from `first` on (from 0) by bytes, which are of whole elements. The elements are plain bits.
    pub fn memory_write(&self, memory: Value, first: usize, bytes: &[u8]) {
        let Some(address) = self.plain_elements(memory, first, bytes.len()) else { return };
        self.acquire_for_host(address, true);
        // SAFETY: the range was checked, and bits of any kind are a value.
        unsafe { space::copy(bytes.as_ptr().expose_provenance() as u64, address, bytes.len()) };
    }

    /// The address of so many bytes of elements of plain bits; `None` for no bytes.
    fn plain_elements(&self, memory: Value, first: usize, bytes: usize) -> Option<u64> {
        let element = self.memory_element(memory.ty());
        let is_plain = matches!(element.slot, FieldSlot::Inline(ty) if self.types.is_bits(ty));
        let stride = element.stride as usize;
        assert!(is_plain && stride > 0, "elements of {} as bytes", self.types.display(memory.ty()));
        assert!(bytes.is_multiple_of(stride), "{bytes} bytes of elements of {stride}");
        let count = bytes / stride;
        let last = count.checked_sub(1)?;
        let (_, address, _) = self.locate(memory, first);
        self.locate(memory, first + last);
        Some(address)
    }

    /// The bytes of a memory of single-byte elements.
    pub fn memory_bytes(&self, memory: Value) -> &[u8] {
        let element = self.memory_element(memory.ty());
        assert!(element.stride == 1 && matches!(element.slot, FieldSlot::Inline(_)), "bytes of a memory");
        self.acquire_for_host(self.memory_data(memory), false);
        // SAFETY: a memory of single bytes is readable over its length.
        unsafe { space::bytes(self.memory_data(memory), self.memory_len(memory)) }
    }

    /// The first `count` words of a `Memory{UInt64}`, which must have as many.
    pub fn memory_words(&self, memory: Value, count: usize) -> Vec<u64> {
        assert!(memory.ty() == self.memory_type(self.core.uint64), "words of a memory");
        assert!(count <= self.memory_len(memory), "{count} words of a memory");
        let data = self.memory_data(memory);
        self.acquire_for_host(data, false);
        // SAFETY: a memory of words is readable over its length.
        (0..count as u64).map(|at| unsafe { space::load::<u64>(data + 8 * at) }).collect()
    }

    /// A new `Memory{UInt64}` of these words; `None` when there is no room for it.
    pub fn try_new_words(&self, words: &[u64]) -> Option<Value> {
        let memory = self.try_new_memory(self.memory_type(self.core.uint64), words.len())?;
        let data = self.memory_data(memory);
        for (at, &word) in words.iter().enumerate() {
            // SAFETY: a fresh memory of as many words.
            unsafe { space::store(data + 8 * at as u64, word) };
        }
        Some(memory)
    }

    /// A `MemoryRef` of type `ref_ty` to element `index` (from 0, unchecked) of a memory.
    #[inline]
    pub fn new_ref(&self, ref_ty: Type, memory: Value, index: i64) -> Value {
        let element = self.memory_element(memory.ty());
        let word = if element.by_index() {
            index as u64
        } else {
            self.memory_data(memory).wrapping_add((index as u64).wrapping_mul(u64::from(element.stride)))
        };
        let it = self.alloc_value(ref_ty, 16);
        // SAFETY: a fresh object of 16 bytes.
        unsafe {
            space::store(it.bits(), word);
            space::store(it.bits() + 8, memory.bits());
        }
        it
    }

    /// Returns the target of a `MemoryRef`; `None` for other values, and when its memory is undefined.
    #[inline]
    pub fn ref_parts(&self, value: Value) -> Option<RefParts<'_>> {
        if !self.shape(value.ty())?.is_ref {
            return None;
        }
        // SAFETY: a reference is an object of 16 bytes: a word and the address of a memory.
        let (word, memory) =
            unsafe { (space::load::<u64>(value.bits()), space::load::<u64>(value.bits() + 8)) };
        if memory == 0 {
            return None;
        }
        // SAFETY: the second field holds a memory, which starts with its length and data address.
        let (memory, length, data) =
            unsafe { (self.value_at(memory), space::load::<u64>(memory), space::load::<u64>(memory + 8)) };
        let element = self.element(memory.ty())?;
        let index = match (&element.slot, element.stride) {
            (FieldSlot::Union(_), _) | (_, 0) => word as i64,
            (_, 8) => (word.wrapping_sub(data) as i64) / 8,
            (_, stride) => (word.wrapping_sub(data) as i64).wrapping_div(i64::from(stride)),
        };
        Some(RefParts { memory, index, length: length as i64, element })
    }
}
