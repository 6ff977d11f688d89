//! Pointers: arithmetic in bytes, reads and writes of elements.

use crate::checked::CheckCalls;
use crate::error::{EmitError, Operation, TypeRole, Unsupported};
use crate::function::{Emitter, Mode};
use crate::llvm::Val;
use crate::shape::Form;
use crate::value::Value;
use kiln_ir::{Intrinsic as I, Value as Operand};
use kiln_types::{Type, boxing, datatype, display, layout};
use kiln_unit::{ACCESS_READ, ACCESS_WRITE};

impl Emitter<'_, '_> {
    pub(super) fn pointer(&self, op: I, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let module = self.module();
        let base = self.operand(args[0])?;
        match op {
            I::AddPtr | I::SubPtr => {
                let address = self.address(base)?;
                let by = module.resize(self.as_int(self.operand(args[1])?)?, module.int(64));
                let by = if op == I::AddPtr { by } else { module.sub(module.zero(module.int(64)), by) };
                Ok(self.register(base.ty, module.gep_bytes(address, by)))
            }
            I::Pointerref => {
                let (elem, address, align) = self.element(base, args[1], args[2])?;
                let address = self.checked_element((args[0], args[1]), (address, elem), ACCESS_READ)?;
                let shape = self.unit.shapes.of(elem)?;
                let value = match shape.llvm {
                    None => self.ghost(elem),
                    Some(_) => self.register(elem, self.load_shape(&shape, address, align)?),
                };
                if ty == kiln_types::Types::BOTTOM { Ok(value) } else { self.convert(value, ty) }
            }
            _ => {
                let (elem, address, align) = self.element(base, args[2], args[3])?;
                let value = self.convert(self.operand(args[1])?, elem)?;
                if self.mode != Mode::Replay {
                    let address = self.checked_element((args[0], args[2]), (address, elem), ACCESS_WRITE)?;
                    let shape = self.unit.shapes.of(elem)?;
                    if shape.llvm.is_some() {
                        self.store_shape(&shape, self.materialize(value)?, address, align)?;
                    }
                }
                Ok(base)
            }
        }
    }

    /// Checks an access to an element, by the operands of its base and its index; returns the address to access.
    fn checked_element(
        &self,
        (base, index): (Operand, Operand),
        (address, elem): (Val, Type),
        access: u32,
    ) -> Result<Val, EmitError> {
        if self.unit.screens && self.mode != Mode::Replay {
            let bytes = self.unit.shapes.of(elem)?.size;
            if self.screen_private((base, index, bytes), access == ACCESS_WRITE)? {
                return Ok(address);
            }
        }
        CheckCalls(self).access(address, elem, access)
    }

    /// Returns the address of a `Ptr`.
    pub(crate) fn address(&self, pointer: Value) -> Result<Val, EmitError> {
        match self.unit.shapes.of(pointer.ty)?.form {
            Form::Pointer => self.materialize(pointer),
            _ => Err(Unsupported::of_type(TypeRole::Pointer, display::of_type(self.types(), pointer.ty))),
        }
    }

    /// Returns `T` of a `Ptr{T}`.
    pub(crate) fn pointee(&self, pointer: Value) -> Result<Type, EmitError> {
        let types = self.types();
        let found = datatype::params(types, pointer.ty).first().copied().ok_or(Operation::UnknownPointee)?;
        let holds_bits = |it: &[Type]| it.iter().all(|it| layout::is_bits(types, *it));
        // Boxes belong to the launch and must not escape it.
        let is_box = self.unit.in_kernel && boxing::is_boxed(types, found);
        if is_box || !self.members_of(found).is_none_or(holds_bits) {
            return Err(Unsupported::of_type(TypeRole::HeldReferences, display::of_type(types, found)));
        }
        Ok(found)
    }

    /// Returns the type, the address and the alignment of element `index` (from 1).
    fn element(&self, base: Value, index: Operand, align: Operand) -> Result<(Type, Val, u32), EmitError> {
        let (module, elem) = (self.module(), self.pointee(base)?);
        // 0 means the natural alignment. The CPU needs none, and its memory may come from anywhere.
        let natural = if self.unit.device.is_some() { self.unit.shapes.of(elem)?.align } else { 1 };
        let align = match self.int_operand(align) {
            Some(0) => natural,
            Some(align @ 1..=64) if align & (align - 1) == 0 => align as u32,
            _ => 1,
        };
        let address = self.address(base)?;
        if self.int_operand(index) == Some(1) {
            return Ok((elem, address, align));
        }
        let index = module.resize(self.as_int(self.operand(index)?)?, module.int(64));
        let index = module.sub(index, module.const_i64(1));
        Ok((elem, self.element_address(elem, address, index)?, align))
    }

    /// Returns the address of element `index` (from 0).
    pub(crate) fn element_address(&self, elem: Type, base: Val, index: Val) -> Result<Val, EmitError> {
        let (module, shape) = (self.module(), self.unit.shapes.of(elem)?);
        let stride = shape.size.next_multiple_of(shape.align.max(1));
        Ok(module.gep(module.array(module.int(8), stride.into()), base, index))
    }
}
