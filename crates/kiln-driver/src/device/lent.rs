//! Objects of the heap that devices have: where their newest contents are, and which launch used each last.
//!
//! A launch lends what its arguments point to; a look at such an object on the host claims it (`heap::lending`). A claim
//! waits for the launch that used the object last, and brings back what a device with memory of its own has made of it. An
//! object that was only read is lent still, since the device's copy is good for the next launch; one that was written to is
//! not, and is copied to the device again when a launch needs it.
//!
//! # Invariants
//! * One device has an object at a time.
//! * The lock is held while a claim waits and copies, so that who claims second finds what the first one waited for; no
//!   Julia code runs meanwhile.

use super::addresses::ProgramMemory;
use kiln_launch::{DeviceError, Event, HostRange, Residency};
use kiln_runtime::{Heap, Lender};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A launch that was put in a stream.
#[derive(Debug)]
pub(crate) struct Ticket {
    pub(crate) event: Box<dyn Event>,
    /// The stream of the program's, and the number of the launch among all: later ones have greater ones.
    pub(crate) stream: u32,
    pub(crate) number: u64,
}

impl Ticket {
    /// Waits until it is over. Its result goes to the next query of the event.
    pub(super) fn wait(&self) {
        let _ = self.event.wait();
    }
}

/// An object that a device has.
#[derive(Debug)]
struct Held {
    bytes: u64,
    by: Arc<Residency>,
    /// The launch that used it last, if it has not been waited for.
    last: Option<Arc<Ticket>>,
}

/// The parts of one heap that devices have.
#[derive(Debug, Default)]
pub(crate) struct Lent {
    held: Mutex<Objects>,
    /// Launches that claims waited for, of which the program has not been told.
    waited_for: Mutex<Vec<Arc<Ticket>>>,
    /// Why something could not be brought back.
    failed: Mutex<Option<DeviceError>>,
}

/// Objects, by first byte.
#[derive(Debug, Default)]
struct Objects {
    /// Those that devices have.
    lent: BTreeMap<u64, Held>,
    /// Those that are the host's again, and of which a device has a copy that is stale: memory that is filled again when
    /// they are lent.
    stale: BTreeMap<u64, Held>,
}

impl Lent {
    /// Takes note that a device has these objects, before a launch that is to use them.
    pub(crate) fn lend(&self, heap: &Heap, ranges: &[HostRange], by: &Arc<Residency>) {
        let mut held = self.held.lock();
        for range in ranges {
            held.stale.remove(&range.base);
            let new = || Held { bytes: range.bytes as u64, by: by.clone(), last: None };
            held.lent.entry(range.base).or_insert_with(new);
        }
        heap.set_lent(!held.lent.is_empty());
    }

    /// Takes note of the launch that uses these objects, which were lent for it.
    pub(crate) fn begin(&self, ranges: &[HostRange], ticket: &Arc<Ticket>) {
        let mut held = self.held.lock();
        for range in ranges {
            if let Some(it) = held.lent.get_mut(&range.base) {
                it.last = Some(ticket.clone());
            }
        }
    }

    /// A launch is over that used these objects: no caller has to wait for it any more.
    pub(crate) fn end(&self, heap: &Heap, bases: &[u64], ticket: &Arc<Ticket>) {
        let mut held = self.held.lock();
        for base in bases {
            let Some(it) = held.lent.get_mut(base) else { continue };
            let is_last = it.last.take_if(|it| Arc::ptr_eq(it, ticket)).is_some();
            if is_last && it.by.is_direct() {
                held.lent.remove(base);
            }
        }
        heap.set_lent(!held.lent.is_empty());
    }

    /// Makes objects ready for a launch on a device: none is another device's, or used by a launch in another stream that
    /// may not be over.
    pub(crate) fn make_ready(&self, heap: &Heap, ranges: &[HostRange], by: &Arc<Residency>, stream: u32) {
        for range in ranges {
            let mut held = self.held.lock();
            let Some(it) = held.lent.get_mut(&range.base) else { continue };
            if !Arc::ptr_eq(&it.by, by) {
                self.take_back(heap, &mut held, range.base, true);
            } else if let Some(ticket) = it.last.take_if(|it| it.stream != stream) {
                ticket.wait();
                self.tell(heap, ticket);
            }
        }
    }

    /// Brings back all that a device has, and frees its copies.
    ///
    /// # Errors
    /// The driver's.
    pub(crate) fn evict(&self, heap: &Heap, by: &Arc<Residency>) -> Result<(), DeviceError> {
        let mut held = self.held.lock();
        let of_device = held.lent.iter().filter(|it| Arc::ptr_eq(&it.1.by, by));
        for base in of_device.map(|it| *it.0).collect::<Vec<u64>>() {
            self.take_back(heap, &mut held, base, true);
        }
        held.stale.retain(|_, it| !Arc::ptr_eq(&it.by, by));
        heap.set_lent(!held.lent.is_empty());
        by.forget(0, usize::MAX)
    }

    /// Waits for the launch that used an object last and brings back what came of it; `writes`: it is the host's from now on.
    fn take_back(&self, heap: &Heap, held: &mut Objects, base: u64, writes: bool) {
        let Some(it) = held.lent.get_mut(&base) else { return };
        if let Some(ticket) = it.last.take() {
            ticket.wait();
            self.tell(heap, ticket);
        }
        let is_direct = it.by.is_direct();
        if !is_direct && let Err(error) = it.by.fetch(&mut ProgramMemory(heap), base, it.bytes as usize) {
            self.failed.lock().get_or_insert(error);
            heap.set_news(true);
        }
        if writes {
            it.by.invalidate(base, it.bytes as usize);
        }
        if (writes || is_direct)
            && let Some(it) = held.lent.remove(&base)
        {
            held.stale.extend((!is_direct).then_some((base, it)));
        }
    }

    fn tell(&self, heap: &Heap, ticket: Arc<Ticket>) {
        self.waited_for.lock().push(ticket);
        heap.set_news(true);
    }

    /// The launches that claims waited for since this was last asked.
    pub(crate) fn take_waited_for(&self) -> Vec<Arc<Ticket>> {
        std::mem::take(&mut self.waited_for.lock())
    }

    /// Why something could not be brought back, if this has happened since it was last asked.
    pub(crate) fn take_failure(&self) -> Option<DeviceError> {
        self.failed.lock().take()
    }

    /// Waits for launches that use memory that is about to be freed, if it is: mirrors stay where they are.
    pub(crate) fn before_collection(&self) {
        for it in self.held.lock().lent.values().filter(|it| it.by.is_direct()) {
            it.last.iter().for_each(|it| it.wait());
        }
    }

    /// Forgets what was freed.
    pub(crate) fn after_collection(&self, heap: &Heap) {
        let mut held = self.held.lock();
        let is_there = |base: &u64, it: &mut Held| {
            let is_there =
                heap.extent_of(*base) == Some((*base, it.bytes)) && heap.memory_at(*base).is_some();
            if !is_there && let Err(error) = it.by.forget(*base, it.bytes as usize) {
                self.failed.lock().get_or_insert(error);
                heap.set_news(true);
            }
            is_there
        };
        held.lent.retain(is_there);
        held.stale.retain(is_there);
        heap.set_lent(!held.lent.is_empty());
    }
}

impl Lender for Lent {
    fn claim(&self, heap: &Heap, address: u64, writes: bool) {
        let mut held = self.held.lock();
        let found = held.lent.range(..=address).next_back().filter(|(base, it)| address - **base < it.bytes);
        let Some(base) = found.map(|it| *it.0) else { return };
        self.take_back(heap, &mut held, base, writes);
        heap.set_lent(!held.lent.is_empty());
    }

    fn claim_all(&self, heap: &Heap, writes: bool) {
        let mut held = self.held.lock();
        for base in held.lent.keys().copied().collect::<Vec<u64>>() {
            self.take_back(heap, &mut held, base, writes);
        }
        heap.set_lent(!held.lent.is_empty());
    }
}
