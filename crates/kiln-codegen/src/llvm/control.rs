//! Rewrites for SPIR-V drivers, which do not accept all control flow and types of LLVM.

use super::walk::{functions, instructions, users};
use super::{Function, Machine, Module};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

/// Whether a function type has aggregates with pointers as parameters or result.
///
/// # Safety
/// It is a function type.
unsafe fn packs_pointers(function: LLVMTypeRef) -> bool {
    // SAFETY: by the contract; the list is as long as is said.
    unsafe {
        let mut types = vec![std::ptr::null_mut(); LLVMCountParamTypes(function) as usize];
        LLVMGetParamTypes(function, types.as_mut_ptr());
        types.push(LLVMGetReturnType(function));
        types.into_iter().any(|it| is_aggregate(it) && holds_pointer(it))
    }
}

/// # Safety
/// A type.
unsafe fn is_aggregate(it: LLVMTypeRef) -> bool {
    // SAFETY: by the contract.
    let kind = unsafe { LLVMGetTypeKind(it) };
    matches!(kind, LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind)
}

/// # Safety
/// A type.
unsafe fn holds_pointer(it: LLVMTypeRef) -> bool {
    // SAFETY: by the contract; arrays have one type of elements, structs as many as they say.
    unsafe {
        let kind = LLVMGetTypeKind(it);
        if kind == LLVMTypeKind::LLVMArrayTypeKind {
            return holds_pointer(LLVMGetElementType(it));
        }
        if kind == LLVMTypeKind::LLVMStructTypeKind {
            let mut fields = 0..LLVMCountStructElementTypes(it);
            return fields.any(|at| holds_pointer(LLVMStructGetTypeAtIndex(it, at)));
        }
        kind == LLVMTypeKind::LLVMPointerTypeKind
    }
}

impl Module {
    /// Marks functions for inlining that stop, directly or by a call: stopping an item then ends the entry, not only
    /// the function.
    pub fn inline_what_stops(&self, entry: Function) {
        // SAFETY: handles of this module.
        unsafe {
            let mut marked: Vec<LLVMValueRef> = Vec::new();
            let mut waiting: Vec<LLVMValueRef> = functions(self.module)
                .into_iter()
                .filter(|it| instructions(*it).into_iter().any(|it| stops(it)))
                .collect();
            while let Some(it) = waiting.pop() {
                if marked.contains(&it) {
                    continue;
                }
                marked.push(it);
                let callers = users(it).into_iter().filter(|it| !LLVMIsACallInst(*it).is_null());
                waiting.extend(callers.map(|it| LLVMGetBasicBlockParent(LLVMGetInstructionParent(it))));
            }
            marked.into_iter().filter(|it| *it != entry.value).for_each(|it| self.force_inline(it));
        }
    }

    /// Marks functions for inlining that take or return an aggregate with a pointer: LLVM's back end confuses typed
    /// pointers in aggregates.
    pub fn inline_what_packs_pointers(&self, entry: Function) {
        // SAFETY: handles of this module.
        unsafe {
            for it in functions(self.module) {
                if it != entry.value
                    && LLVMIsDeclaration(it) == 0
                    && packs_pointers(LLVMGlobalGetValueType(it))
                {
                    self.force_inline(it);
                }
            }
        }
    }

    /// # Safety
    /// A function of this module.
    pub(super) unsafe fn force_inline(&self, it: LLVMValueRef) {
        // SAFETY: by the contract.
        unsafe {
            for other in ["noinline", "optnone"] {
                self.remove_attribute(it, other);
            }
            self.set_attribute(Function { value: it, ty: LLVMGlobalGetValueType(it) }, "alwaysinline");
            for call in users(it).into_iter().filter(|it| !LLVMIsACallInst(*it).is_null()) {
                const NOINLINE: &str = "noinline";
                let kind = LLVMGetEnumAttributeKindForName(NOINLINE.as_ptr().cast(), NOINLINE.len());
                LLVMRemoveCallSiteEnumAttribute(call, llvm_sys::LLVMAttributeFunctionIndex, kind);
            }
        }
    }

    /// Returns zeros where code stops: traps are removed, and `unreachable` becomes a return.
    pub fn return_where_it_stops(&self) {
        // SAFETY: handles of this module, listed before it is changed.
        unsafe {
            for function in functions(self.module) {
                self.remove_attribute(function, "noreturn");
                let result = LLVMGetReturnType(LLVMGlobalGetValueType(function));
                for it in instructions(function).into_iter().filter(|it| stops(*it)) {
                    if LLVMGetInstructionOpcode(it) == LLVMOpcode::LLVMUnreachable {
                        LLVMPositionBuilderBefore(self.builder, it);
                        if LLVMGetTypeKind(result) == LLVMTypeKind::LLVMVoidTypeKind {
                            LLVMBuildRetVoid(self.builder);
                        } else {
                            LLVMBuildRet(self.builder, LLVMConstNull(result));
                        }
                    }
                    LLVMInstructionEraseFromParent(it);
                }
                for it in instructions(function) {
                    if !LLVMIsACallInst(it).is_null() {
                        const NORETURN: &str = "noreturn";
                        let kind = LLVMGetEnumAttributeKindForName(NORETURN.as_ptr().cast(), NORETURN.len());
                        LLVMRemoveCallSiteEnumAttribute(it, llvm_sys::LLVMAttributeFunctionIndex, kind);
                    }
                }
            }
        }
    }

    /// Replaces each `freeze` by its operand.
    pub fn thaw(&self) {
        // SAFETY: handles of this module, listed before it is changed.
        unsafe {
            for it in functions(self.module).into_iter().flat_map(|it| instructions(it)) {
                if LLVMGetInstructionOpcode(it) == LLVMOpcode::LLVMFreeze {
                    LLVMReplaceAllUsesWith(it, LLVMGetOperand(it, 0));
                    LLVMInstructionEraseFromParent(it);
                }
            }
        }
    }

    /// Extracts nested structs by way of memory, which SROA splits into one extraction for each part: the back end
    /// mishandles extractions of extractions. Returns whether there was any.
    pub fn extract_by_memory(&self) -> bool {
        let mut found = false;
        // SAFETY: handles of this module, listed before it is changed.
        unsafe {
            for function in functions(self.module) {
                for it in instructions(function) {
                    let is_whole = matches!(
                        LLVMGetTypeKind(LLVMTypeOf(it)),
                        LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind
                    );
                    if LLVMGetInstructionOpcode(it) != LLVMOpcode::LLVMExtractValue || !is_whole {
                        continue;
                    }
                    found = true;
                    let whole = LLVMGetOperand(it, 0);
                    let entry = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
                    LLVMPositionBuilderBefore(self.builder, entry);
                    let place = LLVMBuildAlloca(self.builder, LLVMTypeOf(whole), c"".as_ptr());
                    LLVMPositionBuilderBefore(self.builder, it);
                    LLVMBuildStore(self.builder, whole, place);
                    let (mut at, mut ty) = (place, LLVMTypeOf(whole));
                    for step in 0..LLVMGetNumIndices(it) as usize {
                        let index = *LLVMGetIndices(it).add(step);
                        let (first, number) = (self.int(32).0, LLVMConstInt(self.int(32).0, index.into(), 0));
                        let mut path = [LLVMConstInt(first, 0, 0), number];
                        at = LLVMBuildInBoundsGEP2(self.builder, ty, at, path.as_mut_ptr(), 2, c"".as_ptr());
                        let is_struct = LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMStructTypeKind;
                        ty = if is_struct {
                            LLVMStructGetTypeAtIndex(ty, index)
                        } else {
                            LLVMGetElementType(ty)
                        };
                    }
                    let part = LLVMBuildLoad2(self.builder, ty, at, c"".as_ptr());
                    LLVMReplaceAllUsesWith(it, part);
                    LLVMInstructionEraseFromParent(it);
                }
            }
        }
        found
    }

    /// Merges aggregates of several blocks by way of memory, which SROA splits into one phi for each part: the back
    /// end mishandles extractions of phis. Returns whether there was any.
    pub fn merge_by_memory(&self) -> bool {
        let mut found = false;
        // SAFETY: handles of this module, listed before it is changed.
        unsafe {
            for function in functions(self.module) {
                for it in instructions(function) {
                    if LLVMGetInstructionOpcode(it) != LLVMOpcode::LLVMPHI || !is_aggregate(LLVMTypeOf(it)) {
                        continue;
                    }
                    found = true;
                    let entry = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
                    LLVMPositionBuilderBefore(self.builder, entry);
                    let place = LLVMBuildAlloca(self.builder, LLVMTypeOf(it), c"".as_ptr());
                    for from in 0..LLVMCountIncoming(it) {
                        let end = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(it, from));
                        LLVMPositionBuilderBefore(self.builder, end);
                        LLVMBuildStore(self.builder, LLVMGetIncomingValue(it, from), place);
                    }
                    let mut after = it;
                    while LLVMGetInstructionOpcode(after) == LLVMOpcode::LLVMPHI {
                        after = LLVMGetNextInstruction(after);
                    }
                    LLVMPositionBuilderBefore(self.builder, after);
                    let whole = LLVMBuildLoad2(self.builder, LLVMTypeOf(it), place, c"".as_ptr());
                    LLVMReplaceAllUsesWith(it, whole);
                    LLVMInstructionEraseFromParent(it);
                }
            }
        }
        found
    }

    /// Splits allocations with 128-bit integers into 64-bit words of the same size.
    pub fn split_wide_allocations(&self, machine: &Machine) {
        // SAFETY: handles of this module, listed before it is changed.
        unsafe {
            for it in functions(self.module).into_iter().flat_map(|it| instructions(it)) {
                if LLVMGetInstructionOpcode(it) != LLVMOpcode::LLVMAlloca
                    || !is_wide(LLVMGetAllocatedType(it))
                {
                    continue;
                }
                let bytes = machine.size_of(LLVMGetAllocatedType(it)).0;
                let words = LLVMArrayType2(self.int(64).0, bytes.div_ceil(8));
                LLVMPositionBuilderBefore(self.builder, it);
                let new = LLVMBuildArrayAlloca(self.builder, words, LLVMGetOperand(it, 0), c"".as_ptr());
                LLVMSetAlignment(new, LLVMGetAlignment(it));
                LLVMReplaceAllUsesWith(it, new);
                LLVMInstructionEraseFromParent(it);
            }
        }
    }
}

/// Whether a type contains a 128-bit integer.
unsafe fn is_wide(ty: LLVMTypeRef) -> bool {
    // SAFETY: a type of a living context, asked for what its kind has.
    unsafe {
        let kind = LLVMGetTypeKind(ty);
        if kind == LLVMTypeKind::LLVMIntegerTypeKind {
            LLVMGetIntTypeWidth(ty) > 64
        } else if [LLVMTypeKind::LLVMVectorTypeKind, LLVMTypeKind::LLVMArrayTypeKind].contains(&kind) {
            is_wide(LLVMGetElementType(ty))
        } else if kind == LLVMTypeKind::LLVMStructTypeKind {
            (0..LLVMCountStructElementTypes(ty)).any(|it| is_wide(LLVMStructGetTypeAtIndex(ty, it)))
        } else {
            false
        }
    }
}

/// Whether an instruction ends an item without a return.
unsafe fn stops(it: LLVMValueRef) -> bool {
    // SAFETY: an instruction of a living module.
    unsafe {
        if LLVMGetInstructionOpcode(it) == LLVMOpcode::LLVMUnreachable {
            return true;
        }
        if LLVMIsACallInst(it).is_null() {
            return false;
        }
        let called = LLVMGetCalledValue(it);
        let is_function = !LLVMIsAFunction(called).is_null();
        is_function
            && ["llvm.trap", "llvm.debugtrap", "llvm.ubsantrap"].contains(&super::walk::name(called).as_str())
    }
}
