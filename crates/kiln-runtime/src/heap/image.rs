//! The writer of objects to an image: objects are numbered in the order they are reached, pointers are numbers.
//!
//! ```text
//! serial: number | handles: number | numbers of the objects that handles name: u32 each | table of objects
//! an object: handle + 1, or 0 | type | length, or the word of a box | data
//! ```
//!
//! An object's data are its bytes with every address zero, without the bytes that are 0 ([`Writer::sparse`]), followed by the
//! numbers of the objects the addresses stand for; the address in a `MemoryRef` is a distance from its memory's data. [`super::frozen`] reads them.

use super::{
    ElementLayout, FieldSlot, Heap, ObjectForm, Shape, Value, boxes, constants, memory, shape::ELEMENTS,
};
use kiln_bytes::Writer;
use kiln_memory::{self as space, INLINE};
use kiln_types::freeze::{ImageError, TableWriter};
use kiln_types::{Type, datatype};
use rustc_hash::{FxHashMap, FxHashSet};

const AN_ADDRESS: ImageError = ImageError("an address of memory can not be kept in an image");

/// Numbers objects as they are reached.
#[derive(Debug)]
pub(crate) struct ObjectWriter<'a> {
    pub(crate) heap: &'a Heap,
    numbers: FxHashMap<u64, usize>,
    addresses: Vec<u64>,
    places: FxHashMap<Type, Places>,
    /// The objects with finalizers.
    finalized: FxHashSet<u64>,
}

/// The positions in an object's data that are not plain bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// Addresses of objects.
    pub(super) pointers: Vec<u32>,
    /// `MemoryRef`s: a word, then the address of a memory.
    pub(super) refs: Vec<u32>,
    /// Selector bytes, and how many members they select from.
    pub(super) selectors: Vec<(u32, u8)>,
    /// Addresses of memory that Julia code computes with.
    addresses: Vec<u32>,
}

pub(super) fn places(heap: &Heap, shape: &Shape) -> Places {
    let mut places = Places { pointers: shape.pointers.to_vec(), ..Places::default() };
    add_places(heap, shape, 0, &mut places);
    places
}

fn add_places(heap: &Heap, shape: &Shape, base: u32, places: &mut Places) {
    if shape.is_ref {
        places.refs.push(base);
        return;
    }
    if is_address(heap, shape.ty) {
        places.addresses.push(base);
    }
    for field in &shape.fields {
        let at = base + field.offset;
        match &field.slot {
            &FieldSlot::Inline(ty) => add_places(heap, heap.concrete(ty), at, places),
            FieldSlot::Pointer => {}
            FieldSlot::Union(members) => {
                // A selector that selects a union inside a member selects nothing outside of it.
                places.selectors.push((at + field.size - 1, members.len() as u8));
            }
        }
    }
}

/// Whether the bits of a value are an address: a `Ptr`, or one of LLVM.
fn is_address(heap: &Heap, ty: Type) -> bool {
    let (types, core) = (heap.types(), &heap.core);
    let name = datatype::name_of(types, ty);
    name.is_some() && [core.ptr, core.llvm_ptr].iter().any(|it| datatype::name_of(types, *it) == name)
}

pub(super) fn element_places(heap: &Heap, element: &ElementLayout) -> Places {
    match &element.slot {
        FieldSlot::Pointer => Places { pointers: vec![0], ..Places::default() },
        &FieldSlot::Inline(ty) => places(heap, heap.concrete(ty)),
        FieldSlot::Union(_) => Places::default(),
    }
}

impl<'a> ObjectWriter<'a> {
    pub(crate) fn new(heap: &'a Heap) -> Self {
        Self {
            heap,
            numbers: FxHashMap::default(),
            addresses: Vec::new(),
            places: FxHashMap::default(),
            finalized: heap.finalizers.lock().objects().collect(),
        }
    }

    fn number(&mut self, address: u64) -> usize {
        let next = self.addresses.len();
        let number = *self.numbers.entry(address).or_insert(next);
        if number == next {
            self.addresses.push(address);
        }
        number
    }

    /// Writes a value: an inline one as its bits, an object as its number.
    pub(crate) fn value(&mut self, out: &mut Writer, value: Value) -> Result<(), ImageError> {
        if value.is_inline() {
            self.check_inline(value)?;
            out.number(value.ty().index() as u64 * 2);
            out.number(value.bits());
        } else {
            let number = self.number(value.bits());
            out.number(number as u64 * 2 + 1);
        }
        Ok(())
    }

    fn check_inline(&self, value: Value) -> Result<(), ImageError> {
        let core = &self.heap.core;
        if value.ty() == core.method_instance || value.ty() == core.code_instance {
            return Err(ImageError("a method instance can not be kept in an image"));
        }
        if value.bits() != 0 && is_address(self.heap, value.ty()) {
            return Err(AN_ADDRESS);
        }
        Ok(())
    }

    /// Writes the serial number, the handles, every object reached so far, and those that they reach.
    pub(crate) fn finish(mut self, out: &mut Writer) -> Result<(), ImageError> {
        let named: Vec<u64> = constants::named_objects(self.heap).iter().map(|it| it.bits()).collect();
        out.number(self.heap.serial.load(std::sync::atomic::Ordering::Relaxed));
        out.index(named.len());
        let mut handles = FxHashMap::default();
        for (handle, address) in named.into_iter().enumerate() {
            let number = self.number(address);
            handles.insert(number, handle + 1);
            out.u32(number as u32);
        }
        let mut table = TableWriter::new();
        let mut at = 0;
        while at < self.addresses.len() {
            let entry = table.entry(None);
            entry.index(handles.get(&at).copied().unwrap_or(0));
            self.object(self.addresses[at], entry)?;
            at += 1;
        }
        table.finish(out);
        Ok(())
    }

    fn object(&mut self, address: u64, out: &mut Writer) -> Result<(), ImageError> {
        // SAFETY: only addresses of live objects are numbered.
        let (ty, flags) = unsafe { space::header(address) };
        let ty = Type::from_index(ty as usize);
        out.index(ty.index());
        if flags & INLINE != 0 {
            // SAFETY: a box holds one word.
            let word = unsafe { space::load(address) };
            self.check_inline(Value::inline(ty, word))?;
            out.number(word);
            return Ok(());
        }
        let heap = self.heap;
        if heap.hashed.has(address) {
            return Err(ImageError("an object that was hashed by where it lies can not be kept in an image"));
        }
        if self.finalized.contains(&address) {
            return Err(ImageError("an object with a finalizer can not be kept in an image"));
        }
        let shape = heap.concrete(ty);
        if shape.is_weak {
            return Err(ImageError("a weak reference can not be kept in an image"));
        }
        // SAFETY: of strings, vectors and memories the length comes first; see each arm for the rest.
        unsafe {
            match &shape.form {
                ObjectForm::Inline => return Err(ImageError("an inline value that is an object")),
                ObjectForm::Struct => {
                    let places = self.places.entry(ty).or_insert_with(|| places(heap, shape)).clone();
                    self.data(out, address, shape.size, 1, &places)?;
                }
                ObjectForm::String => {
                    let len: u64 = space::load(address);
                    out.number(len);
                    out.raw(space::bytes(address + 8, len as usize));
                }
                ObjectForm::Svec => {
                    let len: u64 = space::load(address);
                    out.number(len);
                    for index in 0..len {
                        let pointer = space::load(address + 8 + 8 * index);
                        self.pointer(out, pointer);
                    }
                }
                ObjectForm::Memory(element) => {
                    let (len, start): (u64, u64) = (space::load(address), space::load(address + 8));
                    out.number(len);
                    if start != address + ELEMENTS {
                        return Err(ImageError("a memory outside the heap can not be kept in an image"));
                    }
                    if matches!(element.slot, FieldSlot::Union(_)) {
                        out.raw(space::bytes(start, (len * (u64::from(element.stride) + 1)) as usize));
                        return Ok(());
                    }
                    let places = element_places(heap, element);
                    self.data(out, start, element.stride, len as usize, &places)?;
                }
            }
        }
        Ok(())
    }

    fn pointer(&mut self, out: &mut Writer, address: u64) {
        let number = if address == 0 { 0 } else { self.number(address) + 1 };
        out.index(number);
    }

    /// # Safety
    /// `count` data of `size` bytes each with these places must lie at `address`.
    unsafe fn data(
        &mut self,
        out: &mut Writer,
        address: u64,
        size: u32,
        count: usize,
        places: &Places,
    ) -> Result<(), ImageError> {
        // SAFETY: the caller's promise; every place lies within the data.
        unsafe {
            let size = size as usize;
            let mut bytes = space::bytes(address, size * count).to_vec();
            for base in (0..count).map(|it| it * size) {
                for at in places.refs.iter().map(|&it| base + it as usize) {
                    let memory: u64 = space::load(address + at as u64 + 8);
                    let word: u64 = space::load(address + at as u64);
                    let distance = if memory == 0 { 0 } else { self.distance(memory, word)? };
                    bytes[at..at + 8].copy_from_slice(&distance.to_le_bytes());
                }
                for at in places.pointers.iter().map(|&it| base + it as usize) {
                    bytes[at..at + 8].fill(0);
                }
                let mut addresses = places.addresses.iter().map(|&it| base + it as usize);
                if addresses.any(|at| bytes[at..at + 8] != [0; 8]) {
                    return Err(AN_ADDRESS);
                }
            }
            out.sparse(&bytes);
            for base in (0..count).map(|it| it * size) {
                for &at in &places.pointers {
                    self.pointer(out, space::load(address + base as u64 + u64::from(at)));
                }
            }
        }
        Ok(())
    }

    /// # Safety
    /// `memory` must be a memory object.
    unsafe fn distance(&self, memory: u64, word: u64) -> Result<u64, ImageError> {
        // SAFETY: the caller's promise.
        let (value, data) = unsafe { (boxes::value_at(memory), space::load::<u64>(memory + 8)) };
        let element = memory::element(self.heap, value.ty()).ok_or(ImageError("a reference to no memory"))?;
        Ok(if element.by_index() { word } else { word.wrapping_sub(data) })
    }
}
