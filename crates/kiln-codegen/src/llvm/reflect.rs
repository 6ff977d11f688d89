//! The answers to libraries for NVIDIA GPUs that ask the compiler by name (`__nvvm_reflect`).
//!
//! LLVM's pass of that purpose knows the processor only inside LLVM's own pipelines.

use super::walk::{functions, is_call_of, name, users};
use super::{Module, c_string};
use llvm_sys::core::*;
use llvm_sys::prelude::*;

impl Module {
    /// Replaces each question by its answer; by 0 where there is none, as the vendor's compiler does.
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

/// The text a constant pointer is to, without the NUL at its end.
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
