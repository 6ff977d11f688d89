//! Floating point. The 16-bit formats are computed in `Float32` and rounded after each operation.

use crate::error::{EmitError, InvalidBody};
use crate::function::Emitter;
use crate::llvm::{Fast, Ty, Val};
use crate::value::Value;
use kiln_ir::Intrinsic as I;
use kiln_types::{Type, consts};
use llvm_sys::{LLVMOpcode as Opcode, LLVMRealPredicate as Real};

impl Emitter<'_, '_> {
    /// Returns the type in which a float is computed, and the operand in it.
    fn widened(&self, value: Value) -> Result<(Ty, Val), EmitError> {
        let (module, x) = (self.module(), self.as_float(value)?);
        let ty = module.type_of(x);
        if ty == module.float(16) || ty == module.bfloat() {
            let wide = module.float(32);
            return Ok((wide, module.cast(Opcode::LLVMFPExt, x, wide)));
        }
        Ok((ty, x))
    }

    /// Returns the flags of `@fastmath` operations. Host code computes them as written, so that interpreted and
    /// compiled results agree.
    fn fast(&self) -> Fast {
        if self.unit.in_kernel { Fast::All } else { Fast::Exact }
    }

    /// Rounds a result to the type of the operands.
    fn narrowed(&self, result: Val, ty: Type) -> Result<Value, EmitError> {
        let module = self.module();
        let llvm = self.unit.shapes.of(ty)?.llvm.ok_or(InvalidBody::FloatBits)?;
        if llvm == module.float(16) || llvm == module.bfloat() {
            return Ok(self.register(ty, module.cast(Opcode::LLVMFPTrunc, result, llvm)));
        }
        if llvm == module.type_of(result) {
            return Ok(self.register(ty, result));
        }
        let bits = if module.type_of(result) == module.float(64) { 64 } else { 32 };
        self.value_of_bits(module.cast(Opcode::LLVMBitCast, result, module.int(bits)), ty)
    }

    pub(super) fn float_unary(&self, op: I, value: Value) -> Result<Value, EmitError> {
        let module = self.module();
        // Sign operations work on the bits: rounding a 16-bit NaN would change them.
        if matches!(op, I::NegFloat | I::NegFloatFast) {
            let x = self.as_float(value)?;
            return self.same_float(module.float_neg(x), value.ty);
        }
        if op == I::AbsFloat {
            let x = self.as_float(value)?;
            return self.same_float(module.intrinsic("llvm.fabs", &[module.type_of(x)], &[x]), value.ty);
        }
        let (ty, x) = self.widened(value)?;
        let name = match op {
            I::CeilLlvm => "llvm.ceil",
            I::FloorLlvm => "llvm.floor",
            I::TruncLlvm => "llvm.trunc",
            I::RintLlvm => "llvm.rint",
            _ => "llvm.sqrt",
        };
        let result = module.intrinsic(name, &[ty], &[x]);
        if op == I::SqrtLlvmFast {
            module.set_fast(result, self.fast());
        }
        self.narrowed(result, value.ty)
    }

    /// Returns a result in the format of its operands.
    fn same_float(&self, result: Val, ty: Type) -> Result<Value, EmitError> {
        if self.unit.shapes.of(ty)?.llvm == Some(self.module().type_of(result)) {
            return Ok(self.register(ty, result));
        }
        self.narrowed(result, ty)
    }

    pub(super) fn float_binary(&self, op: I, (a, b): (Value, Value)) -> Result<Value, EmitError> {
        let module = self.module();
        if op == I::CopysignFloat {
            let (x, y) = (self.as_float(a)?, self.as_float(b)?);
            return self.same_float(module.intrinsic("llvm.copysign", &[module.type_of(x)], &[x, y]), a.ty);
        }
        let ((ty, x), (_, y)) = (self.widened(a)?, self.widened(b)?);
        let result = match op {
            I::AddFloat => module.float_binary(Opcode::LLVMFAdd, x, y, Fast::Exact),
            I::SubFloat => module.float_binary(Opcode::LLVMFSub, x, y, Fast::Exact),
            I::MulFloat => module.float_binary(Opcode::LLVMFMul, x, y, Fast::Exact),
            I::DivFloat => module.float_binary(Opcode::LLVMFDiv, x, y, Fast::Exact),
            I::AddFloatFast => module.float_binary(Opcode::LLVMFAdd, x, y, self.fast()),
            I::SubFloatFast => module.float_binary(Opcode::LLVMFSub, x, y, self.fast()),
            I::MulFloatFast => module.float_binary(Opcode::LLVMFMul, x, y, self.fast()),
            I::DivFloatFast => module.float_binary(Opcode::LLVMFDiv, x, y, self.fast()),
            I::MinFloat | I::MaxFloat if !self.unit.facts.abilities.is_exact => self.extreme(op, x, y),
            // A NaN wins and the zeros are ordered: IEEE 754-2019 `minimum` and `maximum`.
            I::MinFloat => module.intrinsic("llvm.minimum", &[ty], &[x, y]),
            I::MaxFloat => module.intrinsic("llvm.maximum", &[ty], &[x, y]),
            I::MinFloatFast => module.select(module.fcmp(Real::LLVMRealOLT, x, y), x, y),
            _ => module.select(module.fcmp(Real::LLVMRealOGT, x, y), x, y),
        };
        self.narrowed(result, a.ty)
    }

    /// Emits `minimum` or `maximum` for back ends without them. Equal operands differ if they are zeros: the sign
    /// decides.
    fn extreme(&self, op: I, x: Val, y: Val) -> Val {
        let (module, ty) = (self.module(), self.module().type_of(x));
        let int = module.int(if ty == module.float(64) { 64 } else { 32 });
        let bits = |it| module.cast(Opcode::LLVMBitCast, it, int);
        let (order, both) = match op {
            I::MinFloat => (Real::LLVMRealOLT, module.or(bits(x), bits(y))),
            _ => (Real::LLVMRealOGT, module.and(bits(x), bits(y))),
        };
        let equal = module.fcmp(Real::LLVMRealOEQ, x, y);
        let extreme = module.select(module.fcmp(order, x, y), x, y);
        let extreme = module.select(equal, module.cast(Opcode::LLVMBitCast, both, ty), extreme);
        module.select(module.fcmp(Real::LLVMRealUNO, x, x), x, extreme)
    }

    /// Emits `fma`, or `muladd`, which is exact only where the target has the instruction; the interpreter decides
    /// alike.
    pub(super) fn fused(&self, op: I, (a, b): (Value, Value), c: Value) -> Result<Value, EmitError> {
        let module = self.module();
        let ((ty, x), (_, y), (_, z)) = (self.widened(a)?, self.widened(b)?, self.widened(c)?);
        if op == I::FmaFloat || self.unit.facts.have_fma {
            return self.narrowed(module.intrinsic("llvm.fma", &[ty], &[x, y, z]), a.ty);
        }
        let product = self.narrowed(module.float_binary(Opcode::LLVMFMul, x, y, Fast::Exact), a.ty)?;
        let (_, product) = self.widened(product)?;
        self.narrowed(module.float_binary(Opcode::LLVMFAdd, product, z, Fast::Exact), a.ty)
    }

    pub(super) fn float_compare(&self, op: I, (a, b): (Value, Value)) -> Result<Value, EmitError> {
        let module = self.module();
        let (x, y) = (self.as_float(a)?, self.as_float(b)?);
        let predicate = match op {
            I::EqFloat | I::EqFloatFast => Real::LLVMRealOEQ,
            I::NeFloat | I::NeFloatFast => Real::LLVMRealUNE,
            I::LtFloat | I::LtFloatFast => Real::LLVMRealOLT,
            I::LeFloat | I::LeFloatFast => Real::LLVMRealOLE,
            _ => {
                let nan = |it| module.fcmp(Real::LLVMRealUNO, it, it);
                let same = module.int_eq(self.as_int(a)?, self.as_int(b)?);
                return Ok(self.bool_value(module.or(module.and(nan(x), nan(y)), same)));
            }
        };
        Ok(self.bool_value(module.fcmp(predicate, x, y)))
    }

    /// Emits `have_fma(T)`.
    pub(super) fn have_fma(&self, ty: Type) -> Result<Value, EmitError> {
        let core = self.types().core();
        let have = self.unit.facts.have_fma && (ty == core.float32 || ty == core.float64);
        Ok(self.constant(consts::bool(self.types(), have)))
    }
}
