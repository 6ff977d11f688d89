//! Queries of NVIDIA libraries to the compiler (`__nvvm_reflect`).
//!
//! LLVM's own pass for them knows the processor only inside LLVM's pipelines.

use super::walk::{functions, is_call_of, name, users};
use super::{Module, c_string};
use llvm_sys::core::*;
use llvm_sys::prelude::*;

impl Module {
    /// Replaces each query by its value, or by 0 if it is unknown, as the vendor's compiler does.
    pub(crate) fn answer_reflection(&self, answers: &[(&str, u64)]) {
        // SAFETY: handles of this module, listed before it is changed.
        unsafe {
            let asked =
                |it: &LLVMValueRef| ["__nvvm_reflect", "llvm.nvvm.reflect"].contains(&name(*it).as_str());
            for function in functions(self.module).into_iter().filter(asked) {
                for call in users(function).into_iter().filter(|it| is_call_of(*it, function)) {
                    let key = constant_text(LLVMGetOperand(call, 0)).unwrap_or_default();
                    let answer =
                        answers.iter().find(|it| c_string(it.0).as_bytes() == key).map_or(0, |it| it.1);
                    LLVMReplaceAllUsesWith(call, LLVMConstInt(LLVMTypeOf(call), answer, 0));
                    LLVMInstructionEraseFromParent(call);
                }
            }
        }
    }
}

/// Returns the text at a constant pointer, without the trailing NUL.
unsafe fn constant_text(mut pointer: LLVMValueRef) -> Option<Vec<u8>> {
    // SAFETY: a value of a living module.
    unsafe {
        while LLVMIsAGlobalVariable(pointer).is_null() {
            if LLVMIsAConstantExpr(pointer).is_null() && LLVMIsACastInst(pointer).is_null() {
                return None;
            }
            pointer = LLVMGetOperand(pointer, 0);
        }
        let text = LLVMGetInitializer(pointer);
        if text.is_null() || LLVMIsAConstantDataSequential(text).is_null() || LLVMIsConstantString(text) == 0
        {
            return None;
        }
        let mut len = 0;
        let start = LLVMGetAsString(text, &mut len).cast::<u8>();
        let bytes = std::slice::from_raw_parts(start, len);
        Some(bytes.strip_suffix(&[0]).unwrap_or(bytes).to_vec())
    }
}
