//! Between values of the heap and the interner's constants.

use super::{Heap, ObjectForm, Value, bits, fields, frozen, identity, text};
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

/// The value of a constant. Objects made for it are kept for ever, so a literal is one object.
pub fn value_of(heap: &Heap, constant: Const) -> Value {
    match heap.types.const_data(constant) {
        &ConstData::Symbol(symbol) => Value::symbol(&heap.core, symbol),
        &ConstData::Type(ty) => heap.type_value(ty),
        &ConstData::Module(module) => Value::module(&heap.core, module),
        &ConstData::Object { handle, .. } => object(heap, handle),
        ConstData::Bits { ty, bytes } if bytes.len() <= 8 => {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            Value::inline(*ty, u64::from_le_bytes(word))
        }
        ConstData::Bits { .. } | ConstData::String(_) | ConstData::Aggregate { .. } => {
            let known = heap.constants.lock().get(&constant).copied();
            known.unwrap_or_else(|| materialize(heap, constant))
        }
    }
}

fn materialize(heap: &Heap, constant: Const) -> Value {
    let value = match heap.types.const_data(constant) {
        ConstData::Bits { ty, bytes } => bits::from_bits(heap, *ty, bytes),
        ConstData::String(text) => text::from_bytes(heap, text),
        ConstData::Aggregate { ty, fields } => {
            let fields: Vec<Value> = fields.iter().map(|&it| value_of(heap, it)).collect();
            fields::new_struct(heap, *ty, &fields)
        }
        ConstData::Symbol(_) | ConstData::Type(_) | ConstData::Module(_) | ConstData::Object { .. } => {
            return value_of(heap, constant);
        }
    };
    *heap.constants.lock().entry(constant).or_insert(value)
}

/// Returns the constant of a value: by content for immutable values whose parts are constants, else by identity,
/// which makes the object permanent.
pub fn const_of(heap: &Heap, value: Value) -> Const {
    let data = by_content(heap, value)
        .unwrap_or_else(|| ConstData::Object { ty: value.ty(), handle: handle_of(heap, value) });
    heap.types.constant(data)
}

fn by_content(heap: &Heap, value: Value) -> Option<ConstData> {
    let core = &heap.core;
    if let Some(symbol) = value.as_symbol(core) {
        return Some(ConstData::Symbol(symbol));
    }
    if let Some(ty) = value.as_type_like(core) {
        return Some(ConstData::Type(ty));
    }
    if let Some(module) = value.as_module(core) {
        return Some(ConstData::Module(module));
    }
    let shape = heap.shape_of(value);
    if shape.is_bits {
        let fits = shape.size as usize <= LARGEST;
        return fits.then(|| ConstData::Bits { ty: value.ty(), bytes: bits::of(heap, value) });
    }
    match shape.form {
        ObjectForm::String => {
            let text = text::bytes(heap, value);
            (text.len() <= LARGEST).then(|| ConstData::String(text.into()))
        }
        ObjectForm::Struct if !shape.mutable => aggregate(heap, value),
        // An intrinsic function and the like: the number that names it.
        ObjectForm::Inline => {
            Some(ConstData::Bits { ty: value.ty(), bytes: Box::new(value.bits().to_le_bytes()) })
        }
        ObjectForm::Struct | ObjectForm::Svec | ObjectForm::Memory(_) => None,
    }
}

fn aggregate(heap: &Heap, value: Value) -> Option<ConstData> {
    let count = fields::count(heap, value);
    let mut fields: Vec<Option<Value>> = (0..count).map(|index| fields::get(heap, value, index)).collect();
    // `new` leaves the last fields undefined.
    fields.truncate(fields.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
    let fields: Vec<Value> = fields.into_iter().collect::<Option<_>>()?;
    // A mutable part would be named by identity, which is right, but its constant must be the same one
    // whenever it is asked for: `const_of` sees to that.
    Some(ConstData::Aggregate {
        ty: value.ty(),
        fields: fields.iter().map(|&it| const_of(heap, it)).collect(),
    })
}

/// The permanent handle of an object, one an object. For immutable objects that are `===` the handle of
/// the first one asked for.
pub fn handle_of(heap: &Heap, value: Value) -> ObjectHandle {
    assert!(!value.is_inline(), "a handle of a value without an address");
    if let Some(&handle) = heap.handles.lock().by_address.get(&value.bits()) {
        return handle;
    }
    let immutable = !heap.shape_of(value).mutable;
    if immutable {
        named_objects(heap); // twins among the unread ones of an image
    }
    let mut handles = heap.handles.lock();
    let is_twin = |it: &Option<Value>| it.is_some_and(|it| identity::egal(heap, it, value));
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
pub fn object(heap: &Heap, handle: ObjectHandle) -> Value {
    let known = heap.handles.lock().objects[handle.index()];
    known.unwrap_or_else(|| frozen::thaw_handle(heap, handle))
}

/// Returns the number of handles.
pub(crate) fn handle_count(heap: &Heap) -> usize {
    heap.handles.lock().objects.len()
}

/// The objects that handles name, in the order of the handles.
pub(super) fn named_objects(heap: &Heap) -> Vec<Value> {
    (0..handle_count(heap)).map(|it| object(heap, ObjectHandle::from_index(it))).collect()
}

/// The addresses of the objects that are kept for ever: values of constants, the boxes that values share, objects of an image.
pub(super) fn permanent_addresses(heap: &Heap) -> Vec<u64> {
    let mut found: Vec<u64> = heap.handles.lock().objects.iter().flatten().map(|it| it.bits()).collect();
    let constants = heap.constants.lock();
    found.extend(constants.values().filter(|it| !it.is_inline()).map(|it| it.bits()));
    found.extend(heap.boxes.addresses());
    found.push(heap.empty_svec.load(Ordering::Acquire));
    if let Some(frozen) = heap.frozen.get() {
        found.extend(frozen.addresses());
    }
    found
}

/// A number no other call gives: for names that must be new.
pub fn next_serial(heap: &Heap) -> u64 {
    heap.serial.fetch_add(1, Ordering::Relaxed)
}
