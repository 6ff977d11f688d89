//! The properties of loops: metadata of the branch that is a loop's back edge.

use super::build::{ITEM_LOOP, REGION_LOOP, UNROLLED_WHOLE};
use super::{Block, Function, Module};
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;

/// Whether the back edge that ends a block is of a loop that [`ItemLoop`](super::ItemLoop) names one of items.
pub(crate) fn is_item_loop(module: &Module, latch: Block) -> bool {
    loop_has(module, latch, ITEM_LOOP)
}

/// Whether the loop whose back edge ends a block has a property that is a name alone.
pub(crate) fn loop_has(module: &Module, latch: Block, property: &str) -> bool {
    properties(module, latch).iter().any(|it| it == property)
}

/// Returns the name of an item loop: that of its function, and the region whose items it runs if that has no function.
pub(crate) fn name_of_loop(module: &Module, function: Function, latch: Block) -> String {
    let name = module.name_of(function);
    let properties = properties(module, latch);
    match properties.iter().find_map(|it| it.strip_prefix(REGION_LOOP)) {
        Some(region) if !name.ends_with(region) => format!("{name}.region{region}"),
        _ => name,
    }
}

/// Marks the loop whose back edge ends a block as one that LLVM leaves as it is.
pub(crate) fn leave_loop(module: &Module, latch: Block) {
    let back = module.here();
    module.at_end(latch);
    module.hint_loop(&[("llvm.loop.isvectorized".into(), Some(1)), (UNROLLED_WHOLE.into(), None)]);
    module.at_end(back);
}

/// Returns the properties that are names alone of the loop whose back edge ends a block.
fn properties(module: &Module, latch: Block) -> Vec<String> {
    // SAFETY: metadata of a terminator; lists have the lengths that LLVM says.
    unsafe {
        let kind = LLVMGetMDKindIDInContext(module.context, c"llvm.loop".as_ptr(), 9);
        let node = LLVMGetMetadata(LLVMGetBasicBlockTerminator(latch.0), kind);
        if node.is_null() {
            return Vec::new();
        }
        let mut parts = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
        LLVMGetMDNodeOperands(node, parts.as_mut_ptr());
        let name = |part: LLVMValueRef| {
            if part.is_null() || LLVMGetMDNodeNumOperands(part) != 1 {
                return None;
            }
            let (mut text, mut length) = (std::ptr::null_mut(), 0);
            LLVMGetMDNodeOperands(part, &mut text);
            let start = LLVMGetMDString(text, &mut length).cast::<u8>();
            let bytes = (!start.is_null()).then(|| std::slice::from_raw_parts(start, length as usize))?;
            Some(String::from_utf8_lossy(bytes).into_owned())
        };
        parts.into_iter().skip(1).filter_map(name).collect()
    }
}
