//! Strings and simple vectors.

use super::{Heap, Value};
use kiln_memory::{self as space, PERMANENT};
use std::sync::atomic::Ordering;

impl Heap {
    /// A new `String` of any bytes.
    pub fn new_string(&self, text: &[u8]) -> Value {
        let string = self.alloc(self.core.string, 8 + text.len() as u64 + 1);
        // SAFETY: a fresh object of `8 + len + 1` bytes, the last one zero.
        unsafe {
            space::store(string.bits(), text.len() as u64);
            space::copy(text.as_ptr().expose_provenance() as u64, string.bits() + 8, text.len());
        }
        string
    }

    /// A new `String`.
    pub fn string(&self, text: &str) -> Value {
        self.new_string(text.as_bytes())
    }

    /// The bytes of a `String`. They must not be written (through `pointer(s)`) while the slice is in use.
    pub fn string_bytes(&self, string: Value) -> &[u8] {
        assert!(string.ty() == self.core.string, "a {} as a string", self.types.display(string.ty()));
        // SAFETY: a string object starts with its length, its bytes follow.
        unsafe {
            let len = space::load::<u64>(string.bits());
            space::bytes(string.bits() + 8, len as usize)
        }
    }

    /// The bytes, if the value is a `String`.
    pub fn as_string(&self, value: Value) -> Option<&[u8]> {
        (value.ty() == self.core.string).then(|| self.string_bytes(value))
    }

    /// The text of a `String` or the name of a `Symbol`, invalid UTF-8 replaced.
    pub fn text(&self, value: Value) -> Option<String> {
        if let Some(symbol) = value.as_symbol(&self.core) {
            return Some(self.types.name(symbol).to_owned());
        }
        self.as_string(value).map(|it| String::from_utf8_lossy(it).into_owned())
    }

    /// Address of a string's first byte; a NUL follows the last one.
    pub fn string_pointer(&self, string: Value) -> u64 {
        self.string_bytes(string);
        string.bits() + 8
    }

    /// A `SimpleVector`. The empty one is made once.
    pub fn svec(&self, values: &[Value]) -> Value {
        if values.is_empty() {
            return self.empty_svec();
        }
        let vector = self.alloc(self.core.simple_vector, 8 + 8 * values.len() as u64);
        // SAFETY: a fresh object of `8 + 8 * len` bytes.
        unsafe {
            space::store(vector.bits(), values.len() as u64);
            for (index, &value) in values.iter().enumerate() {
                space::store(vector.bits() + 8 + 8 * index as u64, self.box_stored(value));
            }
        }
        vector
    }

    fn empty_svec(&self) -> Value {
        let ty = self.core.simple_vector;
        let known = self.empty_svec.load(Ordering::Acquire);
        if known != 0 {
            return Value::object(ty, known);
        }
        // A second one that another thread makes meanwhile does no harm: all empty ones are identical.
        let address = self.alloc_or_panic(ty, PERMANENT, 8);
        self.empty_svec.store(address, Ordering::Release);
        Value::object(ty, address)
    }

    /// Length of a `SimpleVector`.
    pub fn svec_len(&self, vector: Value) -> usize {
        assert!(vector.ty() == self.core.simple_vector, "{} as svec", self.types.display(vector.ty()));
        // SAFETY: a simple vector starts with its length.
        unsafe { space::load::<u64>(vector.bits()) as usize }
    }

    /// Element `index` (from 0); `None` when it is undefined.
    pub fn svec_get(&self, vector: Value, index: usize) -> Option<Value> {
        let len = self.svec_len(vector);
        assert!(index < len, "element {index} of a svec of {len}");
        // SAFETY: the index was checked; elements are null or objects.
        unsafe {
            match space::load::<u64>(vector.bits() + 8 + 8 * index as u64) {
                0 => None,
                object => Some(self.value_at(object)),
            }
        }
    }

    /// The elements of a `SimpleVector`, which must all be defined.
    pub fn svec_values(&self, vector: Value) -> Vec<Value> {
        (0..self.svec_len(vector)).filter_map(|index| self.svec_get(vector, index)).collect()
    }
}
