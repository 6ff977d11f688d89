//! `===` and the hash that agrees with it.

use super::{FieldSlot, Heap, ObjectForm, Shape, Value};
use kiln_memory as space;

impl Heap {
    /// `a === b`.
    #[inline]
    pub fn egal(&self, a: Value, b: Value) -> bool {
        if a.ty() != b.ty() {
            return false;
        }
        if a.bits() == b.bits() {
            return true;
        }
        !a.is_inline() && self.egal_objects(a, b)
    }

    fn egal_objects(&self, a: Value, b: Value) -> bool {
        let shape = self.shape_of(a);
        match shape.form {
            ObjectForm::String => self.string_bytes(a) == self.string_bytes(b),
            ObjectForm::Svec => {
                let len = self.svec_len(a);
                len == self.svec_len(b)
                    && (0..len)
                        .all(|index| self.egal_defined(self.svec_get(a, index), self.svec_get(b, index)))
            }
            ObjectForm::Struct if !shape.mutable => {
                // SAFETY: both objects have the size and layout the shape says.
                unsafe { self.egal_data(shape, a.bits(), b.bits()) }
            }
            ObjectForm::Struct | ObjectForm::Inline | ObjectForm::Memory(_) => false,
        }
    }

    fn egal_defined(&self, a: Option<Value>, b: Option<Value>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => self.egal(a, b),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// # Safety
    /// Data of the shape must lie at both addresses.
    unsafe fn egal_data(&self, shape: &Shape, a: u64, b: u64) -> bool {
        let size = shape.size as usize;
        if shape.plain {
            // SAFETY: the caller's promise.
            return unsafe { space::bytes(a, size) == space::bytes(b, size) };
        }
        shape.fields.iter().all(|field| {
            let (a, b) = (a + u64::from(field.offset), b + u64::from(field.offset));
            match &field.slot {
                &FieldSlot::Inline(ty) => {
                    let inner = self.concrete(ty);
                    // SAFETY: the field holds data of its type.
                    unsafe { self.egal_data(inner, a, b) }
                }
                FieldSlot::Pointer | FieldSlot::Union(_) => {
                    // SAFETY: the field is stored as the slot says.
                    let loaded = unsafe {
                        (
                            self.load_slot(&field.slot, a, field.size),
                            self.load_slot(&field.slot, b, field.size),
                        )
                    };
                    self.egal_defined(loaded.0, loaded.1)
                }
            }
        })
    }

    /// `objectid(value)`: equal for values that are `===`. Symbols, strings and plain data hash by content;
    /// mutable objects by address, so only those differ from run to run.
    pub fn object_id(&self, value: Value) -> u64 {
        let core = &self.core;
        if let Some(symbol) = value.as_symbol(core) {
            return hash_bytes(1, self.types.name(symbol).as_bytes());
        }
        if let Some(ty) = value.as_type(core) {
            let hash = self.types.hash128(ty);
            return (hash ^ (hash >> 64)) as u64;
        }
        // By its name: where the module lies in this session is nothing that results may depend on.
        if let Some(module) = value.as_module(core) {
            return hash_bytes(5, self.types.module_path(module).as_bytes());
        }
        if value.is_inline() {
            let shape = self.shape_of(value);
            let seed = if shape.is_bits { self.type_seed(value) } else { value.ty().index() as u64 };
            return mix(seed, value.bits());
        }
        let shape = self.shape_of(value);
        match shape.form {
            ObjectForm::String => hash_bytes(2, self.string_bytes(value)),
            ObjectForm::Svec => (0..self.svec_len(value)).fold(3, |hash, index| {
                mix(hash, self.svec_get(value, index).map_or(0, |it| self.object_id(it)))
            }),
            ObjectForm::Struct if shape.is_bits => hash_bytes(self.type_seed(value), &self.bits_of(value)),
            ObjectForm::Struct if !shape.mutable => (0..shape.fields.len())
                .fold(self.type_seed(value), |hash, index| {
                    mix(hash, self.get_field(value, index).map_or(0, |it| self.object_id(it)))
                }),
            ObjectForm::Struct | ObjectForm::Inline | ObjectForm::Memory(_) => mix(4, value.bits()),
        }
    }

    fn type_seed(&self, value: Value) -> u64 {
        self.types.hash128(value.ty()) as u64
    }
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
