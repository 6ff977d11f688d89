//! Collections: marking in slices beside the program, then freeing what is not marked.
//!
//! A collection keeps what was reachable when it began, and what was made since. While it marks, code that overwrites a
//! reference in an object passes the old one to [`Heap::keep_overwritten`], so that no object can be moved behind the marker's
//! back. Roots are read once, at the beginning; a new object is marked from the start.
//!
//! Julia code runs on one thread at a time ([`super::mutator`]). That thread collects, at its safepoints.

use super::SharedSpace;
use super::finalizers::Finalizers;
use super::{FieldSlot, Heap, ObjectForm, Value, memory::ELEMENTS};
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
const STEP: u64 = 1 << 20;
/// A collection begins when at least as many bytes have been allocated since the last one.
const GROWTH_MIN: u64 = 64 << 20;
/// With a limit that leaves less, one begins after so many.
const GROWTH_LEAST: u64 = 4 << 20;
/// Bytes of a large object that take longer to be written than an object or word to be visited.
const CHEAP: u64 = 256;
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
pub(super) struct Collection {
    policy: Mutex<CollectionPolicy>,
    /// Collections run at every so many safepoints.
    is_stressed: AtomicBool,
    /// A safepoint has something to do.
    wants: AtomicBool,
    /// Overwritten references have to be kept.
    is_marking: AtomicBool,
    /// Bytes given to allocators at which there is something to do.
    due_at: AtomicU64,
    running: Mutex<Collector>,
    pub(super) finalizers: Mutex<Finalizers>,
    /// Bytes behind the elements of memories that belong to nothing.
    pub(super) red_zone: AtomicU64,
}

/// The state of the running collection.
#[derive(Debug, Default)]
pub(super) struct Collector {
    /// Objects to visit.
    pending: Vec<u64>,
    /// The rest of long arrays of references.
    parts: Vec<Part>,
    /// The weak references that were reached.
    weak: Vec<u64>,
    /// Safepoints so far, under stress.
    safepoints: u64,
    /// Objects and words visited by this collection.
    visited: u64,
    /// Objects and words that the last one visited.
    visited_last: u64,
    /// Bytes that had been given to allocators at its last part.
    given: u64,
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
    heap: &'a Heap,
    state: MutexGuard<'a, Collector>,
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
    fn push(&mut self, address: u64) {
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
    fn run(&mut self, heap: &Heap, units: u64) -> bool {
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
    fn units(&mut self, given: u64, due: u64, allowance: u64) -> u64 {
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

impl Heap {
    /// Sets when collections begin.
    pub fn set_collection_policy(&self, policy: CollectionPolicy) {
        *self.collection.policy.lock() = policy;
        self.collection.is_stressed.store(policy.stress > 0, Ordering::Relaxed);
        self.plan();
        if policy.stress > 0 {
            self.collection.wants.store(true, Ordering::Relaxed);
        }
    }

    /// Whether collections run at every so many safepoints.
    pub(super) fn is_stressed(&self) -> bool {
        self.collection.is_stressed.load(Ordering::Relaxed)
    }

    /// Lets collections begin, or not. Returns whether they did before.
    pub(crate) fn enable_collections(&self, on: bool) -> bool {
        !std::mem::replace(&mut self.collection.policy.lock().is_off, !on)
    }

    /// Whether a safepoint has to do a part of a collection.
    #[inline]
    pub(crate) fn wants_collection(&self) -> bool {
        self.collection.wants.load(Ordering::Relaxed)
    }

    /// Whether overwritten references have to be kept.
    #[inline]
    pub(crate) fn is_marking(&self) -> bool {
        self.collection.is_marking.load(Ordering::Relaxed)
    }

    /// The address of the byte that says so, which compiled code reads.
    pub fn marking_flag(&self) -> *const u8 {
        self.collection.is_marking.as_ptr().cast()
    }

    /// The bytes that may be allocated after the last collection, of which this many were live.
    fn allowance(&self, live: u64) -> u64 {
        let growth = GROWTH_MIN.max(live);
        match self.collection.policy.lock().size_hint {
            0 => growth,
            hint => growth.min(hint.saturating_sub(live)).max(GROWTH_LEAST),
        }
    }

    /// Decides at how many allocated bytes the next part of a collection is due.
    fn plan(&self) {
        let (live, given) = self.space.lock().space.growth();
        let allowance = self.allowance(live);
        let due = if self.is_marking() { given + STEP } else { allowance - (allowance / 2).min(live / 2) };
        self.collection.due_at.store(due, Ordering::Relaxed);
    }

    /// Called where memory was given out.
    #[inline]
    pub(super) fn after_growth(&self, given: u64) {
        if given >= self.collection.due_at.load(Ordering::Relaxed) {
            self.collection.wants.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the system has no more memory for objects, and the reserve is in use.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.space.lock().space.is_exhausted()
    }

    /// Whether that is so and the program was not told yet.
    pub(crate) fn tells_exhaustion(&self) -> bool {
        self.space.lock().space.tells_exhaustion()
    }

    /// Does the part of a collection that is due. Returns whether a collection ended. `roots` are asked for if one begins.
    ///
    /// Must be called by the thread that runs Julia code, alone; `roots` gives every object that is referred to by other
    /// places than objects.
    pub(crate) fn collect_part(&self, roots: impl FnOnce(&mut Marker<'_>)) -> bool {
        let CollectionPolicy { stress, is_off, .. } = *self.collection.policy.lock();
        if is_off && !self.is_marking() {
            return false;
        }
        if stress > 0 {
            let mut state = self.collection.running.lock();
            state.safepoints += 1;
            let is_due = state.safepoints.is_multiple_of(stress);
            drop(state);
            let given = self.space.lock().space.growth().1;
            let is_full = given >= self.collection.due_at.load(Ordering::Relaxed);
            if is_due || is_full {
                self.collect(roots);
            }
            return is_due || is_full;
        }
        self.collection.wants.store(false, Ordering::Relaxed);
        let (live, given) = self.space.lock().space.growth();
        if !self.is_marking() {
            self.begin(roots);
        }
        let (due, allowance) = (self.collection.due_at.load(Ordering::Relaxed), self.allowance(live));
        let is_done = {
            let mut state = self.collection.running.lock();
            let units = state.units(given, due, allowance);
            state.run(self, units)
        };
        if is_done {
            self.finish();
        }
        self.plan();
        is_done
    }

    /// Whether a collection has to end before an object of so many bytes is made, for the heap to stay within its limits. One that
    /// takes much less time than the object needs always does: what was live at the last one may be none now.
    pub(crate) fn is_full_for(&self, bytes: u64) -> bool {
        let (live, given) = self.space.lock().space.growth();
        let is_cheap = self.collection.running.lock().visited_last <= bytes / CHEAP;
        let limit = self.allowance(live);
        let is_full = if is_cheap {
            (live + given).saturating_add(bytes) > limit.min(GROWTH_MIN)
        } else {
            // Nothing is gained by a collection where little was allocated since the last one.
            given >= bytes / 4 && given.saturating_add(bytes) > limit
        };
        is_full && !self.collection.policy.lock().is_off
    }

    /// Ends the running collection, and runs another if there is not enough room then for an object of so many bytes. `roots` as for
    /// [`collect`](Self::collect).
    pub(crate) fn collect_for(&self, bytes: u64, roots: impl FnOnce(&mut Marker<'_>)) {
        if self.is_marking() {
            self.collection.running.lock().run(self, u64::MAX);
            self.finish();
            self.plan();
        }
        if self.is_full_for(bytes) {
            self.collect(roots);
        }
    }

    /// Frees every object that is unreachable from `roots`, from constants, and from objects read from an image. Must be
    /// called by the thread that runs Julia code, alone; unreached values must not be used afterwards.
    pub fn collect(&self, roots: impl FnOnce(&mut Marker<'_>)) {
        if self.is_marking() {
            // What this collection keeps may have died since it began.
            self.collection.running.lock().run(self, u64::MAX);
            self.finish();
        }
        self.begin(roots);
        self.collection.running.lock().run(self, u64::MAX);
        self.finish();
        self.plan();
    }

    fn begin(&self, roots: impl FnOnce(&mut Marker<'_>)) {
        let mut shared = self.space.lock();
        let SharedSpace { space, others } = &mut *shared;
        self.with_own(|own| space.begin_marking(&mut [others, own]));
        drop(shared);
        self.collection.is_marking.store(true, Ordering::Relaxed);
        let mut marker = Marker { heap: self, state: self.collection.running.lock() };
        marker.state.visited = 0;
        let kept = self.permanent_addresses();
        let ready = self.collection.finalizers.lock().ready_addresses();
        kept.into_iter().chain(ready).for_each(|it| marker.state.push(it));
        roots(&mut marker);
    }

    fn finish(&self) {
        let mut state = self.collection.running.lock();
        // A finalizer sees an object that no weak reference names any more.
        self.clear_weak(&mut state);
        let kept = self.collection.finalizers.lock().separate_unreached();
        kept.into_iter().for_each(|it| state.push(it));
        state.run(self, u64::MAX);
        self.clear_weak(&mut state);
        state.visited_last = state.visited;
        let poisons = self.collection.policy.lock().stress > 0;
        let mut shared = self.space.lock();
        let SharedSpace { space, others } = &mut *shared;
        let allowance = |live| self.allowance(live);
        self.with_own(|own| space.free_unmarked(&mut [others, own], allowance, poisons));
        drop(shared);
        self.collection.is_marking.store(false, Ordering::Relaxed);
    }

    /// Clears the weak references that were reached and whose objects were not.
    fn clear_weak(&self, state: &mut Collector) {
        let nothing = self.box_value(self.nothing());
        for reference in state.weak.drain(..) {
            // SAFETY: a weak reference is an object with one field, which holds an object.
            unsafe {
                let target: u64 = space::load(reference);
                if target != 0 && !space::is_marked(target) {
                    space::store(reference, nothing);
                }
            }
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

    /// Keeps the objects that words are addresses in, of memory that need not be an object's and is overwritten next.
    ///
    /// # Safety
    /// As many bytes must be readable at the address.
    pub(super) unsafe fn keep_overwritten_words(&self, address: u64, bytes: u64) {
        if self.is_marking() {
            let shared = self.space.lock();
            let mut state = self.collection.running.lock();
            for at in (0..bytes / 8).map(|it| address + 8 * it) {
                // SAFETY: the caller's promise.
                state.push_word(&shared.space, unsafe { space::load(at) });
            }
        }
    }

    /// Has the running collection keep an object, or null.
    #[cold]
    pub(super) fn keep(&self, address: u64) {
        self.collection.running.lock().push(address);
    }
}
