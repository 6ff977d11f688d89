//! Memory that is lent: objects of which a device may have newer contents, so that a look at them on the host
//! asks for them first.
//!
//! Every way to the elements of a `Memory`, and every raw address, goes through [`Heap::claim`]. It costs one load while
//! nothing is lent. Compiled code does not ask: it calls nothing that could lend, so its caller claims what it may
//! reach, once, before.
//!
//! # Deliberately absent
//! A [`Lender`] knows the borrowers. Fields of objects other than `Memory`s are never lent.

use super::memory::ELEMENTS;
use super::{Form, Heap, Slot, Value, space};
use kiln_types::Type;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Objects that are looked at to find what values reach; of values that reach more, all that is lent is claimed.
const REACHED_MAX: usize = 512;
/// Words of one object that are looked at.
const WORDS_MAX: u64 = 1 << 12;

/// Knows what is lent, and brings it back.
pub trait Lender: Send + Sync + fmt::Debug {
    /// The object that has this address is about to be read here, or written as well: it has its newest contents when this
    /// returns, and what is written then is not overtaken by what anybody else still writes.
    fn claim(&self, heap: &Heap, address: u64, writes: bool);
    /// The same for everything that is lent.
    fn claim_all(&self, heap: &Heap, writes: bool);
}

/// The heap's record of lent memory.
#[derive(Debug, Default)]
pub(super) struct Lending {
    lender: OnceLock<Arc<dyn Lender>>,
    is_lent: AtomicBool,
    has_news: AtomicBool,
}

impl Heap {
    /// Names the lender; only the first call does anything.
    pub fn lend_through(&self, lender: Arc<dyn Lender>) {
        let _ = self.lending.lender.set(lender);
    }

    /// Says whether anything is lent.
    pub fn set_lent(&self, is_lent: bool) {
        self.lending.is_lent.store(is_lent, Ordering::Release);
    }

    /// Whether anything is lent.
    #[inline]
    pub fn is_lent(&self) -> bool {
        self.lending.is_lent.load(Ordering::Relaxed)
    }

    /// Says whether the lender has found out what the program is to be told of.
    pub fn set_news(&self, has_news: bool) {
        self.lending.has_news.store(has_news, Ordering::Release);
    }

    /// Whether the program is to be told of something: `Runtime::hear` does it.
    #[inline]
    pub fn has_news(&self) -> bool {
        self.lending.has_news.load(Ordering::Relaxed)
    }

    /// Asks for the object that has this address.
    #[inline]
    pub fn claim(&self, address: u64, writes: bool) {
        if self.is_lent() {
            self.claim_lent(address, writes);
        }
    }

    #[cold]
    fn claim_lent(&self, address: u64, writes: bool) {
        if let Some(lender) = self.lending.lender.get() {
            lender.claim(self, address, writes);
        }
    }

    /// Asks for everything.
    pub fn claim_all(&self, writes: bool) {
        if let Some(lender) = self.lending.lender.get().filter(|_| self.is_lent()) {
            lender.claim_all(self, writes);
        }
    }

    /// Asks for everything that these values reach, by references or by addresses among their bits.
    pub fn claim_reachable(&self, values: &[Value], writes: bool) {
        if !self.is_lent() {
            return;
        }
        let mut search = Search { heap: self, writes, pending: Vec::new(), seen: BTreeSet::new() };
        for value in values {
            if value.is_inline() { self.claim(value.bits(), writes) } else { search.reach(value.bits()) }
        }
        if !search.run() {
            self.claim_all(writes);
        }
    }

    /// Copies bytes as they are here, for the lender.
    pub fn lent_bytes(&self, address: u64, to: &mut [u8]) {
        // SAFETY: the lender names objects of this heap, or what the program vouches for.
        to.copy_from_slice(unsafe { space::bytes(address, to.len()) });
    }

    /// Writes bytes, for the lender.
    pub fn lent_write(&self, address: u64, bytes: &[u8]) {
        // SAFETY: as above.
        unsafe { space::copy(bytes.as_ptr().expose_provenance() as u64, address, bytes.len()) }
    }

    /// The type of the elements of the `Memory` whose object begins at this address, the beginning of what
    /// [`Heap::extent_of`] finds, if there is one that has its elements itself and inline.
    pub fn memory_at(&self, base: u64) -> Option<Type> {
        // SAFETY: every cell and large object has a header before its data.
        let (ty, flags) = unsafe { space::header(base) };
        if flags & space::LIVE == 0 {
            return None;
        }
        let Form::Memory(element) = &self.shape(Type::from_index(ty as usize))?.form else { return None };
        // SAFETY: a memory starts with its length and the address of its elements.
        let data: u64 = unsafe { space::load(base + 8) };
        match element.slot {
            Slot::Inline(_) | Slot::Union(_) => (data == base + ELEMENTS).then_some(element.ty),
            Slot::Pointer => None,
        }
    }
}

/// A walk over objects.
struct Search<'a> {
    heap: &'a Heap,
    writes: bool,
    pending: Vec<u64>,
    seen: BTreeSet<u64>,
}

impl Search<'_> {
    fn reach(&mut self, object: u64) {
        if object != 0 && self.seen.insert(object) {
            self.pending.push(object);
        }
    }

    /// Whether all that is reached was looked at.
    fn run(&mut self) -> bool {
        while let Some(object) = self.pending.pop() {
            if self.seen.len() > REACHED_MAX || !self.look(object) {
                return false;
            }
        }
        true
    }

    fn look(&mut self, object: u64) -> bool {
        let heap = self.heap;
        // SAFETY: only objects are reached.
        let ty = unsafe { space::header(object) }.0;
        let shape = heap.concrete(Type::from_index(ty as usize));
        match &shape.form {
            Form::String => true,
            Form::Inline => self.words(object, u64::from(shape.size)),
            Form::Struct => {
                for &offset in &shape.pointers {
                    // SAFETY: the type has a pointer there.
                    self.reach(unsafe { space::load(object + u64::from(offset)) });
                }
                self.words(object, u64::from(shape.size))
            }
            Form::Svec => {
                // SAFETY: a simple vector starts with its length.
                let len: u64 = unsafe { space::load(object) };
                self.objects(object + 8, len, 8)
            }
            Form::Memory(element) => {
                heap.claim(object, self.writes);
                // SAFETY: a memory starts with its length and the address of its elements.
                let (len, data): (u64, u64) = unsafe { (space::load(object), space::load(object + 8)) };
                heap.claim(data, self.writes);
                let stride = u64::from(element.stride);
                match &element.slot {
                    Slot::Pointer => self.objects(data, len, stride),
                    &Slot::Inline(ty) if heap.types.is_primitive(ty) && !heap.is_address(ty) => true,
                    &Slot::Inline(ty) => {
                        let inner = heap.concrete(ty).pointers.iter();
                        inner.fold(true, |all, &at| all & self.objects(data + u64::from(at), len, stride))
                            & self.words(data, len * stride)
                    }
                    Slot::Union(_) => true,
                }
            }
        }
    }

    fn objects(&mut self, first: u64, count: u64, stride: u64) -> bool {
        if count > WORDS_MAX {
            return false;
        }
        for index in 0..count {
            // SAFETY: the callers pass the places of the pointers of one live object.
            self.reach(unsafe { space::load(first + index * stride) });
        }
        true
    }

    /// Claims what words are addresses of.
    fn words(&mut self, first: u64, bytes: u64) -> bool {
        if bytes / 8 > WORDS_MAX {
            return false;
        }
        for at in 0..bytes / 8 {
            // SAFETY: the callers pass the data of one live object.
            self.heap.claim(unsafe { space::load(first + 8 * at) }, self.writes);
        }
        true
    }
}

impl Heap {
    fn is_address(&self, ty: Type) -> bool {
        let name = self.types.name_of(ty);
        [self.core.ptr, self.core.llvm_ptr].iter().any(|it| self.types.name_of(*it) == name)
    }
}
