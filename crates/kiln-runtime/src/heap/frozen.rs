//! Objects of an image, read on demand. `heap/image.rs` describes their form.
//!
//! Reading an object reads everything reachable from it, since pointers of the heap are addresses. Objects stay for
//! the lifetime of the heap: their numbers can be looked up again.

use super::image::Places;
use super::{
    FieldSlot, Heap, ObjectForm, Value, allocation, boxes, constants, fields, image, memory, shape::ELEMENTS,
};
use kiln_bytes::Reader;
use kiln_ir::wire::ImageObjects;
use kiln_memory::{self as space, HANDLE, INLINE, PERMANENT};
use kiln_types::freeze::{self, FrozenTable, ImageBytes, ImageError, TableSizes, accepted};
use kiln_types::{ObjectHandle, Type};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The objects of the image that a heap was thawed from.
#[derive(Debug)]
pub(super) struct FrozenObjects {
    bytes: ImageBytes,
    counts: TableSizes,
    /// Where the numbers of the objects lie that handles name, and how many there are.
    handles: (usize, usize),
    table: FrozenTable,
    read: Mutex<ReadObjects>,
}

/// The objects read so far.
#[derive(Debug, Default)]
struct ReadObjects {
    /// Addresses by number.
    addresses: FxHashMap<usize, u64>,
    /// Numbers by address, of the first objects that were read.
    numbers: FxHashMap<u64, usize>,
    places: FxHashMap<Type, Arc<Places>>,
}

impl FrozenObjects {
    /// The number of the object that a handle names.
    fn number_of(&self, handle: usize) -> Result<usize, ImageError> {
        let (start, count) = self.handles;
        if handle >= count {
            return Err(ImageError("a handle of no object"));
        }
        Ok(self.bytes.u32_at(start + 4 * handle) as usize)
    }

    /// The addresses of the objects that have been read.
    pub(super) fn addresses(&self) -> Vec<u64> {
        self.read.lock().addresses.values().copied().collect()
    }
}

impl ImageObjects for Heap {
    fn number_of(&self, handle: ObjectHandle) -> Option<u32> {
        let frozen = self.frozen.get()?;
        if handle.index() < frozen.handles.1 {
            return frozen.number_of(handle.index()).ok()?.try_into().ok();
        }
        let address = constants::object(self, handle).bits();
        let mut read = frozen.read.lock();
        let ReadObjects { addresses, numbers, .. } = &mut *read;
        if numbers.len() < addresses.len() {
            *numbers = addresses.iter().map(|(number, address)| (*address, *number)).collect();
        }
        numbers.get(&address).and_then(|it| (*it).try_into().ok())
    }
}

/// Takes over the objects of an image, given as bytes. The heap must be empty.
pub(crate) fn thaw(heap: &Heap, bytes: &ImageBytes) -> Result<(), ImageError> {
    let mut input = Reader::new(bytes.get());
    heap.serial.store(input.number()?, Ordering::Relaxed);
    let count = input.count()?;
    let start = bytes.get().len() - input.rest().len();
    input.take(4 * count)?;
    let table = FrozenTable::read(bytes, &mut input)?;
    input.finish()?;
    heap.handles.lock().objects = vec![None; count];
    let (bytes, counts, handles) = (bytes.clone(), freeze::counts(&heap.types), (start, count));
    let frozen = FrozenObjects { bytes, counts, handles, table, read: Mutex::default() };
    heap.frozen.set(frozen).map_err(|_| ImageError("a heap has one image"))
}

/// Reads a value that `ObjectWriter::value` wrote.
pub(crate) fn thaw_value(heap: &Heap, input: &mut Reader<'_>) -> Result<Value, ImageError> {
    let number = input.number()?;
    let index = (number >> 1) as usize;
    if number & 1 != 0 {
        return thaw_object(heap, index);
    }
    let frozen = heap.frozen.get().ok_or(ImageError("a value of no image"))?;
    if index >= frozen.counts.types {
        return Err(ImageError("a value of a type that does not exist"));
    }
    Ok(Value::inline(Type::from_index(index), input.number()?))
}

fn thaw_object(heap: &Heap, number: usize) -> Result<Value, ImageError> {
    let frozen = heap.frozen.get().ok_or(ImageError("an object of no image"))?;
    let mut read = frozen.read.lock();
    let address = match read.addresses.get(&number) {
        Some(&known) => known,
        // A program did not allocate what was there before it ran.
        None => allocation::uncounted(heap, || {
            ObjectReader { heap, frozen, read: &mut read, unfilled: Vec::new() }.read(number)
        })?,
    };
    // SAFETY: the address of an object that was read, and is kept.
    Ok(unsafe { boxes::value_at(address) })
}

/// Returns the handle of an object of the image, if that is one of this type.
pub fn image_object(heap: &Heap, number: u32, ty: Type) -> Option<ObjectHandle> {
    let value = thaw_object(heap, number as usize).ok()?;
    (!value.is_inline() && value.ty() == ty).then(|| constants::handle_of(heap, value))
}

/// The object of the image that a handle names.
pub(super) fn thaw_handle(heap: &Heap, handle: ObjectHandle) -> Value {
    let number = heap.frozen.get().map(|it| it.number_of(handle.index()));
    accepted(number.unwrap_or(Err(ImageError("a handle of no image"))).and_then(|it| thaw_object(heap, it)))
}

/// Reads every object, so that none can turn out to be damaged later.
pub(crate) fn check_objects(heap: &Heap) -> Result<(), ImageError> {
    let frozen = heap.frozen.get().ok_or(ImageError("objects of no image"))?;
    for number in 0..frozen.table.len() {
        thaw_object(heap, number)?;
    }
    if heap.handles.lock().objects.iter().any(Option::is_none) {
        return Err(ImageError("a handle of no object"));
    }
    for address in frozen.addresses() {
        // SAFETY: the address of an object that was read.
        let value = unsafe { boxes::value_at(address) };
        if !value.is_inline() {
            check_parts(heap, value)?;
        }
    }
    Ok(())
}

/// Whether a value that [`thaw_value`] gave is one of its type.
pub(crate) fn check_value(heap: &Heap, value: Value) -> Result<(), ImageError> {
    if value.is_inline() { check_bits(heap, value.ty(), value.bits()) } else { Ok(()) }
}

fn check_bits(heap: &Heap, ty: Type, bits: u64) -> Result<(), ImageError> {
    let shape = heap.shape(ty).ok_or(ImageError("a value of no concrete type"))?;
    let frozen = heap.frozen.get().ok_or(ImageError("a value of no image"))?;
    let (counts, core) = (&frozen.counts, &heap.core);
    let is_number = [core.method, core.method_table, core.intrinsic_function].contains(&ty);
    let limit = if ty == core.symbol {
        counts.symbols as u64
    } else if ty == core.module {
        counts.modules as u64
    } else if ty == core.type_name {
        counts.names as u64
    } else if shape.is_name && !is_number {
        counts.types as u64
    } else if shape.size < 8 {
        1 << (8 * shape.size)
    } else {
        u64::MAX
    };
    let fits = bits < limit || (limit == u64::MAX && shape.size == 8);
    if shape.form == ObjectForm::Inline && fits {
        Ok(())
    } else {
        Err(ImageError("bits that are no value of their type"))
    }
}

/// Whether every pointer leads to an object of the type declared for it.
fn check_parts(heap: &Heap, value: Value) -> Result<(), ImageError> {
    let check = |part: Option<Value>, slot: &FieldSlot, declared: Type| match (part, slot) {
        (Some(part), FieldSlot::Pointer) if !heap.isa(part, declared) => {
            Err(ImageError("a field holds a value of another type"))
        }
        (Some(part), FieldSlot::Inline(_)) if !part.is_inline() => check_parts(heap, part),
        _ => Ok(()),
    };
    let shape = heap.shape_of(value);
    match &shape.form {
        ObjectForm::Inline | ObjectForm::String | ObjectForm::Svec => Ok(()),
        ObjectForm::Struct if shape.is_ref => {
            let same = memory::ref_parts(heap, value).is_none_or(|it| it.element.ref_type == value.ty());
            if same { Ok(()) } else { Err(ImageError("a reference to a memory of another type")) }
        }
        ObjectForm::Struct => {
            let mut fields = shape.fields.iter().enumerate();
            fields.try_for_each(|(at, it)| check(fields::get(heap, value, at), &it.slot, it.ty))
        }
        ObjectForm::Memory(element) => (0..memory::len(heap, value))
            .try_for_each(|at| check(memory::get(heap, value, at), &element.slot, element.ty)),
    }
}

/// Reads an object and everything reachable from it.
struct ObjectReader<'a> {
    heap: &'a Heap,
    frozen: &'a FrozenObjects,
    read: &'a mut ReadObjects,
    /// Allocated objects, with the bytes to fill them from.
    unfilled: Vec<(u64, Reader<'a>)>,
}

impl ObjectReader<'_> {
    fn read(mut self, number: usize) -> Result<u64, ImageError> {
        let address = self.address(number)?;
        while let Some((address, mut data)) = self.unfilled.pop() {
            self.fill(address, &mut data)?;
            data.finish()?;
        }
        Ok(address)
    }

    /// Returns the address of object `number`, which is filled later.
    fn address(&mut self, number: usize) -> Result<u64, ImageError> {
        if let Some(&known) = self.read.addresses.get(&number) {
            return Ok(known);
        }
        let mut entry = self.frozen.table.entry(number)?;
        let handle = entry.number()?;
        let address = self.allocate(&mut entry)?;
        if handle != 0 {
            self.restore_handle(handle as usize - 1, number, address)?;
        }
        self.read.addresses.insert(number, address);
        self.unfilled.push((address, entry));
        Ok(address)
    }

    fn restore_handle(&self, handle: usize, number: usize, address: u64) -> Result<(), ImageError> {
        if self.frozen.number_of(handle)? != number {
            return Err(ImageError("a handle of another object"));
        }
        let mut handles = self.heap.handles.lock();
        // SAFETY: the address of an object that was just allocated.
        unsafe {
            let (ty, flags) = space::header(address);
            if flags & INLINE != 0 {
                return Err(ImageError("a handle of an inline value"));
            }
            space::set_header(address, ty, flags | HANDLE | PERMANENT);
            handles.objects[handle] = Some(boxes::value_at(address));
        }
        handles.by_address.insert(address, ObjectHandle::from_index(handle));
        Ok(())
    }

    fn allocate(&self, entry: &mut Reader<'_>) -> Result<u64, ImageError> {
        let ty = self.frozen.counts.ty(entry)?;
        let heap = self.heap;
        let shape = heap.shape(ty).ok_or(ImageError("an object of no concrete type"))?;
        // A length without the bytes to fill it is refused before memory is asked for: a byte is left for each eight.
        let mut length = |each: u64| {
            let len = entry.number()?;
            if len.checked_mul(each).is_none_or(|it| it.div_ceil(8) > entry.rest().len() as u64) {
                return Err(ImageError("an object longer than its entry"));
            }
            Ok(len)
        };
        Ok(match &shape.form {
            ObjectForm::Inline => {
                let bits = entry.number()?;
                check_bits(heap, ty, bits)?;
                boxes::box_value(heap, Value::inline(ty, bits))
            }
            ObjectForm::Struct => allocation::alloc(heap, ty, u64::from(shape.size)).bits(),
            ObjectForm::String => {
                let len = length(1)?;
                let string = allocation::alloc(heap, ty, 8 + len + 1).bits();
                // SAFETY: a fresh object that starts with its length.
                unsafe { space::store(string, len) };
                string
            }
            ObjectForm::Svec => {
                let len = length(1)?;
                let vector = allocation::alloc(heap, ty, 8 + 8 * len).bits();
                // SAFETY: a fresh object that starts with its length.
                unsafe { space::store(vector, len) };
                vector
            }
            ObjectForm::Memory(element) => {
                // Elements without size take no bytes.
                let len = match element.stride {
                    0 => entry.number_u32()?.into(),
                    stride => length(u64::from(stride))?,
                };
                let fits = i64::try_from(len).is_ok_and(|it| memory::fits(heap, ty, it));
                let memory = if fits { memory::try_new(heap, ty, len as usize) } else { None };
                memory.ok_or(ImageError("a memory too large"))?.bits()
            }
        })
    }

    fn fill(&mut self, address: u64, data: &mut Reader<'_>) -> Result<(), ImageError> {
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
                ObjectForm::Inline => {}
                ObjectForm::Struct => {
                    let places = self.places(ty, || image::places(heap, shape));
                    self.data(address, (shape.size, 1), data, &places)?;
                }
                ObjectForm::String => {
                    let len: u64 = space::load(address);
                    store_bytes(address + 8, data.take(len as usize)?);
                }
                ObjectForm::Svec => {
                    let len: u64 = space::load(address);
                    for index in 0..len {
                        space::store(address + 8 + 8 * index, self.pointer(data)?);
                    }
                }
                ObjectForm::Memory(element) => {
                    let len: u64 = space::load(address);
                    let start = address + ELEMENTS;
                    let stride = u64::from(element.stride);
                    if let FieldSlot::Union(members) = &element.slot {
                        let bytes = data.take((len * (stride + 1)) as usize)?;
                        if bytes[(len * stride) as usize..].iter().any(|&it| usize::from(it) >= members.len())
                        {
                            return Err(ImageError("a selector selects nothing"));
                        }
                        store_bytes(start, bytes);
                        return Ok(());
                    }
                    let places = self.places(ty, || image::element_places(heap, element));
                    self.data(start, (element.stride, len as usize), data, &places)?;
                }
            }
        }
        Ok(())
    }

    fn places(&mut self, ty: Type, find: impl FnOnce() -> Places) -> Arc<Places> {
        self.read.places.entry(ty).or_insert_with(|| find().into()).clone()
    }

    fn pointer(&mut self, data: &mut Reader<'_>) -> Result<u64, ImageError> {
        let number = data.index(self.frozen.table.len() + 1)?;
        if number == 0 { Ok(0) } else { self.address(number - 1) }
    }

    /// # Safety
    /// `address` must be writable for `count` data of `size` bytes each, within which the places lie.
    unsafe fn data(
        &mut self,
        address: u64,
        (size, count): (u32, usize),
        data: &mut Reader<'_>,
        places: &Places,
    ) -> Result<(), ImageError> {
        let size = size as usize;
        let bytes = data.sparse(size * count)?;
        let bases = || (0..count).map(|it| it * size);
        let selects = |base: usize| places.selectors.iter().all(|it| bytes[base + it.0 as usize] < it.1);
        if !bases().all(selects) {
            return Err(ImageError("a selector selects nothing"));
        }
        // SAFETY: the caller's promise.
        unsafe {
            store_bytes(address, &bytes);
            for base in bases().map(|it| address + it as u64) {
                for &at in &places.pointers {
                    space::store(base + u64::from(at), self.pointer(data)?);
                }
                for &at in &places.refs {
                    let at = base + u64::from(at);
                    let memory: u64 = space::load(at + 8);
                    if memory != 0 {
                        let distance = space::load(at);
                        space::store(at, self.reference(memory, distance)?);
                    }
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
            let value = boxes::value_at(memory);
            let element =
                memory::element(self.heap, value.ty()).ok_or(ImageError("a reference to no memory"))?;
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
}

/// # Safety
/// `address` must be writable for as many bytes.
unsafe fn store_bytes(address: u64, bytes: &[u8]) {
    // SAFETY: the caller's promise.
    unsafe { space::copy(bytes.as_ptr().expose_provenance() as u64, address, bytes.len()) };
}
