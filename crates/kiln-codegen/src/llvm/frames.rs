//! Marks that tell accesses of the frames of items from all others.

use super::{Module, Val};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
use llvm_sys::prelude::{LLVMMetadataRef, LLVMValueRef};

/// Where accesses are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Frames {
    /// Anywhere.
    Unknown,
    /// In frames, which nothing outside overlaps.
    Inside,
    /// Not in frames.
    Outside,
}

impl Module {
    /// Emits accesses that are there.
    pub(crate) fn within_frames<T>(&self, place: Frames, emit: impl FnOnce() -> T) -> T {
        let before = self.frames.get();
        self.frames.set((place, before.1));
        let result = emit();
        self.frames.set(before);
        result
    }

    /// Marks an access, if its place is known.
    pub(super) fn mark_frames(&self, access: LLVMValueRef) {
        let name = match self.frames.get().0 {
            Frames::Unknown => return,
            Frames::Inside => "alias.scope",
            Frames::Outside => "noalias",
        };
        // SAFETY: the access is of this module; nodes are of its context.
        unsafe {
            let domain = self.own_node(&[]);
            let scope = self.own_node(&[domain]);
            let mut scopes = [scope];
            let list = LLVMMDNodeInContext2(self.context, scopes.as_mut_ptr(), 1);
            let kind = LLVMGetMDKindIDInContext(self.context, name.as_ptr().cast(), name.len() as u32);
            LLVMSetMetadata(access, kind, LLVMMetadataAsValue(self.context, list));
        }
    }

    /// Returns a node that has itself as first operand. It is the same each time, as there is one of each kind.
    fn own_node(&self, rest: &[LLVMMetadataRef]) -> LLVMMetadataRef {
        // SAFETY: the lists have the given lengths; replacing the temporary node disposes it.
        unsafe {
            let known = self.known_nodes.borrow().get(rest.len()).copied();
            if let Some(known) = known {
                return known;
            }
            let mut nodes = vec![LLVMTemporaryMDNode(self.context, std::ptr::null_mut(), 0)];
            nodes.extend(rest);
            let node = LLVMMDNodeInContext2(self.context, nodes.as_mut_ptr(), nodes.len());
            LLVMMetadataReplaceAllUsesWith(nodes[0], node);
            self.known_nodes.borrow_mut().push(node);
            node
        }
    }

    /// Copies bytes.
    pub(crate) fn copy_memory(&self, to: Val, from: Val, bytes: u64) {
        // SAFETY: both are addresses of so many bytes.
        unsafe {
            let copy = LLVMBuildMemCpy(self.builder, to.0, 1, from.0, 1, self.const_i64(bytes as i64).0);
            self.mark_frames(copy);
        }
    }

    /// Sets bytes.
    pub(crate) fn fill_memory(&self, to: Val, byte: u8, bytes: Val) {
        // SAFETY: it is the address of so many bytes.
        unsafe {
            let value = self.const_int(self.int(8), byte.into());
            LLVMBuildMemSet(self.builder, to.0, value.0, bytes.0, 1);
        }
    }

    /// Gives an access the marks of another.
    pub(crate) fn copy_marks(&self, from: Val, to: Val) {
        for name in ["alias.scope", "noalias"] {
            // SAFETY: both are instructions of this module.
            unsafe {
                let kind = LLVMGetMDKindIDInContext(self.context, name.as_ptr().cast(), name.len() as u32);
                let node = LLVMGetMetadata(from.0, kind);
                if !node.is_null() && !LLVMIsAInstruction(to.0).is_null() {
                    LLVMSetMetadata(to.0, kind, node);
                }
            }
        }
    }
}
