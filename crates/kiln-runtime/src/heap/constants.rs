//! Between values of the heap and the interner's constants.

use super::{Heap, ObjectForm, Value};
use kiln_memory::{self as space, HANDLE, PERMANENT, UNCOUNTED};
use kiln_types::{Const, ConstData, ObjectHandle};
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;

/// Objects that constants name, which live for ever.
#[derive(Debug, Default)]
pub(super) struct Handles {
    /// `None` for objects of an image that were not read yet.
    pub(super) objects: Vec<Option<Value>>,
    pub(super) by_address: FxHashMap<u64, ObjectHandle>,
}

/// Longer strings and larger plain values are constants by identity.
const LARGEST: usize = 4096;

impl Heap {
    /// The value of a constant. Objects made for it are kept for ever, so a literal is one object.
    pub fn value_of(&self, constant: Const) -> Value {
        match self.types.const_data(constant) {
            &ConstData::Symbol(symbol) => Value::symbol(&self.core, symbol),
            &ConstData::Type(ty) => self.type_value(ty),
            &ConstData::Module(module) => Value::module(&self.core, module),
            &ConstData::Object { handle, .. } => self.object(handle),
            ConstData::Bits { ty, bytes } if bytes.len() <= 8 => {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                Value::inline(*ty, u64::from_le_bytes(word))
            }
            ConstData::Bits { .. } | ConstData::String(_) | ConstData::Aggregate { .. } => {
                let known = self.constants.lock().get(&constant).copied();
                known.unwrap_or_else(|| self.materialize(constant))
            }
        }
    }

    fn materialize(&self, constant: Const) -> Value {
        let value = match self.types.const_data(constant) {
            ConstData::Bits { ty, bytes } => self.from_bits(*ty, bytes),
            ConstData::String(text) => self.new_string(text),
            ConstData::Aggregate { ty, fields } => {
                let fields: Vec<Value> = fields.iter().map(|&it| self.value_of(it)).collect();
                self.new_struct(*ty, &fields)
            }
            ConstData::Symbol(_) | ConstData::Type(_) | ConstData::Module(_) | ConstData::Object { .. } => {
                return self.value_of(constant);
            }
        };
        *self.constants.lock().entry(constant).or_insert(value)
    }

    /// Returns the constant of a value: by content for immutable values whose parts are constants, else by identity,
    /// which makes the object permanent.
    pub fn const_of(&self, value: Value) -> Const {
        let data = self
            .by_content(value)
            .unwrap_or_else(|| ConstData::Object { ty: value.ty(), handle: self.handle_of(value) });
        self.types.constant(data)
    }

    fn by_content(&self, value: Value) -> Option<ConstData> {
        let core = &self.core;
        if let Some(symbol) = value.as_symbol(core) {
            return Some(ConstData::Symbol(symbol));
        }
        if let Some(ty) = value.as_type_like(core) {
            return Some(ConstData::Type(ty));
        }
        if let Some(module) = value.as_module(core) {
            return Some(ConstData::Module(module));
        }
        let shape = self.shape_of(value);
        if shape.is_bits {
            let fits = shape.size as usize <= LARGEST;
            return fits.then(|| ConstData::Bits { ty: value.ty(), bytes: self.bits_of(value) });
        }
        match shape.form {
            ObjectForm::String => {
                let text = self.string_bytes(value);
                (text.len() <= LARGEST).then(|| ConstData::String(text.into()))
            }
            ObjectForm::Struct if !shape.mutable => self.aggregate(value),
            // An intrinsic function and the like: the number that names it.
            ObjectForm::Inline => {
                Some(ConstData::Bits { ty: value.ty(), bytes: Box::new(value.bits().to_le_bytes()) })
            }
            ObjectForm::Struct | ObjectForm::Svec | ObjectForm::Memory(_) => None,
        }
    }

    fn aggregate(&self, value: Value) -> Option<ConstData> {
        let count = self.field_count(value);
        let mut fields: Vec<Option<Value>> = (0..count).map(|index| self.get_field(value, index)).collect();
        // `new` leaves the last fields undefined.
        fields.truncate(fields.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
        let fields: Vec<Value> = fields.into_iter().collect::<Option<_>>()?;
        // A mutable part would be named by identity, which is right, but its constant must be the same one
        // whenever it is asked for: `const_of` sees to that.
        Some(ConstData::Aggregate {
            ty: value.ty(),
            fields: fields.iter().map(|&it| self.const_of(it)).collect(),
        })
    }

    /// The permanent handle of an object, one an object. For immutable objects that are `===` the handle of
    /// the first one asked for.
    pub fn handle_of(&self, value: Value) -> ObjectHandle {
        assert!(!value.is_inline(), "a handle of a value without an address");
        if let Some(&handle) = self.handles.lock().by_address.get(&value.bits()) {
            return handle;
        }
        let immutable = !self.shape_of(value).mutable;
        if immutable {
            self.named_objects(); // twins among the unread ones of an image
        }
        let mut handles = self.handles.lock();
        let is_twin = |it: &Option<Value>| it.is_some_and(|it| self.egal(it, value));
        let twin = immutable.then(|| handles.objects.iter().position(is_twin)).flatten();
        let handle = match twin {
            Some(index) => ObjectHandle::from_index(index),
            None => {
                handles.objects.push(Some(value));
                ObjectHandle::from_index(handles.objects.len() - 1)
            }
        };
        handles.by_address.insert(value.bits(), handle);
        // SAFETY: a live object; its flags are only changed here and in a collection.
        unsafe {
            let (ty, flags) = space::header(value.bits());
            space::set_header(value.bits(), ty, (flags | HANDLE | PERMANENT) & !UNCOUNTED);
        }
        handle
    }

    /// The object a handle names.
    pub fn object(&self, handle: ObjectHandle) -> Value {
        let known = self.handles.lock().objects[handle.index()];
        known.unwrap_or_else(|| self.thaw_handle(handle))
    }

    /// Returns the number of handles.
    pub(crate) fn handle_count(&self) -> usize {
        self.handles.lock().objects.len()
    }

    /// The objects that handles name, in the order of the handles.
    pub(super) fn named_objects(&self) -> Vec<Value> {
        (0..self.handle_count()).map(|it| self.object(ObjectHandle::from_index(it))).collect()
    }

    /// The addresses of the objects that are kept for ever: values of constants, the boxes that values share, objects of an image.
    pub(super) fn permanent_addresses(&self) -> Vec<u64> {
        let mut found: Vec<u64> = self.handles.lock().objects.iter().flatten().map(|it| it.bits()).collect();
        let constants = self.constants.lock();
        found.extend(constants.values().filter(|it| !it.is_inline()).map(|it| it.bits()));
        found.extend(self.boxes.addresses());
        found.push(self.empty_svec.load(Ordering::Acquire));
        if let Some(frozen) = self.frozen.get() {
            found.extend(frozen.addresses());
        }
        found
    }
}
