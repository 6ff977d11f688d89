//! A word outside of the heap that refers to an object: compiled code reads and writes it by its address.

use super::{Heap, Value, boxes};
use std::sync::atomic::{AtomicU64, Ordering};

/// The address of an object of one heap, or null. Its owner tells collections of the object.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct ObjectCell(AtomicU64);

impl ObjectCell {
    /// A cell without an object.
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Whether it has an object.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire) != 0
    }

    /// Returns the address of the object: a collection has to find the object itself, also where its value is one word.
    pub(crate) fn word(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Acquire)).filter(|it| *it != 0)
    }

    /// Returns the value of the object.
    #[inline]
    pub(crate) fn get(&self) -> Option<Value> {
        let object = self.0.load(Ordering::Acquire);
        // SAFETY: only addresses of live objects are stored, which collections are told of.
        (object != 0).then(|| unsafe { boxes::value_at(object) })
    }

    /// Stores a value of this heap.
    pub(crate) fn set(&self, heap: &Heap, value: Value) {
        self.0.store(boxes::box_stored(heap, value), Ordering::Release);
    }

    /// Its own address.
    pub fn address(&self) -> u64 {
        (&raw const self.0).expose_provenance() as u64
    }
}
