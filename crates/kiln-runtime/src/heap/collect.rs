//! Mark and sweep, between the statements of top-level code.

use super::space::{self, INLINE, LIVE, MARK};
use super::{FieldSlot, Heap, ObjectForm, Value, memory::ELEMENTS};
use kiln_types::Type;

/// Takes the roots of a collection.
#[derive(Debug)]
pub struct Marker<'a> {
    heap: &'a Heap,
    pending: Vec<u64>,
}

impl Marker<'_> {
    /// Keeps a value and everything it reaches.
    pub fn mark(&mut self, value: Value) {
        if !value.is_inline() {
            self.reach(value.bits());
        }
    }

    fn reach(&mut self, address: u64) {
        if address == 0 {
            return;
        }
        // SAFETY: objects reach only objects, and roots are live by the caller's promise.
        unsafe {
            let (ty, flags) = space::header(address);
            debug_assert!(flags & LIVE != 0, "a root or a field holds a freed object");
            if flags & MARK == 0 {
                space::set_header(address, ty, flags | MARK);
                if flags & INLINE == 0 {
                    self.pending.push(address);
                }
            }
        }
    }

    fn drain(&mut self) {
        while let Some(address) = self.pending.pop() {
            // SAFETY: only live objects are pending.
            let (ty, _) = unsafe { space::header(address) };
            self.trace(Type::from_index(ty as usize), address);
        }
    }

    fn trace(&mut self, ty: Type, address: u64) {
        let heap = self.heap;
        let shape = heap.concrete(ty);
        match &shape.form {
            ObjectForm::Inline | ObjectForm::String => {}
            ObjectForm::Struct => {
                for &offset in &shape.pointers {
                    // SAFETY: the type has a pointer there.
                    self.reach(unsafe { space::load(address + u64::from(offset)) });
                }
            }
            ObjectForm::Svec => {
                // SAFETY: a simple vector starts with its length.
                let len: u64 = unsafe { space::load(address) };
                self.reach_all(address + 8, len, 8);
            }
            ObjectForm::Memory(element) => {
                // SAFETY: a memory starts with its length and the address of its elements.
                let (len, data): (u64, u64) = unsafe { (space::load(address), space::load(address + 8)) };
                if data != address + ELEMENTS {
                    return;
                }
                let stride = u64::from(element.stride);
                match &element.slot {
                    FieldSlot::Pointer => self.reach_all(data, len, stride),
                    &FieldSlot::Inline(ty) => {
                        for &offset in &heap.concrete(ty).pointers {
                            self.reach_all(data + u64::from(offset), len, stride);
                        }
                    }
                    FieldSlot::Union(_) => {}
                }
            }
        }
    }

    fn reach_all(&mut self, first: u64, count: u64, stride: u64) {
        for index in 0..count {
            // SAFETY: the callers pass the places of the pointers of one live object.
            self.reach(unsafe { space::load(first + index * stride) });
        }
    }
}

impl Heap {
    /// Frees every object that is unreachable from `roots`, from constants, and from objects read from an image. Must
    /// not run while Julia code runs, on any thread: registers are no roots. Unreached values must not be used
    /// afterwards.
    pub fn collect(&self, roots: impl FnOnce(&mut Marker<'_>)) {
        let mut marker = Marker { heap: self, pending: Vec::new() };
        for value in self.constant_roots() {
            marker.mark(value);
        }
        for address in self.frozen.get().map_or_else(Vec::new, |it| it.addresses()) {
            marker.reach(address);
        }
        marker.drain();
        roots(&mut marker);
        marker.drain();
        self.space.lock().sweep();
    }
}
