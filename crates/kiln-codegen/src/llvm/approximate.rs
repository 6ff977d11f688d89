//! Approximate quotients and roots of doubles, where the program allows them (`afn`), for NVIDIA GPUs.
//!
//! LLVM's back end approximates `float` and computes `double` exactly and slowly. The hardware approximates the
//! reciprocal and the reciprocal root of a double to about 20 bits; Newton iterations refine them.

use super::walk::{functions, instructions, name, users};
use super::{Fast, Module, Val};
use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

impl Module {
    /// Rewrites all of them, `1 / sqrt(x)` first, which is one instruction.
    pub(crate) fn approximate_doubles(&self) {
        // SAFETY: handles of this module; each list is taken before it is changed.
        unsafe {
            for function in functions(self.module) {
                for it in instructions(function).into_iter().filter(|it| self.is_quotient(*it)) {
                    self.approximate_inverse_root(it);
                }
                for it in instructions(function).into_iter().filter(|it| self.is_quotient(*it)) {
                    self.approximate_quotient(it);
                }
                for it in instructions(function).into_iter().filter(|it| self.is_root(*it)) {
                    LLVMPositionBuilderBefore(self.builder, it);
                    let inverse = self.approximation("llvm.nvvm.rsqrt.approx.d", Val(LLVMGetOperand(it, 0)));
                    let root = self.approximation("llvm.nvvm.rcp.approx.ftz.d", inverse);
                    self.put_instead(it, root);
                }
            }
        }
    }

    /// Whether an instruction is an approximate division of doubles.
    unsafe fn is_quotient(&self, it: LLVMValueRef) -> bool {
        // SAFETY: an instruction of this module.
        unsafe { LLVMGetInstructionOpcode(it) == LLVMOpcode::LLVMFDiv && self.is_approximate_double(it) }
    }

    /// Whether an instruction is an approximate square root of a double.
    unsafe fn is_root(&self, it: LLVMValueRef) -> bool {
        // SAFETY: an instruction of this module.
        unsafe {
            !LLVMIsACallInst(it).is_null()
                && !LLVMIsAFunction(LLVMGetCalledValue(it)).is_null()
                && name(LLVMGetCalledValue(it)) == "llvm.sqrt.f64"
                && self.is_approximate_double(it)
        }
    }

    unsafe fn is_approximate_double(&self, it: LLVMValueRef) -> bool {
        // SAFETY: an instruction of this module.
        unsafe {
            LLVMTypeOf(it) == self.float(64).0
                && LLVMCanValueUseFastMathFlags(it) != 0
                && LLVMGetFastMathFlags(it) & llvm_sys::LLVMFastMathApproxFunc != 0
        }
    }

    /// Rewrites `1 / sqrt(x)`; removes the root if it has no other use.
    unsafe fn approximate_inverse_root(&self, quotient: LLVMValueRef) {
        // SAFETY: an instruction of this module.
        unsafe {
            let root = LLVMGetOperand(quotient, 1);
            if LLVMIsACallInst(root).is_null()
                || !self.is_root(root)
                || !self.is_one(LLVMGetOperand(quotient, 0))
            {
                return;
            }
            LLVMPositionBuilderBefore(self.builder, quotient);
            let inverse = self.approximation("llvm.nvvm.rsqrt.approx.d", Val(LLVMGetOperand(root, 0)));
            self.put_instead(quotient, inverse);
            if users(root).is_empty() {
                LLVMInstructionEraseFromParent(root);
            }
        }
    }

    /// Rewrites `a / b` as `a * r` and one correction, where `r` is the reciprocal of `b` after one Newton step.
    unsafe fn approximate_quotient(&self, quotient: LLVMValueRef) {
        // SAFETY: an instruction of this module.
        unsafe {
            let (above, below) = (Val(LLVMGetOperand(quotient, 0)), Val(LLVMGetOperand(quotient, 1)));
            LLVMPositionBuilderBefore(self.builder, quotient);
            let double = [self.float(64)];
            let fma = |a: Val, b: Val, c: Val| self.intrinsic("llvm.fma", &double, &[a, b, c]);
            let one = Val(LLVMConstReal(double[0].0, 1.0));
            let minus_below = self.float_neg(below);
            let rough = self.approximation("llvm.nvvm.rcp.approx.ftz.d", below);
            let error = fma(minus_below, rough, one);
            let step = fma(error, error, error);
            let inverse = fma(step, rough, rough);
            let result = if self.is_one(above.0) {
                inverse
            } else {
                self.float_binary(LLVMOpcode::LLVMFMul, above, inverse, Fast::All)
            };
            self.put_instead(quotient, result);
        }
    }

    unsafe fn is_one(&self, value: LLVMValueRef) -> bool {
        // SAFETY: a value of this module.
        unsafe { value == LLVMConstReal(self.float(64).0, 1.0) }
    }

    fn approximation(&self, intrinsic: &str, operand: Val) -> Val {
        self.intrinsic(intrinsic, &[], &[operand])
    }

    /// Replaces an instruction by a value of its type.
    ///
    /// # Safety
    /// Both are alive and of this module.
    pub(super) unsafe fn put_instead(&self, old: LLVMValueRef, new: Val) {
        // SAFETY: of one type and module.
        unsafe {
            LLVMReplaceAllUsesWith(old, new.0);
            LLVMInstructionEraseFromParent(old);
        }
    }
}
