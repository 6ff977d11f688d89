//! Arithmetic that says whether it overflowed, and division that fails without a result.

use crate::function::Emitter;
use crate::value::Value;
use kiln_ir::Intrinsic as I;
use kiln_types::Type;
use kiln_unit::SITE_DIVIDE;
use llvm_sys::LLVMOpcode as Opcode;

impl Emitter<'_, '_> {
    /// `(wrapped result, overflowed)`.
    pub(super) fn with_overflow(&self, op: I, (a, b): (Value, Value), ty: Type) -> Result<Value, String> {
        let (module, x, y) = (self.module(), self.as_int(a)?, self.as_int(b)?);
        let name = match op {
            I::CheckedSaddInt => "llvm.sadd.with.overflow",
            I::CheckedUaddInt => "llvm.uadd.with.overflow",
            I::CheckedSsubInt => "llvm.ssub.with.overflow",
            I::CheckedUsubInt => "llvm.usub.with.overflow",
            I::CheckedSmulInt => "llvm.smul.with.overflow",
            _ => "llvm.umul.with.overflow",
        };
        let both = module.intrinsic(name, &[module.type_of(x)], &[x, y]);
        let result = self.value_of_bits(module.extract(both, 0), a.ty)?;
        let overflowed = self.bool_value(module.extract(both, 1));
        let types = self.types();
        let pair = if types.is_tuple(ty) { ty } else { types.tuple(&[a.ty, types.core().bool]) };
        self.build(&[result, overflowed], pair)
    }

    pub(super) fn checked_division(&self, op: I, (a, b): (Value, Value)) -> Result<Value, String> {
        let (module, x, y) = (self.module(), self.as_int(a)?, self.as_int(b)?);
        let ty = module.type_of(x);
        let not = |it| module.xor(it, module.const_int(module.int(1), 1));
        let by_zero = module.int_eq(y, module.zero(ty));
        let minus_one = module.const_int(ty, u128::MAX);
        let smallest = module.const_int(ty, 1 << (module.int_bits(ty) - 1));
        let bits = match op {
            I::CheckedSdivInt => {
                let too_large = module.and(module.int_eq(x, smallest), module.int_eq(y, minus_one));
                self.check(not(module.or(by_zero, too_large)), SITE_DIVIDE, &[])?;
                module.binary(Opcode::LLVMSDiv, x, y)
            }
            I::CheckedSremInt => {
                self.check(not(by_zero), SITE_DIVIDE, &[])?;
                // The remainder by -1 is 0, but the instruction traps on the smallest integer.
                let divisor = module.select(module.int_eq(y, minus_one), module.const_int(ty, 1), y);
                module.binary(Opcode::LLVMSRem, x, divisor)
            }
            _ => {
                self.check(not(by_zero), SITE_DIVIDE, &[])?;
                let opcode = if op == I::CheckedUdivInt { Opcode::LLVMUDiv } else { Opcode::LLVMURem };
                module.binary(opcode, x, y)
            }
        };
        self.value_of_bits(bits, a.ty)
    }
}
