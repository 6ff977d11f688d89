//! Marking: the state of the running collection, and the walk over the objects that it keeps.

use super::shape::ELEMENTS;
use super::{FieldSlot, Heap, ObjectForm, Value};
use kiln_memory::{self as space, INLINE, LIVE, ObjectSpace};
use kiln_types::Type;
use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Objects and words that a collection visits at a safepoint for each [`STEP`] allocated: enough to be over before the heap has
/// doubled, whatever the size of objects.
const UNITS: u64 = 128 << 10;
/// The most that it visits at one safepoint, unless it would end too late: some ten milliseconds.
const UNITS_MAX: u64 = 512 << 10;
/// Bytes that are allocated between two safepoints of a running collection.
pub(super) const STEP: u64 = 1 << 20;
/// A collection begins when at least as many bytes have been allocated since the last one.
pub(super) const GROWTH_MIN: u64 = 64 << 20;
/// With a limit that leaves less, one begins after so many.
const GROWTH_LEAST: u64 = 4 << 20;
/// Elements of an array of references that are visited at once.
const PART: u64 = 4096;
/// Objects whose headers are on their way from memory.
const AHEAD: usize = 16;

/// When collections begin.
#[derive(Clone, Copy, Debug, Default)]
pub struct CollectionPolicy {
    /// Bytes that the heap should not exceed; 0 for no limit.
    pub size_hint: u64,
    /// A whole collection at every safepoint of this number, for tests; 0 for none. Freed objects are overwritten.
    pub stress: u64,
    /// No collection begins.
    pub is_off: bool,
}

/// When collections begin, and the one that runs.
#[derive(Debug, Default)]
pub(crate) struct Collection {
    pub(super) policy: Mutex<CollectionPolicy>,
    /// Collections run at every so many safepoints.
    pub(super) is_stressed: AtomicBool,
    /// A safepoint has something to do.
    pub(super) wants: AtomicBool,
    /// Overwritten references have to be kept.
    pub(super) is_marking: AtomicBool,
    /// Bytes given to allocators at which there is something to do.
    pub(super) due_at: AtomicU64,
    pub(super) running: Mutex<Collector>,
    /// Bytes behind the elements of memories that belong to nothing.
    pub(super) red_zone: AtomicU64,
}

/// The state of the running collection.
#[derive(Debug, Default)]
pub(super) struct Collector {
    /// Objects to visit.
    pub(super) pending: Vec<u64>,
    /// The rest of long arrays of references.
    parts: Vec<Part>,
    /// The weak references that were reached.
    pub(super) weak: Vec<u64>,
    /// Safepoints so far, under stress.
    pub(super) safepoints: u64,
    /// Objects and words visited by this collection.
    pub(super) visited: u64,
    /// Objects and words that the last one visited.
    pub(super) visited_last: u64,
    /// Bytes that had been given to allocators at its last part.
    pub(super) given: u64,
}

/// References at equal distances.
#[derive(Clone, Copy, Debug)]
struct Part {
    first: u64,
    count: u64,
    stride: u64,
}

/// Takes the roots of a collection.
#[derive(Debug)]
pub struct Marker<'a> {
    pub(super) heap: &'a Heap,
    pub(super) state: MutexGuard<'a, Collector>,
}

impl Marker<'_> {
    /// Keeps a value and everything it reaches.
    pub fn mark(&mut self, value: Value) {
        if !value.is_inline() {
            self.state.push(value.bits());
        }
    }

    /// Keeps the objects that words of registers and native stacks are addresses in, if they are.
    pub(crate) fn mark_words(&mut self, words: impl IntoIterator<Item = u64>) {
        let shared = self.heap.space.lock();
        for word in words {
            self.state.push_word(&shared.space, word);
            // Compiled code may have kept nothing of an array but where it ends.
            if word.is_multiple_of(8) {
                self.state.push_word(&shared.space, word.wrapping_sub(1));
            }
        }
    }
}

impl Collector {
    #[inline]
    pub(super) fn push(&mut self, address: u64) {
        if address != 0 {
            self.pending.push(address);
        }
    }

    /// Adds the object that a word is an address in, if it is one.
    #[inline]
    fn push_word(&mut self, space: &ObjectSpace, word: u64) {
        if let Some((address, _)) = space.extent(word) {
            self.pending.push(address);
        }
    }

    /// Visits pending objects, up to a number of objects and words. Returns whether nothing is left.
    pub(super) fn run(&mut self, heap: &Heap, units: u64) -> bool {
        let end = self.visited.saturating_add(units);
        let mut ahead = [0; AHEAD];
        let mut at = 0;
        loop {
            let next = self.pending.pop().unwrap_or(0);
            space::prefetch(next);
            let address = std::mem::replace(&mut ahead[at % AHEAD], next);
            at += 1;
            if address != 0 {
                self.visit(heap, address);
                if self.visited < end {
                    continue;
                }
                self.pending.extend(ahead.iter().filter(|it| **it != 0));
                return false;
            }
            if next == 0 && ahead.iter().all(|it| *it == 0) {
                let Some(part) = self.parts.pop() else { return true };
                self.visit_part(part);
            }
        }
    }

    /// How much to visit at a safepoint where so many bytes have been given to allocators, of which `allowance` may be before the
    /// collection ends. `due` is where it was due.
    pub(super) fn units(&mut self, given: u64, due: u64, allowance: u64) -> u64 {
        let step = given - std::mem::replace(&mut self.given, given).min(given);
        if given > allowance {
            return u64::MAX;
        }
        // Large objects make few safepoints: each visits its share of what is left.
        let left = u128::from(self.visited_last.saturating_sub(self.visited));
        let share = left * u128::from(step) / u128::from((step + allowance - given).max(1));
        let steps = given.saturating_sub(due) / STEP + 1;
        (UNITS * steps).min(UNITS_MAX).max(u64::try_from(share).unwrap_or(u64::MAX))
    }

    #[inline]
    fn visit(&mut self, heap: &Heap, address: u64) {
        self.visited += 1;
        // SAFETY: objects reach only objects, and roots are live by the caller's promise.
        unsafe {
            let (ty, flags) = space::header(address);
            debug_assert!(flags & LIVE != 0, "a root or a field holds a freed object");
            if space::mark(address) && flags & INLINE == 0 {
                self.trace(heap, Type::from_index(ty as usize), address);
            }
        }
    }

    fn trace(&mut self, heap: &Heap, ty: Type, address: u64) {
        let shape = heap.concrete(ty);
        match &shape.form {
            ObjectForm::Inline | ObjectForm::String => {}
            ObjectForm::Struct if shape.is_weak => self.weak.push(address),
            ObjectForm::Struct => {
                for &offset in &shape.pointers {
                    // SAFETY: the type has a pointer there.
                    self.push(unsafe { space::load(address + u64::from(offset)) });
                }
            }
            ObjectForm::Svec => {
                // SAFETY: a simple vector starts with its length.
                let count: u64 = unsafe { space::load(address) };
                self.visit_part(Part { first: address + 8, count, stride: 8 });
            }
            ObjectForm::Memory(element) => {
                // SAFETY: a memory starts with its length and the address of its elements.
                let (count, data): (u64, u64) = unsafe { (space::load(address), space::load(address + 8)) };
                if data != address + ELEMENTS {
                    return;
                }
                let stride = u64::from(element.stride);
                match &element.slot {
                    FieldSlot::Pointer => self.visit_part(Part { first: data, count, stride }),
                    &FieldSlot::Inline(ty) => {
                        for &offset in &heap.concrete(ty).pointers {
                            self.visit_part(Part { first: data + u64::from(offset), count, stride });
                        }
                    }
                    FieldSlot::Union(_) => {}
                }
            }
        }
    }

    fn visit_part(&mut self, part: Part) {
        let now = part.count.min(PART);
        if part.count > now {
            self.parts.push(Part { first: part.first + now * part.stride, count: part.count - now, ..part });
        }
        self.visited += now;
        for index in 0..now {
            // SAFETY: the places of the pointers of one live object, whose length does not change.
            self.push(unsafe { space::load(part.first + index * part.stride) });
        }
    }
}

impl Collection {
    /// Whether collections run at every so many safepoints.
    pub(super) fn is_stressed(&self) -> bool {
        self.is_stressed.load(Ordering::Relaxed)
    }

    /// Lets collections begin, or not. Returns whether they did before.
    pub(crate) fn enable(&self, on: bool) -> bool {
        !std::mem::replace(&mut self.policy.lock().is_off, !on)
    }

    /// Whether a safepoint has to do a part of a collection.
    #[inline]
    pub(crate) fn is_wanted(&self) -> bool {
        self.wants.load(Ordering::Relaxed)
    }

    /// Whether overwritten references have to be kept.
    #[inline]
    pub(crate) fn is_marking(&self) -> bool {
        self.is_marking.load(Ordering::Relaxed)
    }

    /// The bytes that may be allocated after the last collection, of which this many were live.
    pub(super) fn allowance(&self, live: u64) -> u64 {
        let growth = GROWTH_MIN.max(live);
        match self.policy.lock().size_hint {
            0 => growth,
            hint => growth.min(hint.saturating_sub(live)).max(GROWTH_LEAST),
        }
    }

    /// Called where memory was given out.
    #[inline]
    pub(super) fn after_growth(&self, given: u64) {
        if given >= self.due_at.load(Ordering::Relaxed) {
            self.wants.store(true, Ordering::Relaxed);
        }
    }

    /// Keeps the objects that references in an object name which are overwritten next: those at these offsets from an
    /// address.
    ///
    /// # Safety
    /// References must lie there.
    #[inline]
    pub(super) unsafe fn keep_overwritten(&self, address: u64, offsets: &[u32]) {
        if self.is_marking() {
            for offset in offsets {
                // SAFETY: the caller's promise.
                self.keep(unsafe { space::load(address + u64::from(*offset)) });
            }
        }
    }

    /// Has the running collection keep an object, or null.
    #[cold]
    pub(super) fn keep(&self, address: u64) {
        self.running.lock().push(address);
    }
}

/// The address of the byte that says so, which compiled code reads.
pub fn flag(heap: &Heap) -> *const u8 {
    heap.collection.is_marking.as_ptr().cast()
}

/// Keeps the objects that words are addresses in, of memory that need not be an object's and is overwritten next.
///
/// # Safety
/// As many bytes must be readable at the address.
pub(super) unsafe fn keep_overwritten_words(heap: &Heap, address: u64, bytes: u64) {
    if heap.collection.is_marking() {
        let shared = heap.space.lock();
        let mut state = heap.collection.running.lock();
        for at in (0..bytes / 8).map(|it| address + 8 * it) {
            // SAFETY: the caller's promise.
            state.push_word(&shared.space, unsafe { space::load(at) });
        }
    }
}
