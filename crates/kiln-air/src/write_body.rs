//! The writer of bodies. An operand is the distance from the next result back to its definition; where that is not before,
//! its type follows.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an operation is handed to the function of its group, which has arms for the group's operations only"
)]

use crate::bits::BitWriter;
use crate::blocks::{block, function as records};
use crate::codes::{BINARY, CASTS, COMPARISONS, code_of};
use crate::model::{AirFunction, AirInstruction, AirOperation, Module, Value};
use crate::types::TypeId;
use crate::write::{align_code, module_value, signed};

/// A body that is written.
struct Body<'a> {
    module: &'a Module,
    params: &'a [TypeId],
    /// The type and the number of the result of each instruction.
    results: Vec<Option<(TypeId, u64)>>,
    /// The number of the first parameter.
    first: u64,
    /// The number of the next result.
    next: u64,
}

/// Writes the body of a function.
pub(crate) fn write(out: &mut BitWriter, module: &Module, function: &AirFunction) {
    let pointee = module.types.pointer_parts(function.address).map(|it| it.0);
    let signature = pointee.and_then(|it| module.types.signature(it));
    let (_, params, _) = signature.expect("the checker has seen it");
    let first = (module.globals.len() + module.functions.len() + module.constants().len()) as u64;
    let start = first + params.len() as u64;
    let mut next = start;
    let results = function.blocks.iter().flatten().map(|it| {
        let ty = it.ty?;
        next += 1;
        Some((ty, next - 1))
    });
    let results = results.collect();
    let mut body = Body { module, params, results, first, next: start };
    out.block(block::FUNCTION, |out| {
        out.record(records::BLOCKS, &[function.blocks.len() as u64]);
        for it in function.blocks.iter().flatten() {
            let (code, values) = body.record(it);
            out.record(code, &values);
            body.next += u64::from(it.ty.is_some());
        }
    });
}

impl Body<'_> {
    fn number(&self, value: Value) -> u64 {
        match value {
            Value::Argument(index) => self.first + u64::from(index),
            Value::Instruction(index) => self.results[index as usize].expect("the checker has seen it").1,
            Value::Global(_) | Value::Function(_) | Value::Constant(_) => module_value(self.module, value),
        }
    }
    fn ty(&self, value: Value) -> u64 {
        let ty = match value {
            Value::Argument(index) => self.params.get(index as usize).copied(),
            Value::Instruction(index) => self.results[index as usize].map(|it| it.0),
            Value::Global(_) | Value::Function(_) | Value::Constant(_) => self.module.type_of(value),
        };
        u64::from(ty.expect("the checker has seen it").number())
    }
    /// The distance back, in 32 bits: a definition that is not before wraps around.
    fn relative(&self, value: Value) -> u64 {
        u64::from((self.next as u32).wrapping_sub(self.number(value) as u32))
    }
    /// Adds a value whose type the reader knows if its definition is before.
    fn typed(&self, values: &mut Vec<u64>, value: Value) {
        values.push(self.relative(value));
        if self.number(value) >= self.next {
            values.push(self.ty(value));
        }
    }
    /// Adds flags, if there are any.
    fn flags(values: &mut Vec<u64>, flags: u8) {
        if flags != 0 {
            values.push(u64::from(flags));
        }
    }

    /// Returns the record of an instruction.
    fn record(&self, it: &AirInstruction) -> (u64, Vec<u64>) {
        let mut values = Vec::new();
        let code = match &it.op {
            AirOperation::Binary { op, left, right, flags } => {
                self.typed(&mut values, *left);
                values.extend([self.relative(*right), code_of(&BINARY, *op)]);
                Self::flags(&mut values, *flags);
                records::BINARY
            }
            AirOperation::Negate { value, flags } => {
                self.typed(&mut values, *value);
                values.push(0); // the only operation of one operand
                Self::flags(&mut values, *flags);
                records::UNARY
            }
            AirOperation::Cast { op, value } => {
                self.typed(&mut values, *value);
                let to = it.ty.expect("the checker has seen it");
                values.extend([u64::from(to.number()), code_of(&CASTS, *op)]);
                records::CAST
            }
            AirOperation::Compare { comparison, left, right, flags } => {
                self.typed(&mut values, *left);
                values.extend([self.relative(*right), code_of(&COMPARISONS, *comparison)]);
                Self::flags(&mut values, *flags);
                records::COMPARE
            }
            AirOperation::Select { condition, then, otherwise, flags } => {
                self.typed(&mut values, *then);
                values.push(self.relative(*otherwise));
                self.typed(&mut values, *condition);
                Self::flags(&mut values, *flags);
                records::SELECT
            }
            AirOperation::Freeze { value } => {
                self.typed(&mut values, *value);
                records::FREEZE
            }
            AirOperation::Phi { incoming, flags } => {
                values.push(u64::from(it.ty.expect("the checker has seen it").number()));
                for (value, block) in incoming {
                    let distance = self.next as i64 - self.number(*value) as i64;
                    values.extend([signed(distance), u64::from(*block)]);
                }
                Self::flags(&mut values, *flags);
                records::PHI
            }
            AirOperation::Call { .. } => self.call(&mut values, &it.op),
            AirOperation::Allocate { .. }
            | AirOperation::Load { .. }
            | AirOperation::Store { .. }
            | AirOperation::ElementAddress { .. } => self.memory(&mut values, it),
            AirOperation::ExtractElement { .. }
            | AirOperation::InsertElement { .. }
            | AirOperation::Shuffle { .. }
            | AirOperation::ExtractValue { .. }
            | AirOperation::InsertValue { .. } => self.parts(&mut values, &it.op),
            AirOperation::Return { .. }
            | AirOperation::Branch { .. }
            | AirOperation::BranchIf { .. }
            | AirOperation::Switch { .. }
            | AirOperation::Unreachable => self.terminator(&mut values, &it.op),
        };
        (code, values)
    }

    fn call(&self, values: &mut Vec<u64>, op: &AirOperation) -> u64 {
        let AirOperation::Call { callee, signature, arguments, attributes, is_tail, flags } = op else {
            unreachable!("the caller has a call")
        };
        let (_, params, _) = self.module.types.signature(*signature).expect("the checker has seen it");
        let tail = if *is_tail { records::CALL_TAIL } else { 0 };
        let fast = if *flags == 0 { 0 } else { records::CALL_FLAGS };
        values.push(attributes.map_or(0, |it| u64::from(it) + 1));
        values.push(records::CALL_EXPLICIT | tail | fast);
        Self::flags(values, *flags);
        values.push(u64::from(signature.number()));
        self.typed(values, *callee);
        for (index, argument) in arguments.iter().enumerate() {
            if index < params.len() {
                values.push(self.relative(*argument));
            } else {
                self.typed(values, *argument);
            }
        }
        records::CALL
    }

    fn memory(&self, values: &mut Vec<u64>, it: &AirInstruction) -> u64 {
        match &it.op {
            AirOperation::Allocate { element, count, align } => {
                // The count is a constant, and its number is not relative.
                values.extend([u64::from(element.number()), self.ty(*count), self.number(*count)]);
                values.push(align_code(*align) | records::ALLOCATE_EXPLICIT);
                records::ALLOCATE
            }
            AirOperation::Load { address, align, is_volatile } => {
                self.typed(values, *address);
                let ty = it.ty.expect("the checker has seen it");
                values.extend([u64::from(ty.number()), align_code(*align), u64::from(*is_volatile)]);
                records::LOAD
            }
            AirOperation::Store { address, value, align, is_volatile } => {
                self.typed(values, *address);
                self.typed(values, *value);
                values.extend([align_code(*align), u64::from(*is_volatile)]);
                records::STORE
            }
            AirOperation::ElementAddress { element, base, indices, is_inbounds } => {
                values.extend([u64::from(*is_inbounds), u64::from(element.number())]);
                self.typed(values, *base);
                for index in indices {
                    self.typed(values, *index);
                }
                records::ELEMENT_ADDRESS
            }
            _ => unreachable!("the caller has an operation on memory"),
        }
    }

    fn parts(&self, values: &mut Vec<u64>, op: &AirOperation) -> u64 {
        match op {
            AirOperation::ExtractElement { vector, index } => {
                self.typed(values, *vector);
                self.typed(values, *index);
                records::EXTRACT_ELEMENT
            }
            AirOperation::InsertElement { vector, value, index } => {
                self.typed(values, *vector);
                values.push(self.relative(*value));
                self.typed(values, *index);
                records::INSERT_ELEMENT
            }
            AirOperation::Shuffle { left, right, mask } => {
                self.typed(values, *left);
                values.extend([self.relative(*right), self.relative(*mask)]);
                records::SHUFFLE
            }
            AirOperation::ExtractValue { aggregate, path } => {
                self.typed(values, *aggregate);
                values.extend(path.iter().map(|it| u64::from(*it)));
                records::EXTRACT_VALUE
            }
            AirOperation::InsertValue { aggregate, value, path } => {
                self.typed(values, *aggregate);
                self.typed(values, *value);
                values.extend(path.iter().map(|it| u64::from(*it)));
                records::INSERT_VALUE
            }
            _ => unreachable!("the caller has an operation on a part"),
        }
    }

    fn terminator(&self, values: &mut Vec<u64>, op: &AirOperation) -> u64 {
        match op {
            AirOperation::Return { value } => {
                if let Some(value) = value {
                    self.typed(values, *value);
                }
                records::RETURN
            }
            AirOperation::Branch { target } => {
                values.push(u64::from(*target));
                records::BRANCH
            }
            AirOperation::BranchIf { condition, then, otherwise } => {
                values.extend([u64::from(*then), u64::from(*otherwise), self.relative(*condition)]);
                records::BRANCH
            }
            AirOperation::Switch { value, default, cases } => {
                values.extend([self.ty(*value), self.relative(*value), u64::from(*default)]);
                for (case, block) in cases {
                    // Cases are constants, and their numbers are not relative.
                    values.extend([self.number(*case), u64::from(*block)]);
                }
                records::SWITCH
            }
            AirOperation::Unreachable => records::UNREACHABLE,
            _ => unreachable!("the caller has a terminator"),
        }
    }
}
