//! Objects in an image: numbered in the order they are reached, pointers as numbers.
//!
//! The directory of an image tells the type and the length of every object, so that all can be allocated before
//! any is filled. An object's data are its bytes with every address zero, followed by the numbers of the objects
//! the addresses stand for; the address in a `MemoryRef` is a distance from its memory's data.

use super::space::{self, HANDLE, INLINE, PERMANENT};
use super::{Element, Form, Heap, Shape, Slot, Value, memory::ELEMENTS};
use kiln_types::freeze::{Counts, ImageError, In, Out};
use kiln_types::{ObjectHandle, Type};
use rustc_hash::FxHashMap;

/// Numbers objects as they are reached.
#[derive(Debug)]
pub(crate) struct ObjectWriter<'a> {
    heap: &'a Heap,
    numbers: FxHashMap<u64, usize>,
    addresses: Vec<u64>,
    places: FxHashMap<Type, Places>,
}

/// Where an object's data hold what is not plain bytes.
#[derive(Clone, Debug, Default)]
struct Places {
    /// Addresses of objects.
    pointers: Vec<u32>,
    /// `MemoryRef`s: a word, then the address of a memory.
    refs: Vec<u32>,
    /// Selector bytes, and how many members they select from.
    selectors: Vec<(u32, u8)>,
}

impl Heap {
    fn places(&self, shape: &Shape) -> Places {
        let mut places = Places { pointers: shape.pointers.to_vec(), ..Places::default() };
        self.add_places(shape, 0, &mut places);
        places
    }

    fn add_places(&self, shape: &Shape, base: u32, places: &mut Places) {
        if shape.is_ref {
            places.refs.push(base);
            return;
        }
        for field in &shape.fields {
            let at = base + field.offset;
            match &field.slot {
                &Slot::Inline(ty) => self.add_places(self.concrete(ty), at, places),
                Slot::Pointer => {}
                Slot::Union(members) => {
                    // A selector that selects a union inside a member selects nothing outside of it.
                    places.selectors.push((at + field.size - 1, members.len() as u8));
                }
            }
        }
    }

    fn element_places(&self, element: &Element) -> Places {
        match &element.slot {
            Slot::Pointer => Places { pointers: vec![0], ..Places::default() },
            &Slot::Inline(ty) => self.places(self.concrete(ty)),
            Slot::Union(_) => Places::default(),
        }
    }
}

impl<'a> ObjectWriter<'a> {
    pub(crate) fn new(heap: &'a Heap) -> Self {
        Self { heap, numbers: FxHashMap::default(), addresses: Vec::new(), places: FxHashMap::default() }
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
    pub(crate) fn value(&mut self, out: &mut Out, value: Value) -> Result<(), ImageError> {
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
        Ok(())
    }

    /// Writes every object reached so far and those that they reach, the handles, and the serial number.
    pub(crate) fn finish(mut self, out: &mut Out) -> Result<(), ImageError> {
        let mut handles = Out::new();
        let named = self.heap.handles.lock().objects.clone();
        handles.index(named.len());
        for value in named {
            handles.index(self.number(value.bits()));
        }
        let (mut directory, mut data) = (Out::new(), Out::new());
        let mut at = 0;
        while at < self.addresses.len() {
            self.object(self.addresses[at], &mut directory, &mut data)?;
            at += 1;
        }
        out.number(self.heap.serial.load(std::sync::atomic::Ordering::Relaxed));
        out.index(self.addresses.len());
        out.bytes(&directory.into_bytes());
        out.bytes(&data.into_bytes());
        out.raw(&handles.into_bytes());
        Ok(())
    }

    fn object(&mut self, address: u64, directory: &mut Out, data: &mut Out) -> Result<(), ImageError> {
        // SAFETY: only addresses of live objects are numbered.
        let (ty, flags) = unsafe { space::header(address) };
        let ty = Type::from_index(ty as usize);
        directory.index(ty.index());
        if flags & INLINE != 0 {
            // SAFETY: a box holds one word.
            let word = unsafe { space::load(address) };
            self.check_inline(Value::inline(ty, word))?;
            directory.number(word);
            return Ok(());
        }
        let heap = self.heap;
        let shape = heap.concrete(ty);
        // SAFETY: of strings, vectors and memories the length comes first; see each arm for the rest.
        unsafe {
            match &shape.form {
                Form::Inline => return Err(ImageError("an inline value that is an object")),
                Form::Struct => {
                    let places = self.places.entry(ty).or_insert_with(|| heap.places(shape)).clone();
                    self.data(data, address, shape.size, &places)?;
                }
                Form::String => {
                    let len: u64 = space::load(address);
                    directory.number(len);
                    data.raw(space::bytes(address + 8, len as usize));
                }
                Form::Svec => {
                    let len: u64 = space::load(address);
                    directory.number(len);
                    for index in 0..len {
                        let pointer = space::load(address + 8 + 8 * index);
                        self.pointer(data, pointer);
                    }
                }
                Form::Memory(element) => {
                    let (len, start): (u64, u64) = (space::load(address), space::load(address + 8));
                    directory.number(len);
                    if start != address + ELEMENTS {
                        return Err(ImageError("a memory outside the heap can not be kept in an image"));
                    }
                    if matches!(element.slot, Slot::Union(_)) {
                        data.raw(space::bytes(start, (len * (u64::from(element.stride) + 1)) as usize));
                        return Ok(());
                    }
                    let places = heap.element_places(element);
                    for index in 0..len {
                        let at = start + index * u64::from(element.stride);
                        self.data(data, at, element.stride, &places)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn pointer(&mut self, data: &mut Out, address: u64) {
        let number = if address == 0 { 0 } else { self.number(address) + 1 };
        data.index(number);
    }

    /// # Safety
    /// Data of `size` bytes with these places must lie at `address`.
    unsafe fn data(
        &mut self,
        out: &mut Out,
        address: u64,
        size: u32,
        places: &Places,
    ) -> Result<(), ImageError> {
        // SAFETY: the caller's promise; every place lies within the data.
        unsafe {
            let mut bytes = space::bytes(address, size as usize).to_vec();
            for &at in &places.refs {
                let memory: u64 = space::load(address + u64::from(at) + 8);
                let word: u64 = space::load(address + u64::from(at));
                let distance = if memory == 0 { 0 } else { self.distance(memory, word)? };
                bytes[at as usize..at as usize + 8].copy_from_slice(&distance.to_le_bytes());
            }
            for &at in &places.pointers {
                bytes[at as usize..at as usize + 8].fill(0);
            }
            out.raw(&bytes);
            for &at in &places.pointers {
                self.pointer(out, space::load(address + u64::from(at)));
            }
        }
        Ok(())
    }

    /// # Safety
    /// `memory` must be a memory object.
    unsafe fn distance(&self, memory: u64, word: u64) -> Result<u64, ImageError> {
        // SAFETY: the caller's promise.
        let (value, data) = unsafe { (self.heap.value_at(memory), space::load::<u64>(memory + 8)) };
        let element = self.heap.element(value.ty()).ok_or(ImageError("a reference to no memory"))?;
        Ok(if element.by_index() { word } else { word.wrapping_sub(data) })
    }
}

/// The objects of an image by number: for values that are read when somebody asks for them. Good until the first
/// collection, which keeps only what has been read.
#[derive(Debug)]
pub(crate) struct ObjectNumbers {
    addresses: Vec<u64>,
    types: usize,
}

impl ObjectNumbers {
    /// Reads a value.
    pub(crate) fn value(&self, input: &mut In<'_>) -> Result<Value, ImageError> {
        let number = input.number()?;
        let index = (number >> 1) as usize;
        if number & 1 == 0 {
            if index >= self.types {
                return Err(ImageError("a value of a type that does not exist"));
            }
            return Ok(Value::inline(Type::from_index(index), input.number()?));
        }
        let address = *self.addresses.get(index).ok_or(ImageError("an object that does not exist"))?;
        // SAFETY: the address of an object that `ObjectReader::read` made; a box holds one word.
        unsafe {
            let (ty, flags) = space::header(address);
            let ty = Type::from_index(ty as usize);
            let inline = flags & INLINE != 0;
            Ok(if inline { Value::inline(ty, space::load(address)) } else { Value::object(ty, address) })
        }
    }
}

/// The objects of an image, in a heap.
#[derive(Debug)]
pub(crate) struct ObjectReader<'a> {
    heap: &'a Heap,
    counts: Counts,
    addresses: Vec<u64>,
}

impl<'a> ObjectReader<'a> {
    /// Makes the objects. `heap` must be empty.
    pub(crate) fn read(heap: &'a Heap, input: &mut In<'_>) -> Result<Self, ImageError> {
        heap.serial.store(input.number()?, std::sync::atomic::Ordering::Relaxed);
        let count = input.number()?;
        let (mut directory, mut data) = (In::new(input.bytes()?), In::new(input.bytes()?));
        // An object has a type at least.
        if count > directory.left() as u64 {
            return Err(ImageError("an image with more objects than bytes"));
        }
        let mut reader =
            Self { heap, counts: heap.types.counts(), addresses: Vec::with_capacity(count as usize) };
        for _ in 0..count {
            let address = reader.allocate(&mut directory, data.left() as u64)?;
            reader.addresses.push(address);
        }
        directory.finish()?;
        let mut places = FxHashMap::default();
        for at in 0..reader.addresses.len() {
            reader.fill(reader.addresses[at], &mut data, &mut places)?;
        }
        data.finish()?;
        let handles = input.list(|it| it.index(reader.addresses.len()))?;
        reader.restore_handles(&handles)?;
        Ok(reader)
    }

    fn ty(&self, input: &mut In<'_>) -> Result<Type, ImageError> {
        self.counts.ty(input)
    }

    fn inline(&self, ty: Type, bits: u64) -> Result<Value, ImageError> {
        let shape = self.heap.shape(ty).ok_or(ImageError("a value of no concrete type"))?;
        let (counts, core) = (&self.counts, &self.heap.core);
        let limit = if ty == core.symbol {
            counts.symbols as u64
        } else if ty == core.module {
            counts.modules as u64
        } else if ty == core.type_name {
            counts.names as u64
        } else if shape.is_name
            && ty != core.method
            && ty != core.method_table
            && ty != core.intrinsic_function
        {
            counts.types as u64
        } else if shape.size < 8 {
            1 << (8 * shape.size)
        } else {
            u64::MAX
        };
        let fits = bits < limit || (limit == u64::MAX && shape.size == 8);
        if shape.form == Form::Inline && fits {
            Ok(Value::inline(ty, bits))
        } else {
            Err(ImageError("bits that are no value of their type"))
        }
    }

    fn allocate(&self, directory: &mut In<'_>, left: u64) -> Result<u64, ImageError> {
        let ty = self.ty(directory)?;
        let heap = self.heap;
        let shape = heap.shape(ty).ok_or(ImageError("an object of no concrete type"))?;
        // A length without the bytes to fill it is refused before memory is asked for.
        let mut length = |each: u64| {
            let len = directory.number()?;
            if len.checked_mul(each).is_none_or(|it| it > left) {
                return Err(ImageError("an object longer than the image"));
            }
            Ok(len)
        };
        Ok(match &shape.form {
            Form::Inline => heap.box_value(self.inline(ty, directory.number()?)?),
            Form::Struct => heap.alloc(ty, u64::from(shape.size)).bits(),
            Form::String => {
                let len = length(1)?;
                let string = heap.alloc(ty, 8 + len + 1).bits();
                // SAFETY: a fresh object that starts with its length.
                unsafe { space::store(string, len) };
                string
            }
            Form::Svec => {
                let len = length(1)?;
                let vector = heap.alloc(ty, 8 + 8 * len).bits();
                // SAFETY: a fresh object that starts with its length.
                unsafe { space::store(vector, len) };
                vector
            }
            Form::Memory(element) => {
                // Elements without size take no bytes; what is left bounds their number too.
                let each =
                    if matches!(element.slot, Slot::Pointer) { 1 } else { u64::from(element.stride).max(1) };
                let len = if element.stride == 0 { directory.u32()?.into() } else { length(each)? };
                let fits = i64::try_from(len).is_ok_and(|it| heap.memory_fits(ty, it));
                let memory = if fits { heap.try_new_memory(ty, len as usize) } else { None };
                memory.ok_or(ImageError("a memory too large"))?.bits()
            }
        })
    }

    fn fill(
        &self,
        address: u64,
        data: &mut In<'_>,
        known: &mut FxHashMap<Type, Places>,
    ) -> Result<(), ImageError> {
        let heap = self.heap;
        // SAFETY: `allocate` made the object, in the form its type has; every write stays within it.
        unsafe {
            let (ty, flags) = space::header(address);
            if flags & INLINE != 0 {
                return Ok(());
            }
            let ty = Type::from_index(ty as usize);
            let shape = heap.concrete(ty);
            match &shape.form {
                Form::Inline => {}
                Form::Struct => {
                    let places = known.entry(ty).or_insert_with(|| heap.places(shape));
                    self.data(address, shape.size, data, places)?;
                }
                Form::String => {
                    let len: u64 = space::load(address);
                    store_bytes(address + 8, data.raw(len as usize)?);
                }
                Form::Svec => {
                    let len: u64 = space::load(address);
                    for index in 0..len {
                        space::store(address + 8 + 8 * index, self.pointer(data)?);
                    }
                }
                Form::Memory(element) => {
                    let len: u64 = space::load(address);
                    let start = address + ELEMENTS;
                    let stride = u64::from(element.stride);
                    if let Slot::Union(members) = &element.slot {
                        let bytes = data.raw((len * (stride + 1)) as usize)?;
                        if bytes[(len * stride) as usize..].iter().any(|&it| usize::from(it) >= members.len())
                        {
                            return Err(ImageError("a selector selects nothing"));
                        }
                        store_bytes(start, bytes);
                        return Ok(());
                    }
                    let places = known.entry(ty).or_insert_with(|| heap.element_places(element));
                    for index in 0..len {
                        self.data(start + index * stride, element.stride, data, places)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn pointer(&self, data: &mut In<'_>) -> Result<u64, ImageError> {
        let number = data.index(self.addresses.len() + 1)?;
        Ok(if number == 0 { 0 } else { self.addresses[number - 1] })
    }

    /// # Safety
    /// `address` must be writable for `size` bytes, within which the places lie.
    unsafe fn data(
        &self,
        address: u64,
        size: u32,
        data: &mut In<'_>,
        places: &Places,
    ) -> Result<(), ImageError> {
        let bytes = data.raw(size as usize)?;
        if places.selectors.iter().any(|&(at, members)| bytes[at as usize] >= members) {
            return Err(ImageError("a selector selects nothing"));
        }
        // SAFETY: the caller's promise.
        unsafe {
            store_bytes(address, bytes);
            for &at in &places.pointers {
                space::store(address + u64::from(at), self.pointer(data)?);
            }
            for &at in &places.refs {
                let at = address + u64::from(at);
                let memory: u64 = space::load(at + 8);
                if memory != 0 {
                    let distance = space::load(at);
                    space::store(at, self.reference(memory, distance)?);
                }
            }
        }
        Ok(())
    }

    /// # Safety
    /// `memory` must be an object.
    unsafe fn reference(&self, memory: u64, distance: u64) -> Result<u64, ImageError> {
        // SAFETY: the caller's promise; a memory starts with its length and the address of its data.
        unsafe {
            let value = self.heap.value_at(memory);
            let element = self.heap.element(value.ty()).ok_or(ImageError("a reference to no memory"))?;
            if element.by_index() {
                return Ok(distance);
            }
            let (len, data): (u64, u64) = (space::load(memory), space::load(memory + 8));
            if distance > len * u64::from(element.stride) {
                return Err(ImageError("a reference outside its memory"));
            }
            Ok(data + distance)
        }
    }

    fn restore_handles(&self, handles: &[usize]) -> Result<(), ImageError> {
        let mut restored = self.heap.handles.lock();
        for &number in handles {
            let address = self.addresses[number];
            // SAFETY: the address of an object that `read` made.
            unsafe {
                let (ty, flags) = space::header(address);
                if flags & INLINE != 0 {
                    return Err(ImageError("a handle of an inline value"));
                }
                space::set_header(address, ty, flags | HANDLE | PERMANENT);
                let handle = ObjectHandle::from_index(restored.objects.len());
                restored.objects.push(self.heap.value_at(address));
                restored.by_address.insert(address, handle);
            }
        }
        Ok(())
    }

    /// How many handles there are.
    pub(crate) fn handles(&self) -> usize {
        self.heap.handles.lock().objects.len()
    }

    /// The objects by number.
    pub(crate) fn numbers(&self) -> ObjectNumbers {
        ObjectNumbers { addresses: self.addresses.clone(), types: self.counts.types }
    }

    /// Whether a value that [`ObjectNumbers`] gave is one of its type.
    pub(crate) fn check_value(&self, value: Value) -> Result<(), ImageError> {
        if value.is_inline() { self.inline(value.ty(), value.bits()).map(drop) } else { Ok(()) }
    }

    /// Whether every pointer leads to an object of the type declared for it.
    pub(crate) fn check_types(&self) -> Result<(), ImageError> {
        for &address in &self.addresses {
            // SAFETY: the address of an object that `read` made.
            let value = unsafe { self.heap.value_at(address) };
            if !value.is_inline() {
                self.check_parts(value)?;
            }
        }
        Ok(())
    }

    fn check_parts(&self, value: Value) -> Result<(), ImageError> {
        let heap = self.heap;
        let check = |part: Option<Value>, slot: &Slot, declared: Type| match (part, slot) {
            (Some(part), Slot::Pointer) if !heap.isa(part, declared) => {
                Err(ImageError("a field holds a value of another type"))
            }
            (Some(part), Slot::Inline(_)) if !part.is_inline() => self.check_parts(part),
            _ => Ok(()),
        };
        let shape = heap.shape_of(value);
        match &shape.form {
            Form::Inline | Form::String | Form::Svec => Ok(()),
            Form::Struct if shape.is_ref => {
                let same = heap.ref_parts(value).is_none_or(|it| it.element.ref_type == value.ty());
                if same { Ok(()) } else { Err(ImageError("a reference to a memory of another type")) }
            }
            Form::Struct => {
                let mut fields = shape.fields.iter().enumerate();
                fields.try_for_each(|(at, it)| check(heap.get_field(value, at), &it.slot, it.ty))
            }
            Form::Memory(element) => (0..heap.memory_len(value))
                .try_for_each(|at| check(heap.memory_get(value, at), &element.slot, element.ty)),
        }
    }
}

/// # Safety
/// `address` must be writable for as many bytes.
unsafe fn store_bytes(address: u64, bytes: &[u8]) {
    // SAFETY: the caller's promise.
    unsafe { space::copy(bytes.as_ptr().expose_provenance() as u64, address, bytes.len()) };
}
