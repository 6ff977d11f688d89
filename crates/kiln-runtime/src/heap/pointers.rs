//! Raw addresses: the implementation of the pointer intrinsics, and the only way for a Julia program to corrupt
//! memory, as with `unsafe_load` and `unsafe_store!` in Julia.
//!
//! All accesses use [`RawMemory`], which only `unsafe` code obtains from a heap.

use super::{Heap, ObjectForm, Value, bits, boxes, coherence, fields, marking};
use kiln_memory as space;
use kiln_types::Type;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence};

/// The access to the memory behind a `Ptr{T}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawAccess {
    /// `Ptr{Any}`: addresses of objects.
    Object,
    /// The bytes of values of this concrete type.
    Bytes {
        /// The type.
        ty: Type,
        /// Bytes from one to the next.
        stride: u32,
        /// Bytes of one.
        size: u32,
    },
}

/// Julia's memory orders, the weaker ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryOrder {
    /// `:not_atomic`
    NotAtomic,
    /// `:unordered`
    Unordered,
    /// `:monotonic`
    Monotonic,
    /// `:acquire`
    Acquire,
    /// `:release`
    Release,
    /// `:acquire_release`
    AcquireRelease,
    /// `:sequentially_consistent`
    SequentiallyConsistent,
}

/// A word of up to 8 bytes, zero-extended.
trait Word: Copy {
    fn widen(self) -> u64;
    fn narrow(word: u64) -> Self;
}

macro_rules! words {
    ($($int:ident)*) => {$(
        impl Word for $int {
            fn widen(self) -> u64 {
                self as u64
            }
            fn narrow(word: u64) -> Self {
                word as $int
            }
        }
    )*};
}

words!(u8 u16 u32 u64);

macro_rules! atomic {
    ($address:expr, $size:expr, $atomic:ident => $work:expr, else $otherwise:expr) => {
        match $size {
            1 => atomic!(@one $address, AtomicU8, u8, $atomic => $work),
            2 => atomic!(@one $address, AtomicU16, u16, $atomic => $work),
            4 => atomic!(@one $address, AtomicU32, u32, $atomic => $work),
            8 => atomic!(@one $address, AtomicU64, u64, $atomic => $work),
            _ => $otherwise,
        }
    };
    (@one $address:expr, $ty:ident, $int:ident, $atomic:ident => $work:expr) => {{
        assert!($address % size_of::<$int>() as u64 == 0, "a misaligned atomic access");
        // SAFETY: see `raw_memory`; the address is aligned.
        let $atomic = unsafe { $ty::from_ptr(std::ptr::with_exposed_provenance_mut($address as usize)) };
        $work
    }};
}

/// Memory by address. Every operation takes the address on trust: see [`raw_memory`].
#[derive(Clone, Copy, Debug)]
pub struct RawMemory<'a> {
    heap: &'a Heap,
}

/// Memory by address.
///
/// # Safety
/// For as long as the result, and copies of it, are used:
/// - an address that is read from is that of as many readable bytes, and one that is written to of writable ones, in
///   objects of this heap that nothing frees meanwhile, or in other memory that the caller may use so;
/// - bytes that are loaded as a value of a type are one: a `Bool` is 0 or 1, a word of an object is null or the address
///   of a live object of this heap;
/// - bytes that are stored leave such values where others load them;
/// - no other thread accesses the bytes meanwhile, unless all accesses are atomic.
///
/// For a Julia program its author vouches, by calling `unsafe_load` and the like.
pub unsafe fn raw_memory(heap: &Heap) -> RawMemory<'_> {
    RawMemory { heap }
}

/// Memory by address, for intrinsics whose safety the Julia program guarantees: no other code of this crate calls
/// it.
pub(crate) fn program_memory(heap: &Heap) -> RawMemory<'_> {
    RawMemory { heap }
}

/// Returns the access of `Ptr{ty}`; `None` if there is none (an abstract or string-like `ty`).
pub fn raw_access(heap: &Heap, ty: Type) -> Option<RawAccess> {
    if ty == heap.core.any {
        return Some(RawAccess::Object);
    }
    let shape = heap.shape(ty)?;
    let plain = match shape.form {
        ObjectForm::Inline => shape.is_bits,
        ObjectForm::Struct => true,
        ObjectForm::String | ObjectForm::Svec | ObjectForm::Memory(_) => false,
    };
    let stride = shape.size.next_multiple_of(shape.align.max(1));
    plain.then_some(RawAccess::Bytes { ty, stride, size: shape.size })
}

/// `fence(order)`.
pub fn atomic_fence(order: MemoryOrder) {
    if !matches!(order, MemoryOrder::NotAtomic | MemoryOrder::Unordered | MemoryOrder::Monotonic) {
        fence(Ordering::SeqCst);
    }
}

impl RawMemory<'_> {
    /// The value at an address; `None` for a null object.
    pub fn load(self, access: RawAccess, address: u64) -> Option<Value> {
        let heap = self.heap;
        coherence::acquire_for_host(heap, address, false);
        // SAFETY: see `raw_memory`.
        unsafe {
            match access {
                RawAccess::Object => match space::load::<u64>(address) {
                    0 => None,
                    object => Some(boxes::value_at(object)),
                },
                RawAccess::Bytes { ty, .. } => fields::load_inline(heap, ty, address),
            }
        }
    }

    /// Writes a value at an address.
    pub fn store(self, access: RawAccess, address: u64, value: Value) {
        let heap = self.heap;
        coherence::acquire_for_host(heap, address, true);
        // SAFETY: see `raw_memory`; the type is checked.
        unsafe {
            match access {
                RawAccess::Object => {
                    marking::keep_overwritten_words(heap, address, 8);
                    space::store(address, boxes::box_stored(heap, value));
                }
                RawAccess::Bytes { ty, .. } => {
                    fields::expect_type(heap, ty, value);
                    let shape = heap.concrete(ty);
                    if !shape.pointers.is_empty() {
                        marking::keep_overwritten_words(heap, address, shape.size.into());
                    }
                    bits::store_value(shape, address, value);
                }
            }
        }
    }

    /// A copy of the bytes at an address.
    pub fn bytes(self, address: u64, count: usize) -> Vec<u8> {
        coherence::acquire_for_host(self.heap, address, false);
        // SAFETY: see `raw_memory`.
        unsafe { space::bytes(address, count).to_vec() }
    }

    /// Writes bytes at an address.
    pub fn write(self, address: u64, bytes: &[u8]) {
        coherence::acquire_for_host(self.heap, address, true);
        // SAFETY: see `raw_memory`.
        unsafe { space::copy(bytes.as_ptr().expose_provenance() as u64, address, bytes.len()) }
    }

    /// Copies bytes as they are on the host, for the coherence.
    pub fn read_through(self, address: u64, to: &mut [u8]) {
        // SAFETY: see `raw_memory`.
        to.copy_from_slice(unsafe { space::bytes(address, to.len()) });
    }

    /// The first word of the data of the object at an address.
    #[inline]
    pub fn word_of(self, address: u64) -> [u8; 8] {
        // SAFETY: see `raw_memory`; every object has a word of data.
        unsafe { space::load::<u64>(address) }.to_ne_bytes()
    }

    /// Writes bytes on the host, for the coherence.
    pub fn write_through(self, address: u64, bytes: &[u8]) {
        // SAFETY: see `raw_memory`.
        unsafe { space::copy(bytes.as_ptr().expose_provenance() as u64, address, bytes.len()) }
    }

    /// The object a word read from memory is the address of; `None` for a null one.
    pub fn object(self, word: u64) -> Option<Value> {
        // SAFETY: see `raw_memory`.
        (word != 0).then(|| unsafe { boxes::value_at(word) })
    }

    /// The type of the object that a word is the address of; `None` for a null one.
    #[inline]
    pub fn type_of_object(self, word: u64) -> Option<Type> {
        // SAFETY: see `raw_memory`.
        (word != 0).then(|| Type::from_index(unsafe { space::header(word) }.0 as usize))
    }

    /// Copies the first bytes of the data of the object at an address: a value that is one word is held so, too.
    #[inline]
    pub fn copy_data_of(self, address: u64, to: &mut [u8]) {
        // SAFETY: see `raw_memory`.
        to.copy_from_slice(unsafe { space::bytes(address, to.len()) });
    }

    /// The word at an address, read atomically. `size` is 1, 2, 4 or 8.
    pub fn atomic_load(self, address: u64, size: u32) -> u64 {
        coherence::acquire_for_host(self.heap, address, false);
        atomic!(address, size, it => it.load(Ordering::SeqCst).widen(), else panic!("an atomic of {size} bytes"))
    }

    /// Writes the word at an address atomically; returns the previous one. `size` is 1, 2, 4 or 8.
    pub fn atomic_swap(self, address: u64, size: u32, word: u64) -> u64 {
        coherence::acquire_for_host(self.heap, address, true);
        // SAFETY: see `raw_memory`.
        unsafe { marking::keep_overwritten_words(self.heap, address, size.into()) };
        atomic!(address, size, it => it.swap(Word::narrow(word), Ordering::SeqCst).widen(),
            else panic!("an atomic of {size} bytes"))
    }

    /// Compares and writes the word at an address atomically; returns the previous one, and whether it was replaced.
    /// `size` is 1, 2, 4 or 8.
    pub fn atomic_replace(self, address: u64, size: u32, expected: u64, desired: u64) -> (u64, bool) {
        coherence::acquire_for_host(self.heap, address, true);
        // SAFETY: see `raw_memory`.
        unsafe { marking::keep_overwritten_words(self.heap, address, size.into()) };
        atomic!(address, size, it => {
            let done = it.compare_exchange(
                Word::narrow(expected),
                Word::narrow(desired),
                Ordering::SeqCst,
                Ordering::SeqCst,
            );
            match done {
                Ok(old) => (old.widen(), true),
                Err(old) => (old.widen(), false),
            }
        }, else panic!("an atomic of {size} bytes"))
    }
}
