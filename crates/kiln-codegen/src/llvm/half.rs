//! Conversions of `half` to integers of more than 64 bits: LLVM's passes make them of conversions through `float`,
//! and lower them to a function that nothing defines.

use super::walk::{functions, instructions};
use super::{Module, Val};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

impl Module {
    /// Converts by way of 32 bits, which hold every finite `half`. Runs after the optimizer, which would undo it.
    pub(crate) fn narrow_conversions_of_half(&self) {
        // SAFETY: handles of this module; each list is taken before it is changed.
        unsafe {
            for it in functions(self.module).into_iter().flat_map(|it| instructions(it)) {
                let opcode = LLVMGetInstructionOpcode(it);
                let is_signed = opcode == LLVMOpcode::LLVMFPToSI;
                let converts = is_signed || opcode == LLVMOpcode::LLVMFPToUI;
                if converts && self.is_wide_conversion_of_half(it) {
                    let half = Val(LLVMGetOperand(it, 0));
                    let extend = if is_signed { LLVMOpcode::LLVMSExt } else { LLVMOpcode::LLVMZExt };
                    LLVMPositionBuilderBefore(self.builder, it);
                    let narrow = self.cast(opcode, half, self.int(32));
                    let wide = LLVMBuildCast(self.builder, extend, narrow.0, LLVMTypeOf(it), c"".as_ptr());
                    self.put_instead(it, Val(wide));
                }
            }
        }
    }

    unsafe fn is_wide_conversion_of_half(&self, it: LLVMValueRef) -> bool {
        // SAFETY: a conversion of this module.
        unsafe {
            let (from, to) = (LLVMTypeOf(LLVMGetOperand(it, 0)), LLVMTypeOf(it));
            LLVMGetTypeKind(from) == LLVMTypeKind::LLVMHalfTypeKind
                && LLVMGetTypeKind(to) == LLVMTypeKind::LLVMIntegerTypeKind
                && LLVMGetIntTypeWidth(to) > 64
        }
    }
}
