//! Constants.

use super::Bridge;
use crate::error::AirUnsupported;
use crate::llvm::{ConstantForm, Val};
use kiln_air::{CastOp, ConstantValue, TypeId, Value};
use llvm_sys::LLVMOpcode;

impl Bridge<'_> {
    /// Returns a constant. The address of a variable is converted by a constant expression, as contents of variables need it.
    pub(super) fn constant(&mut self, value: Val) -> Result<Value, AirUnsupported> {
        if let Some(known) = self.constants.get(&value) {
            return Ok(*known);
        }
        let ty = self.type_of(value)?;
        let refusal = || AirUnsupported::Constant(self.module.text_of(value));
        let form = match self.module.constant_form(value) {
            ConstantForm::Null => ConstantValue::Null,
            ConstantForm::Undef => ConstantValue::Undef,
            ConstantForm::Poison => ConstantValue::Poison,
            ConstantForm::Int(bits) => ConstantValue::Int(bits),
            ConstantForm::Float(bits) => ConstantValue::Float(bits),
            ConstantForm::Elements(elements) => {
                let elements: Result<_, _> = elements.into_iter().map(|it| self.constant(it)).collect();
                ConstantValue::Aggregate(elements?)
            }
            ConstantForm::Data(words) => ConstantValue::Data(words),
            ConstantForm::Global => return self.constant_address(value, ty),
            ConstantForm::Expression(LLVMOpcode::LLVMAddrSpaceCast) => {
                let (_, operands) = self.module.expression(value);
                ConstantValue::Cast(CastOp::AddrSpaceCast, self.constant(operands[0])?)
            }
            ConstantForm::Function => {
                return Err(AirUnsupported::Constant(format!("@{}", self.module.symbol_name(value))));
            }
            ConstantForm::Expression(_) | ConstantForm::Other => {
                return Err(refusal());
            }
        };
        let made = self.out.constant(ty, form);
        self.constants.insert(value, made);
        Ok(made)
    }

    /// Returns the address of a variable as the type of all addresses.
    fn constant_address(&mut self, variable: Val, ty: TypeId) -> Result<Value, AirUnsupported> {
        let symbol = self.symbol(variable)?;
        if self.out.type_of(symbol) == Some(ty) {
            return Ok(symbol);
        }
        Ok(self.out.constant(ty, ConstantValue::Cast(CastOp::BitCast, symbol)))
    }

    /// Returns a symbol that has been declared.
    pub(super) fn symbol(&self, symbol: Val) -> Result<Value, AirUnsupported> {
        let known = self.symbols.get(&symbol).copied();
        known.ok_or_else(|| AirUnsupported::Symbol(self.module.symbol_name(symbol)))
    }

    /// Whether a constant has the address of a symbol in it.
    pub(super) fn has_address(&self, value: Val) -> bool {
        match self.module.constant_form(value) {
            ConstantForm::Global | ConstantForm::Function | ConstantForm::Expression(_) => true,
            ConstantForm::Elements(elements) => elements.into_iter().any(|it| self.has_address(it)),
            ConstantForm::Null
            | ConstantForm::Undef
            | ConstantForm::Poison
            | ConstantForm::Int(_)
            | ConstantForm::Float(_)
            | ConstantForm::Data(_)
            | ConstantForm::Other => false,
        }
    }
}
