//! The reader of bodies. Results are numbered as they are read; an operand may name a result that comes later, which has
//! its number in the order of results until the whole body is read.

use crate::bits::BitBlock;
use crate::blocks::function as records;
use crate::codes::{BinaryOp, CASTS, COMPARISONS, by_code};
use crate::error::BitcodeError;
use crate::model::{AirFunction, AirInstruction, AirOperation, Module, Value};
use crate::read::module_value;
use crate::record::{Items, Operands, align, signed};
use crate::types::{AirTypes, Type, TypeId};

/// A body that is read.
struct Body<'a> {
    module: &'a Module,
    types: &'a AirTypes,
    params: &'a [TypeId],
    /// The types of the results so far.
    results: Vec<TypeId>,
    /// The number of the first parameter.
    first: u64,
}

/// An operand with its type, where that is known.
#[derive(Clone, Copy)]
struct Typed {
    value: Value,
    ty: TypeId,
}

/// Returns the blocks of a function.
pub(crate) fn read(
    block: &BitBlock,
    module: &Module,
    function: &AirFunction,
) -> Result<Vec<Vec<AirInstruction>>, BitcodeError> {
    let mut items = Items::new(block);
    let mut head = items.required(records::BLOCKS)?;
    let count = head.number_u32()?;
    let pointee = module.types.pointer_parts(function.address).map(|it| it.0);
    let signature = pointee.and_then(|it| module.types.signature(it));
    let (_, params, _) = signature.ok_or_else(|| head.fault())?;
    let first = (module.globals.len() + module.functions.len() + module.constants().len()) as u64;
    let mut body = Body { module, types: &module.types, params, results: Vec::new(), first };
    let (mut blocks, mut current, mut instructions, mut places) = (Vec::new(), Vec::new(), 0, Vec::new());
    while let Some(mut it) = items.any() {
        let instruction = body.instruction(&mut it)?;
        it.finish()?;
        if let Some(ty) = instruction.ty {
            body.results.push(ty);
            places.push(instructions);
        }
        instructions += 1;
        let is_last = instruction.op.is_terminator();
        current.push(instruction);
        if is_last {
            blocks.push(std::mem::take(&mut current));
        }
    }
    items.finish()?;
    if !current.is_empty() || blocks.len() as u64 != u64::from(count) || count == 0 {
        return Err(head.fault());
    }
    for it in blocks.iter_mut().flatten() {
        for value in it.op.values_mut() {
            if let Value::Instruction(number) = value {
                *number = *places.get(*number as usize).ok_or_else(|| head.fault())?;
            }
        }
    }
    Ok(blocks)
}

impl Body<'_> {
    /// The number of the next result.
    fn next(&self) -> u64 {
        self.first + self.params.len() as u64 + self.results.len() as u64
    }
    /// Returns the value with a number.
    fn value(&self, number: u64) -> Option<Value> {
        let Some(local) = number.checked_sub(self.first) else { return module_value(self.module, number) };
        match local.checked_sub(self.params.len() as u64) {
            None => Some(Value::Argument(local as u32)),
            Some(result) => u32::try_from(result).ok().map(Value::Instruction),
        }
    }
    /// Reads an operand.
    fn operand(&self, it: &mut Operands<'_>) -> Result<Value, BitcodeError> {
        let distance = it.number_u32()?;
        let number = (self.next() as u32).wrapping_sub(distance);
        self.value(u64::from(number)).ok_or_else(|| it.fault())
    }
    /// Reads an operand with its type, which follows where the definition is not before.
    fn typed(&self, it: &mut Operands<'_>) -> Result<Typed, BitcodeError> {
        let value = self.operand(it)?;
        let known = match value {
            Value::Argument(index) => self.params.get(index as usize).copied(),
            Value::Instruction(number) => match self.results.get(number as usize) {
                Some(ty) => Some(*ty),
                None => Some(it.ty(self.types)?),
            },
            Value::Global(_) | Value::Function(_) | Value::Constant(_) => self.module.type_of(value),
        };
        Ok(Typed { value, ty: known.ok_or_else(|| it.fault())? })
    }
    /// Reads flags, if there are any left.
    fn flags(it: &mut Operands<'_>) -> Result<u8, BitcodeError> {
        if it.rest().is_empty() {
            return Ok(0);
        }
        u8::try_from(it.number()?).map_err(|_| it.fault())
    }
    /// Finds a type in the table.
    fn find(&self, it: &Operands<'_>, ty: &Type) -> Result<TypeId, BitcodeError> {
        self.types.find(ty).ok_or_else(|| it.fault())
    }

    fn instruction(&self, it: &mut Operands<'_>) -> Result<AirInstruction, BitcodeError> {
        let (ty, op) = match it.record.code {
            records::BINARY => self.binary(it)?,
            records::UNARY => {
                let value = self.typed(it)?;
                it.exactly(0)?;
                (Some(value.ty), AirOperation::Negate { value: value.value, flags: Self::flags(it)? })
            }
            records::CAST => {
                let value = self.typed(it)?.value;
                let to = it.ty(self.types)?;
                let op = by_code(&CASTS, it.number()?).ok_or_else(|| it.fault())?;
                (Some(to), AirOperation::Cast { op, value })
            }
            records::COMPARE => {
                let (left, right) = (self.typed(it)?, self.operand(it)?);
                let comparison = by_code(&COMPARISONS, it.number()?).ok_or_else(|| it.fault())?;
                let ty = self.types.comparison(left.ty).ok_or_else(|| it.fault())?;
                let flags = Self::flags(it)?;
                (Some(ty), AirOperation::Compare { comparison, left: left.value, right, flags })
            }
            records::SELECT => {
                let (then, otherwise, condition) = (self.typed(it)?, self.operand(it)?, self.typed(it)?);
                let (condition, flags) = (condition.value, Self::flags(it)?);
                (Some(then.ty), AirOperation::Select { condition, then: then.value, otherwise, flags })
            }
            records::FREEZE => {
                let value = self.typed(it)?;
                (Some(value.ty), AirOperation::Freeze { value: value.value })
            }
            records::PHI => self.phi(it)?,
            records::CALL => self.call(it)?,
            records::ALLOCATE | records::LOAD | records::STORE | records::ELEMENT_ADDRESS => {
                self.memory(it)?
            }
            records::EXTRACT_ELEMENT
            | records::INSERT_ELEMENT
            | records::SHUFFLE
            | records::EXTRACT_VALUE
            | records::INSERT_VALUE => self.parts(it)?,
            _ => (None, self.terminator(it)?),
        };
        Ok(AirInstruction { ty, op })
    }

    fn binary(&self, it: &mut Operands<'_>) -> Result<(Option<TypeId>, AirOperation), BitcodeError> {
        let (left, right) = (self.typed(it)?, self.operand(it)?);
        let is_float = self.types.float_bits(self.types.scalar(left.ty)).is_some();
        let op = BinaryOp::from_code(it.number()?, is_float).ok_or_else(|| it.fault())?;
        let flags = Self::flags(it)?;
        Ok((Some(left.ty), AirOperation::Binary { op, left: left.value, right, flags }))
    }

    fn phi(&self, it: &mut Operands<'_>) -> Result<(Option<TypeId>, AirOperation), BitcodeError> {
        let ty = it.ty(self.types)?;
        let mut incoming = Vec::new();
        while it.rest().len() >= 2 {
            let distance = signed(it.number()?);
            let number = (self.next() as i64).checked_sub(distance).and_then(|it| u64::try_from(it).ok());
            let value = number.and_then(|it| self.value(it)).ok_or_else(|| it.fault())?;
            incoming.push((value, it.number_u32()?));
        }
        let flags = Self::flags(it)?;
        Ok((Some(ty), AirOperation::Phi { incoming, flags }))
    }

    fn call(&self, it: &mut Operands<'_>) -> Result<(Option<TypeId>, AirOperation), BitcodeError> {
        let attributes = it.number_u32()?.checked_sub(1);
        let convention = it.number()?;
        let known = records::CALL_EXPLICIT | records::CALL_TAIL | records::CALL_FLAGS;
        if convention & !known != 0 || convention & records::CALL_EXPLICIT == 0 {
            return Err(it.fault());
        }
        let is_tail = convention & records::CALL_TAIL != 0;
        let flags = if convention & records::CALL_FLAGS != 0 { it.number_u32()? } else { 0 };
        let flags = u8::try_from(flags).map_err(|_| it.fault())?;
        let signature = it.ty(self.types)?;
        let callee = self.typed(it)?.value;
        let (result, params, _) = self.types.signature(signature).ok_or_else(|| it.fault())?;
        let mut arguments = Vec::new();
        for _ in params {
            arguments.push(self.operand(it)?);
        }
        while !it.rest().is_empty() {
            arguments.push(self.typed(it)?.value);
        }
        let ty = (self.types.get(result) != Some(&Type::Void)).then_some(result);
        Ok((ty, AirOperation::Call { callee, signature, arguments, attributes, is_tail, flags }))
    }

    fn memory(&self, it: &mut Operands<'_>) -> Result<(Option<TypeId>, AirOperation), BitcodeError> {
        match it.record.code {
            records::ALLOCATE => {
                let element = it.ty(self.types)?;
                it.ty(self.types)?; // the type of the count: the form is compared
                let number = it.number()?;
                let count = self.value(number).ok_or_else(|| it.fault())?;
                let code = it.number()? & !records::ALLOCATE_EXPLICIT;
                let align = align(code).ok_or_else(|| it.fault())?;
                let ty = self.find(it, &Type::Pointer { pointee: element, space: 0 })?;
                Ok((Some(ty), AirOperation::Allocate { element, count, align }))
            }
            records::LOAD => {
                let address = self.typed(it)?.value;
                let ty = it.ty(self.types)?;
                Ok((Some(ty), AirOperation::Load { address, align: it.align()?, is_volatile: it.flag()? }))
            }
            records::STORE => {
                let (address, value) = (self.typed(it)?.value, self.typed(it)?.value);
                let (align, is_volatile) = (it.align()?, it.flag()?);
                Ok((None, AirOperation::Store { address, value, align, is_volatile }))
            }
            _ => {
                let is_inbounds = it.flag()?;
                let element = it.ty(self.types)?;
                let base = self.typed(it)?;
                let mut indices = Vec::new();
                while !it.rest().is_empty() {
                    indices.push(self.typed(it)?.value);
                }
                let (_, space) = self.types.pointer_parts(base.ty).ok_or_else(|| it.fault())?;
                let known: Vec<Option<u64>> =
                    indices.iter().map(|it| crate::check::known_int(self.module, *it)).collect();
                let pointee = self.types.indexed(element, &known).ok_or_else(|| it.fault())?;
                let ty = self.find(it, &Type::Pointer { pointee, space })?;
                Ok((
                    Some(ty),
                    AirOperation::ElementAddress { element, base: base.value, indices, is_inbounds },
                ))
            }
        }
    }

    fn parts(&self, it: &mut Operands<'_>) -> Result<(Option<TypeId>, AirOperation), BitcodeError> {
        let first = self.typed(it)?;
        let element = |it: &Operands<'_>| self.types.vector_parts(first.ty).ok_or_else(|| it.fault());
        let (ty, op) = match it.record.code {
            records::EXTRACT_ELEMENT => {
                let (vector, index) = (first.value, self.typed(it)?.value);
                (element(it)?.1, AirOperation::ExtractElement { vector, index })
            }
            records::INSERT_ELEMENT => {
                let (value, index) = (self.operand(it)?, self.typed(it)?.value);
                (first.ty, AirOperation::InsertElement { vector: first.value, value, index })
            }
            records::SHUFFLE => {
                let (right, mask) = (self.operand(it)?, self.typed(it)?);
                let lanes = self.types.vector_parts(mask.ty).ok_or_else(|| it.fault())?.0;
                let ty = self.find(it, &Type::Vector { count: lanes, element: element(it)?.1 })?;
                (ty, AirOperation::Shuffle { left: first.value, right, mask: mask.value })
            }
            records::EXTRACT_VALUE => {
                let path = Self::path(it)?;
                let mut ty = first.ty;
                for index in &path {
                    ty = self.types.element(ty, u64::from(*index)).ok_or_else(|| it.fault())?;
                }
                (ty, AirOperation::ExtractValue { aggregate: first.value, path })
            }
            _ => {
                let (aggregate, value) = (first.value, self.typed(it)?.value);
                (first.ty, AirOperation::InsertValue { aggregate, value, path: Self::path(it)? })
            }
        };
        Ok((Some(ty), op))
    }

    /// Reads the path to a part.
    fn path(it: &mut Operands<'_>) -> Result<Vec<u32>, BitcodeError> {
        let mut path = Vec::new();
        while !it.rest().is_empty() {
            path.push(it.number_u32()?);
        }
        Ok(path)
    }

    fn terminator(&self, it: &mut Operands<'_>) -> Result<AirOperation, BitcodeError> {
        Ok(match it.record.code {
            records::RETURN if it.rest().is_empty() => AirOperation::Return { value: None },
            records::RETURN => AirOperation::Return { value: Some(self.typed(it)?.value) },
            records::BRANCH if it.rest().len() == 1 => AirOperation::Branch { target: it.number_u32()? },
            records::BRANCH => {
                let (then, otherwise) = (it.number_u32()?, it.number_u32()?);
                AirOperation::BranchIf { condition: self.operand(it)?, then, otherwise }
            }
            records::SWITCH => {
                it.ty(self.types)?; // the type of the value: the form is compared
                let (value, default) = (self.operand(it)?, it.number_u32()?);
                let mut cases = Vec::new();
                while !it.rest().is_empty() {
                    let number = it.number()?;
                    let case = self.value(number).ok_or_else(|| it.fault())?;
                    cases.push((case, it.number_u32()?));
                }
                AirOperation::Switch { value, default, cases }
            }
            records::UNREACHABLE => AirOperation::Unreachable,
            _ => return Err(it.unexpected()),
        })
    }
}
