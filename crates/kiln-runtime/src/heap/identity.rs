//! `===` and the hash that agrees with it.

use super::{FieldSlot, Heap, ObjectForm, Shape, Value, bits, fields, svecs, text};
use kiln_memory as space;
use kiln_types::{hash, module};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// `a === b`.
#[inline]
pub fn egal(heap: &Heap, a: Value, b: Value) -> bool {
    if a.ty() != b.ty() {
        return false;
    }
    if a.bits() == b.bits() {
        return true;
    }
    !a.is_inline() && egal_objects(heap, a, b)
}

fn egal_objects(heap: &Heap, a: Value, b: Value) -> bool {
    let shape = heap.shape_of(a);
    match shape.form {
        ObjectForm::String => text::bytes(heap, a) == text::bytes(heap, b),
        ObjectForm::Svec => {
            let len = svecs::len(heap, a);
            len == svecs::len(heap, b)
                && (0..len)
                    .all(|index| egal_defined(heap, svecs::get(heap, a, index), svecs::get(heap, b, index)))
        }
        ObjectForm::Struct if !shape.mutable => {
            // SAFETY: both objects have the size and layout the shape says.
            unsafe { egal_data(heap, shape, a.bits(), b.bits()) }
        }
        ObjectForm::Struct | ObjectForm::Inline | ObjectForm::Memory(_) => false,
    }
}

fn egal_defined(heap: &Heap, a: Option<Value>, b: Option<Value>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => egal(heap, a, b),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// # Safety
/// Data of the shape must lie at both addresses.
unsafe fn egal_data(heap: &Heap, shape: &Shape, a: u64, b: u64) -> bool {
    let size = shape.size as usize;
    if shape.plain {
        // SAFETY: the caller's promise.
        return unsafe { space::bytes(a, size) == space::bytes(b, size) };
    }
    shape.fields.iter().all(|field| {
        let (a, b) = (a + u64::from(field.offset), b + u64::from(field.offset));
        match &field.slot {
            &FieldSlot::Inline(ty) => {
                let inner = heap.concrete(ty);
                // SAFETY: the field holds data of its type.
                unsafe { egal_data(heap, inner, a, b) }
            }
            FieldSlot::Pointer | FieldSlot::Union(_) => {
                // SAFETY: the field is stored as the slot says.
                let loaded = unsafe {
                    (
                        fields::load_slot(heap, &field.slot, a, field.size),
                        fields::load_slot(heap, &field.slot, b, field.size),
                    )
                };
                egal_defined(heap, loaded.0, loaded.1)
            }
        }
    })
}

/// The addresses of objects that hashes were made of, while that is asked for: tables by such hashes hold in this process alone.
#[derive(Debug, Default)]
pub(super) struct HashedAddresses {
    is_wanted: AtomicBool,
    addresses: Mutex<FxHashSet<u64>>,
}

impl HashedAddresses {
    fn note(&self, address: u64) {
        if self.is_wanted.load(Ordering::Relaxed) {
            self.addresses.lock().insert(address);
        }
    }

    /// Whether a hash was made of an address.
    pub(super) fn has(&self, address: u64) -> bool {
        self.addresses.lock().contains(&address)
    }
}

/// Notes from now on, or no more, which objects are hashed by where they lie: a heap that has them in a table can not be kept in an
/// image.
pub fn note_hashed_addresses(heap: &Heap, wanted: bool) {
    heap.hashed.is_wanted.store(wanted, Ordering::Relaxed);
}

/// `objectid(value)`: equal for values that are `===`. Symbols, strings and plain data hash by content;
/// mutable objects by address, so only those differ from run to run.
pub fn object_id(heap: &Heap, value: Value) -> u64 {
    let core = &heap.core;
    if let Some(symbol) = value.as_symbol(core) {
        return hash_bytes(1, heap.types.name(symbol).as_bytes());
    }
    if let Some(ty) = value.as_type(core) {
        let hash = hash::of_type(&heap.types, ty);
        return (hash ^ (hash >> 64)) as u64;
    }
    // By its name: where the module lies in this session is nothing that results may depend on.
    if let Some(module) = value.as_module(core) {
        return hash_bytes(5, module::path(&heap.types, module).as_bytes());
    }
    if value.is_inline() {
        let shape = heap.shape_of(value);
        let seed = if shape.is_bits { type_seed(heap, value) } else { value.ty().index() as u64 };
        return mix(seed, value.bits());
    }
    let shape = heap.shape_of(value);
    match shape.form {
        ObjectForm::String => hash_bytes(2, text::bytes(heap, value)),
        ObjectForm::Svec => (0..svecs::len(heap, value)).fold(3, |hash, index| {
            mix(hash, svecs::get(heap, value, index).map_or(0, |it| object_id(heap, it)))
        }),
        ObjectForm::Struct if shape.is_bits => hash_bytes(type_seed(heap, value), &bits::of(heap, value)),
        ObjectForm::Struct if !shape.mutable => (0..shape.fields.len())
            .fold(type_seed(heap, value), |hash, index| {
                mix(hash, fields::get(heap, value, index).map_or(0, |it| object_id(heap, it)))
            }),
        ObjectForm::Struct | ObjectForm::Inline | ObjectForm::Memory(_) => {
            heap.hashed.note(value.bits());
            mix(4, value.bits())
        }
    }
}

fn type_seed(heap: &Heap, value: Value) -> u64 {
    hash::of_type(&heap.types, value.ty()) as u64
}

fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(word ^ 0xd6e8_feb8_6659_fd93);
    (product ^ (product >> 64)) as u64 ^ hash.rotate_left(23)
}

fn hash_bytes(seed: u64, bytes: &[u8]) -> u64 {
    let mut hash = mix(seed, bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash, u64::from_le_bytes(word));
    }
    hash
}
