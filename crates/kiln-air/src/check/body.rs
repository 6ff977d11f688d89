//! The checks of bodies: each operation has operands of its types, and its result has the type that LLVM 14 gives it.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an operation is handed to the function of its group, which has arms for the group's operations only"
)]

use super::{align, attributes_fit, demand};
use crate::codes::{ArithmeticFlags, BinaryOp, CastOp};
use crate::error::{ModuleError, ModuleFault, ModulePlace};
use crate::model::{AirFunction, AirInstruction, AirOperation, ConstantValue, Module, Value};
use crate::types::{AirTypes, Type, TypeId};

type Checked = Result<(), ModuleFault>;

/// A function that is being checked.
struct Body<'a> {
    module: &'a Module,
    types: &'a AirTypes,
    result: TypeId,
    params: &'a [TypeId],
    /// The types of the instructions' results, in order.
    results: Vec<Option<TypeId>>,
    blocks: u32,
}

/// Checks the body of a function whose signature has been checked.
pub(super) fn check_body(module: &Module, function: &AirFunction) -> Result<(), ModuleError> {
    let pointee = module.types.pointer_parts(function.address).map(|it| it.0);
    let Some((result, params, _)) = pointee.and_then(|it| module.types.signature(it)) else {
        let place = ModulePlace::Function(function.name.clone());
        return Err(ModuleError { place, fault: ModuleFault::Type });
    };
    let results = function.blocks.iter().flatten().map(|it| it.ty).collect();
    let blocks = function.blocks.len() as u32;
    let body = Body { module, types: &module.types, result, params, results, blocks };
    let mut number = 0;
    for block in &function.blocks {
        let mut in_phis = true;
        for (index, it) in block.iter().enumerate() {
            let place = || ModulePlace::Instruction(function.name.clone(), number);
            let is_phi = matches!(it.op, AirOperation::Phi { .. });
            let is_last = index + 1 == block.len();
            let checked = demand(!is_phi || in_phis, ModuleFault::Phi)
                .and_then(|()| demand(it.op.is_terminator() == is_last, ModuleFault::Terminator))
                .and_then(|()| body.instruction(it));
            checked.map_err(|fault| ModuleError { place: place(), fault })?;
            in_phis = is_phi;
            number += 1;
        }
        if block.is_empty() {
            let place = ModulePlace::Function(function.name.clone());
            return Err(ModuleError { place, fault: ModuleFault::Terminator });
        }
    }
    Ok(())
}

/// Whether a value of this type can be the result of an instruction.
fn is_first_class(types: &AirTypes, id: TypeId) -> bool {
    types.get(id).is_some_and(|it| !matches!(it, Type::Void | Type::Function { .. }))
}

/// Checks a conversion between two types.
pub(super) fn check_cast(types: &AirTypes, op: CastOp, from: TypeId, to: TypeId) -> Checked {
    let counts = [from, to].map(|it| types.vector_parts(it).map(|it| it.0));
    let [from_scalar, to_scalar] = [from, to].map(|it| types.scalar(it));
    let ints = [from_scalar, to_scalar].map(|it| types.int_bits(it));
    let floats = [from_scalar, to_scalar].map(|it| types.float_bits(it));
    let pointers = [from_scalar, to_scalar].map(|it| types.pointer_parts(it));
    let has_form = match op {
        CastOp::Trunc => matches!(ints, [Some(from), Some(to)] if from > to),
        CastOp::ZExt | CastOp::SExt => matches!(ints, [Some(from), Some(to)] if from < to),
        CastOp::FpToUi | CastOp::FpToSi => floats[0].is_some() && ints[1].is_some(),
        CastOp::UiToFp | CastOp::SiToFp => ints[0].is_some() && floats[1].is_some(),
        CastOp::FpTrunc => matches!(floats, [Some(from), Some(to)] if from > to),
        CastOp::FpExt => matches!(floats, [Some(from), Some(to)] if from < to),
        CastOp::PtrToInt => pointers[0].is_some() && ints[1].is_some(),
        CastOp::IntToPtr => ints[0].is_some() && pointers[1].is_some(),
        CastOp::AddrSpaceCast => matches!(pointers, [Some(from), Some(to)] if from.1 != to.1),
        CastOp::BitCast => match pointers {
            [Some(from), Some(to)] => from.1 == to.1,
            [None, None] => return demand(bits(types, from) == bits(types, to), ModuleFault::Type),
            [Some(_), None] | [None, Some(_)] => false,
        },
    };
    demand(has_form && counts[0] == counts[1], ModuleFault::Type)
}

/// Returns the bits of a number or of a vector of numbers; 0, which nothing has, is not returned for other types.
fn bits(types: &AirTypes, id: TypeId) -> Option<u64> {
    let (count, scalar) = types.vector_parts(id).unwrap_or((1, id));
    let each = types.int_bits(scalar).or_else(|| types.float_bits(scalar))?;
    Some(u64::from(count) * u64::from(each))
}

impl Body<'_> {
    fn ty(&self, value: Value) -> Result<TypeId, ModuleFault> {
        let ty = match value {
            Value::Argument(index) => self.params.get(index as usize).copied(),
            Value::Instruction(index) => self.results.get(index as usize).copied().flatten(),
            Value::Global(_) | Value::Function(_) | Value::Constant(_) => self.module.type_of(value),
        };
        ty.ok_or(ModuleFault::NotBefore)
    }
    fn is_int(&self, ty: TypeId) -> bool {
        self.types.int_bits(self.types.scalar(ty)).is_some()
    }
    fn is_float(&self, ty: TypeId) -> bool {
        self.types.float_bits(self.types.scalar(ty)).is_some()
    }
    /// A value must have this type.
    fn has(&self, value: Value, ty: TypeId) -> Checked {
        demand(self.ty(value)? == ty, ModuleFault::Type)
    }
    /// A value must be a single integer.
    fn is_index(&self, value: Value) -> Checked {
        demand(self.types.int_bits(self.ty(value)?).is_some(), ModuleFault::Type)
    }
    fn target(&self, block: u32) -> Checked {
        demand(block > 0 && block < self.blocks, ModuleFault::Target)
    }
    /// A condition must be `i1`.
    fn condition(&self, value: Value) -> Checked {
        demand(self.types.int_bits(self.ty(value)?) == Some(1), ModuleFault::Type)
    }
    /// Flags of floats stand on operations that have them.
    fn fast(&self, flags: u8, ty: TypeId) -> Checked {
        let is_allowed = flags & !ArithmeticFlags::FAST == 0 && (flags == 0 || self.is_float(ty));
        demand(is_allowed, ModuleFault::Flags)
    }

    /// Checks an instruction: its operands, and the type of its result.
    fn instruction(&self, it: &AirInstruction) -> Checked {
        let expected = self.operation(it)?;
        demand(expected == it.ty, ModuleFault::Result)
    }

    /// Checks the operands, and returns the type of the result.
    fn operation(&self, it: &AirInstruction) -> Result<Option<TypeId>, ModuleFault> {
        match &it.op {
            AirOperation::Binary { op, left, right, flags } => {
                self.binary(*op, *left, *right, *flags).map(Some)
            }
            AirOperation::Negate { value, flags } => {
                let ty = self.ty(*value)?;
                demand(self.is_float(ty), ModuleFault::Type)?;
                self.fast(*flags, ty)?;
                Ok(Some(ty))
            }
            AirOperation::Cast { op, value } => {
                let to = it.ty.ok_or(ModuleFault::Result)?;
                check_cast(self.types, *op, self.ty(*value)?, to)?;
                Ok(Some(to))
            }
            AirOperation::Allocate { .. }
            | AirOperation::Load { .. }
            | AirOperation::Store { .. }
            | AirOperation::ElementAddress { .. } => self.memory(it),
            AirOperation::Compare { comparison, left, right, flags } => {
                let ty = self.ty(*left)?;
                self.has(*right, ty)?;
                let is_address = self.types.pointer_parts(ty).is_some();
                let is_right =
                    if comparison.is_float() { self.is_float(ty) } else { self.is_int(ty) || is_address };
                demand(is_right, ModuleFault::Type)?;
                self.fast(*flags, ty)?;
                Ok(Some(self.types.comparison(ty).ok_or(ModuleFault::Result)?))
            }
            AirOperation::Select { condition, then, otherwise, flags } => {
                let ty = self.ty(*then)?;
                self.has(*otherwise, ty)?;
                let decides = self.ty(*condition)?;
                let is_bit = self.types.int_bits(decides) == Some(1);
                demand(is_bit || self.types.comparison(ty) == Some(decides), ModuleFault::Type)?;
                self.fast(*flags, ty)?;
                Ok(Some(ty))
            }
            AirOperation::Phi { incoming, flags } => self.phi(it.ty, incoming, *flags),
            AirOperation::Call { .. } => self.call(&it.op),
            AirOperation::ExtractElement { .. }
            | AirOperation::InsertElement { .. }
            | AirOperation::Shuffle { .. }
            | AirOperation::ExtractValue { .. }
            | AirOperation::InsertValue { .. } => self.parts(&it.op).map(Some),
            AirOperation::Freeze { value } => Ok(Some(self.ty(*value)?)),
            AirOperation::Return { .. }
            | AirOperation::Branch { .. }
            | AirOperation::BranchIf { .. }
            | AirOperation::Switch { .. }
            | AirOperation::Unreachable => self.terminator(&it.op).map(|()| None),
        }
    }

    fn binary(&self, op: BinaryOp, left: Value, right: Value, flags: u8) -> Result<TypeId, ModuleFault> {
        let ty = self.ty(left)?;
        self.has(right, ty)?;
        let is_right = if op.is_float() { self.is_float(ty) } else { self.is_int(ty) };
        demand(is_right, ModuleFault::Type)?;
        demand(flags & !op.flags() == 0, ModuleFault::Flags)?;
        Ok(ty)
    }

    fn phi(
        &self,
        ty: Option<TypeId>,
        incoming: &[(Value, u32)],
        flags: u8,
    ) -> Result<Option<TypeId>, ModuleFault> {
        let ty = ty.filter(|it| is_first_class(self.types, *it)).ok_or(ModuleFault::Result)?;
        demand(!incoming.is_empty(), ModuleFault::Length)?;
        for (value, block) in incoming {
            self.has(*value, ty)?;
            demand(*block < self.blocks, ModuleFault::Target)?;
        }
        self.fast(flags, ty)?;
        Ok(Some(ty))
    }

    /// Checks an operation on memory, and returns the type of its result.
    fn memory(&self, it: &AirInstruction) -> Result<Option<TypeId>, ModuleFault> {
        match &it.op {
            AirOperation::Allocate { element, count, align: bytes } => {
                self.is_index(*count)?;
                demand(matches!(count, Value::Constant(_)), ModuleFault::Type)?;
                align(*bytes)?;
                demand(self.types.is_sized(*element), ModuleFault::Type)?;
                let ty = Type::Pointer { pointee: *element, space: 0 };
                Ok(Some(self.types.find(&ty).ok_or(ModuleFault::Result)?))
            }
            AirOperation::Load { address, align: bytes, .. } => {
                align(*bytes)?;
                let contents = self.contents(*address)?;
                Ok(Some(contents))
            }
            AirOperation::Store { address, value, align: bytes, .. } => {
                align(*bytes)?;
                let contents = self.contents(*address)?;
                self.has(*value, contents)?;
                Ok(None)
            }
            AirOperation::ElementAddress { element, base, indices, .. } => {
                let parts = self.types.pointer_parts(self.ty(*base)?).ok_or(ModuleFault::Type)?;
                demand(parts.0 == *element && self.types.is_sized(*element), ModuleFault::Type)?;
                demand(!indices.is_empty(), ModuleFault::Length)?;
                indices.iter().try_for_each(|it| self.is_index(*it))?;
                let known: Vec<Option<u64>> = indices.iter().map(|it| self.known(*it)).collect();
                let pointee = self.types.indexed(*element, &known).ok_or(ModuleFault::Type)?;
                let ty = Type::Pointer { pointee, space: parts.1 };
                Ok(Some(self.types.find(&ty).ok_or(ModuleFault::Result)?))
            }
            _ => unreachable!("the caller has an operation on memory"),
        }
    }

    /// Returns the type of the value at an address.
    fn contents(&self, address: Value) -> Result<TypeId, ModuleFault> {
        let (pointee, _) = self.types.pointer_parts(self.ty(address)?).ok_or(ModuleFault::Type)?;
        demand(self.types.is_sized(pointee), ModuleFault::Type)?;
        Ok(pointee)
    }

    /// Returns the value of a constant integer.
    fn known(&self, value: Value) -> Option<u64> {
        known_int(self.module, value)
    }

    fn call(&self, op: &AirOperation) -> Result<Option<TypeId>, ModuleFault> {
        let AirOperation::Call { callee, signature, arguments, attributes, flags, .. } = op else {
            unreachable!("the caller has a call")
        };
        let (pointee, _) = self.types.pointer_parts(self.ty(*callee)?).ok_or(ModuleFault::Type)?;
        demand(pointee == *signature, ModuleFault::Type)?;
        let (result, params, is_variadic) = self.types.signature(*signature).ok_or(ModuleFault::Type)?;
        let has_more = arguments.len() > params.len();
        demand(arguments.len() >= params.len() && (is_variadic || !has_more), ModuleFault::Length)?;
        for (index, argument) in arguments.iter().enumerate() {
            let ty = self.ty(*argument)?;
            demand(params.get(index).is_none_or(|it| *it == ty), ModuleFault::Type)?;
        }
        attributes_fit(self.module, *attributes, arguments.len())?;
        self.fast(*flags, result)?;
        Ok((self.types.get(result) != Some(&Type::Void)).then_some(result))
    }

    /// Checks an operation on a part of a value, and returns the type of its result.
    fn parts(&self, op: &AirOperation) -> Result<TypeId, ModuleFault> {
        match op {
            AirOperation::ExtractElement { vector, index } => {
                self.is_index(*index)?;
                Ok(self.types.vector_parts(self.ty(*vector)?).ok_or(ModuleFault::Type)?.1)
            }
            AirOperation::InsertElement { vector, value, index } => {
                self.is_index(*index)?;
                let ty = self.ty(*vector)?;
                self.has(*value, self.types.vector_parts(ty).ok_or(ModuleFault::Type)?.1)?;
                Ok(ty)
            }
            AirOperation::Shuffle { left, right, mask } => {
                let ty = self.ty(*left)?;
                self.has(*right, ty)?;
                let (_, element) = self.types.vector_parts(ty).ok_or(ModuleFault::Type)?;
                demand(matches!(mask, Value::Constant(_)), ModuleFault::Type)?;
                let (count, lane) = self.types.vector_parts(self.ty(*mask)?).ok_or(ModuleFault::Type)?;
                demand(self.types.int_bits(lane) == Some(32), ModuleFault::Type)?;
                self.types.find(&Type::Vector { count, element }).ok_or(ModuleFault::Result)
            }
            AirOperation::ExtractValue { aggregate, path } => self.part(self.ty(*aggregate)?, path),
            AirOperation::InsertValue { aggregate, value, path } => {
                let ty = self.ty(*aggregate)?;
                self.has(*value, self.part(ty, path)?)?;
                Ok(ty)
            }
            _ => unreachable!("the caller has an operation on a part"),
        }
    }

    /// Returns the type of a part of a structure or an array.
    fn part(&self, aggregate: TypeId, path: &[u32]) -> Result<TypeId, ModuleFault> {
        demand(!path.is_empty(), ModuleFault::Length)?;
        let mut ty = aggregate;
        for index in path {
            demand(self.types.vector_parts(ty).is_none(), ModuleFault::Type)?;
            ty = self.types.element(ty, u64::from(*index)).ok_or(ModuleFault::Type)?;
        }
        Ok(ty)
    }

    fn terminator(&self, op: &AirOperation) -> Checked {
        match op {
            AirOperation::Return { value } => match value {
                None => demand(self.types.get(self.result) == Some(&Type::Void), ModuleFault::Type),
                Some(value) => self.has(*value, self.result),
            },
            AirOperation::Branch { target } => self.target(*target),
            AirOperation::BranchIf { condition, then, otherwise } => {
                self.condition(*condition)?;
                self.target(*then)?;
                self.target(*otherwise)
            }
            AirOperation::Switch { value, default, cases } => {
                self.is_index(*value)?;
                let ty = self.ty(*value)?;
                self.target(*default)?;
                let mut seen = std::collections::BTreeSet::new();
                for (case, block) in cases {
                    self.has(*case, ty)?;
                    let known = self.known(*case).ok_or(ModuleFault::Type)?;
                    demand(seen.insert(known), ModuleFault::Length)?;
                    self.target(*block)?;
                }
                Ok(())
            }
            AirOperation::Unreachable => Ok(()),
            _ => unreachable!("the caller has a terminator"),
        }
    }
}

/// Returns the value of a constant integer.
pub(crate) fn known_int(module: &Module, value: Value) -> Option<u64> {
    let Value::Constant(number) = value else { return None };
    match &module.constants().get(number as usize)?.value {
        ConstantValue::Int(it) => Some(*it),
        ConstantValue::Null => Some(0),
        ConstantValue::Undef
        | ConstantValue::Poison
        | ConstantValue::Float(_)
        | ConstantValue::Aggregate(_)
        | ConstantValue::Data(_)
        | ConstantValue::Cast(..) => None,
    }
}
