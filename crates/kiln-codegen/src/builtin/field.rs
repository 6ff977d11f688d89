//! Fields of structs and elements of tuples.

use crate::analysis::{is_outside, unchecked};
use crate::error::{EmitError, Operation, TypeRole, Unsupported};
use crate::function::{Emitter, Mode};
use crate::host::note_object;
use crate::llvm::{MemoryClass, Val};
use crate::screen::ScreenCalls;
use crate::shape::{Form, Shape};
use crate::value::{Value, align_at};
use kiln_ir::Value as Operand;
use kiln_types::{ConstData, FieldStorage, Type, Types, boxing, consts, datatype, display, layout};
use kiln_unit::{SITE_BOUNDS, SITE_TYPE};
use llvm_sys::LLVMIntPredicate as Int;

/// The fields among which a dynamic index may select, if their types differ.
const CHOSEN_MAX: usize = 256;

impl Emitter<'_, '_> {
    /// Emits `getfield(x, field[, order][, boundscheck])`.
    pub(super) fn get_field(&self, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let value = self.operand(args[0])?;
        if value.constant.is_none()
            && let Some(members) = self.union_members(value.ty)
        {
            return self.field_of_union(value, members, args[1], ty);
        }
        if is_outside(self.types(), value.ty, args[1]) {
            // The index became constant after inference, which ends the block at such an access.
            let index = self.module().const_i64(self.int_operand(args[1]).unwrap_or(0));
            return self.dynamic_element(value, index, unchecked(args, self.types()), ty);
        }
        if let Some(index) = self.field_number(value.ty, args[1])? {
            let field = self.field_value(value, index, ty)?;
            return if ty == Types::BOTTOM { Ok(field) } else { self.convert(field, ty) };
        }
        let index = self.operand(args[1])?;
        let index = self.module().resize(self.as_int(index)?, self.module().int(64));
        self.dynamic_element(value, index, unchecked(args, self.types()), ty)
    }

    /// Emits a field that every member of a union has: loads all of them, and selects by the tag.
    fn field_of_union(
        &self,
        value: Value,
        members: &[Type],
        field: Operand,
        ty: Type,
    ) -> Result<Value, EmitError> {
        let (module, (tag, _)) = (self.module(), self.union_parts(value)?);
        let mut chosen = None;
        for (number, &member) in members.iter().enumerate() {
            let index = self.field_number(member, field)?;
            let index = index.ok_or(Operation::DynamicFieldOfUnion)?;
            let field = self.field_value(self.convert(value, member)?, index, ty)?;
            if ty == Types::BOTTOM || self.unit.shapes.of(ty)?.llvm.is_none() {
                continue;
            }
            let field = self.materialize(self.convert(field, ty)?)?;
            let here = module.int_eq(tag, module.const_int(module.int(8), number as u128));
            chosen = Some(chosen.map_or(field, |other| self.select(here, field, other)));
        }
        Ok(chosen.map_or_else(|| self.ghost(ty), |it| self.register(ty, it)))
    }

    /// Returns the number (from 0) of a field by its constant name.
    fn field_number(&self, ty: Type, operand: Operand) -> Result<Option<usize>, EmitError> {
        let types = self.types();
        let number = if let Some(name) = self.symbol_operand(operand) {
            datatype::field_index(types, ty, name)
        } else if let Some(index) = self.int_operand(operand) {
            usize::try_from(index).ok().and_then(|it| it.checked_sub(1))
        } else {
            return Ok(None);
        };
        match number.filter(|it| *it < datatype::field_types(types, ty).len()) {
            Some(number) => Ok(Some(number)),
            None => Err(Unsupported::of_type(TypeRole::MissingField, display::of_type(types, ty))),
        }
    }

    fn field_value(&self, value: Value, index: usize, wanted: Type) -> Result<Value, EmitError> {
        let (module, types) = (self.module(), self.types());
        let field_ty = datatype::field_types(types, value.ty)[index];
        if let (None, Some(constant)) = (value.val, value.constant)
            && let ConstData::Aggregate { fields, .. } = types.const_data(constant)
            && let Some(field) = fields.get(index)
        {
            return Ok(self.constant(*field));
        }
        let shape = self.unit.shapes.of(value.ty)?;
        match &shape.form {
            Form::Ghost => Ok(self.ghost(field_ty)),
            Form::Fields(fields) => {
                let field = &fields[index];
                match field.index {
                    None => Ok(self.ghost(field.ty)),
                    Some(at) => {
                        let part = module.extract(self.materialize(value)?, at);
                        if self.unit.is_host
                            && field.by_address
                            && layout::may_be_undefined(types, value.ty, index)
                        {
                            self.check_set(part)?;
                        }
                        let ty = if field.by_address { self.held_type(field.ty, wanted)? } else { field.ty };
                        Ok(self.register(ty, part))
                    }
                }
            }
            Form::Array { elem, .. } => {
                Ok(self.register(*elem, module.extract(self.materialize(value)?, index as u32)))
            }
            Form::Object => self.object_field(value, index, wanted),
            Form::Bool | Form::Int(_) | Form::Float(..) | Form::Pointer | Form::Union { .. } => {
                Err(Unsupported::of_type(TypeRole::Field, display::of_type(types, value.ty)))
            }
        }
    }

    /// Returns the type as which an object's address can be used.
    pub(crate) fn object_type(&self, declared: Type, wanted: Type) -> Result<Type, EmitError> {
        let ty = if wanted == Types::BOTTOM { declared } else { wanted };
        match self.unit.shapes.of(ty)?.form {
            Form::Object => Ok(ty),
            _ => Err(Unsupported::of_type(TypeRole::Boxed, display::of_type(self.types(), ty))),
        }
    }

    /// Returns the type as which a field stored by address can be used: of an object, or of a box.
    fn held_type(&self, declared: Type, wanted: Type) -> Result<Type, EmitError> {
        if self.unit.in_kernel && boxing::is_field_boxed(self.types(), declared) {
            return Ok(self.types().core().any);
        }
        if self.unit.is_host {
            let is_object = matches!(self.unit.shapes.of(declared)?.form, Form::Object);
            return Ok(if is_object { declared } else { self.types().core().any });
        }
        self.object_type(declared, wanted)
    }

    fn object_field(&self, object: Value, index: usize, wanted: Type) -> Result<Value, EmitError> {
        let (module, types) = (self.module(), self.types());
        let layout = layout::of(types, object.ty).ok_or(Operation::DynamicObject)?;
        let place = &layout.fields[index];
        let field_ty = datatype::field_types(types, object.ty)[index];
        let class = field_class(types, object.ty);
        let address = module.field(self.materialize(object)?, place.offset.into());
        if place.storage == FieldStorage::Pointer {
            let ty = self.held_type(field_ty, wanted)?;
            let held = self.in_memory_of(class, || module.load(module.ptr(), address, 8));
            if layout::may_be_undefined(types, object.ty, index) {
                self.check_set(held)?;
            } else {
                note_object(self.unit, ty, held);
            }
            return Ok(self.register(ty, held));
        }
        if self.unit.is_host {
            self.check_stored(field_ty, place)?;
            if layout::may_be_undefined(types, object.ty, index) {
                self.check_defined(field_ty, address)?;
            }
        }
        let align = if layout.align > 8 { 16 } else { 8 };
        self.in_memory_of(class, || self.load(field_ty, address, align_at(align, place.offset)))
    }

    /// Emits `t[i]` with a dynamic index; `ty` is the type of the result.
    fn dynamic_element(
        &self,
        tuple: Value,
        index: Val,
        unchecked: bool,
        ty: Type,
    ) -> Result<Value, EmitError> {
        let (module, shape) = (self.module(), self.unit.shapes.of(tuple.ty)?);
        let count = datatype::field_types(self.types(), tuple.ty).len();
        let index = module.sub(index, module.const_i64(1));
        if !unchecked {
            let inside = module.icmp(Int::LLVMIntULT, index, module.const_i64(count as i64));
            let one_based = self.register(self.types().core().int64, module.add(index, module.const_i64(1)));
            self.check(inside, SITE_BOUNDS, &[one_based])?;
        }
        match &shape.form {
            Form::Array { elem, .. } => self.convert(self.spilled_element(&shape, tuple, *elem, index)?, ty),
            Form::Fields(_) | Form::Ghost if (1..=CHOSEN_MAX).contains(&count) => {
                self.chosen_element(tuple, index, ty)
            }
            _ => Err(Unsupported::of_type(TypeRole::DynamicField, display::of_type(self.types(), tuple.ty))),
        }
    }

    /// Emits the field of a dynamic number (from 0): converts all fields to the type of the result, and selects by
    /// the number.
    fn chosen_element(&self, tuple: Value, index: Val, ty: Type) -> Result<Value, EmitError> {
        let module = self.module();
        let count = datatype::field_types(self.types(), tuple.ty).len();
        let element = |at| self.convert(self.field_value(tuple, at, ty)?, ty);
        if self.unit.shapes.of(ty)?.llvm.is_none() {
            return element(0); // the type has one value
        }
        let mut chosen = self.materialize(element(count - 1)?)?;
        for at in (0..count - 1).rev() {
            let here = module.int_eq(index, module.const_i64(at as i64));
            chosen = self.select(here, self.materialize(element(at)?)?, chosen);
        }
        Ok(self.register(ty, chosen))
    }

    /// Emits an element by way of memory. LLVM restores registers where the index becomes constant.
    fn spilled_element(
        &self,
        shape: &Shape,
        tuple: Value,
        elem: Type,
        index: Val,
    ) -> Result<Value, EmitError> {
        let module = self.module();
        let whole = self.materialize(tuple)?;
        let marked = module.mark_accesses.replace(false);
        let bytes = module.array(module.int(8), shape.size.into());
        let slot = module.alloca_in(self.function, bytes, shape.align.max(1));
        let stored = self.store_shape(shape, whole, slot, shape.align);
        let element = stored.and_then(|()| {
            let address = self.element_address(elem, slot, index)?;
            self.load(elem, address, self.unit.shapes.of(elem)?.align)
        });
        module.mark_accesses.set(marked);
        element
    }

    /// Emits `setfield!(object, field, value[, order])`.
    pub(super) fn set_field(&self, args: &[Operand]) -> Result<Value, EmitError> {
        let (module, types) = (self.module(), self.types());
        let (object, value) = (self.operand(args[0])?, self.operand(args[2])?);
        let index = self.field_number(object.ty, args[1])?.ok_or(Operation::DynamicField)?;
        let layout = layout::of(types, object.ty).ok_or(Operation::DynamicObject)?;
        if !datatype::is_mutable(types, object.ty) {
            return Err(Unsupported::of_type(TypeRole::ImmutableField, display::of_type(types, object.ty)));
        }
        if self.mode == Mode::Replay {
            return Ok(value);
        }
        if self.unit.screens {
            ScreenCalls(self).suspect(); // objects are not saved
        }
        let (place, class) = (&layout.fields[index], field_class(types, object.ty));
        let address = module.field(self.materialize(object)?, place.offset.into());
        let field = datatype::field_types(types, object.ty)[index];
        if place.storage == FieldStorage::Pointer {
            let held = if self.unit.is_host { self.object_of(value)? } else { self.held(value, field)? };
            self.overwrite(self.register(types.core().any, held), (class, address), 8)?;
        } else {
            self.check_stored(field, place)?;
            let align = if layout.align > 8 { 16 } else { 8 };
            let value = self.convert(value, field)?;
            self.overwrite(value, (class, address), align_at(align, place.offset))?;
        }
        Ok(value)
    }

    /// Emits `isdefined(x, field)`.
    pub(super) fn is_defined(&self, args: &[Operand]) -> Result<Value, EmitError> {
        let (module, types) = (self.module(), self.types());
        let object = self.operand(args[0])?;
        let index = self.field_number(object.ty, args[1])?.ok_or(Operation::DynamicField)?;
        let layout = layout::of(types, object.ty).ok_or(Operation::DynamicObject)?;
        let place = &layout.fields[index];
        if self.unit.is_host {
            return self.is_host_field_defined(object, index);
        }
        if place.storage != FieldStorage::Pointer || !datatype::is_mutable(types, object.ty) {
            return Ok(self.constant(consts::bool(types, true)));
        }
        let address = module.field(self.materialize(object)?, place.offset.into());
        let pointer = module.load(module.ptr(), address, 8);
        Ok(self.bool_value(module.icmp(Int::LLVMIntNE, pointer, module.zero(module.ptr()))))
    }

    /// Emits `isdefined` of a field of an object or of a value in registers: a reference that is not set is null.
    fn is_host_field_defined(&self, object: Value, index: usize) -> Result<Value, EmitError> {
        let (module, types) = (self.module(), self.types());
        let always = self.constant(consts::bool(types, true));
        let layout = layout::of(types, object.ty).ok_or(Operation::DynamicObject)?;
        let place = &layout.fields[index];
        let may_lack = layout::may_be_undefined(types, object.ty, index);
        let pointer = match (&self.unit.shapes.of(object.ty)?.form, &place.storage) {
            _ if !may_lack => return Ok(always),
            (Form::Object, FieldStorage::Pointer) => {
                let address = module.field(self.materialize(object)?, place.offset.into());
                module.load(module.ptr(), address, 8)
            }
            (Form::Fields(fields), FieldStorage::Pointer) if let Some(at) = fields[index].index => {
                module.extract(self.materialize(object)?, at)
            }
            (_, FieldStorage::Inline)
                if self.first_reference(datatype::field_types(types, object.ty)[index])?.is_none() =>
            {
                return Ok(always);
            }
            (_, FieldStorage::Union { .. }) => return Ok(always),
            _ => return Err(Operation::DynamicObject.into()), // the host knows
        };
        Ok(self.bool_value(module.icmp(Int::LLVMIntNE, pointer, module.zero(module.ptr()))))
    }

    /// Checks that an address is not null.
    pub(crate) fn check_set(&self, pointer: Val) -> Result<(), EmitError> {
        let module = self.module();
        let set = module.icmp(Int::LLVMIntNE, pointer, module.zero(module.ptr()));
        self.check(set, SITE_TYPE, &[])
    }
}

/// Returns the kind of memory that the fields of an object of a type are.
fn field_class(types: &Types, ty: Type) -> MemoryClass {
    let (name, core) = (datatype::name_of(types, ty), types.core());
    let is_array =
        name == datatype::name_of(types, core.array) || name == datatype::name_of(types, core.generic_memory);
    if is_array { MemoryClass::ArrayField } else { MemoryClass::Any }
}
