//! Marks that tell accesses of different kinds of the heap's memory apart: LLVM then keeps in registers what a store of another kind
//! does not change.

use super::{Function, Module, Val, attribute_kind};
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMContextRef, LLVMMetadataRef, LLVMValueRef};

/// The kind of memory that an access of host code is of. Accesses of two kinds never overlap, if neither is `Any`: accesses through
/// pointers, of which nothing is known, are of that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemoryClass {
    /// Any of them, or none: also the fields of other objects, which a program may wrap as an array.
    Any,
    /// The fields of an `Array`, and the header of a `Memory`.
    ArrayField,
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
            Self::Element => Some("element"),
        }
    }
}

/// Emits accesses of a kind.
pub(crate) fn accessing<T>(module: &Module, class: MemoryClass, emit: impl FnOnce() -> T) -> T {
    let before = module.frames.get();
    module.frames.set((before.0, class));
    let result = emit();
    module.frames.set(before);
    result
}

/// Marks an access with its kind, if that is known.
pub(super) fn mark_class(module: &Module, access: LLVMValueRef) {
    let Some(name) = module.frames.get().1.name() else { return };
    // SAFETY: the access is of this module; nodes are of its context, which has one of each content.
    unsafe {
        let root = node_of(module.context, &mut [text_node(module.context, "kiln")]);
        let zero = LLVMValueAsMetadata(module.const_i64(0).0);
        let class = node_of(module.context, &mut [text_node(module.context, name), root, zero]);
        let tag = node_of(module.context, &mut [class, class, zero]);
        let kind = LLVMGetMDKindIDInContext(module.context, c"tbaa".as_ptr(), 4);
        LLVMSetMetadata(access, kind, LLVMMetadataAsValue(module.context, tag));
    }
}

/// Notes that a loaded address is that of `bytes` bytes that can be read as long as the function runs, aligned as words are, and no null.
pub(crate) fn note_readable(module: &Module, loaded: Val, bytes: u64) {
    // SAFETY: only a load of an address takes the marks.
    unsafe {
        if LLVMIsALoadInst(loaded.0).is_null() {
            return;
        }
        let number = |it: i64| LLVMValueAsMetadata(module.const_i64(it).0);
        let marks = [
            (c"dereferenceable", node_of(module.context, &mut [number(bytes as i64)])),
            (c"align", node_of(module.context, &mut [number(WORD_BYTES)])),
            (c"nonnull", node_of(module.context, &mut [])),
        ];
        for (name, node) in marks {
            let kind = LLVMGetMDKindIDInContext(module.context, name.as_ptr(), name.count_bytes() as u32);
            LLVMSetMetadata(loaded.0, kind, LLVMMetadataAsValue(module.context, node));
        }
    }
}

/// Notes that a parameter is the address of `bytes` bytes that can be read as long as the function runs, aligned as
/// words are, and no null.
pub(crate) fn set_param_readable(module: &Module, function: Function, index: usize, bytes: u64) {
    for (name, number) in [("dereferenceable", bytes), ("align", WORD_BYTES as u64), ("nonnull", 0)] {
        // SAFETY: the handles are of this context, and the parameter is an address.
        unsafe {
            let it = LLVMCreateEnumAttribute(module.context, attribute_kind(name), number);
            LLVMAddAttributeAtIndex(function.value, index as u32 + 1, it);
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
