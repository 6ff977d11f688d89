//! Marks that tell accesses of different kinds of the heap's memory apart: LLVM then keeps in registers what a store of another kind
//! does not change.

use super::{Module, Val};
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMContextRef, LLVMMetadataRef, LLVMValueRef};

/// The kind of memory that an access of host code is of. Accesses of two kinds never overlap, if neither is `Any`: accesses through
/// pointers, of which nothing is known, are of that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemoryClass {
    /// Any of them, or none.
    Any,
    /// The fields of an `Array`, and the header of a `Memory`.
    ArrayField,
    /// The fields of another mutable object.
    ObjectField,
    /// The elements of a `Memory`.
    Element,
}

/// The alignment of every object.
const WORD_BYTES: i64 = 8;

impl MemoryClass {
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Any => None,
            Self::ArrayField => Some("array field"),
            Self::ObjectField => Some("object field"),
            Self::Element => Some("element"),
        }
    }
}

impl Module {
    /// Emits accesses of a kind.
    pub(crate) fn accessing<T>(&self, class: MemoryClass, emit: impl FnOnce() -> T) -> T {
        let before = self.frames.get();
        self.frames.set((before.0, class));
        let result = emit();
        self.frames.set(before);
        result
    }

    /// Marks an access with its kind, if that is known.
    pub(super) fn mark_class(&self, access: LLVMValueRef) {
        let Some(name) = self.frames.get().1.name() else { return };
        // SAFETY: the access is of this module; nodes are of its context, which has one of each content.
        unsafe {
            let root = node_of(self.context, &mut [text_node(self.context, "kiln")]);
            let zero = LLVMValueAsMetadata(self.const_i64(0).0);
            let class = node_of(self.context, &mut [text_node(self.context, name), root, zero]);
            let tag = node_of(self.context, &mut [class, class, zero]);
            let kind = LLVMGetMDKindIDInContext(self.context, c"tbaa".as_ptr(), 4);
            LLVMSetMetadata(access, kind, LLVMMetadataAsValue(self.context, tag));
        }
    }

    /// Notes that a loaded address is that of `bytes` bytes that can be read as long as the function runs, aligned as words are, and no null.
    pub(crate) fn note_readable(&self, loaded: Val, bytes: u64) {
        // SAFETY: only a load of an address takes the marks.
        unsafe {
            if LLVMIsALoadInst(loaded.0).is_null() {
                return;
            }
            let number = |it: i64| LLVMValueAsMetadata(self.const_i64(it).0);
            let marks = [
                (c"dereferenceable", node_of(self.context, &mut [number(bytes as i64)])),
                (c"align", node_of(self.context, &mut [number(WORD_BYTES)])),
                (c"nonnull", node_of(self.context, &mut [])),
            ];
            for (name, node) in marks {
                let kind = LLVMGetMDKindIDInContext(self.context, name.as_ptr(), name.count_bytes() as u32);
                LLVMSetMetadata(loaded.0, kind, LLVMMetadataAsValue(self.context, node));
            }
        }
    }
}

/// # Safety
/// The operands are of this context.
unsafe fn node_of(context: LLVMContextRef, operands: &mut [LLVMMetadataRef]) -> LLVMMetadataRef {
    // SAFETY: the list has the given length.
    unsafe { LLVMMDNodeInContext2(context, operands.as_mut_ptr(), operands.len()) }
}

fn text_node(context: LLVMContextRef, text: &str) -> LLVMMetadataRef {
    // SAFETY: the text is given with its length.
    unsafe { LLVMMDStringInContext2(context, text.as_ptr().cast(), text.len()) }
}
