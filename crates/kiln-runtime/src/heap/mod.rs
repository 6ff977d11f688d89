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
//! A [`Value`] is used with the heap that made it, and not after a [`collect::whole`] that could not reach it
//! from its roots. Two threads that write one field at once race as they would in Julia.

pub mod allocation;
pub mod arrays;
pub mod bits;
pub mod boxes;
mod cell;
pub mod coherence;
pub mod collect;
pub mod compiled;
pub mod constants;
pub mod exprs;
pub mod fields;
pub mod finalizers;
pub mod frozen;
pub mod identity;
mod image;
pub mod kinds;
pub mod marking;
pub mod memory;
pub mod mutator;
pub mod numbers;
pub mod params;
pub mod pointers;
mod shape;
pub(crate) mod summary;
pub mod svecs;
pub mod text;
pub mod tuples;
mod value;

pub use cell::ObjectCell;
pub use coherence::{Coherence, CoherenceState, MEMORY_HEAD_BYTES};
pub use compiled::integer_boxes;
pub(crate) use image::ObjectWriter;
pub use marking::{CollectionPolicy, Marker};
pub use memory::RefParts;
pub(crate) use mutator::Registers;
pub(crate) use mutator::is_uninterrupted;
pub use mutator::{ScannedWords, uninterrupted};
pub use pointers::{MemoryOrder, RawAccess, RawMemory};
pub use shape::{ElementLayout, FieldShape, FieldSlot, ObjectForm, Shape};
pub use value::Value;

pub use kiln_memory::{HeapStats, ProcessAllocator, try_with_room};

use allocation::SharedSpace;
use boxes::SharedBoxes;
use constants::Handles;
use finalizers::Finalizers;
use frozen::FrozenObjects;
use kiln_types::{Const, CoreTypes, Symbol, Type, Types, consts, datatype, display};
use marking::Collection;
use mutator::MutatorLock;
use numbers::{CORE_TYPES, core_widths};
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use shape::Shapes;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use tuples::SHORT;

/// See the [module](self).
#[derive(Debug)]
pub struct Heap {
    types: Arc<Types>,
    core: CoreTypes,
    shapes: Shapes,
    space: Mutex<SharedSpace>,
    mutator: MutatorLock,
    /// The collection that runs, and when the next one does.
    pub(crate) collection: Collection,
    finalizers: Mutex<Finalizers>,
    /// The objects whose hashes are where they lie, as far as hashes were taken of them.
    hashed: identity::HashedAddresses,
    boxes: SharedBoxes,
    /// The empty `SimpleVector`; 0 before it was asked for.
    empty_svec: AtomicU64,
    /// The objects of the image it was thawed from, if it was.
    frozen: OnceLock<FrozenObjects>,
    handles: Mutex<Handles>,
    constants: Mutex<FxHashMap<Const, Value>>,
    serial: AtomicU64,
    tuple_types: RwLock<FxHashMap<[u32; SHORT], Type>>,
    /// `:not_atomic`.
    pub(crate) not_atomic: Symbol,
    /// The coherence with devices.
    pub coherence: CoherenceState,
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
            finalizers: Mutex::default(),
            hashed: identity::HashedAddresses::default(),
            boxes: SharedBoxes::default(),
            empty_svec: AtomicU64::new(0),
            frozen: OnceLock::new(),
            handles: Mutex::default(),
            constants: Mutex::default(),
            serial: AtomicU64::new(1),
            tuple_types: RwLock::default(),
            not_atomic,
            coherence: CoherenceState::default(),
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
    #[inline]
    fn shape_of(&self, value: Value) -> &Shape {
        self.concrete(value.ty())
    }
    #[inline]
    fn concrete(&self, ty: Type) -> &Shape {
        match self.shape(ty) {
            Some(shape) => shape,
            None => panic!("no value has the type {}", display::of_type(&self.types, ty)),
        }
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
    /// The symbol of this name.
    pub fn symbol(&self, name: &str) -> Value {
        Value::symbol(&self.core, self.types.symbol(name))
    }
    /// A type, `TypeVar` or `Vararg` as a value.
    pub fn type_value(&self, ty: Type) -> Value {
        Value::inline(kinds::kind_of(self, ty), ty.index() as u64)
    }
    /// The type dispatch sees: `Type{T}` for a type, else `typeof`.
    #[inline]
    pub fn dispatch_type(&self, value: Value) -> Type {
        match value.as_type(&self.core) {
            Some(ty) => datatype::type_type(&self.types, ty),
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
            Some(it) => consts::isa(&self.types, consts::of_type(&self.types, it), ty),
            None => self.types.subtype(value.ty(), ty),
        }
    }
}

#[cfg(test)]
mod tests;
