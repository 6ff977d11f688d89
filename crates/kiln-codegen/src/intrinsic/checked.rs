//! Arithmetic with an overflow flag, and division that fails for invalid operands.

use crate::error::EmitError;
use crate::function::Emitter;
use crate::llvm::Val;
use crate::value::Value;
use kiln_ir::Intrinsic as I;
use kiln_types::{Type, datatype};
use kiln_unit::SITE_DIVIDE;
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Opcode};

/// The widest integers whose product of twice the width exists on every target.
const WORD: u32 = 32;

impl Emitter<'_, '_> {
    /// Returns `(wrapped result, overflowed)`.
    pub(super) fn with_overflow(&self, op: I, (a, b): (Value, Value), ty: Type) -> Result<Value, EmitError> {
        let (module, x, y) = (self.module(), self.as_int(a)?, self.as_int(b)?);
        let name = match op {
            I::CheckedSaddInt => "llvm.sadd.with.overflow",
            I::CheckedUaddInt => "llvm.uadd.with.overflow",
            I::CheckedSsubInt => "llvm.ssub.with.overflow",
            I::CheckedUsubInt => "llvm.usub.with.overflow",
            I::CheckedSmulInt => "llvm.smul.with.overflow",
            _ => "llvm.umul.with.overflow",
        };
        let is_signed = matches!(op, I::CheckedSaddInt | I::CheckedSsubInt | I::CheckedSmulInt);
        let (bits, overflowed) = if is_signed && !self.unit.facts.abilities.is_exact
            || op == I::CheckedSmulInt && self.is_wide(x)
        {
            self.signed_overflow(op, x, y)
        } else if op == I::CheckedUmulInt {
            self.unsigned_product(x, y)
        } else {
            let both = module.intrinsic(name, &[module.type_of(x)], &[x, y]);
            (module.extract(both, 0), module.extract(both, 1))
        };
        let result = self.value_of_bits(bits, a.ty)?;
        let overflowed = self.bool_value(overflowed);
        let types = self.types();
        let pair = if datatype::is_tuple(types, ty) {
            ty
        } else {
            datatype::tuple(types, &[a.ty, types.core().bool])
        };
        self.build(&[result, overflowed], pair)
    }

    /// Emits signed overflow by signs, for back ends without the intrinsics.
    fn signed_overflow(&self, op: I, x: Val, y: Val) -> (Val, Val) {
        let module = self.module();
        let ty = module.type_of(x);
        let last = module.const_int(ty, u128::from(module.int_bits(ty) - 1));
        let sign = |it| module.binary(Opcode::LLVMAShr, it, last);
        let is_negative = |it| module.icmp(Int::LLVMIntSLT, it, module.zero(ty));
        match op {
            I::CheckedSaddInt => {
                let sum = module.add(x, y);
                (sum, is_negative(module.and(module.xor(x, sum), module.xor(y, sum))))
            }
            I::CheckedSsubInt => {
                let difference = module.sub(x, y);
                (difference, is_negative(module.and(module.xor(x, y), module.xor(x, difference))))
            }
            _ => {
                let magnitude = |it| module.sub(module.xor(it, sign(it)), sign(it));
                let (product, overflowed) = self.unsigned_product(magnitude(x), magnitude(y));
                // The negative range has one more value.
                let largest = module.const_int(ty, (1 << (module.int_bits(ty) - 1)) - 1);
                let largest = module.sub(largest, sign(module.xor(x, y)));
                let beyond = module.icmp(Int::LLVMIntUGT, product, largest);
                (module.mul(x, y), module.or(overflowed, beyond))
            }
        }
    }

    /// Whether the target lacks the product of twice the width.
    fn is_wide(&self, x: Val) -> bool {
        self.module().int_bits(self.module().type_of(x)) > WORD
            && !self.unit.facts.abilities.has_wide_products
    }

    /// Returns a product and its overflow: by halves where the target lacks the product of twice the width.
    fn unsigned_product(&self, x: Val, y: Val) -> (Val, Val) {
        let module = self.module();
        let ty = module.type_of(x);
        if self.unit.facts.abilities.has_wide_products {
            let both = module.intrinsic("llvm.umul.with.overflow", &[ty], &[x, y]);
            return (module.extract(both, 0), module.extract(both, 1));
        }
        if module.int_bits(ty) <= WORD {
            let wide = module.int(2 * module.int_bits(ty));
            let product = module.mul(module.resize(x, wide), module.resize(y, wide));
            let bits = module.const_int(wide, module.int_bits(ty).into());
            let upper = module.binary(Opcode::LLVMLShr, product, bits);
            return (module.mul(x, y), module.icmp(Int::LLVMIntNE, upper, module.zero(wide)));
        }
        let half = module.int_bits(ty) / 2;
        let (bits, mask) = (module.const_int(ty, half.into()), module.const_int(ty, (1 << half) - 1));
        let low = |it| module.and(it, mask);
        let high = |it| module.binary(Opcode::LLVMLShr, it, bits);
        let middle = module.add(module.mul(high(x), low(y)), high(module.mul(low(x), low(y))));
        let other = module.add(module.mul(low(x), high(y)), low(middle));
        let upper = module.add(module.mul(high(x), high(y)), module.add(high(middle), high(other)));
        (module.mul(x, y), module.icmp(Int::LLVMIntNE, upper, module.zero(ty)))
    }

    /// Returns the quotient or remainder of signed integers: of their magnitudes where the target divides only
    /// unsigned ones.
    pub(super) fn signed_division(&self, opcode: Opcode, x: Val, y: Val) -> Val {
        let module = self.module();
        if self.unit.facts.abilities.divides_signed {
            return module.binary(opcode, x, y);
        }
        let ty = module.type_of(x);
        let last = module.const_int(ty, u128::from(module.int_bits(ty) - 1));
        let sign = |it| module.binary(Opcode::LLVMAShr, it, last);
        let signed = |it, sign| module.sub(module.xor(it, sign), sign);
        let operands = (signed(x, sign(x)), signed(y, sign(y)));
        match opcode {
            Opcode::LLVMSDiv => {
                let quotient = module.binary(Opcode::LLVMUDiv, operands.0, operands.1);
                signed(quotient, sign(module.xor(x, y)))
            }
            _ => signed(module.binary(Opcode::LLVMURem, operands.0, operands.1), sign(x)),
        }
    }

    pub(super) fn checked_division(&self, op: I, (a, b): (Value, Value)) -> Result<Value, EmitError> {
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
                self.signed_division(Opcode::LLVMSDiv, x, y)
            }
            I::CheckedSremInt => {
                self.check(not(by_zero), SITE_DIVIDE, &[])?;
                // The remainder by -1 is 0, but the instruction traps on the smallest integer.
                let divisor = module.select(module.int_eq(y, minus_one), module.const_int(ty, 1), y);
                self.signed_division(Opcode::LLVMSRem, x, divisor)
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
