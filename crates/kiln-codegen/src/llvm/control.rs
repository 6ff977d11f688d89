//! Rewrites for drivers that do not take all of LLVM's control flow and types: SPIR-V's.

use super::walk::{functions, instructions, users};
use super::{Function, Machine, Module};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

impl Module {
    /// Marks every function but `entry` that stops, itself or by a call, for inlining: what stops an item can then end the
    /// entry, and not only the function it is in.
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

    /// # Safety
    /// A function of this module.
    unsafe fn force_inline(&self, it: LLVMValueRef) {
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

    /// Makes what stops return: traps go, and the unreachable is a return of zeros.
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

    /// Makes `freeze` what it freezes.
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

    /// Takes a struct out of a struct by memory, for SROA to make it one extraction a part: the back end of SPIR-V does not
    /// know what is taken out of what was taken out. Returns whether there was any.
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

    /// Replaces phis of structs and arrays, which optimization makes of what calls return, by a phi for each part.
    pub fn split_phis(&self) {
        // SAFETY: handles of this module; a phi is taken off the list before it is erased, and its parts are put on it.
        unsafe {
            let all = functions(self.module).into_iter().flat_map(|it| instructions(it));
            let mut left: Vec<_> = all.filter(|it| is_whole_phi(*it)).collect();
            while let Some(phi) = left.pop() {
                left.extend(self.split_phi(phi).into_iter().filter(|it| is_whole_phi(*it)));
            }
        }
    }

    /// The phis of a phi's parts, which take its place.
    ///
    /// # Safety
    /// It is a phi of a struct or an array, in this module.
    unsafe fn split_phi(&self, phi: LLVMValueRef) -> Vec<LLVMValueRef> {
        // SAFETY: by the contract; parts are numbered as the type has them.
        unsafe {
            let (ty, none) = (LLVMTypeOf(phi), c"".as_ptr());
            let is_struct = LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMStructTypeKind;
            let count =
                if is_struct { LLVMCountStructElementTypes(ty) } else { LLVMGetArrayLength2(ty) as u32 };
            let mut parts = Vec::with_capacity(count as usize);
            for index in 0..count {
                let part =
                    if is_struct { LLVMStructGetTypeAtIndex(ty, index) } else { LLVMGetElementType(ty) };
                LLVMPositionBuilderBefore(self.builder, phi);
                let new = LLVMBuildPhi(self.builder, part, none);
                // A block that comes here by several edges brings one value.
                let mut brought: Vec<(LLVMBasicBlockRef, LLVMValueRef)> = Vec::new();
                for from in 0..LLVMCountIncoming(phi) {
                    let mut block = LLVMGetIncomingBlock(phi, from);
                    let known = brought.iter().find(|it| it.0 == block).map(|it| it.1);
                    let mut value = known.unwrap_or_else(|| {
                        LLVMPositionBuilderBefore(self.builder, LLVMGetBasicBlockTerminator(block));
                        LLVMBuildExtractValue(self.builder, LLVMGetIncomingValue(phi, from), index, none)
                    });
                    brought.push((block, value));
                    LLVMAddIncoming(new, &mut value, &mut block, 1);
                }
                parts.push(new);
            }
            let mut after = LLVMGetNextInstruction(phi);
            while !LLVMIsAPHINode(after).is_null() {
                after = LLVMGetNextInstruction(after);
            }
            LLVMPositionBuilderBefore(self.builder, after);
            let mut whole = LLVMGetPoison(ty);
            for (part, index) in parts.iter().zip(0..) {
                whole = LLVMBuildInsertValue(self.builder, whole, *part, index, none);
            }
            LLVMReplaceAllUsesWith(phi, whole);
            LLVMInstructionEraseFromParent(phi);
            parts
        }
    }

    /// Allocates what has integers of 128 bits in it as words of 64: the memory is the same.
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

/// Whether a type has an integer of 128 bits in it.
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

/// Whether an instruction is where an item ends without returning.
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

/// Whether an instruction is a phi of a struct or an array.
///
/// # Safety
/// It is alive.
unsafe fn is_whole_phi(it: LLVMValueRef) -> bool {
    // SAFETY: by the contract.
    unsafe {
        let kind = LLVMGetTypeKind(LLVMTypeOf(it));
        let is_whole = matches!(kind, LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind);
        is_whole && !LLVMIsAPHINode(it).is_null()
    }
}
