//! `Core.Intrinsics`: an operation works on the bits of its operands and the result has the type of the first, unless
//! its group says otherwise. Semantics are those of `kiln-runtime/src/intrinsics`, the oracle.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the match here names every intrinsic; a group's file matches its group and has one arm for the rest of it"
)]

mod atomic;
mod checked;
mod convert;
mod device;
mod float;
mod integer;
mod pointer;

pub(crate) use device::is_true_operand;

use crate::error::{EmitError, InvalidBody, Operation, TypeRole, Unsupported};
use crate::function::Emitter;
use crate::llvm::Val;
use crate::shape::Form;
use crate::value::Value;
use kiln_ir::{Intrinsic, Value as Operand};
use kiln_types::{Type, display};
use llvm_sys::LLVMOpcode as Opcode;

impl Emitter<'_, '_> {
    /// Emits an intrinsic whose statement has type `ty`.
    #[rustfmt::skip] // a table: one group of operations after the other
    pub(crate) fn intrinsic(&self, op: Intrinsic, args: &[Operand], ty: Type) -> Result<Option<Value>, EmitError> {
        use Intrinsic as I;
        if op.arity().is_some_and(|it| it != args.len()) {
            return Err(InvalidBody::OperandCount { op: op.name() }.into());
        }
        let value = match op {
            I::NegInt | I::NotInt | I::BswapInt | I::CtpopInt | I::CtlzInt | I::CttzInt => {
                self.integer_unary(op, self.operand(args[0])?)
            }
            I::AddInt | I::SubInt | I::MulInt | I::SdivInt | I::UdivInt | I::SremInt | I::UremInt | I::AndInt
            | I::OrInt | I::XorInt | I::FlipsignInt => self.integer_binary(op, self.pair(args)?),
            I::ShlInt | I::LshrInt | I::AshrInt => self.shift(op, self.pair(args)?),
            I::EqInt | I::NeInt | I::SltInt | I::UltInt | I::SleInt | I::UleInt => {
                self.integer_compare(op, self.pair(args)?)
            }
            I::NegFloat | I::NegFloatFast | I::AbsFloat | I::CeilLlvm | I::FloorLlvm | I::TruncLlvm | I::RintLlvm
            | I::SqrtLlvm | I::SqrtLlvmFast => self.float_unary(op, self.operand(args[0])?),
            I::AddFloat | I::SubFloat | I::MulFloat | I::DivFloat | I::MinFloat | I::MaxFloat | I::AddFloatFast
            | I::SubFloatFast | I::MulFloatFast | I::DivFloatFast | I::MinFloatFast | I::MaxFloatFast
            | I::CopysignFloat => self.float_binary(op, self.pair(args)?),
            I::FmaFloat | I::MuladdFloat => self.fused(op, self.pair(args)?, self.operand(args[2])?),
            I::EqFloat | I::NeFloat | I::LtFloat | I::LeFloat | I::EqFloatFast | I::NeFloatFast | I::LtFloatFast
            | I::LeFloatFast | I::Fpiseq => self.float_compare(op, self.pair(args)?),
            I::SextInt | I::ZextInt | I::TruncInt | I::Fptoui | I::Fptosi | I::Uitofp | I::Sitofp | I::Fptrunc
            | I::Fpext | I::Bitcast => self.conversion(op, self.type_operand(args[0])?, self.operand(args[1])?),
            I::CheckedSaddInt | I::CheckedUaddInt | I::CheckedSsubInt | I::CheckedUsubInt | I::CheckedSmulInt
            | I::CheckedUmulInt => self.with_overflow(op, self.pair(args)?, ty),
            I::CheckedSdivInt | I::CheckedUdivInt | I::CheckedSremInt | I::CheckedUremInt => {
                self.checked_division(op, self.pair(args)?)
            }
            I::AddPtr | I::SubPtr | I::Pointerref | I::Pointerset => self.pointer(op, args, ty),
            I::AtomicFence | I::AtomicPointerref | I::AtomicPointerset | I::AtomicPointerswap
            | I::AtomicPointermodify | I::AtomicPointerreplace => self.atomic(op, args, ty),
            I::HaveFma => self.have_fma(self.type_operand(args[0])?),
            I::LocalId | I::GroupId | I::LocalSize | I::NumGroups | I::Barrier | I::SharedMemory
            | I::DynamicSharedMemory | I::DynamicSharedBytes | I::PrivateMemory | I::WarpBarrier | I::Clock
            | I::InKernel | I::KernelState | I::DebugLevel | I::Lanes | I::StaticAssertion | I::KernelEntry
            | I::DeclareConstant => {
                self.device(op, args, ty)
            }
            I::Llvmcall => return self.llvmcall(args, ty),
            I::Foreigncall => Err(Operation::CCall.into()),
            I::Report => Err(Operation::ReportedValue.into()),
        };
        value.map(Some)
    }

    fn pair(&self, args: &[Operand]) -> Result<(Value, Value), EmitError> {
        Ok((self.operand(args[0])?, self.operand(args[1])?))
    }

    /// Returns the bits of a primitive value as an integer; a `Bool` is a byte of 0 or 1.
    pub(crate) fn as_int(&self, value: Value) -> Result<Val, EmitError> {
        let (module, val) = (self.module(), self.materialize(value)?);
        Ok(match self.unit.shapes.of(value.ty)?.form {
            Form::Bool => module.resize(val, module.int(8)),
            Form::Int(_) => val,
            Form::Float(bits) => module.cast(Opcode::LLVMBitCast, val, module.int(bits)),
            Form::Pointer => module.cast(Opcode::LLVMPtrToInt, val, module.int(64)),
            Form::Ghost | Form::Object | Form::Fields(_) | Form::Array { .. } | Form::Union { .. } => {
                return Err(Unsupported::of_type(
                    TypeRole::Primitive,
                    display::of_type(self.types(), value.ty),
                ));
            }
        })
    }

    /// Returns the value of a primitive type with these bits.
    pub(crate) fn value_of_bits(&self, bits: Val, ty: Type) -> Result<Value, EmitError> {
        let (module, shape) = (self.module(), self.unit.shapes.of(ty)?);
        let llvm = shape.llvm.ok_or(InvalidBody::GhostBits)?;
        let val = match shape.form {
            Form::Bool | Form::Int(_) => module.resize(bits, llvm),
            Form::Float(..) => module.cast(Opcode::LLVMBitCast, bits, llvm),
            Form::Pointer => module.cast(Opcode::LLVMIntToPtr, bits, llvm),
            Form::Ghost | Form::Object | Form::Fields(_) | Form::Array { .. } | Form::Union { .. } => {
                return Err(Unsupported::of_type(TypeRole::Primitive, display::of_type(self.types(), ty)));
            }
        };
        Ok(self.register(ty, val))
    }

    /// Returns a primitive value as a float of its width.
    pub(crate) fn as_float(&self, value: Value) -> Result<Val, EmitError> {
        let module = self.module();
        match self.unit.shapes.of(value.ty)?.form {
            Form::Float(..) => self.materialize(value),
            _ => {
                let bits = self.as_int(value)?;
                let width = module.int_bits(module.type_of(bits));
                if !matches!(width, 16 | 32 | 64) {
                    return Err(Unsupported::of_type(
                        TypeRole::Float,
                        display::of_type(self.types(), value.ty),
                    ));
                }
                Ok(module.cast(Opcode::LLVMBitCast, bits, module.float(width)))
            }
        }
    }

    /// Makes a `Bool` of an `i1`.
    pub(crate) fn bool_value(&self, val: Val) -> Value {
        self.register(self.types().core().bool, val)
    }
}
