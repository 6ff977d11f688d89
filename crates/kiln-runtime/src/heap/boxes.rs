//! The boxes that values share: symbols, modules, types, ghosts, `Bool`s and small integers have one box each.

use super::{Heap, ObjectForm, Value, allocation, mutator};
use kiln_memory::{self as space, INLINE, PERMANENT, SHARED_INTEGER_MAX, UNCOUNTED};
use kiln_types::Type;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// The boxes that were asked for so far.
#[derive(Debug)]
pub(super) struct SharedBoxes {
    /// The address of the box of each type and bits.
    all: Mutex<FxHashMap<(Type, u64), u64>>,
    /// Those of `Int`s, from the least on: compiled code reads them, too. 0: in `all`, or not made yet.
    integers: Box<[AtomicU64]>,
}

impl Default for SharedBoxes {
    fn default() -> Self {
        let integers = (-SHARED_INTEGER_MAX..=SHARED_INTEGER_MAX).map(|_| AtomicU64::new(0)).collect();
        Self { all: Mutex::default(), integers }
    }
}

impl SharedBoxes {
    /// Returns the one box of a value.
    pub(super) fn of(&self, heap: &Heap, value: Value) -> u64 {
        let make = || new(heap, value, INLINE | PERMANENT | UNCOUNTED);
        *self.all.lock().entry((value.ty(), value.bits())).or_insert_with(make)
    }

    /// Returns the box of a small `Int`; `None` for other numbers.
    #[inline]
    pub(super) fn of_integer(&self, number: i64, make: impl FnOnce() -> u64) -> Option<u64> {
        let at = usize::try_from(number.checked_add(SHARED_INTEGER_MAX)?).ok()?;
        let place = self.integers.get(at)?;
        match place.load(Ordering::Acquire) {
            0 => {
                let made = make();
                place.store(made, Ordering::Release);
                Some(made)
            }
            known => Some(known),
        }
    }

    /// The addresses of the boxes of `Int`s, 0 for those that there are not, from the least on.
    pub(super) fn integers(&self) -> *const u64 {
        self.integers.as_ptr().cast()
    }

    /// The addresses of all boxes.
    pub(super) fn addresses(&self) -> Vec<u64> {
        self.all.lock().values().copied().collect()
    }
}

/// Returns the address of the object for a value in memory: the object itself, or a box. Symbols, modules, types,
/// ghosts, `Bool`s and small integers have one box each.
pub fn box_value(heap: &Heap, value: Value) -> u64 {
    if !value.is_inline() {
        return value.bits();
    }
    if value.ty() == heap.core.int64 {
        let shared = heap.boxes.of_integer(value.bits() as i64, || heap.boxes.of(heap, value));
        return shared.unwrap_or_else(|| new(heap, value, INLINE));
    }
    if one_box_each(heap, value) { heap.boxes.of(heap, value) } else { new(heap, value, INLINE) }
}

/// Returns the address that an object stores to refer to a value. A value that only the interpreter held counts
/// as allocated from then on.
#[inline]
pub(super) fn box_stored(heap: &Heap, value: Value) -> u64 {
    // SAFETY: a value that is not inline is a live object.
    if !value.is_inline() && unsafe { space::header(value.bits()) }.1 & UNCOUNTED != 0 {
        count_stored(heap, value);
    }
    box_value(heap, value)
}

#[cold]
fn count_stored(heap: &Heap, value: Value) {
    let shape = heap.shape_of(value);
    if shape.form != ObjectForm::Struct {
        return;
    }
    let size = shape.size;
    // SAFETY: a value that is not inline is a live object.
    unsafe {
        let counted = mutator::with_own_if_mutator(heap, |own| own.count_late(value.bits(), u64::from(size)));
        if counted.is_none() {
            heap.space.lock().others.count_late(value.bits(), u64::from(size));
        }
    }
}

fn one_box_each(heap: &Heap, value: Value) -> bool {
    let shape = heap.concrete(value.ty());
    !shape.is_bits
        || shape.size <= 1
        || (value.bits() as i64).unsigned_abs() <= SHARED_INTEGER_MAX.unsigned_abs()
}

pub(super) fn new(heap: &Heap, value: Value, flags: u32) -> u64 {
    let address = allocation::alloc_or_panic(heap, value.ty(), flags, 8);
    // SAFETY: a fresh object of 8 bytes.
    unsafe { space::store(address, value.bits()) };
    address
}

/// The value of the object or box at an address.
///
/// # Safety
/// `address` must be that of a live object of this heap.
#[inline]
pub(super) unsafe fn value_at(address: u64) -> Value {
    // SAFETY: the caller's promise: an object has a header, and boxes hold one word.
    unsafe {
        let (ty, flags) = space::header(address);
        let ty = Type::from_index(ty as usize);
        if flags & INLINE != 0 { Value::inline(ty, space::load(address)) } else { Value::object(ty, address) }
    }
}
