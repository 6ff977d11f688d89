//! Integers: wrapping arithmetic, bit operations, shifts, comparison.

use crate::error::EmitError;
use crate::function::Emitter;
use crate::value::Value;
use kiln_ir::Intrinsic as I;
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Opcode};

impl Emitter<'_, '_> {
    pub(super) fn integer_unary(&self, op: I, value: Value) -> Result<Value, EmitError> {
        let (module, x) = (self.module(), self.as_int(value)?);
        let ty = module.type_of(x);
        let zero = module.zero(ty);
        let false_ = module.const_int(module.int(1), 0);
        let bits = match op {
            I::NegInt => module.sub(zero, x),
            I::NotInt => module.xor(x, module.const_int(ty, u128::MAX)),
            I::BswapInt if module.int_bits(ty) == 8 => x,
            I::BswapInt => module.intrinsic("llvm.bswap", &[ty], &[x]),
            I::CtpopInt => module.intrinsic("llvm.ctpop", &[ty], &[x]),
            I::CtlzInt => module.intrinsic("llvm.ctlz", &[ty], &[x, false_]),
            _ => module.intrinsic("llvm.cttz", &[ty], &[x, false_]),
        };
        self.value_of_bits(bits, value.ty)
    }

    pub(super) fn integer_binary(&self, op: I, (a, b): (Value, Value)) -> Result<Value, EmitError> {
        let (module, x, y) = (self.module(), self.as_int(a)?, self.as_int(b)?);
        let bits = match op {
            I::AddInt => module.add(x, y),
            I::SubInt => module.sub(x, y),
            I::MulInt => module.mul(x, y),
            I::SdivInt => self.signed_division(Opcode::LLVMSDiv, x, y),
            I::UdivInt => module.binary(Opcode::LLVMUDiv, x, y),
            I::SremInt => self.signed_division(Opcode::LLVMSRem, x, y),
            I::UremInt => module.binary(Opcode::LLVMURem, x, y),
            I::AndInt => module.and(x, y),
            I::OrInt => module.or(x, y),
            I::XorInt => module.xor(x, y),
            _ => {
                let zero = module.zero(module.type_of(x));
                module.select(module.icmp(Int::LLVMIntSLT, y, zero), module.sub(zero, x), x)
            }
        };
        self.value_of_bits(bits, a.ty)
    }

    /// Emits a shift. The count is unsigned and may have another width; a count of the width or more shifts all bits
    /// out.
    pub(super) fn shift(&self, op: I, (a, b): (Value, Value)) -> Result<Value, EmitError> {
        let (module, x, count) = (self.module(), self.as_int(a)?, self.as_int(b)?);
        let (ty, count_ty) = (module.type_of(x), module.type_of(count));
        let width = module.int_bits(ty);
        // A count type may be too narrow to hold the width.
        let reachable = module.int_bits(count_ty) >= 32 || width >> module.int_bits(count_ty) == 0;
        let gone = match reachable {
            true => module.icmp(Int::LLVMIntUGE, count, module.const_int(count_ty, width.into())),
            false => module.const_int(module.int(1), 0),
        };
        let amount = module.resize(count, ty);
        let (opcode, out) = match op {
            I::ShlInt => (Opcode::LLVMShl, module.zero(ty)),
            I::LshrInt => (Opcode::LLVMLShr, module.zero(ty)),
            _ => {
                let last = module.const_int(ty, u128::from(width) - 1);
                let amount = module.select(gone, last, amount);
                return self.value_of_bits(module.binary(Opcode::LLVMAShr, x, amount), a.ty);
            }
        };
        let shifted = module.binary(opcode, x, amount);
        self.value_of_bits(module.select(gone, out, shifted), a.ty)
    }

    pub(super) fn integer_compare(&self, op: I, (a, b): (Value, Value)) -> Result<Value, EmitError> {
        let predicate = match op {
            I::EqInt => Int::LLVMIntEQ,
            I::NeInt => Int::LLVMIntNE,
            I::SltInt => Int::LLVMIntSLT,
            I::UltInt => Int::LLVMIntULT,
            I::SleInt => Int::LLVMIntSLE,
            _ => Int::LLVMIntULE,
        };
        Ok(self.bool_value(self.module().icmp(predicate, self.as_int(a)?, self.as_int(b)?)))
    }
}
