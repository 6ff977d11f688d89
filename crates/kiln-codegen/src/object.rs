//! Objects allocated by kernels: values with identity, and boxes, in memory that the launch provides. It is a bump
//! allocator that never frees, so an allocation is one addition.
//!
//! An object is the address of its data, and the word before it is the tag of its type. So an address determines the
//! type of a value of unknown type: a box is an object of an immutable type. The optimizer has already removed
//! objects that do not escape and boxes of known types.

use super::session_symbols;
use crate::error::{EmitError, InvalidBody, Operation, RuntimeResult, TargetLimit, TypeRole, Unsupported};
use crate::function::Emitter;
use crate::llvm::{Atomic, Order, Val};
use crate::shape::Form;
use crate::value::{Value, align_at};
use kiln_types::{FieldStorage, Type, boxing, consts, datatype, display, layout};
use kiln_unit::{LaunchContext, LaunchHeap, SITE_MEMORY};
use llvm_sys::LLVMIntPredicate as Int;
use std::mem::offset_of;

/// The alignment of an object's memory.
const ALIGN: u32 = 16;
/// The bytes of a tag.
const TAG_BYTES: i64 = 8;

impl Emitter<'_, '_> {
    /// Allocates an object with these fields. Missing references are null.
    pub(crate) fn new_object(&self, values: &[Value], ty: Type) -> Result<Value, EmitError> {
        let (module, types) = (self.module(), self.types());
        let layout = layout::of(types, ty).ok_or(Operation::DynamicObject)?;
        let address = self.allocate((layout.size, layout.align), ty)?;
        self.set_tag(address, session_symbols::type_tag(self.unit, ty));
        for (index, (place, field)) in layout.fields.iter().zip(datatype::field_types(types, ty)).enumerate()
        {
            let at = module.field(address, place.offset.into());
            match (values.get(index), &place.storage) {
                (Some(value), FieldStorage::Pointer) => module.store(self.held(*value, *field)?, at, 8),
                (Some(value), FieldStorage::Inline | FieldStorage::Union { .. }) => {
                    let align = align_at(data_align(layout.align), place.offset);
                    self.store(self.convert(*value, *field)?, at, align)?;
                }
                (None, FieldStorage::Pointer) => module.store(module.zero(module.ptr()), at, 8),
                (None, FieldStorage::Inline | FieldStorage::Union { .. }) => {}
            }
        }
        Ok(self.register(ty, address))
    }

    /// Returns the value of a field of this type that is stored as an address.
    pub(crate) fn held(&self, value: Value, field: Type) -> Result<Val, EmitError> {
        let types = self.types();
        let is_box = boxing::is_boxed(types, value.ty) || boxing::has_identity(types, value.ty);
        if boxing::is_field_boxed(types, field) && !is_box {
            return Err(Unsupported::of_type(TypeRole::Boxed, display::of_type(types, value.ty)));
        }
        self.object_type(value.ty, value.ty)?;
        self.materialize(value)
    }

    /// Boxes a value of a known type, or of a small union.
    pub(crate) fn new_box(&self, value: Value, ty: Type) -> Result<Value, EmitError> {
        let types = self.types();
        if boxing::is_boxed(types, value.ty) || boxing::has_identity(types, value.ty) {
            return Ok(Value { ty, ..value });
        }
        let value = Value { ty: value.constant.map_or(value.ty, |it| boxing::tag_of(types, it)), ..value };
        let shape = self.unit.shapes.of(value.ty)?;
        if let Form::Union { members, .. } = &shape.form {
            return self.box_of_union(value, members, ty);
        }
        let tag = session_symbols::type_tag(self.unit, value.ty);
        let plain = boxing::plain_types(types).iter().position(|it| *it == value.ty);
        if let Some(runtime) = plain.and_then(|it| self.unit.runtime.boxes[it]) {
            let address = self.call_runtime(runtime, &[self.materialize(value)?, tag])?;
            let address = address.ok_or(RuntimeResult::Box)?;
            self.check_given(address, ALIGN)?;
            return Ok(self.register(ty, address));
        }
        let address = self.allocate((shape.size, shape.align), value.ty)?;
        self.set_tag(address, tag);
        self.store(value, address, data_align(shape.align))?;
        Ok(self.register(ty, address))
    }

    /// Boxes a value of a union by its tag. Members that are objects are boxes already.
    fn box_of_union(&self, value: Value, members: &[Type], ty: Type) -> Result<Value, EmitError> {
        let (module, types) = (self.module(), self.types());
        let (number, payload) = self.union_parts(value)?;
        let shape = self.unit.shapes.of(value.ty)?;
        let is_member = |it: usize| module.int_eq(number, module.const_int(module.int(8), it as u128));
        let address = self.allocate((shape.size, shape.align), value.ty)?;
        let mut tag = module.const_i64(0);
        for (index, &member) in members.iter().enumerate() {
            tag = module.select(is_member(index), session_symbols::type_tag(self.unit, member), tag);
        }
        self.set_tag(address, tag);
        if let Some(payload) = payload {
            module.store(payload, address, data_align(shape.align));
        }
        let mut chosen = address;
        for (index, &member) in members.iter().enumerate().filter(|it| boxing::has_identity(types, *it.1)) {
            let object = self.materialize(self.convert(value, member)?)?;
            chosen = module.select(is_member(index), object, chosen);
        }
        Ok(self.register(ty, chosen))
    }

    /// Returns the value in a box, which is of this type.
    pub(crate) fn unboxed(&self, value: Value, ty: Type) -> Result<Value, EmitError> {
        let types = self.types();
        if boxing::is_boxed(types, ty) || boxing::has_identity(types, ty) {
            return Ok(Value { ty, ..value });
        }
        let shape = self.unit.shapes.of(ty)?;
        if let Form::Union { members, .. } = &shape.form {
            return self.union_of_box(value, members, ty);
        }
        if shape.llvm.is_none() {
            return Ok(self.ghost(ty));
        }
        let address = self.materialize(value)?;
        let plain = boxing::plain_types(types).iter().position(|it| *it == ty);
        if let Some(runtime) = plain.and_then(|it| self.unit.runtime.unboxes[it]) {
            let found = self.call_runtime(runtime, &[address])?;
            return Ok(self.register(ty, found.ok_or(RuntimeResult::Unbox)?));
        }
        self.load(ty, address, data_align(shape.align))
    }

    /// Returns the value in a box as one of a few types.
    fn union_of_box(&self, value: Value, members: &[Type], ty: Type) -> Result<Value, EmitError> {
        let mut chosen: Option<Val> = None;
        for &member in members {
            let here = self.has_tag(value, member)?;
            let found = self.convert(self.unboxed_if(here, value, member)?, ty)?;
            let found = self.materialize(found)?;
            chosen = Some(chosen.map_or(found, |other| self.select(here, found, other)));
        }
        Ok(self.register(ty, chosen.ok_or(InvalidBody::EmptyUnion)?))
    }

    /// Returns the value in a box of this type, and any value otherwise. Only memory of the box is read.
    pub(crate) fn unboxed_if(&self, is_it: Val, value: Value, ty: Type) -> Result<Value, EmitError> {
        let module = self.module();
        let shape = self.unit.shapes.of(ty)?;
        // Every box has at least this size.
        if shape.size <= TAG_BYTES as u32 {
            return self.unboxed(value, ty);
        }
        let bytes = module.array(module.int(8), shape.size.into());
        let other = module.alloca_in(self.function, bytes, shape.align);
        let address = module.select(is_it, self.materialize(value)?, other);
        self.unboxed(self.register(value.ty, address), ty)
    }

    /// Whether a box holds a value of this type, which is concrete.
    pub(crate) fn has_tag(&self, value: Value, ty: Type) -> Result<Val, EmitError> {
        Ok(self.module().int_eq(self.tag_of(value)?, session_symbols::type_tag(self.unit, ty)))
    }

    /// Returns the tag of a boxed value.
    pub(crate) fn tag_of(&self, value: Value) -> Result<Val, EmitError> {
        let (module, address) = (self.module(), self.materialize(value)?);
        let before = module.gep_bytes(address, module.const_i64(-TAG_BYTES));
        Ok(module.load(module.int(64), before, TAG_BYTES as u32))
    }

    fn set_tag(&self, address: Val, tag: Val) {
        let module = self.module();
        let before = module.gep_bytes(address, module.const_i64(-TAG_BYTES));
        module.store(tag, before, TAG_BYTES as u32);
    }

    /// Continues only if the runtime provided memory.
    fn check_given(&self, address: Val, bytes: u32) -> Result<(), EmitError> {
        let module = self.module();
        let wanted = self.constant(consts::int(self.types(), bytes.into()));
        let given = module.icmp(Int::LLVMIntNE, address, module.zero(module.type_of(address)));
        self.check(given, SITE_MEMORY, &[wanted])
    }

    /// Allocates an object with data of this size and alignment, sets its tag and returns the address of the data.
    /// The item fails if no memory is left.
    fn allocate(&self, (size, align): (u32, u32), ty: Type) -> Result<Val, EmitError> {
        let (module, unit) = (self.module(), self.unit);
        let start = data_align(align);
        let bytes = (start + size).next_multiple_of(ALIGN);
        let wanted = self.constant(consts::int(self.types(), bytes.into()));
        let data = |block: Val| module.field(block, start.into());
        if unit.device.is_some() {
            let runtime = unit.runtime.allocate.ok_or_else(|| {
                let (ty, target) = (display::of_type(self.types(), ty), unit.facts.name.clone());
                TargetLimit::Object { ty, target }
            })?;
            let block = self.call_runtime(runtime, &[self.materialize(wanted)?])?;
            let block = block.ok_or(RuntimeResult::Allocate)?;
            self.check_given(block, bytes)?;
            return Ok(data(block));
        }
        if !unit.in_kernel {
            return Err(Unsupported::of_type(TypeRole::Allocation, display::of_type(self.types(), ty)));
        }
        let (ptr, word) = (module.ptr(), module.int(64));
        let heap = module.field(self.state().ctx(), offset_of!(LaunchContext, heap) as u64);
        let heap = module.load(ptr, heap, 8);
        let part = |offset: usize| module.field(heap, offset as u64);
        let count = self.materialize(wanted)?;
        let used = module.rmw(Atomic::Add, part(offset_of!(LaunchHeap, used)), count, Order::Monotonic);
        let room = module.load(word, part(offset_of!(LaunchHeap, bytes)), 8);
        let fits = module.icmp(Int::LLVMIntULE, module.add(used, count), room);
        self.check(fits, SITE_MEMORY, &[wanted])?;
        Ok(data(module.gep_bytes(module.load(ptr, part(offset_of!(LaunchHeap, base)), 8), used)))
    }
}

/// Returns the alignment of an object's data, which is also their offset: the tag precedes them.
fn data_align(align: u32) -> u32 {
    if align > TAG_BYTES as u32 { ALIGN } else { TAG_BYTES as u32 }
}
