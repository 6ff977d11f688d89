//! The value heap: one memory in Julia's layout that the interpreter and compiled code share.
//!
//! [`Heap`] is used by `&self` from any thread. Objects never move. The safe functions here assert the kind of their
//! arguments and every bound: a value of the wrong type is a bug of the caller, not an error of the Julia program,
//! which [`builtins`](crate::builtins) reports first.
//!
//! # Deliberately absent
//! Julia semantics beyond layout and identity: no exceptions, no conversions, no dispatch.
//!
//! # What callers promise
//! A [`Value`] is used with the heap that made it, and not after a [`Heap::collect`] that could not reach it
//! from its roots. Two threads that write one field at once race as they would in Julia.

mod arrays;
mod boxes;
mod cell;
mod coherence;
mod collect;
mod compiled;
mod constants;
mod egal;
mod fields;
mod finalizers;
mod frozen;
mod image;
mod memory;
mod mutator;
mod pointers;
mod shape;
mod summary;
mod text;
mod value;

pub use cell::ObjectCell;
pub use coherence::{Coherence, MEMORY_HEAD_BYTES};
pub use collect::{CollectionPolicy, Marker};
pub use compiled::integer_boxes;
pub(crate) use image::ObjectWriter;
pub use memory::RefParts;
pub(crate) use mutator::Registers;
pub(crate) use mutator::is_uninterrupted;
pub use mutator::{ScannedWords, uninterrupted};
pub use pointers::{MemoryOrder, RawAccess, RawMemory};
pub use shape::{ElementLayout, FieldShape, FieldSlot, ObjectForm, Shape};
pub use value::Value;

pub use kiln_memory::{HeapStats, ProcessAllocator, with_room};

use boxes::SharedBoxes;
use collect::Collection;
use constants::Handles;
use frozen::FrozenObjects;
use kiln_memory::{Allocator, ObjectSpace, UNCOUNTED, class_of};
use kiln_types::{Const, CoreTypes, Symbol, Type, Types};
use mutator::MutatorLock;
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use shape::Shapes;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// More than the interner starts with.
const CORE_TYPES: usize = 512;

fn core_widths(core: &CoreTypes) -> [(Type, u8); 11] {
    [
        (core.int8, 8),
        (core.uint8, 8),
        (core.int16, 16),
        (core.uint16, 16),
        (core.int32, 32),
        (core.uint32, 32),
        (core.char, 32),
        (core.float32, 32),
        (core.int64, 64),
        (core.uint64, 64),
        (core.float64, 64),
    ]
}

/// The space, and the allocator of the threads that do not run Julia code.
#[derive(Debug, Default)]
pub struct SharedSpace {
    space: ObjectSpace,
    others: Allocator,
}

/// See the [module](self).
#[derive(Debug)]
pub struct Heap {
    types: Arc<Types>,
    core: CoreTypes,
    shapes: Shapes,
    space: Mutex<SharedSpace>,
    mutator: MutatorLock,
    collection: Collection,
    boxes: SharedBoxes,
    /// The empty `SimpleVector`; 0 before it was asked for.
    empty_svec: AtomicU64,
    /// The objects of the image it was thawed from, if it was.
    frozen: OnceLock<FrozenObjects>,
    handles: Mutex<Handles>,
    constants: Mutex<FxHashMap<Const, Value>>,
    serial: AtomicU64,
    tuple_types: RwLock<FxHashMap<[u32; arrays::SHORT], Type>>,
    not_atomic: Symbol,
    coherence: coherence::CoherenceState,
    /// Widths in bits of the primitive types every program starts with, by number; 0 for other types.
    widths: [u8; CORE_TYPES],
}

impl Heap {
    /// An empty heap for values of these types.
    pub fn new(types: Arc<Types>) -> Self {
        let core = *types.core();
        let not_atomic = types.symbol("not_atomic");
        let mut widths = [0; CORE_TYPES];
        for (ty, width) in core_widths(&core) {
            if let Some(slot) = widths.get_mut(ty.index()) {
                *slot = width;
            }
        }
        Self {
            types,
            core,
            shapes: Shapes::new(),
            space: Mutex::default(),
            mutator: MutatorLock::default(),
            collection: Collection::default(),
            boxes: SharedBoxes::default(),
            empty_svec: AtomicU64::new(0),
            frozen: OnceLock::new(),
            handles: Mutex::default(),
            constants: Mutex::default(),
            serial: AtomicU64::new(1),
            tuple_types: RwLock::default(),
            not_atomic,
            coherence: coherence::CoherenceState::default(),
            widths,
        }
    }
    /// The types its values have.
    #[inline]
    pub fn types(&self) -> &Types {
        &self.types
    }
    /// The types every program starts with.
    #[inline]
    pub fn core(&self) -> &CoreTypes {
        &self.core
    }
    /// Returns the layout of values of a type; `None` unless the type is concrete.
    #[inline]
    pub fn shape(&self, ty: Type) -> Option<&Shape> {
        self.shapes.get(&self.types, ty)
    }
    /// Returns the allocations so far.
    pub fn stats(&self) -> HeapStats {
        let shared = self.space.lock();
        let mut stats = shared.space.stats();
        shared.others.counts().add_to(&mut stats);
        self.own_counts().add_to(&mut stats);
        stats
    }
    /// Runs work whose allocations do not count as the program's. Concurrent allocations of other threads are not
    /// counted either.
    pub fn uncounted<T>(&self, work: impl FnOnce() -> T) -> T {
        let counts = || (self.space.lock().others.counts().get(), self.own_counts().get());
        let before = counts();
        let result = work();
        self.space.lock().others.counts().set(before.0);
        self.own_counts().set(before.1);
        result
    }

    /// Width in bits of a number type of `Core` of at most 64 bits; 0 for any other type. `Bool` is left out:
    /// it has rules of its own.
    #[inline]
    pub(crate) fn core_width(&self, ty: Type) -> u32 {
        self.widths.get(ty.index()).map_or(0, |&it| u32::from(it))
    }
    /// `:not_atomic`.
    #[inline]
    pub(crate) fn not_atomic(&self) -> Symbol {
        self.not_atomic
    }

    /// A number no other call gives: for names that must be new.
    pub fn next_serial(&self) -> u64 {
        self.serial.fetch_add(1, Ordering::Relaxed)
    }

    #[inline]
    fn shape_of(&self, value: Value) -> &Shape {
        self.concrete(value.ty())
    }
    #[inline]
    fn concrete(&self, ty: Type) -> &Shape {
        match self.shape(ty) {
            Some(shape) => shape,
            None => panic!("no value has the type {}", self.types.display(ty)),
        }
    }
    /// A new object, its data zero.
    #[inline]
    fn alloc(&self, ty: Type, size: u64) -> Value {
        Value::object(ty, self.alloc_or_panic(ty, 0, size))
    }
    /// As [`Self::alloc`], for a value of an immutable type.
    #[inline]
    fn alloc_value(&self, ty: Type, size: u64) -> Value {
        Value::object(ty, self.alloc_or_panic(ty, UNCOUNTED, size))
    }
    #[inline]
    fn alloc_or_panic(&self, ty: Type, flags: u32, size: u64) -> u64 {
        match self.try_alloc(ty, flags, size) {
            Some(address) => address,
            None => panic!("out of memory: an object of {size} bytes"),
        }
    }
    /// The address of a new object, its data zero; `None` when memory is exhausted.
    #[inline]
    fn try_alloc(&self, ty: Type, flags: u32, size: u64) -> Option<u64> {
        if let Some(class) = class_of(size)
            && let Some(Some(address)) =
                self.with_own_if_mutator(|own| own.alloc(class, ty.index() as u32, flags))
        {
            return Some(address);
        }
        self.alloc_slowly(ty.index() as u32, flags, size)
    }
    #[cold]
    fn alloc_slowly(&self, ty: u32, flags: u32, size: u64) -> Option<u64> {
        let mut shared = self.space.lock();
        let SharedSpace { space, others } = &mut *shared;
        let address = match self.with_own_if_mutator(|own| space.alloc(own, ty, flags, size)) {
            Some(address) => address,
            None => space.alloc(others, ty, flags, size),
        };
        let (given, is_exhausted) = (space.growth().1, space.is_exhausted() && !space.was_told());
        drop(shared);
        self.after_growth(if is_exhausted { u64::MAX } else { given });
        address
    }

    // Values of the types Rust code names.

    /// `nothing`.
    #[inline]
    pub fn nothing(&self) -> Value {
        Value::nothing(&self.core)
    }
    /// A `Bool`.
    #[inline]
    pub fn bool(&self, value: bool) -> Value {
        Value::bool(&self.core, value)
    }
    /// An `Int64`.
    #[inline]
    pub fn int(&self, value: i64) -> Value {
        Value::int(&self.core, value)
    }
    /// A `UInt64`.
    #[inline]
    pub fn uint64(&self, value: u64) -> Value {
        Value::inline(self.core.uint64, value)
    }
    /// A `Float64`.
    #[inline]
    pub fn float64(&self, value: f64) -> Value {
        Value::inline(self.core.float64, value.to_bits())
    }
    /// A `Float32`.
    #[inline]
    pub fn float32(&self, value: f32) -> Value {
        Value::inline(self.core.float32, u64::from(value.to_bits()))
    }
    /// The symbol of this name.
    pub fn symbol(&self, name: &str) -> Value {
        Value::symbol(&self.core, self.types.symbol(name))
    }
    /// A type, `TypeVar` or `Vararg` as a value.
    pub fn type_value(&self, ty: Type) -> Value {
        Value::inline(self.kind_of(ty), ty.index() as u64)
    }
    /// Returns a type parameter as a value: a type, or the value in its place.
    pub fn param_value(&self, param: Type) -> Value {
        if let kiln_types::TypeData::Value(constant) = self.types.data(param) {
            return self.value_of(*constant);
        }
        self.type_value(param)
    }
    /// A value as a type parameter; `None` if it can not be one.
    pub fn value_param(&self, value: Value) -> Option<Type> {
        if let Some(ty) = value.as_type_like(&self.core) {
            return Some(ty);
        }
        let permitted = value.ty() == self.core.symbol
            || value.ty() == self.core.module
            || self.types.is_bits(value.ty())
            || self.types.is_tuple(value.ty());
        permitted.then(|| self.types.const_param(self.const_of(value)))
    }
    /// `typeof` of a type: `DataType`, `Union`, `UnionAll`, `Core.TypeofBottom`, `TypeVar` or
    /// `Core.TypeofVararg`.
    pub fn kind_of(&self, ty: Type) -> Type {
        use kiln_types::TypeData;
        match self.types.data(ty) {
            TypeData::Bottom => self.core.typeof_bottom,
            TypeData::Data { .. } => self.core.data_type,
            TypeData::Union(_) => self.core.union_type,
            TypeData::UnionAll { .. } => self.core.union_all,
            TypeData::Var { .. } => self.core.type_var,
            TypeData::Vararg { .. } => self.core.typeof_vararg,
            TypeData::Value(constant) => self.types.typeof_const(*constant),
        }
    }
    /// The type dispatch sees: `Type{T}` for a type, else `typeof`.
    #[inline]
    pub fn dispatch_type(&self, value: Value) -> Type {
        match value.as_type(&self.core) {
            Some(ty) => self.types.type_type(ty),
            None => value.ty(),
        }
    }
    /// `isa(value, ty)`.
    #[inline]
    pub fn isa(&self, value: Value, ty: Type) -> bool {
        if value.ty() == ty || ty == self.core.any {
            return true;
        }
        match value.as_type(&self.core) {
            Some(it) => self.types.isa(self.types.const_type(it), ty),
            None => self.types.subtype(value.ty(), ty),
        }
    }
}

#[cfg(test)]
mod tests;
