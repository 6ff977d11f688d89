//! What instructions say besides their operands, for a writer of another format.

use super::contents::Contents;
use super::{Block, Ty, Val};
use llvm_sys::core::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMOpcode};

impl Contents<'_> {
    /// Whether an addition, a subtraction, a multiplication or a left shift does not wrap: unsigned, and signed.
    pub(crate) fn wrap_flags(&self, value: Val) -> [bool; 2] {
        // SAFETY: the caller has such an operation.
        unsafe { [LLVMGetNUW(value.0) != 0, LLVMGetNSW(value.0) != 0] }
    }
    /// Whether a division or a right shift has no remainder.
    pub(crate) fn is_exact(&self, value: Val) -> bool {
        // SAFETY: the caller has such an operation.
        unsafe { LLVMGetExact(value.0) != 0 }
    }
    /// Returns LLVM's flags of floats; none where an instruction cannot have them.
    pub(crate) fn fast_flags(&self, value: Val) -> u32 {
        // SAFETY: the flags are asked of instructions that may have them.
        unsafe { if LLVMCanValueUseFastMathFlags(value.0) != 0 { LLVMGetFastMathFlags(value.0) } else { 0 } }
    }
    /// Whether an address computation stays in its object.
    pub(crate) fn is_inbounds(&self, value: Val) -> bool {
        // SAFETY: the caller has an address computation.
        unsafe { LLVMGEPGetNoWrapFlags(value.0) & llvm_sys::LLVMGEPFlagInBounds != 0 }
    }
    /// Whether a load or a store is volatile.
    pub(crate) fn is_volatile(&self, value: Val) -> bool {
        // SAFETY: the caller has such an instruction.
        unsafe { LLVMGetVolatile(value.0) != 0 }
    }
    /// Whether a load or a store is atomic.
    pub(crate) fn is_atomic(&self, value: Val) -> bool {
        // SAFETY: the caller has such an instruction.
        unsafe { LLVMGetOrdering(value.0) != LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic }
    }
    /// Returns the type of an allocation's elements, and their number.
    pub(crate) fn allocation(&self, value: Val) -> (Ty, Val) {
        // SAFETY: the caller has an allocation.
        unsafe { (Ty(LLVMGetAllocatedType(value.0)), Val(LLVMGetOperand(value.0, 0))) }
    }
    /// Returns the lanes that a shuffle takes; `None` for any.
    pub(crate) fn shuffle_mask(&self, value: Val) -> Vec<Option<u32>> {
        // SAFETY: the caller has a shuffle; the numbers are in range.
        unsafe {
            let lanes = (0..LLVMGetNumMaskElements(value.0)).map(|it| LLVMGetMaskValue(value.0, it));
            lanes.map(|it| u32::try_from(it).ok()).collect()
        }
    }
    /// Returns the condition of a branch; `None` if it has one target.
    pub(crate) fn condition(&self, value: Val) -> Option<Val> {
        // SAFETY: the caller has a branch.
        unsafe { (LLVMIsConditional(value.0) != 0).then(|| Val(LLVMGetCondition(value.0))) }
    }
    /// Returns the cases of a switch: values and targets, without the default.
    pub(crate) fn cases(&self, value: Val) -> Vec<(Val, Block)> {
        // SAFETY: the caller has a switch; the first successor is the default.
        unsafe {
            let cases = 1..LLVMGetNumSuccessors(value.0);
            let case = |it| (Val(LLVMGetSwitchCaseValue(value.0, it)), Block(LLVMGetSuccessor(value.0, it)));
            cases.map(case).collect()
        }
    }
    /// Returns the default target of a switch.
    pub(crate) fn default_target(&self, value: Val) -> Block {
        // SAFETY: the caller has a switch.
        Block(unsafe { LLVMGetSwitchDefaultDest(value.0) })
    }
    /// Returns the function that a call names; `None` if it calls through an address, or assembly.
    pub(crate) fn callee(&self, call: Val) -> Option<Val> {
        // SAFETY: the caller has a call.
        unsafe {
            let callee = LLVMGetCalledValue(call.0);
            (!LLVMIsAFunction(callee).is_null()).then_some(Val(callee))
        }
    }
    /// Returns the number of the convention of a call, and its signature.
    pub(crate) fn call_form(&self, call: Val) -> (u32, Ty) {
        // SAFETY: the caller has a call.
        unsafe { (LLVMGetInstructionCallConv(call.0), Ty(LLVMGetCalledFunctionType(call.0))) }
    }
    /// Whether a call may reuse its caller's frame.
    pub(crate) fn is_tail_call(&self, call: Val) -> bool {
        // SAFETY: the caller has a call.
        unsafe { LLVMGetTailCallKind(call.0) == llvm_sys::LLVMTailCallKind::LLVMTailCallKindTail }
    }
    /// Whether a call must reuse its caller's frame, or has bundles of operands other than tokens of convergence.
    pub(crate) fn is_special_call(&self, call: Val) -> bool {
        // SAFETY: the caller has a call; bundles are disposed.
        unsafe {
            let must = LLVMGetTailCallKind(call.0) == llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail;
            let mut others = false;
            for index in 0..LLVMGetNumOperandBundles(call.0) {
                let bundle = LLVMGetOperandBundleAtIndex(call.0, index);
                let mut len = 0;
                let start = LLVMGetOperandBundleTag(bundle, &mut len).cast::<u8>();
                others |= std::slice::from_raw_parts(start, len) != b"convergencectrl";
                LLVMDisposeOperandBundle(bundle);
            }
            must || others
        }
    }
    /// Returns the parameters of a function.
    pub(crate) fn params_of(&self, function: Val) -> Vec<Val> {
        // SAFETY: the caller has a function; the numbers are in range.
        unsafe { (0..LLVMCountParams(function.0)).map(|it| Val(LLVMGetParam(function.0, it))).collect() }
    }
    /// Returns the opcode and the operands of a constant expression.
    pub(crate) fn expression(&self, value: Val) -> (LLVMOpcode, Vec<Val>) {
        // SAFETY: the caller has a constant expression; the numbers are in range.
        unsafe {
            let operands = 0..LLVMGetNumOperands(value.0) as u32;
            (LLVMGetConstOpcode(value.0), operands.map(|it| Val(LLVMGetOperand(value.0, it))).collect())
        }
    }
}
