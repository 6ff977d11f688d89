//! The boxes that values share: symbols, modules, types, ghosts, `Bool`s and small integers have one box each.

use super::{Heap, Value};
use kiln_memory::{INLINE, PERMANENT, SHARED_INTEGER_MAX, UNCOUNTED};
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
        let make = || heap.new_box(value, INLINE | PERMANENT | UNCOUNTED);
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
