//! Boxes, structs and their fields.

use super::{FieldSlot, Heap, ObjectForm, Shape, Value};
use kiln_memory::{self as space, INLINE, SHARED_INTEGER_MAX, UNCOUNTED};
use kiln_types::Type;

impl Heap {
    // Boxes.

    /// Returns the address of the object for a value in memory: the object itself, or a box. Symbols, modules, types,
    /// ghosts, `Bool`s and small integers have one box each.
    pub fn box_value(&self, value: Value) -> u64 {
        if !value.is_inline() {
            return value.bits();
        }
        if value.ty() == self.core.int64 {
            let shared = self.boxes.of_integer(value.bits() as i64, || self.boxes.of(self, value));
            return shared.unwrap_or_else(|| self.new_box(value, INLINE));
        }
        if self.one_box_each(value) { self.boxes.of(self, value) } else { self.new_box(value, INLINE) }
    }

    /// Returns the address that an object stores to refer to a value. A value that only the interpreter held counts
    /// as allocated from then on.
    #[inline]
    pub(super) fn box_stored(&self, value: Value) -> u64 {
        // SAFETY: a value that is not inline is a live object.
        if !value.is_inline() && unsafe { space::header(value.bits()) }.1 & UNCOUNTED != 0 {
            self.count_stored(value);
        }
        self.box_value(value)
    }

    #[cold]
    fn count_stored(&self, value: Value) {
        let shape = self.shape_of(value);
        if shape.form != ObjectForm::Struct {
            return;
        }
        let size = shape.size;
        // SAFETY: a value that is not inline is a live object.
        unsafe {
            let counted = self.with_own_if_mutator(|own| own.count_late(value.bits(), u64::from(size)));
            if counted.is_none() {
                self.space.lock().others.count_late(value.bits(), u64::from(size));
            }
        }
    }

    fn one_box_each(&self, value: Value) -> bool {
        let shape = self.concrete(value.ty());
        !shape.is_bits
            || shape.size <= 1
            || (value.bits() as i64).unsigned_abs() <= SHARED_INTEGER_MAX.unsigned_abs()
    }

    pub(super) fn new_box(&self, value: Value, flags: u32) -> u64 {
        let address = self.alloc_or_panic(value.ty(), flags, 8);
        // SAFETY: a fresh object of 8 bytes.
        unsafe { space::store(address, value.bits()) };
        address
    }

    /// The value of the object or box at an address.
    ///
    /// # Safety
    /// `address` must be that of a live object of this heap.
    #[inline]
    pub(super) unsafe fn value_at(&self, address: u64) -> Value {
        // SAFETY: the caller's promise: an object has a header, and boxes hold one word.
        unsafe {
            let (ty, flags) = space::header(address);
            let ty = Type::from_index(ty as usize);
            if flags & INLINE != 0 {
                Value::inline(ty, space::load(address))
            } else {
                Value::object(ty, address)
            }
        }
    }

    // Bytes of values.

    /// Loads the value of type `shape` at `address`. Padding is dropped.
    ///
    /// # Safety
    /// `address` must be readable for `shape.size` bytes, and pointers inside must be null or live objects.
    #[inline]
    pub(super) unsafe fn load_value(&self, shape: &Shape, address: u64) -> Value {
        debug_assert!(matches!(shape.form, ObjectForm::Inline | ObjectForm::Struct));
        if shape.form == ObjectForm::Inline {
            // SAFETY: the caller's promise.
            let bits = unsafe { load_word(address, shape.size) };
            let bits = if shape.ty == self.core.bool { bits & 1 } else { bits };
            return Value::inline(shape.ty, if shape.plain { bits } else { self.canonical(shape, bits) });
        }
        let value = self.alloc_value(shape.ty, u64::from(shape.size));
        // SAFETY: the caller's promise, and a fresh object of the type's size.
        unsafe { space::copy(address, value.bits(), shape.size as usize) };
        value
    }

    /// Writes the bytes of a value, padding included.
    ///
    /// # Safety
    /// `address` must be writable for `shape.size` bytes; `value` must be of the type `shape` describes.
    #[inline]
    pub(super) unsafe fn store_value(&self, shape: &Shape, address: u64, value: Value) {
        debug_assert_eq!(shape.ty, value.ty());
        if value.is_inline() {
            // SAFETY: the caller's promise.
            unsafe { store_word(address, shape.size, value.bits()) };
        } else {
            // SAFETY: the caller's promise; the object has the size its type says.
            unsafe { space::copy(value.bits(), address, shape.size as usize) };
        }
    }

    /// `bits` with padding, and the unused bytes of unions, made zero.
    fn canonical(&self, shape: &Shape, bits: u64) -> u64 {
        let from = bits.to_le_bytes();
        let mut to = [0; 8];
        self.copy_meaningful(shape, &from, &mut to);
        u64::from_le_bytes(to)
    }

    /// Copies the bytes of a pointer-free value that mean something.
    pub(super) fn copy_meaningful(&self, shape: &Shape, from: &[u8], to: &mut [u8]) {
        if shape.plain || shape.fields.is_empty() {
            to[..shape.size as usize].copy_from_slice(&from[..shape.size as usize]);
            return;
        }
        for field in &shape.fields {
            let (start, end) = (field.offset as usize, (field.offset + field.size) as usize);
            match &field.slot {
                &FieldSlot::Inline(ty) => {
                    self.copy_meaningful(self.concrete(ty), &from[start..end], &mut to[start..end]);
                }
                FieldSlot::Pointer => to[start..end].copy_from_slice(&from[start..end]),
                FieldSlot::Union(members) => {
                    let selector = from[end - 1];
                    to[end - 1] = selector;
                    if let Some(&member) = members.get(usize::from(selector)) {
                        let member = self.concrete(member);
                        self.copy_meaningful(member, &from[start..end], &mut to[start..end]);
                    }
                }
            }
        }
    }

    /// Whether values of an immutable type have no padding.
    pub fn is_plain(&self, ty: Type) -> bool {
        let shape = self.concrete(ty);
        shape.plain || shape.fields.is_empty()
    }

    /// Copies the bytes of a value of an immutable type, but for its padding.
    pub fn copy_unpadded(&self, ty: Type, from: &[u8], to: &mut [u8]) {
        let shape = self.concrete(ty);
        assert!(
            matches!(shape.form, ObjectForm::Inline | ObjectForm::Struct),
            "bytes of a value of type {}",
            self.types.display(ty)
        );
        self.copy_meaningful(shape, from, to);
    }

    /// The bytes of an isbits value, in Julia's layout, padding zero.
    pub fn bits_of(&self, value: Value) -> Box<[u8]> {
        let mut to = vec![0; self.shape_of(value).size as usize].into_boxed_slice();
        self.copy_bits(value, &mut to);
        to
    }

    /// Writes them to the beginning of `to`, which is zero.
    pub fn copy_bits(&self, value: Value, to: &mut [u8]) {
        assert!(self.copy_if_bits(value, to), "bytes of a value of type {}", self.types.display(value.ty()));
    }

    /// Writes the bytes of an isbits value like [`copy_bits`](Self::copy_bits). Returns false, and writes nothing, if it
    /// is no such value.
    pub fn copy_if_bits(&self, value: Value, to: &mut [u8]) -> bool {
        let shape = self.shape_of(value);
        if !shape.is_bits {
            return false;
        }
        let to = &mut to[..shape.size as usize];
        if value.is_inline() {
            to.copy_from_slice(&value.bits().to_le_bytes()[..shape.size as usize]);
        } else {
            // SAFETY: the object has the size its type says, and is immutable.
            let from = unsafe { space::bytes(value.bits(), shape.size as usize) };
            self.copy_meaningful(shape, from, to);
        }
        true
    }

    /// The isbits value of these bytes.
    pub fn from_bits(&self, ty: Type, bytes: &[u8]) -> Value {
        let shape = self.concrete(ty);
        assert!(shape.is_bits && bytes.len() == shape.size as usize, "bytes of {}", self.types.display(ty));
        // SAFETY: the slice has the size of the type, which holds no pointers.
        unsafe { self.load_value(shape, bytes.as_ptr().expose_provenance() as u64) }
    }

    /// The bytes of a value that is held inline or as a struct, in Julia's layout, with the addresses of the objects
    /// that its fields are.
    pub fn data_of(&self, value: Value) -> Box<[u8]> {
        let mut to = vec![0; self.shape_of(value).size as usize].into_boxed_slice();
        self.copy_data(value, &mut to);
        to
    }

    /// Writes them to the beginning of `to`.
    pub fn copy_data(&self, value: Value, to: &mut [u8]) {
        let shape = self.shape_of(value);
        assert!(
            matches!(shape.form, ObjectForm::Inline | ObjectForm::Struct),
            "bytes of a value of type {}",
            self.types.display(value.ty())
        );
        let to = &mut to[..shape.size as usize];
        if value.is_inline() {
            to.copy_from_slice(&value.bits().to_le_bytes()[..shape.size as usize]);
        } else {
            // SAFETY: the object has the size its type says.
            to.copy_from_slice(unsafe { space::bytes(value.bits(), shape.size as usize) });
        }
    }

    /// The immutable value of these bytes. Compiled code vouches for the addresses in them.
    pub fn from_data(&self, ty: Type, bytes: &[u8]) -> Value {
        let shape = self.concrete(ty);
        assert!(bytes.len() == shape.size as usize, "bytes of {}", self.types.display(ty));
        // SAFETY: the slice has the size of the type; addresses come from compiled code, which has them from objects.
        unsafe { self.load_value(shape, bytes.as_ptr().expose_provenance() as u64) }
    }

    /// The value of a primitive type of up to 16 bytes (others: `None`), zero-extended, with its size in bytes.
    #[inline]
    pub fn wide_bits(&self, value: Value) -> Option<(u128, u32)> {
        let shape = self.shape_of(value);
        if value.is_inline() {
            return shape.is_bits.then_some((u128::from(value.bits()), shape.size));
        }
        if !shape.is_bits || shape.size != 16 {
            return None;
        }
        // SAFETY: an object of 16 bytes without pointers.
        Some((unsafe { space::load(value.bits()) }, 16))
    }

    /// The inverse of [`Heap::wide_bits`]: bits beyond the size of the type are dropped.
    #[inline]
    pub fn from_wide_bits(&self, ty: Type, bits: u128) -> Value {
        let shape = self.concrete(ty);
        assert!(shape.is_bits && shape.size <= 16, "{} is no type of 16 bytes", self.types.display(ty));
        if shape.form == ObjectForm::Inline {
            let mask = if shape.size == 8 { u64::MAX } else { (1 << (8 * shape.size)) - 1 };
            return Value::inline(ty, bits as u64 & mask);
        }
        let value = self.alloc_value(ty, u64::from(shape.size));
        // SAFETY: a fresh object of `size` bytes, of which at most 16 are written.
        unsafe {
            space::copy((&raw const bits).expose_provenance() as u64, value.bits(), shape.size as usize)
        };
        value
    }

    // Structs.

    /// `new(ty, fields...)`: every value must fit its field's type; trailing fields may be left undefined.
    pub fn new_struct(&self, ty: Type, values: &[Value]) -> Value {
        let shape = self.concrete(ty);
        assert!(values.len() <= shape.fields.len(), "too many fields for {}", self.types.display(ty));
        match shape.form {
            ObjectForm::Inline => {
                let mut word = 0u64;
                let address = (&raw mut word).expose_provenance() as u64;
                for (field, &value) in shape.fields.iter().zip(values) {
                    // SAFETY: fields of an inline type lie within 8 bytes.
                    unsafe {
                        self.store_slot(&field.slot, address + u64::from(field.offset), field.size, value)
                    };
                }
                // SAFETY: `word` is alive and initialized.
                Value::inline(ty, unsafe { space::load(address) })
            }
            ObjectForm::Struct => {
                let size = u64::from(shape.size);
                let object = if shape.mutable { self.alloc(ty, size) } else { self.alloc_value(ty, size) };
                for (field, &value) in shape.fields.iter().zip(values) {
                    let address = object.bits() + u64::from(field.offset);
                    // SAFETY: a fresh object of the type's size.
                    unsafe { self.store_slot(&field.slot, address, field.size, value) };
                }
                object
            }
            ObjectForm::String | ObjectForm::Svec | ObjectForm::Memory(_) => {
                panic!("`new` of {}", self.types.display(ty))
            }
        }
    }

    /// The fields of a struct of an object and two words, in this order; `None` for others.
    pub(crate) fn object_and_words(&self, value: Value) -> Option<(Value, [u64; 2])> {
        let shape = self.shape_of(value);
        if shape.form != ObjectForm::Struct || shape.size != 24 || shape.pointers[..] != [0] {
            return None;
        }
        let address = value.bits();
        // SAFETY: a struct of 24 bytes, of which the first 8 are the address of an object or zero.
        unsafe {
            let object = space::load::<u64>(address);
            let words = [space::load(address + 8), space::load(address + 16)];
            (object != 0).then(|| (self.value_at(object), words))
        }
    }

    /// Returns the number of fields of a value.
    pub fn field_count(&self, value: Value) -> usize {
        self.shape_of(value).fields.len()
    }

    /// Field `index` (from 0); `None` when it is undefined.
    #[inline]
    pub fn get_field(&self, value: Value, index: usize) -> Option<Value> {
        let shape = self.shape_of(value);
        let field = &shape.fields[index];
        let word = value.bits();
        let base = if value.is_inline() { (&raw const word).expose_provenance() as u64 } else { word };
        // SAFETY: a value has the fields its shape says, where it says.
        unsafe {
            if shape.is_weak {
                // What is read lives on, though no collection may have reached it.
                self.keep_overwritten(base, &[0]);
            }
            self.load_slot(&field.slot, base + u64::from(field.offset), field.size)
        }
    }

    /// Sets field `index` (from 0) of a mutable object; the value must fit the field's type.
    #[inline]
    pub fn set_field(&self, object: Value, index: usize, value: Value) {
        let shape = self.shape_of(object);
        assert!(shape.mutable && !object.is_inline(), "{} is immutable", self.types.display(object.ty()));
        let field = &shape.fields[index];
        let address = object.bits() + u64::from(field.offset);
        let overwritten: &[u32] = match &field.slot {
            FieldSlot::Pointer => &[0],
            &FieldSlot::Inline(ty) => &self.concrete(ty).pointers,
            FieldSlot::Union(_) => &[],
        };
        // SAFETY: an object has the fields its shape says, where it says.
        unsafe {
            self.keep_overwritten(address, overwritten);
            self.store_slot(&field.slot, address, field.size, value);
        }
    }

    /// # Safety
    /// `address` must hold a field of `size` bytes stored so.
    #[inline]
    pub(super) unsafe fn load_slot(&self, slot: &FieldSlot, address: u64, size: u32) -> Option<Value> {
        // SAFETY: the caller's promise; see each arm.
        unsafe {
            match slot {
                &FieldSlot::Inline(ty) => self.load_inline(ty, address),
                FieldSlot::Pointer => match space::load::<u64>(address) {
                    0 => None,
                    object => Some(self.value_at(object)),
                },
                FieldSlot::Union(members) => {
                    let selector: u8 = space::load(address + u64::from(size) - 1);
                    Some(self.load_value(self.concrete(members[usize::from(selector)]), address))
                }
            }
        }
    }

    /// # Safety
    /// `address` must hold the bytes of a value of this type.
    #[inline]
    pub(super) unsafe fn load_inline(&self, ty: Type, address: u64) -> Option<Value> {
        let shape = self.concrete(ty);
        if let Some(&first) = shape.pointers.first() {
            // SAFETY: the caller's promise. As in Julia, a null first pointer means the whole is undefined.
            if unsafe { space::load::<u64>(address + u64::from(first)) } == 0 {
                return None;
            }
        }
        // SAFETY: the caller's promise.
        Some(unsafe { self.load_value(shape, address) })
    }

    /// # Safety
    /// `address` must hold a field of `size` bytes stored so.
    #[inline]
    pub(super) unsafe fn store_slot(&self, slot: &FieldSlot, address: u64, size: u32, value: Value) {
        // SAFETY: the caller's promise; the value's type is checked.
        unsafe {
            match slot {
                &FieldSlot::Inline(ty) => {
                    self.expect_type(ty, value);
                    self.store_value(self.concrete(ty), address, value);
                }
                FieldSlot::Pointer => space::store(address, self.box_stored(value)),
                FieldSlot::Union(members) => {
                    let selector = self.selector(members, value);
                    self.store_value(self.concrete(value.ty()), address, value);
                    space::store(address + u64::from(size) - 1, selector);
                }
            }
        }
    }

    #[inline]
    pub(super) fn expect_type(&self, ty: Type, value: Value) {
        assert!(
            value.ty() == ty,
            "a value of type {} where one of {} is stored",
            self.types.display(value.ty()),
            self.types.display(ty)
        );
    }

    pub(super) fn selector(&self, members: &[Type], value: Value) -> u8 {
        match members.iter().position(|&it| it == value.ty()) {
            Some(index) => index as u8,
            None => panic!("a value of type {} in a union without it", self.types.display(value.ty())),
        }
    }
}

/// The first `size` (at most 8) bytes as a word.
///
/// # Safety
/// `address` must be readable for `size` bytes.
#[inline]
pub(super) unsafe fn load_word(address: u64, size: u32) -> u64 {
    // SAFETY: the caller's promise; the last arm copies into a word of 8 bytes.
    unsafe {
        match size {
            0 => 0,
            1 => u64::from(space::load::<u8>(address)),
            2 => u64::from(space::load::<u16>(address)),
            4 => u64::from(space::load::<u32>(address)),
            8 => space::load::<u64>(address),
            _ => {
                let mut word = 0u64;
                let to = (&raw mut word).expose_provenance() as u64;
                space::copy(address, to, size.min(8) as usize);
                word
            }
        }
    }
}

/// Writes the first `size` (at most 8) bytes of a word.
///
/// # Safety
/// `address` must be writable for `size` bytes.
#[inline]
pub(super) unsafe fn store_word(address: u64, size: u32, word: u64) {
    // SAFETY: the caller's promise; the last arm copies from a word of 8 bytes.
    unsafe {
        match size {
            0 => {}
            1 => space::store(address, word as u8),
            2 => space::store(address, word as u16),
            4 => space::store(address, word as u32),
            8 => space::store(address, word),
            _ => space::copy((&raw const word).expose_provenance() as u64, address, size.min(8) as usize),
        }
    }
}
