//! Objects of the heap in host code: allocation, boxes, and the values in them.

use super::allocate::Allocation;
use crate::error::{EmitError, Operation, TypeRole, Unsupported};
use crate::function::Emitter;
use crate::llvm::{Val, note_readable};
use crate::shape::{Form, Shape};
use crate::unit::Unit;
use crate::value::{Value, align_at};
use kiln_types::{FieldStorage, Layout, Type, boxing, datatype, display, identity, layout};
use kiln_unit::HostTable;
use llvm_sys::LLVMIntPredicate as Int;
use std::mem::offset_of;

/// Bytes of the header before an object's data.
const HEADER: i64 = 8;
/// The fewest bytes of data of an object.
const DATA_BYTES_MIN: u32 = 8;
/// Plain bits of more bytes are an object of their own; the object of fewer is a box with one word.
const DATA_BYTES_MAX_INLINE: u32 = 8;

/// Returns the alignment that the data of an object is known to have.
pub(crate) fn object_align(layout: &Layout) -> u32 {
    if layout.align > 8 { 16 } else { 8 }
}

/// Notes of a loaded address of an object of a type what can be read there, if that is known.
pub(crate) fn note_object(unit: &Unit<'_>, ty: Type, loaded: Val) {
    if let Some(bytes) = unit.readable_bytes(ty) {
        note_readable(unit.module, loaded, bytes);
    }
}

impl Emitter<'_, '_> {
    /// Allocates an object of a mutable type with these fields. Missing references are null.
    pub(crate) fn new_host_object(&self, values: &[Value], ty: Type) -> Result<Value, EmitError> {
        let (module, types) = (self.module(), self.types());
        let layout = layout::of(types, ty).ok_or(Operation::DynamicObject)?;
        let mut fields = Vec::new();
        // Before the allocation: it is a safepoint, and what is boxed here is only referred to from here.
        for ((value, place), field) in values.iter().zip(&layout.fields).zip(datatype::field_types(types, ty))
        {
            fields.push(match place.storage {
                FieldStorage::Pointer => (self.register(types.core().any, self.object_of(*value)?), place),
                FieldStorage::Inline | FieldStorage::Union { .. } => {
                    self.check_stored(*field, place)?;
                    (self.convert(*value, *field)?, place)
                }
            });
        }
        let object = Allocation(self).object(self.type_number(ty), layout.size)?;
        for (value, place) in fields {
            let align = align_at(object_align(layout), place.offset);
            self.store(value, module.field(object, place.offset.into()), align)?;
        }
        Ok(self.register(ty, object))
    }

    /// Checks that a field is stored as registers hold it.
    pub(crate) fn check_stored(&self, field: Type, place: &kiln_types::FieldLayout) -> Result<(), EmitError> {
        let is_union = matches!(place.storage, FieldStorage::Union { .. });
        let form = &self.unit.shapes.of(field)?.form;
        if is_union && !matches!(form, Form::Union { .. } | Form::Ghost) {
            return Err(Unsupported::of_type(TypeRole::Field, display::of_type(self.types(), field)));
        }
        Ok(())
    }

    /// Returns the address of the object of a value: its own, or that of a box.
    pub(crate) fn object_of(&self, value: Value) -> Result<Val, EmitError> {
        let shape = self.unit.shapes.of(value.ty)?;
        match (&shape.form, value.val, value.constant) {
            (Form::Object, Some(address), _) => Ok(address),
            (Form::Ghost, _, None) => Ok(self.instance_object(value.ty)),
            (_, None, Some(constant)) => match self.constant_object(constant) {
                Ok(address) => Ok(address),
                Err(error) if matches!(shape.form, Form::Object | Form::Ghost) => Err(error),
                Err(_) => self.box_of(value, &shape), // a number that emission computed
            },
            (Form::Union { members, .. }, ..) => self.box_of_tagged(value, members, &shape),
            _ => self.box_of(value, &shape),
        }
    }

    /// Converts a value to or from an object; `None` if neither is one.
    pub(crate) fn convert_object(
        &self,
        value: Value,
        to: Type,
        (from_form, to_form): (&Form, &Form),
    ) -> Result<Option<Value>, EmitError> {
        Ok(match (from_form, to_form) {
            (_, Form::Ghost) => None,
            (Form::Object, Form::Object) => Some(match value.val {
                Some(_) => Value { ty: to, ..value },
                None => self.register(to, self.materialize(value)?), // an operand of that type is found no more
            }),
            (_, Form::Object) => Some(self.register(to, self.object_of(value)?)),
            (Form::Object, _) => Some(self.value_of_object(value, to)?),
            _ => None, // as in kernels
        })
    }

    fn box_of(&self, value: Value, shape: &Shape) -> Result<Val, EmitError> {
        let number = self.type_number(value.ty);
        let call = || {
            let data = self.host_scratch(shape.size.max(DATA_BYTES_MIN));
            self.store(value, data, 16)?;
            Allocation(self).call_to_box(number, data)
        };
        if identity::is_held_as_number(self.types(), value.ty) {
            return call();
        }
        if !layout::is_bits(self.types(), value.ty) || shape.size > DATA_BYTES_MAX_INLINE {
            let object = Allocation(self).object(number, shape.size)?;
            self.store(value, object, 8)?;
            return Ok(object);
        }
        match Allocation(self).word_of(value, shape)? {
            Some(word) => Allocation(self).box_of_word((value.ty, number), word),
            None => call(),
        }
    }

    fn box_of_tagged(&self, value: Value, members: &[Type], shape: &Shape) -> Result<Val, EmitError> {
        let module = self.module();
        let (tag, payload) = self.union_parts(value)?;
        let data = self.host_scratch(shape.size.max(DATA_BYTES_MIN));
        if let Some(payload) = payload {
            module.store(payload, data, 16);
        }
        let mut number = self.type_number(members[0]);
        for (at, member) in members.iter().enumerate().skip(1) {
            let here = module.int_eq(tag, module.const_int(module.int(8), at as u128));
            number = module.select(here, self.type_number(*member), number);
        }
        Allocation(self).call_to_box(number, data)
    }

    /// Returns the value of an object that is known to be of this type.
    pub(crate) fn value_of_object(&self, object: Value, ty: Type) -> Result<Value, EmitError> {
        let shape = self.unit.shapes.of(ty)?;
        let address = self.materialize(object)?;
        match &shape.form {
            Form::Object => Ok(self.register(ty, address)),
            Form::Ghost => Ok(self.ghost(ty)),
            Form::Union { members, payload, .. } => self.tagged_of(address, members, *payload, (ty, &shape)),
            Form::Bool
            | Form::Int(_)
            | Form::Float(..)
            | Form::Pointer
            | Form::Fields(_)
            | Form::Array { .. } => self.load(ty, address, 8),
        }
    }

    /// Returns the value of an object as one of a few types.
    fn tagged_of(
        &self,
        address: Val,
        members: &[Type],
        payload: u32,
        (ty, shape): (Type, &Shape),
    ) -> Result<Value, EmitError> {
        let module = self.module();
        let number = self.object_type_number(address);
        let mut tag = module.const_int(module.int(8), 0);
        for (at, member) in members.iter().enumerate().skip(1) {
            let here = module.int_eq(number, self.type_number(*member));
            tag = module.select(here, module.const_int(module.int(8), at as u128), tag);
        }
        if payload == 0 {
            return Ok(self.register(ty, tag));
        }
        // No more is read than the object has.
        let data = self.host_scratch(shape.size.next_multiple_of(8).max(DATA_BYTES_MIN));
        module.store(module.load(module.int(64), address, 8), data, 16);
        for (at, member) in members.iter().enumerate() {
            let size = self.unit.shapes.of(*member)?.size;
            if size <= DATA_BYTES_MIN {
                continue;
            }
            let (copy, done) = (module.block(self.function), module.block(self.function));
            let here = module.int_eq(tag, module.const_int(module.int(8), at as u128));
            module.cond_br(here, copy, done);
            module.at_end(copy);
            let types = [module.ptr(), module.ptr(), module.int(64)];
            let args = [data, address, module.const_i64(size.into()), module.zero(module.int(1))];
            module.intrinsic("llvm.memmove", &types, &args);
            module.br(done);
            module.at_end(done);
        }
        module.store(tag, module.field(data, payload.into()), 1);
        self.load(ty, data, 16)
    }

    /// Returns the number of the type of an object, an `i32`.
    pub(crate) fn object_type_number(&self, address: Val) -> Val {
        let module = self.module();
        let header = module.gep_bytes(address, module.const_i64(-HEADER));
        module.load(module.int(32), header, 8)
    }

    /// Whether an object has this concrete type.
    pub(crate) fn is_object_of(&self, object: Value, ty: Type) -> Result<Val, EmitError> {
        let number = self.object_type_number(self.materialize(object)?);
        Ok(self.module().int_eq(number, self.type_number(ty)))
    }

    /// Whether an object is identical to a value of a known type that has no identity.
    pub(crate) fn egal_object(&self, object: Value, other: Value) -> Result<Option<Val>, EmitError> {
        let (module, types) = (self.module(), self.types());
        let shape = self.unit.shapes.of(other.ty)?;
        if !boxing::is_static(types, other.ty) {
            return Ok(None);
        }
        if datatype::is_mutable(types, other.ty) && other.ty != types.core().string {
            return Ok(Some(module.int_eq(self.materialize(object)?, self.object_of(other)?)));
        }
        if datatype::type_type_param(types, other.ty).is_some() {
            return Ok(Some(module.int_eq(self.materialize(object)?, self.object_of(other)?)));
        }
        let here = self.is_object_of(object, other.ty)?;
        match &shape.form {
            Form::Ghost => Ok(Some(here)),
            Form::Object | Form::Union { .. } => Ok(None),
            // The words of another object are no addresses of objects.
            _ if !layout::is_bits(types, other.ty) => egal_where(self, here, object, other).map(Some),
            _ if shape.size <= DATA_BYTES_MIN => {
                let held = self.load(other.ty, self.materialize(object)?, 8)?;
                Ok(Some(module.and(here, self.egal(held, other)?)))
            }
            Form::Bool
            | Form::Int(_)
            | Form::Float(..)
            | Form::Pointer
            | Form::Fields(_)
            | Form::Array { .. } => {
                let address = module.select(here, self.materialize(object)?, self.host_scratch(shape.size));
                let held = self.load(other.ty, address, 8)?;
                Ok(Some(module.and(here, self.egal(held, other)?)))
            }
        }
    }

    /// Emits `memorynew(T, length)`.
    pub(crate) fn new_memory(&self, length: Value, ty: Type) -> Result<Value, EmitError> {
        let module = self.module();
        let length = module.resize(self.as_int(length)?, module.int(64));
        let args = [self.type_number(ty), length];
        let memory = self.call_host(offset_of!(HostTable, allocate_memory), module.ptr(), &args);
        let (go_on, failing) = (module.block(self.function), module.block(self.function));
        let is_made = module.icmp(Int::LLVMIntNE, memory, module.zero(module.ptr()));
        let first = module.here();
        module.cond_br(is_made, go_on, failing);
        module.at_end(failing);
        // It throws, unless a collection makes room.
        let second = self.run_by_host(&self.code().stmts[self.current.get()])?;
        let second = second.map_or(Ok(module.zero(module.ptr())), |it| self.materialize(it))?;
        let second_block = module.here();
        module.br(go_on);
        module.at_end(go_on);
        let phi = module.phi(module.ptr());
        module.add_incoming(phi, memory, first);
        module.add_incoming(phi, second, second_block);
        Ok(self.register(ty, phi))
    }

    /// Ends a block in which the statement being emitted throws: the host runs it, and makes the exception.
    pub(crate) fn run_and_fail(&self) -> Result<(), EmitError> {
        self.run_by_host(&self.code().stmts[self.current.get()])?;
        self.module().unreachable();
        Ok(())
    }

    /// Returns the offset of the first reference in a value of a type, if it has one.
    pub(crate) fn first_reference(&self, ty: Type) -> Result<Option<u32>, EmitError> {
        Ok(match &self.unit.shapes.of(ty)?.form {
            Form::Object => Some(0),
            Form::Fields(fields) => {
                let mut found = None;
                for field in fields {
                    let inner = if field.by_address { Some(0) } else { self.first_reference(field.ty)? };
                    found = found.or(inner.map(|it| it + field.offset));
                }
                found
            }
            Form::Array { elem, .. } => self.first_reference(*elem)?,
            Form::Ghost
            | Form::Bool
            | Form::Int(_)
            | Form::Float(..)
            | Form::Pointer
            | Form::Union { .. } => None,
        })
    }

    /// Checks that the value of a type that is stored at an address is defined.
    pub(crate) fn check_defined(&self, ty: Type, address: Val) -> Result<(), EmitError> {
        let Some(offset) = self.first_reference(ty)? else { return Ok(()) };
        let module = self.module();
        self.check_set(module.load(module.ptr(), module.field(address, offset.into()), 8))
    }

    /// Checks that a memory holds its elements as registers do.
    pub(crate) fn check_element(&self, elem: Type) -> Result<(), EmitError> {
        let types = self.types();
        let is_object = matches!(self.unit.shapes.of(elem)?.form, Form::Object);
        let is_bits = |members: &[Type]| members.iter().all(|it| layout::is_bits(types, *it));
        let holder = datatype::tuple(types, &[elem]);
        let place = layout::of(types, holder).and_then(|it| it.fields.first());
        match place.map(|it| &it.storage) {
            Some(FieldStorage::Inline) if !is_object => Ok(()),
            Some(FieldStorage::Pointer) if is_object => Ok(()),
            None if is_object && !self.members_of(elem).is_some_and(is_bits) => Ok(()),
            _ => Err(Unsupported::of_type(TypeRole::Memory, display::of_type(types, elem))),
        }
    }
}

/// Whether an object is of the type of a value, which `here` says, and has its parts; these are read and compared only then.
fn egal_where(emitter: &Emitter<'_, '_>, here: Val, object: Value, other: Value) -> Result<Val, EmitError> {
    let module = emitter.module();
    let address = emitter.materialize(object)?;
    let (before, compare, done) =
        (module.here(), module.block(emitter.function), module.block(emitter.function));
    module.cond_br(here, compare, done);
    module.at_end(compare);
    let held = emitter.load(other.ty, address, 8)?;
    let same = emitter.egal(held, other)?;
    let compared = module.here();
    module.br(done);
    module.at_end(done);
    let result = module.phi(module.int(1));
    module.add_incoming(result, module.const_int(module.int(1), 0), before);
    module.add_incoming(result, same, compared);
    Ok(result)
}
