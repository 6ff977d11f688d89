//! Conversions between floats and integers of more than 64 bits, for NVIDIA GPUs: LLVM's back end calls functions of a
//! library for them, which devices lack. They are made of conversions of 64 bits.

use super::walk::{functions, instructions};
use super::{Fast, Module, Ty, Val};
use llvm_sys::LLVMOpcode as Op;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMIntPredicate, LLVMRealPredicate};

/// The width that conversions are computed in.
const WIDE: u32 = 128;

impl Module {
    /// Expands all of them. Runs after the optimizer, which would combine the parts again.
    pub(crate) fn expand_wide_conversions(&self) {
        // SAFETY: handles of this module; each list is taken before it is changed.
        unsafe {
            for it in functions(self.module).into_iter().flat_map(|it| instructions(it)) {
                let is_wide = |ty: LLVMTypeRef| self.int_bits(Ty(ty)) > 64;
                let opcode = LLVMGetInstructionOpcode(it);
                let to_integer = [Op::LLVMFPToSI, Op::LLVMFPToUI].contains(&opcode);
                let to_float = [Op::LLVMSIToFP, Op::LLVMUIToFP].contains(&opcode);
                let expanded = if to_integer && is_wide(LLVMTypeOf(it)) {
                    LLVMPositionBuilderBefore(self.builder, it);
                    let float = Val(LLVMGetOperand(it, 0));
                    self.wide_integer(float, Ty(LLVMTypeOf(it)), opcode == Op::LLVMFPToSI)
                } else if to_float && is_wide(LLVMTypeOf(LLVMGetOperand(it, 0))) {
                    LLVMPositionBuilderBefore(self.builder, it);
                    let integer = Val(LLVMGetOperand(it, 0));
                    self.float_of_wide(integer, Ty(LLVMTypeOf(it)), opcode == Op::LLVMSIToFP)
                } else {
                    continue;
                };
                self.put_instead(it, expanded);
            }
        }
    }

    /// Converts a float to an integer: the multiples of 2^64 first, then the exact rest.
    fn wide_integer(&self, float: Val, to: Ty, is_signed: bool) -> Val {
        let (double, word, wide) = (self.float(64), self.int(64), self.int(WIDE));
        let float =
            if self.type_of(float) == double { float } else { self.cast(Op::LLVMFPExt, float, double) };
        let magnitude = if is_signed { self.intrinsic("llvm.fabs", &[double], &[float]) } else { float };
        let scaled =
            |it: Val, by: f64| self.float_binary(Op::LLVMFMul, it, self.constant_double(by), Fast::Exact);
        let high = self.cast(Op::LLVMFPToUI, scaled(magnitude, 2f64.powi(-64)), word);
        let multiple = scaled(self.cast(Op::LLVMUIToFP, high, double), 2f64.powi(64));
        let rest = self.float_binary(Op::LLVMFSub, magnitude, multiple, Fast::Exact);
        let low = self.cast(Op::LLVMFPToUI, rest, word);
        let high = self.cast(Op::LLVMZExt, high, wide);
        let high = self.binary(Op::LLVMShl, high, self.const_int(wide, 64));
        let value = self.binary(Op::LLVMOr, high, self.cast(Op::LLVMZExt, low, wide));
        let value = if is_signed {
            let is_negative = self.fcmp(LLVMRealPredicate::LLVMRealOLT, float, self.zero(double));
            self.select(is_negative, self.binary(Op::LLVMSub, self.zero(wide), value), value)
        } else {
            value
        };
        if to == wide { value } else { self.cast(Op::LLVMTrunc, value, to) }
    }

    /// Converts an integer to a float, rounding once: the upper 64 significant bits, of which the last says whether any bit
    /// below them is set, and a power of two.
    fn float_of_wide(&self, integer: Val, to: Ty, is_signed: bool) -> Val {
        let (word, wide, small) = (self.int(64), self.int(WIDE), self.float(32));
        let extend = if is_signed { Op::LLVMSExt } else { Op::LLVMZExt };
        let integer = if self.type_of(integer) == wide { integer } else { self.cast(extend, integer, wide) };
        let is_negative = self.icmp(LLVMIntPredicate::LLVMIntSLT, integer, self.zero(wide));
        let magnitude = if is_signed {
            self.select(is_negative, self.binary(Op::LLVMSub, self.zero(wide), integer), integer)
        } else {
            integer
        };
        let upper =
            |it: Val| self.cast(Op::LLVMTrunc, self.binary(Op::LLVMLShr, it, self.const_int(wide, 64)), word);
        let no_poison = self.zero(self.int(1));
        let zeros = self.intrinsic("llvm.ctlz", &[word], &[upper(magnitude), no_poison]);
        let shifted = self.binary(Op::LLVMShl, magnitude, self.cast(Op::LLVMZExt, zeros, wide));
        let below = self.cast(Op::LLVMTrunc, shifted, word);
        let is_inexact = self.icmp(LLVMIntPredicate::LLVMIntNE, below, self.zero(word));
        let digits = self.binary(Op::LLVMOr, upper(shifted), self.cast(Op::LLVMZExt, is_inexact, word));
        // Floats of 16 bits are rounded from those of 32, as everywhere.
        let double = self.float(64);
        let (format, bias, mantissa) = if to == double { (double, 1023, 52) } else { (small, 127, 23) };
        let exponent = self.binary(Op::LLVMSub, self.const_i64(bias + 64), zeros);
        let bits = self.binary(Op::LLVMShl, exponent, self.const_i64(mantissa));
        let bits = if to == double { bits } else { self.cast(Op::LLVMTrunc, bits, self.int(32)) };
        let power = self.cast(Op::LLVMBitCast, bits, format);
        let value = self.cast(Op::LLVMUIToFP, digits, format);
        let value = self.float_binary(Op::LLVMFMul, value, power, Fast::Exact);
        let value = if is_signed { self.select(is_negative, self.float_neg(value), value) } else { value };
        if to == format { value } else { self.cast(Op::LLVMFPTrunc, value, to) }
    }

    fn constant_double(&self, value: f64) -> Val {
        // SAFETY: the type is a float.
        Val(unsafe { LLVMConstReal(self.float(64).0, value) })
    }
}
