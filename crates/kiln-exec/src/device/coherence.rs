//! Objects of the heap that devices have: where their newest contents are, and which launch used each last.
//!
//! A launch acquires for its device the objects that its arguments point to; an access on the host acquires an object for the
//! host (`heap::coherence`). That waits for the launch that used the object last, and copies the contents back from a device
//! with memory of its own. A read leaves the device's copy valid for the next launch; a write invalidates it, and the next
//! launch copies the object again.
//!
//! # Invariants
//! * One device holds an object at a time.
//! * The lock is held while an acquisition waits and copies, so that a second one finds what the first waited for; no Julia
//!   code runs meanwhile.

use super::addresses::ProgramMemory;
use kiln_launch::{DeviceError, Event, HostRange, Residency};
use kiln_runtime::heap::{allocation, coherence};
use kiln_runtime::{Coherence, Heap};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A launch that was put in a stream.
#[derive(Debug)]
pub(crate) struct Fence {
    pub(crate) event: Box<dyn Event>,
    /// The stream of the program's, and the number of the launch among all: later ones have greater ones.
    pub(crate) stream: u32,
    pub(crate) number: u64,
}

impl Fence {
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
    last: Option<Arc<Fence>>,
}

/// The parts of one heap that devices have.
#[derive(Debug, Default)]
pub struct DeviceCopies {
    held: Mutex<Objects>,
    /// Launches that an access on the host waited for and whose results have not surfaced.
    waited_for: Mutex<Vec<Arc<Fence>>>,
    /// The error of the last copy back that failed.
    failed: Mutex<Option<DeviceError>>,
}

/// Objects, by first byte.
#[derive(Debug, Default)]
struct Objects {
    /// Objects whose newest contents a device may have.
    resident: BTreeMap<u64, Held>,
    /// Objects that the host has written to since: the device's memory is kept, and filled again at their next launch.
    stale: BTreeMap<u64, Held>,
}

impl DeviceCopies {
    /// Records that a device has these objects, before a launch that is to use them.
    pub(crate) fn acquire_for_device(&self, heap: &Heap, ranges: &[HostRange], by: &Arc<Residency>) {
        let mut held = self.held.lock();
        for range in ranges {
            held.stale.remove(&range.base);
            let new = || Held { bytes: range.bytes as u64, by: by.clone(), last: None };
            held.resident.entry(range.base).or_insert_with(new);
        }
        heap.coherence.set_has_device_copies(!held.resident.is_empty());
    }

    /// Records the launch that uses these objects, which were acquired for it.
    pub(crate) fn begin(&self, ranges: &[HostRange], fence: &Arc<Fence>) {
        let mut held = self.held.lock();
        for range in ranges {
            if let Some(it) = held.resident.get_mut(&range.base) {
                it.last = Some(fence.clone());
            }
        }
    }

    /// A launch is over that used these objects: no caller has to wait for it any more.
    pub(crate) fn end(&self, heap: &Heap, bases: &[u64], fence: &Arc<Fence>) {
        let mut held = self.held.lock();
        for base in bases {
            let Some(it) = held.resident.get_mut(base) else { continue };
            let is_last = it.last.take_if(|it| Arc::ptr_eq(it, fence)).is_some();
            if is_last && it.by.is_direct() {
                held.resident.remove(base);
            }
        }
        heap.coherence.set_has_device_copies(!held.resident.is_empty());
    }

    /// Makes objects ready for a launch on a device: none is another device's, or used by a launch in another stream that
    /// may not be over.
    pub(crate) fn make_ready(&self, heap: &Heap, ranges: &[HostRange], by: &Arc<Residency>, stream: u32) {
        for range in ranges {
            let mut held = self.held.lock();
            let Some(it) = held.resident.get_mut(&range.base) else { continue };
            if !Arc::ptr_eq(&it.by, by) {
                self.write_back(heap, &mut held, range.base, true);
            } else if let Some(fence) = it.last.take_if(|it| it.stream != stream) {
                fence.wait();
                self.tell(heap, fence);
            }
        }
    }

    /// Copies back all that a device has, and frees its copies.
    ///
    /// # Errors
    /// The driver's.
    pub(crate) fn evict(&self, heap: &Heap, by: &Arc<Residency>) -> Result<(), DeviceError> {
        let mut held = self.held.lock();
        let of_device = held.resident.iter().filter(|it| Arc::ptr_eq(&it.1.by, by));
        for base in of_device.map(|it| *it.0).collect::<Vec<u64>>() {
            self.write_back(heap, &mut held, base, true);
        }
        held.stale.retain(|_, it| !Arc::ptr_eq(&it.by, by));
        heap.coherence.set_has_device_copies(!held.resident.is_empty());
        by.drop_mirrors(0, usize::MAX)
    }

    /// Waits for the launch that used an object last and copies its contents back; `writes` invalidates the device's copy.
    fn write_back(&self, heap: &Heap, held: &mut Objects, base: u64, writes: bool) {
        let Some(it) = held.resident.get_mut(&base) else { return };
        if let Some(fence) = it.last.take() {
            fence.wait();
            self.tell(heap, fence);
        }
        let is_direct = it.by.is_direct();
        if !is_direct && let Err(error) = it.by.write_back(&mut ProgramMemory(heap), base, it.bytes as usize)
        {
            self.failed.lock().get_or_insert(error);
            heap.coherence.set_async_results(true);
        }
        if writes {
            it.by.invalidate(base, it.bytes as usize);
        }
        if (writes || is_direct)
            && let Some(it) = held.resident.remove(&base)
        {
            held.stale.extend((!is_direct).then_some((base, it)));
        }
    }

    fn tell(&self, heap: &Heap, fence: Arc<Fence>) {
        self.waited_for.lock().push(fence);
        heap.coherence.set_async_results(true);
    }

    /// Takes the launches that accesses on the host have waited for.
    pub(crate) fn take_waited_for(&self) -> Vec<Arc<Fence>> {
        std::mem::take(&mut self.waited_for.lock())
    }

    /// Takes the error of a copy back that failed.
    pub(crate) fn take_failure(&self) -> Option<DeviceError> {
        self.failed.lock().take()
    }

    /// The objects that launches in flight use where they are: others use mirrors.
    pub fn in_use(&self) -> Vec<u64> {
        let held = self.held.lock();
        let used = held
            .resident
            .iter()
            .filter(|(_, it)| it.by.is_direct() && it.last.as_ref().is_some_and(|it| !it.event.is_over()));
        used.map(|it| *it.0).collect()
    }

    /// Forgets what was freed.
    pub fn after_collection(&self, heap: &Heap) {
        let mut held = self.held.lock();
        let is_there = |base: &u64, it: &mut Held| {
            let is_there = allocation::extent_of(heap, *base) == Some((*base, it.bytes))
                && coherence::memory_at(heap, *base).is_some();
            if !is_there && let Err(error) = it.by.drop_mirrors(*base, it.bytes as usize) {
                self.failed.lock().get_or_insert(error);
                heap.coherence.set_async_results(true);
            }
            is_there
        };
        held.resident.retain(is_there);
        held.stale.retain(is_there);
        heap.coherence.set_has_device_copies(!held.resident.is_empty());
    }
}

impl Coherence for DeviceCopies {
    fn acquire_for_host(&self, heap: &Heap, address: u64, writes: bool) {
        let mut held = self.held.lock();
        let found =
            held.resident.range(..=address).next_back().filter(|(base, it)| address - **base < it.bytes);
        let Some(base) = found.map(|it| *it.0) else { return };
        self.write_back(heap, &mut held, base, writes);
        heap.coherence.set_has_device_copies(!held.resident.is_empty());
    }

    fn acquire_all_for_host(&self, heap: &Heap, writes: bool) {
        let mut held = self.held.lock();
        for base in held.resident.keys().copied().collect::<Vec<u64>>() {
            self.write_back(heap, &mut held, base, writes);
        }
        heap.coherence.set_has_device_copies(!held.resident.is_empty());
    }
}
