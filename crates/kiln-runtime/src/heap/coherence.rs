//! Coherence of the heap with devices: a device may hold newer contents of an object, so the host acquires an object
//! before it accesses it.
//!
//! Every access to the elements of a `Memory`, and every raw address, goes through [`acquire_for_host`]. It
//! costs one load while no device has a copy. Compiled code that launches leaves such accesses to the host while a device has a
//! copy; other compiled code acquires nothing: who calls it acquires everything reachable once, before the call.
//!
//! # Deliberately absent
//! Knowledge of devices: a [`Coherence`] has it. Fields of objects other than `Memory`s are never on a device.

use super::shape::ELEMENTS;
use super::{FieldSlot, Heap, ObjectForm, Value, allocation};
use kiln_memory as space;
use kiln_types::{Type, datatype};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Bytes of a `Memory` before its elements: they have contents from the beginning.
pub const MEMORY_HEAD_BYTES: usize = ELEMENTS as usize;
/// Objects visited to find the memories that values reach; beyond this, everything is acquired.
const REACHED_MAX: usize = 512;
/// Words of one object that are looked at.
const WORDS_MAX: u64 = 1 << 12;

/// The devices' side of coherence: knows which objects have copies on devices, and writes them back.
pub trait Coherence: Send + Sync + fmt::Debug {
    /// Copies back the object that has this address, which is about to be read here, or written to if `writes`: no launch that
    /// writes to it runs when this returns.
    fn acquire_for_host(&self, heap: &Heap, address: u64, writes: bool);
    /// Does the same for all objects that devices have.
    fn acquire_all_for_host(&self, heap: &Heap, writes: bool);
}

/// The heap's side of the coherence.
#[derive(Debug, Default)]
pub struct CoherenceState {
    devices: OnceLock<Arc<dyn Coherence>>,
    has_device_copies: AtomicBool,
    has_async_results: AtomicBool,
}

impl CoherenceState {
    /// Attaches the devices' side; only the first call has an effect.
    pub fn attach(&self, devices: Arc<dyn Coherence>) {
        let _ = self.devices.set(devices);
    }

    /// Sets whether a device has a copy of any object.
    pub fn set_has_device_copies(&self, has_device_copies: bool) {
        self.has_device_copies.store(has_device_copies, Ordering::Release);
    }

    /// Whether a device has a copy of any object.
    #[inline]
    pub fn has_device_copies(&self) -> bool {
        self.has_device_copies.load(Ordering::Relaxed)
    }

    /// The address of the byte that says so, which compiled code reads.
    pub fn device_copies_flag(&self) -> *const u8 {
        self.has_device_copies.as_ptr().cast()
    }

    /// Sets whether results of launches are pending.
    pub fn set_async_results(&self, has_async_results: bool) {
        self.has_async_results.store(has_async_results, Ordering::Release);
    }

    /// Whether results of launches wait to surface: `runtime::surface_async_errors` does it.
    #[inline]
    pub fn has_async_results(&self) -> bool {
        self.has_async_results.load(Ordering::Relaxed)
    }
}

/// Acquires the object that has this address.
#[inline]
pub fn acquire_for_host(heap: &Heap, address: u64, writes: bool) {
    if heap.coherence.has_device_copies() {
        acquire_slowly(heap, address, writes);
    }
}

#[cold]
fn acquire_slowly(heap: &Heap, address: u64, writes: bool) {
    if let Some(coherence) = heap.coherence.devices.get() {
        coherence.acquire_for_host(heap, address, writes);
    }
}

/// Acquires all objects.
pub fn acquire_all_for_host(heap: &Heap, writes: bool) {
    if let Some(coherence) = heap.coherence.devices.get().filter(|_| heap.coherence.has_device_copies()) {
        coherence.acquire_all_for_host(heap, writes);
    }
}

/// Acquires all objects that these values reach, by references or by addresses among their bits.
pub fn acquire_reachable_for_host(heap: &Heap, values: &[Value], writes: bool) {
    if !heap.coherence.has_device_copies() {
        return;
    }
    let mut search = Search { heap, writes, pending: Vec::new(), seen: BTreeSet::new() };
    for value in values {
        if value.is_inline() {
            acquire_for_host(heap, value.bits(), writes)
        } else {
            search.reach(value.bits())
        }
    }
    if !search.run() {
        acquire_all_for_host(heap, writes);
    }
}

/// Returns the element type of the `Memory` whose object begins at this address (see [`allocation::extent_of`]), if it
/// holds its elements itself and inline.
pub fn memory_at(heap: &Heap, base: u64) -> Option<Type> {
    allocation::extent_of(heap, base).filter(|it| it.0 == base)?;
    // SAFETY: an object begins there, and every cell and large object has a header before its data.
    let (ty, _) = unsafe { space::header(base) };
    let ObjectForm::Memory(element) = &heap.shape(Type::from_index(ty as usize))?.form else {
        return None;
    };
    // SAFETY: a memory starts with its length and the address of its elements.
    let data: u64 = unsafe { space::load(base + 8) };
    match element.slot {
        FieldSlot::Inline(_) | FieldSlot::Union(_) => (data == base + ELEMENTS).then_some(element.ty),
        FieldSlot::Pointer => None,
    }
}

/// A walk over objects.
struct Search<'a> {
    heap: &'a Heap,
    writes: bool,
    pending: Vec<u64>,
    seen: BTreeSet<u64>,
}

impl Search<'_> {
    fn reach(&mut self, object: u64) {
        if object != 0 && self.seen.insert(object) {
            self.pending.push(object);
        }
    }

    /// Whether all that is reached was looked at.
    fn run(&mut self) -> bool {
        while let Some(object) = self.pending.pop() {
            if self.seen.len() > REACHED_MAX || !self.look(object) {
                return false;
            }
        }
        true
    }

    fn look(&mut self, object: u64) -> bool {
        let heap = self.heap;
        // SAFETY: only objects are reached.
        let ty = unsafe { space::header(object) }.0;
        let shape = heap.concrete(Type::from_index(ty as usize));
        match &shape.form {
            ObjectForm::String => true,
            ObjectForm::Inline => self.words(object, u64::from(shape.size)),
            ObjectForm::Struct => {
                for &offset in &shape.pointers {
                    // SAFETY: the type has a pointer there.
                    self.reach(unsafe { space::load(object + u64::from(offset)) });
                }
                self.words(object, u64::from(shape.size))
            }
            ObjectForm::Svec => {
                // SAFETY: a simple vector starts with its length.
                let len: u64 = unsafe { space::load(object) };
                self.objects(object + 8, len, 8)
            }
            ObjectForm::Memory(element) => {
                acquire_for_host(heap, object, self.writes);
                // SAFETY: a memory starts with its length and the address of its elements.
                let (len, data): (u64, u64) = unsafe { (space::load(object), space::load(object + 8)) };
                acquire_for_host(heap, data, self.writes);
                let stride = u64::from(element.stride);
                match &element.slot {
                    FieldSlot::Pointer => self.objects(data, len, stride),
                    &FieldSlot::Inline(ty)
                        if datatype::is_primitive(&heap.types, ty) && !is_address(heap, ty) =>
                    {
                        true
                    }
                    &FieldSlot::Inline(ty) => {
                        let inner = heap.concrete(ty).pointers.iter();
                        inner.fold(true, |all, &at| all & self.objects(data + u64::from(at), len, stride))
                            & self.words(data, len * stride)
                    }
                    FieldSlot::Union(_) => true,
                }
            }
        }
    }

    fn objects(&mut self, first: u64, count: u64, stride: u64) -> bool {
        if count > WORDS_MAX {
            return false;
        }
        for index in 0..count {
            // SAFETY: the callers pass the places of the pointers of one live object.
            self.reach(unsafe { space::load(first + index * stride) });
        }
        true
    }

    /// Acquires the objects that words are addresses of.
    fn words(&mut self, first: u64, bytes: u64) -> bool {
        if bytes / 8 > WORDS_MAX {
            return false;
        }
        for at in 0..bytes / 8 {
            // SAFETY: the callers pass the data of one live object.
            acquire_for_host(self.heap, unsafe { space::load(first + 8 * at) }, self.writes);
        }
        true
    }
}

fn is_address(heap: &Heap, ty: Type) -> bool {
    let name = datatype::name_of(&heap.types, ty);
    [heap.core.ptr, heap.core.llvm_ptr].iter().any(|it| datatype::name_of(&heap.types, *it) == name)
}
