//! Conversions between primitive types, in which a `Bool` has one bit. A float out of range of its integer type gives
//! an unspecified integer, the same one at each use.

use crate::error::{EmitError, InvalidBody, TypeRole, Unsupported};
use crate::function::Emitter;
use crate::llvm::Val;
use crate::shape::Form;
use crate::value::Value;
use kiln_ir::Intrinsic as I;
use kiln_types::{Type, display};
use llvm_sys::LLVMOpcode as Opcode;

impl Emitter<'_, '_> {
    pub(super) fn conversion(&self, op: I, to: Type, value: Value) -> Result<Value, EmitError> {
        let module = self.module();
        match op {
            I::Bitcast => self.bitcast(to, value),
            I::SextInt | I::ZextInt | I::TruncInt => {
                let (x, width) = (self.significant(value)?, self.width(to)?);
                let opcode = match op {
                    I::SextInt => Opcode::LLVMSExt,
                    I::ZextInt => Opcode::LLVMZExt,
                    _ => Opcode::LLVMTrunc,
                };
                let from = module.int_bits(module.type_of(x));
                let valid = if op == I::TruncInt { width <= from } else { width >= from };
                if !valid {
                    return Err(InvalidBody::ConversionWidths { op: op.name() }.into());
                }
                let bits = if width == from { x } else { module.cast(opcode, x, module.int(width)) };
                self.value_of_bits(bits, to)
            }
            I::Fptosi | I::Fptoui => {
                let opcode = if op == I::Fptosi { Opcode::LLVMFPToSI } else { Opcode::LLVMFPToUI };
                let bits = module.cast(opcode, self.as_float(value)?, module.int(self.width(to)?));
                self.value_of_bits(module.freeze(bits), to)
            }
            I::Sitofp | I::Uitofp => {
                let opcode = if op == I::Sitofp { Opcode::LLVMSIToFP } else { Opcode::LLVMUIToFP };
                self.to_float(opcode, self.significant(value)?, to)
            }
            I::Fptrunc => self.to_float(Opcode::LLVMFPTrunc, self.as_float(value)?, to),
            _ => self.to_float(Opcode::LLVMFPExt, self.as_float(value)?, to),
        }
    }

    /// Converts an integer to a float; to a 16-bit format by way of `Float32`, as the interpreter rounds.
    fn to_float(&self, opcode: Opcode, x: Val, to: Type) -> Result<Value, EmitError> {
        let (module, shape) = (self.module(), self.unit.shapes.of(to)?);
        let (Form::Float(bits), Some(llvm)) = (&shape.form, shape.llvm) else {
            return Err(Unsupported::of_type(TypeRole::Float, display::of_type(self.types(), to)));
        };
        if *bits == 16 && matches!(opcode, Opcode::LLVMSIToFP | Opcode::LLVMUIToFP) {
            let single = module.cast(opcode, x, module.float(32));
            return Ok(self.register(to, module.cast(Opcode::LLVMFPTrunc, single, llvm)));
        }
        Ok(self.register(to, module.cast(opcode, x, llvm)))
    }

    /// Returns the significant bits: one for a `Bool`.
    fn significant(&self, value: Value) -> Result<Val, EmitError> {
        match self.unit.shapes.of(value.ty)?.form {
            Form::Bool => self.materialize(value),
            _ => self.as_int(value),
        }
    }

    /// Returns the width of a primitive type in conversions.
    fn width(&self, ty: Type) -> Result<u32, EmitError> {
        Ok(match self.unit.shapes.of(ty)?.form {
            Form::Bool => 1,
            Form::Int(bits) | Form::Float(bits) => bits,
            Form::Pointer => 64,
            Form::Ghost | Form::Object | Form::Fields(_) | Form::Array { .. } | Form::Union { .. } => {
                return Err(Unsupported::of_type(TypeRole::Primitive, display::of_type(self.types(), ty)));
            }
        })
    }

    fn bitcast(&self, to: Type, value: Value) -> Result<Value, EmitError> {
        let (from_shape, to_shape) = (self.unit.shapes.of(value.ty)?, self.unit.shapes.of(to)?);
        // The address of an object is not its bits.
        for (shape, ty) in [(&from_shape, value.ty), (&to_shape, to)] {
            if matches!(shape.form, Form::Object) {
                return Err(Unsupported::of_type(TypeRole::Primitive, display::of_type(self.types(), ty)));
            }
        }
        if from_shape.size != to_shape.size {
            return Err(InvalidBody::BitcastSizes.into());
        }
        if from_shape.llvm == to_shape.llvm {
            return Ok(self.register(to, self.materialize(value)?));
        }
        if let (Form::Pointer, Form::Pointer, Some(llvm)) = (&from_shape.form, &to_shape.form, to_shape.llvm)
        {
            return Ok(self.register(to, self.module().in_space(self.materialize(value)?, llvm)));
        }
        self.value_of_bits(self.as_int(value)?, to)
    }
}
