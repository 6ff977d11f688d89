//! Bodies: values, blocks, and the addresses that a function needs at its start.

use super::Bridge;
use super::symbol::is_hint;
use crate::error::AirUnsupported;
use crate::llvm::{Block, ConstantForm, Val};
use kiln_air::{AirOperation, BodyBuilder, CastOp, TypeId, Value};
use llvm_sys::LLVMOpcode as Op;
use rustc_hash::FxHashMap;

/// The translation of a function.
pub(super) struct Body<'a, 'b> {
    pub(super) bridge: &'a mut Bridge<'b>,
    pub(super) builder: BodyBuilder,
    /// Parameters, results, and constants that are computed at the start.
    values: FxHashMap<Val, Value>,
    blocks: FxHashMap<Block, u32>,
    /// The block that is being filled.
    pub(super) block: u32,
}

impl Bridge<'_> {
    /// Fills the bodies of all functions.
    pub(super) fn bodies(&mut self) -> Result<(), AirUnsupported> {
        for function in self.module.bodies() {
            let value = self.module.value_of(function);
            let Value::Function(index) = self.symbol(value)? else {
                return Err(AirUnsupported::Symbol(self.module.symbol_name(value)));
            };
            let blocks = self.module.blocks_of(function);
            let mut values = FxHashMap::default();
            for (number, param) in self.module.params_of(value).into_iter().enumerate() {
                values.insert(param, Value::Argument(number as u32));
            }
            let numbers = blocks.iter().enumerate().map(|(number, it)| (*it, number as u32)).collect();
            let builder = BodyBuilder::new(blocks.len() as u32);
            let mut body = Body { bridge: self, builder, values, blocks: numbers, block: 0 };
            body.reserve(&blocks);
            body.start(&blocks)?;
            for (number, block) in blocks.iter().enumerate() {
                body.block = number as u32;
                for it in body.bridge.module.instructions_of(*block) {
                    body.instruction(it)?;
                }
            }
            let done = body.builder.finish();
            let done = done.ok_or_else(|| AirUnsupported::Symbol(self.module.symbol_name(value)))?;
            self.out.functions[index as usize].blocks = done;
        }
        Ok(())
    }
}

impl Body<'_, '_> {
    /// Gives each instruction its value, so that uses may come first.
    fn reserve(&mut self, blocks: &[Block]) {
        for block in blocks {
            for it in self.bridge.module.instructions_of(*block) {
                let value = self.builder.reserve();
                self.values.insert(it, value);
            }
        }
    }

    /// Computes the addresses of symbols and the constant expressions that instructions name.
    fn start(&mut self, blocks: &[Block]) -> Result<(), AirUnsupported> {
        for block in blocks {
            for it in self.bridge.module.instructions_of(*block) {
                let mut operands = self.bridge.module.operands(it);
                if self.bridge.module.opcode(it) == Some(Op::LLVMCall) {
                    let callee = self.bridge.module.callee(it);
                    if callee.is_some_and(|it| is_hint(&self.bridge.module.symbol_name(it))) {
                        continue;
                    }
                    operands.pop(); // the function
                }
                for operand in operands {
                    if self.bridge.module.is_constant_value(operand) {
                        self.address_constant(operand)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Computes a constant at the start of the function, if it is the address of a variable or an expression.
    fn address_constant(&mut self, value: Val) -> Result<(), AirUnsupported> {
        if self.values.contains_key(&value) {
            return Ok(());
        }
        let module = self.bridge.module;
        let made = match module.constant_form(value) {
            ConstantForm::Global => {
                let symbol = self.bridge.symbol(value)?;
                let ty = self.bridge.type_of(value)?;
                self.converted(symbol, self.bridge.out.type_of(symbol), ty)
            }
            ConstantForm::Expression(opcode) => {
                let (_, operands) = module.expression(value);
                for it in operands {
                    self.address_constant(it)?;
                }
                let made = self.builder.reserve();
                self.operation(value, opcode, made)?;
                made
            }
            ConstantForm::Null
            | ConstantForm::Undef
            | ConstantForm::Poison
            | ConstantForm::Int(_)
            | ConstantForm::Float(_)
            | ConstantForm::Elements(_)
            | ConstantForm::Data(_)
            | ConstantForm::Function
            | ConstantForm::Other => return Ok(()),
        };
        self.values.insert(value, made);
        Ok(())
    }

    /// Returns the value of an operand.
    pub(super) fn value(&mut self, operand: Val) -> Result<Value, AirUnsupported> {
        if let Some(known) = self.values.get(&operand) {
            return Ok(*known);
        }
        // Only contents of variables have addresses in constants.
        let module = self.bridge.module;
        if module.constant_form(operand) != ConstantForm::Function
            && (!module.is_constant_value(operand) || self.bridge.has_address(operand))
        {
            return Err(AirUnsupported::Constant(module.text_of(operand)));
        }
        self.bridge.constant(operand)
    }

    /// Returns the number of a block.
    pub(super) fn target(&self, block: Block) -> u32 {
        self.blocks[&block]
    }

    /// Appends an instruction whose result is used only here.
    pub(super) fn push(&mut self, ty: TypeId, op: AirOperation) -> Value {
        self.builder.push(self.block, Some(ty), op)
    }

    /// Returns a value as another type of address, or as it is.
    pub(super) fn converted(&mut self, value: Value, from: Option<TypeId>, to: TypeId) -> Value {
        if from == Some(to) {
            return value;
        }
        self.push(to, AirOperation::Cast { op: CastOp::BitCast, value })
    }
}
