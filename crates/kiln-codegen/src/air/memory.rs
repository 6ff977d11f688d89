//! Operations on memory: each converts its address to the type that LLVM 14 demands.
//!
//! An `i1` in memory is a byte, since Apple's compiler is reported to crash on addresses of bits.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "LLVM has many types and operations: those that are not named are refused"
)]

use super::body::Body;
use crate::error::AirUnsupported;
use crate::llvm::{TypeForm, Val};
use kiln_air::{AirOperation, CastOp, Type, TypeId, Value};

/// The type of a value, in registers and in memory.
struct Stored {
    value: TypeId,
    memory: TypeId,
}

impl Body<'_, '_> {
    fn stored(&mut self, ty: crate::llvm::Ty) -> Result<Stored, AirUnsupported> {
        let value = self.bridge.ty(ty)?;
        let is_bit = self.bridge.out.types.get(value) == Some(&Type::Int(1));
        Ok(Stored { value, memory: if is_bit { self.bridge.byte() } else { value } })
    }

    /// Returns an address as that of a type.
    fn typed_address(&mut self, address: Val, pointee: TypeId) -> Result<Value, AirUnsupported> {
        let from = self.bridge.type_of(address)?;
        let space = self.space(address)?;
        let to = self.bridge.out.types.pointer(pointee, space);
        let value = self.value(address)?;
        Ok(self.converted(value, Some(from), to))
    }

    /// Returns the address space of an address; vectors of them are refused.
    fn space(&self, address: Val) -> Result<u32, AirUnsupported> {
        let module = self.bridge.module;
        match module.type_form(module.type_of(address)) {
            TypeForm::Pointer { space } => Ok(space),
            _ => Err(AirUnsupported::Instruction(module.text_of(address))),
        }
    }

    /// Refuses an atomic access.
    fn plain(&self, it: Val) -> Result<(), AirUnsupported> {
        if self.bridge.module.is_atomic(it) {
            return Err(AirUnsupported::Instruction(self.bridge.module.text_of(it)));
        }
        Ok(())
    }

    pub(super) fn load(&mut self, it: Val, operands: &[Val], made: Value) -> Result<(), AirUnsupported> {
        self.plain(it)?;
        let ty = self.stored(self.bridge.module.type_of(it))?;
        let address = self.typed_address(operands[0], ty.memory)?;
        let (align, is_volatile) = (self.bridge.module.alignment(it), self.bridge.module.is_volatile(it));
        let op = AirOperation::Load { address, align, is_volatile };
        if ty.value == ty.memory {
            self.builder.place(self.block, made, Some(ty.value), op);
        } else {
            let value = self.push(ty.memory, op);
            let op = AirOperation::Cast { op: CastOp::Trunc, value };
            self.builder.place(self.block, made, Some(ty.value), op);
        }
        Ok(())
    }

    pub(super) fn store(&mut self, it: Val, operands: &[Val]) -> Result<(), AirUnsupported> {
        self.plain(it)?;
        let ty = self.stored(self.bridge.module.type_of(operands[0]))?;
        let mut value = self.value(operands[0])?;
        if ty.value != ty.memory {
            value = self.push(ty.memory, AirOperation::Cast { op: CastOp::ZExt, value });
        }
        let address = self.typed_address(operands[1], ty.memory)?;
        let (align, is_volatile) = (self.bridge.module.alignment(it), self.bridge.module.is_volatile(it));
        let op = AirOperation::Store { address, value, align, is_volatile };
        self.builder.push(self.block, None, op);
        Ok(())
    }

    /// Allocates memory; the number of elements is constant, and the memory is in the first address space.
    pub(super) fn allocate(&mut self, it: Val, made: Value) -> Result<(), AirUnsupported> {
        let (element, count) = self.bridge.module.allocation(it);
        let element = self.stored(element)?.memory;
        let is_plain = self.bridge.module.int_constant(count).is_some() && self.space(it)? == 0;
        if !is_plain {
            return Err(AirUnsupported::Instruction(self.bridge.module.text_of(it)));
        }
        let count = self.value(count)?;
        let ty = self.bridge.out.types.pointer(element, 0);
        let align = self.bridge.module.alignment(it);
        let op = AirOperation::Allocate { element, count, align };
        self.place_address(made, ty, 0, op);
        Ok(())
    }

    /// Computes an address: an instruction or a constant expression.
    pub(super) fn element_address(
        &mut self,
        it: Val,
        operands: &[Val],
        made: Value,
    ) -> Result<(), AirUnsupported> {
        let module = self.bridge.module;
        let refusal = || AirUnsupported::Instruction(module.text_of(it));
        let element = self.stored(module.indexed_type(it))?.memory;
        let space = self.space(it)?;
        let mut indices = Vec::new();
        for index in &operands[1..] {
            if !matches!(module.type_form(module.type_of(*index)), TypeForm::Int(_)) {
                return Err(refusal());
            }
            indices.push(self.value(*index)?);
        }
        let base = self.typed_address(operands[0], element)?;
        let ty = self.bridge.out.element_address(element, space, &indices).ok_or_else(refusal)?;
        let op = AirOperation::ElementAddress { element, base, indices, is_inbounds: module.is_inbounds(it) };
        self.place_address(made, ty, space, op);
        Ok(())
    }

    /// Appends an operation that returns an address of this type, as the address of a byte.
    fn place_address(&mut self, made: Value, ty: TypeId, space: u32, op: AirOperation) {
        let bytes = self.bridge.address(space);
        if ty == bytes {
            self.builder.place(self.block, made, Some(ty), op);
        } else {
            let value = self.push(ty, op);
            let op = AirOperation::Cast { op: CastOp::BitCast, value };
            self.builder.place(self.block, made, Some(bytes), op);
        }
    }
}
