//! Julia values in registers: constants, memory, conversion between a union and its members, identity.

use super::session_symbols;
use crate::error::{EmitError, InvalidBody, NameRole, TypeRole, Unsupported};
use crate::function::Emitter;
use crate::llvm::{Ty, Val};
use crate::shape::{Form, Shape};
use kiln_types::{Const, ConstData, Type, TypeData, boxing, consts, datatype, definition, display, layout};
use llvm_sys::LLVMOpcode as Opcode;

/// Lower addresses are never valid.
const PAGE: u128 = 4096;

/// A value of a type: in a register, unless it is a ghost or an unused constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub(crate) ty: Type,
    pub(crate) val: Option<Val>,
    pub(crate) constant: Option<Const>,
}

impl Emitter<'_, '_> {
    /// Makes a value of a register.
    pub(crate) fn register(&self, ty: Type, val: Val) -> Value {
        Value { ty, val: Some(val), constant: None }
    }

    /// Makes a value without bits.
    pub(crate) fn ghost(&self, ty: Type) -> Value {
        Value { ty, val: None, constant: definition::singleton(self.types(), ty) }
    }

    /// Makes a value of a constant.
    pub(crate) fn constant(&self, constant: Const) -> Value {
        Value { ty: consts::type_of(self.types(), constant), val: None, constant: Some(constant) }
    }

    /// Returns the register of a value that is not a ghost.
    pub(crate) fn materialize(&self, value: Value) -> Result<Val, EmitError> {
        if let Some(val) = value.val {
            return Ok(val);
        }
        let types = self.types();
        match value.constant.map(|it| types.const_data(it)) {
            Some(_) if self.unit.is_host && matches!(self.unit.shapes.of(value.ty)?.form, Form::Object) => {
                self.constant_object(value.constant.expect("the match is of it"))
            }
            Some(ConstData::Bits { ty, bytes }) => self.const_value(*ty, bytes),
            Some(ConstData::Symbol(name)) => Ok(session_symbols::name(self.unit, types.name(*name))),
            Some(ConstData::Type(ty)) if self.unit.in_kernel => self.type_value(*ty),
            Some(ConstData::Aggregate { ty, fields })
                if fields.len() == datatype::field_types(types, *ty).len() =>
            {
                let fields: Vec<Value> = fields.iter().map(|it| self.constant(*it)).collect();
                self.materialize(self.build(&fields, *ty)?)
            }
            Some(_) => {
                let shown =
                    value.constant.map(|it| display::of_const(types, it).to_string()).unwrap_or_default();
                Err(Unsupported::of_name(NameRole::Constant, &shown))
            }
            None => Err(Unsupported::of_type(TypeRole::Register, display::of_type(types, value.ty))),
        }
    }

    /// Returns a type as a comparable value: its tag.
    pub(crate) fn type_value(&self, ty: Type) -> Result<Val, EmitError> {
        let module = self.module();
        Ok(module.cast(Opcode::LLVMIntToPtr, session_symbols::type_tag(self.unit, ty), module.ptr()))
    }

    fn const_value(&self, ty: Type, bytes: &[u8]) -> Result<Val, EmitError> {
        let (module, shape) = (self.module(), self.unit.shapes.of(ty)?);
        let llvm = shape.llvm.ok_or(InvalidBody::GhostBits)?;
        let int = |len: usize| {
            let mut word = [0; 16];
            let len = len.min(16).min(bytes.len());
            word[..len].copy_from_slice(&bytes[..len]);
            u128::from_le_bytes(word)
        };
        Ok(match &shape.form {
            Form::Bool => module.const_int(llvm, int(1) & 1),
            Form::Int(bits) if *bits > 128 => return Err(InvalidBody::WideConstant.into()),
            Form::Int(bits) => module.const_int(llvm, int(*bits as usize / 8)),
            Form::Float(bits) => module.cast(
                Opcode::LLVMBitCast,
                module.const_int(module.int(*bits), int(*bits as usize / 8)),
                llvm,
            ),
            Form::Pointer => match int(8) {
                0 => module.zero(llvm),
                address => {
                    self.unit.holds_address.set(self.unit.holds_address.get() || address >= PAGE);
                    module.cast(Opcode::LLVMIntToPtr, module.const_int(module.int(64), address), llvm)
                }
            },
            Form::Fields(fields) => {
                let mut whole = module.poison(llvm);
                for field in fields {
                    if let (Some(index), false) = (field.index, field.by_address) {
                        let part = bytes.get(field.offset as usize..).ok_or(InvalidBody::ShortConstant)?;
                        whole = module.insert(whole, self.const_value(field.ty, part)?, index);
                    }
                }
                whole
            }
            Form::Array { elem, count, stride } => {
                let mut whole = module.poison(llvm);
                for index in 0..*count {
                    let part = bytes.get((index * stride) as usize..).ok_or(InvalidBody::ShortConstant)?;
                    whole = module.insert(whole, self.const_value(*elem, part)?, index);
                }
                whole
            }
            Form::Union { members, payload, .. } => {
                let tag = *bytes.get(*payload as usize).ok_or(InvalidBody::ShortConstant)?;
                let member = *members.get(tag as usize).ok_or(InvalidBody::ConstantTag)?;
                let constant = layout::of(self.types(), member).map_or(0, |it| it.size as usize);
                let bytes: Box<[u8]> = bytes[..constant].into();
                let constant = self.types().constant(ConstData::Bits { ty: member, bytes });
                let value = self.convert(self.constant(constant), ty)?;
                return self.materialize(value);
            }
            Form::Ghost | Form::Object => return Err(InvalidBody::ConstantBits.into()),
        })
    }

    /// Loads a value from an address that has this alignment, or that of the type if that is less.
    pub(crate) fn load(&self, ty: Type, address: Val, align: u32) -> Result<Value, EmitError> {
        let shape = self.unit.shapes.of(ty)?;
        match shape.llvm {
            None => Ok(self.ghost(ty)),
            Some(_) => Ok(self.register(ty, self.load_shape(&shape, address, align.min(shape.align))?)),
        }
    }

    /// Loads a value of a shape; the address has this alignment, which may be more than the shape's.
    pub(crate) fn load_shape(&self, shape: &Shape, address: Val, align: u32) -> Result<Val, EmitError> {
        let module = self.module();
        let align = align.max(1);
        let llvm = shape.llvm.ok_or(InvalidBody::GhostLoad)?;
        Ok(match &shape.form {
            Form::Bool => {
                let byte = module.load(module.int(8), address, 1);
                module.cast(Opcode::LLVMTrunc, byte, llvm)
            }
            Form::Fields(fields) => {
                let mut whole = module.poison(llvm);
                for field in fields {
                    let Some(index) = field.index else { continue };
                    let part = self.unit.shapes.of_field(field.ty, field.by_address)?;
                    let at = module.field(address, field.offset.into());
                    whole = module.insert(
                        whole,
                        self.load_shape(&part, at, align_at(align, field.offset))?,
                        index,
                    );
                }
                whole
            }
            Form::Array { elem, count, stride } => {
                let (mut whole, part) = (module.poison(llvm), self.unit.shapes.of(*elem)?);
                for index in 0..*count {
                    let at = module.field(address, u64::from(index * stride));
                    let value = self.load_shape(&part, at, align_at(align, index * stride))?;
                    whole = module.insert(whole, value, index);
                }
                whole
            }
            Form::Union { payload, holder, .. } => {
                let tag = module.load(module.int(8), module.field(address, (*payload).into()), 1);
                match payload {
                    0 => tag,
                    _ => {
                        let payload = module.load(*holder, address, align);
                        module.insert(module.insert(module.poison(llvm), payload, 0), tag, 1)
                    }
                }
            }
            Form::Pointer if module.pointer_bits(llvm) < shape.size * 8 => {
                let bits = module.load(module.int(shape.size * 8), address, align);
                module.cast(Opcode::LLVMIntToPtr, bits, llvm)
            }
            Form::Int(_) | Form::Float(..) | Form::Pointer | Form::Object => {
                module.load(llvm, address, align)
            }
            Form::Ghost => return Err(InvalidBody::GhostLoad.into()),
        })
    }

    /// Stores a value at an address that has this alignment, or that of the type if that is less.
    pub(crate) fn store(&self, value: Value, address: Val, align: u32) -> Result<(), EmitError> {
        let shape = self.unit.shapes.of(value.ty)?;
        match shape.llvm {
            None => Ok(()),
            Some(_) => self.store_shape(&shape, self.materialize(value)?, address, align.min(shape.align)),
        }
    }

    /// Stores a value of a shape; the address has this alignment, which may be more than the shape's.
    pub(crate) fn store_shape(
        &self,
        shape: &Shape,
        value: Val,
        address: Val,
        align: u32,
    ) -> Result<(), EmitError> {
        let module = self.module();
        let align = align.max(1);
        match &shape.form {
            Form::Bool => module.store(module.resize(value, module.int(8)), address, 1),
            Form::Fields(fields) => {
                for field in fields {
                    let Some(index) = field.index else { continue };
                    let part = self.unit.shapes.of_field(field.ty, field.by_address)?;
                    let at = module.field(address, field.offset.into());
                    let value = module.extract(value, index);
                    self.store_shape(&part, value, at, align_at(align, field.offset))?;
                }
            }
            Form::Array { elem, count, stride } => {
                let part = self.unit.shapes.of(*elem)?;
                for index in 0..*count {
                    let at = module.field(address, u64::from(index * stride));
                    let value = module.extract(value, index);
                    self.store_shape(&part, value, at, align_at(align, index * stride))?;
                }
            }
            Form::Union { payload: 0, .. } => module.store(value, address, 1),
            Form::Union { payload, .. } => {
                module.store(module.extract(value, 0), address, align);
                module.store(module.extract(value, 1), module.field(address, (*payload).into()), 1);
            }
            Form::Pointer if module.pointer_bits(module.type_of(value)) < shape.size * 8 => {
                let bits = module.cast(Opcode::LLVMPtrToInt, value, module.int(shape.size * 8));
                module.store(bits, address, align);
            }
            Form::Int(_) | Form::Float(..) | Form::Pointer | Form::Object => {
                module.store(value, address, align)
            }
            Form::Ghost => {}
        }
        Ok(())
    }

    /// Converts a value to another type: into or out of a union, or between types of one shape.
    pub(crate) fn convert(&self, value: Value, to: Type) -> Result<Value, EmitError> {
        if value.ty == to {
            return Ok(value);
        }
        let (from_shape, to_shape) = (self.unit.shapes.of(value.ty)?, self.unit.shapes.of(to)?);
        if let (kiln_types::Types::BOTTOM, Some(llvm)) = (value.ty, to_shape.llvm) {
            return Ok(self.register(to, self.module().poison(llvm))); // control does not get here
        }
        if self.unit.is_host
            && let Some(value) = self.convert_object(value, to, (&from_shape.form, &to_shape.form))?
        {
            return Ok(value);
        }
        if self.unit.in_kernel && boxing::is_boxed(self.types(), value.ty) {
            return self.unboxed(value, to);
        }
        if self.unit.in_kernel
            && boxing::is_boxed(self.types(), to)
            && !boxing::has_identity(self.types(), value.ty)
        {
            return Err(self.mismatch(value.ty, to));
        }
        match (&from_shape.form, &to_shape.form) {
            (_, Form::Ghost) => Ok(Value {
                constant: value.constant.or(definition::singleton(self.types(), to)),
                ty: to,
                val: None,
            }),
            (Form::Union { members, .. }, Form::Union { members: targets, .. }) => {
                self.union_to_union(value, members, to, targets)
            }
            (_, Form::Union { members, payload, holder }) => {
                let is_it = |it: &Type| {
                    *it == value.ty
                        || value.constant.is_some_and(|value| consts::isa(self.types(), value, *it))
                };
                let tag = members.iter().position(is_it);
                let tag = tag.ok_or_else(|| self.mismatch(value.ty, to))?;
                let value = Value { ty: members[tag], ..value };
                let from_shape = self.unit.shapes.of(value.ty)?;
                let tag = self.module().const_int(self.module().int(8), tag as u128);
                let payload = self.member_to_payload(value, &from_shape, *payload, *holder)?;
                self.make_union(to, &to_shape, payload, tag)
            }
            (Form::Union { payload, holder, .. }, _) => {
                self.payload_to_member(value, (*payload, *holder), to, &to_shape)
            }
            (Form::Object, Form::Object) => Ok(Value { ty: to, ..value }),
            _ if from_shape.llvm == to_shape.llvm && from_shape.size == to_shape.size => {
                Ok(Value { ty: to, ..value })
            }
            _ => Err(self.mismatch(value.ty, to)),
        }
    }

    fn mismatch(&self, from: Type, to: Type) -> EmitError {
        let types = self.types();
        Unsupported::Mismatch { from: display::of_type(types, from), to: display::of_type(types, to) }.into()
    }

    fn make_union(
        &self,
        ty: Type,
        shape: &Shape,
        payload: Option<Val>,
        tag: Val,
    ) -> Result<Value, EmitError> {
        let llvm = shape.llvm.ok_or(InvalidBody::UntaggedUnion)?;
        let Some(payload) = payload else { return Ok(self.register(ty, tag)) };
        let module = self.module();
        Ok(self.register(ty, module.insert(module.insert(module.poison(llvm), payload, 0), tag, 1)))
    }

    /// Allocates memory of the function for `use_it`. Its accesses are not marked: item loops must not take it for
    /// shared.
    fn scratch<T>(&self, ty: Ty, use_it: impl FnOnce(Val) -> Result<T, EmitError>) -> Result<T, EmitError> {
        let module = self.module();
        let marked = module.mark_accesses.replace(false);
        let result = use_it(module.alloca_in(self.function, ty, 16));
        module.mark_accesses.set(marked);
        result
    }

    fn member_to_payload(
        &self,
        value: Value,
        shape: &Shape,
        bytes: u32,
        ty: Ty,
    ) -> Result<Option<Val>, EmitError> {
        let module = self.module();
        if bytes == 0 {
            return Ok(None);
        }
        if shape.llvm.is_none() {
            return Ok(Some(module.zero(ty)));
        }
        let bits = match &shape.form {
            Form::Bool | Form::Int(_) => Some(self.materialize(value)?),
            Form::Float(..) | Form::Pointer => Some(self.as_int(value)?),
            Form::Ghost | Form::Object | Form::Fields(_) | Form::Array { .. } | Form::Union { .. } => None,
        };
        if let Some(bits) = bits
            && module.int_bits(ty) > 0
        {
            return Ok(Some(module.resize(bits, ty)));
        }
        self.scratch(ty, |slot| {
            module.store(module.zero(ty), slot, 16);
            self.store(value, slot, 16)?;
            Ok(Some(module.load(ty, slot, 16)))
        })
    }

    fn payload_to_member(
        &self,
        value: Value,
        (bytes, holder): (u32, Ty),
        to: Type,
        shape: &Shape,
    ) -> Result<Value, EmitError> {
        let module = self.module();
        let whole = self.materialize(value)?;
        if bytes == 0 {
            return Err(self.mismatch(value.ty, to));
        }
        let payload = module.extract(whole, 0);
        let in_memory = || {
            self.scratch(holder, |slot| {
                module.store(payload, slot, 16);
                self.load(to, slot, 16)
            })
        };
        if module.int_bits(holder) == 0 {
            return in_memory();
        }
        match &shape.form {
            Form::Bool => Ok(self.register(to, module.resize(payload, module.int(1)))),
            Form::Int(bits) => Ok(self.register(to, module.resize(payload, module.int(*bits)))),
            Form::Float(bits) => self.value_of_bits(module.resize(payload, module.int(*bits)), to),
            Form::Pointer => self.value_of_bits(module.resize(payload, module.int(64)), to),
            Form::Ghost | Form::Object | Form::Fields(_) | Form::Array { .. } | Form::Union { .. } => {
                in_memory()
            }
        }
    }

    fn union_to_union(
        &self,
        value: Value,
        from: &[Type],
        to: Type,
        targets: &[Type],
    ) -> Result<Value, EmitError> {
        let module = self.module();
        let (tag, payload) = self.union_parts(value)?;
        let byte = module.int(8);
        let mut new_tag = module.const_int(byte, 0);
        for (old, member) in from.iter().enumerate() {
            if let Some(new) = targets.iter().position(|it| it == member) {
                let here = module.int_eq(tag, module.const_int(byte, old as u128));
                new_tag = module.select(here, module.const_int(byte, new as u128), new_tag);
            }
        }
        let shape = self.unit.shapes.of(to)?;
        let Form::Union { payload: bytes, holder, .. } = shape.form else {
            return Err(self.mismatch(value.ty, to));
        };
        let payload = match (payload, bytes) {
            (_, 0) => None,
            (Some(payload), _) => Some(self.held_by(payload, holder)?),
            (None, _) => Some(module.zero(holder)),
        };
        self.make_union(to, &shape, payload, new_tag)
    }

    /// Converts a payload to the holder type of another union.
    fn held_by(&self, payload: Val, holder: Ty) -> Result<Val, EmitError> {
        let (module, from) = (self.module(), self.module().type_of(payload));
        if from == holder {
            return Ok(payload);
        }
        if module.int_bits(from) > 0 && module.int_bits(holder) > 0 {
            return Ok(module.resize(payload, holder));
        }
        self.scratch(module.structure(&[from, holder]), |slot| {
            module.store(module.zero(holder), slot, 16); // longer or shorter than what is there
            module.store(payload, slot, 16);
            Ok(module.load(holder, slot, 16))
        })
    }

    /// Returns the tag and the payload of a union.
    pub(crate) fn union_parts(&self, value: Value) -> Result<(Val, Option<Val>), EmitError> {
        let whole = self.materialize(value)?;
        if matches!(self.unit.shapes.of(value.ty)?.form, Form::Union { payload: 0, .. }) {
            return Ok((whole, None));
        }
        Ok((self.module().extract(whole, 1), Some(self.module().extract(whole, 0))))
    }

    /// Returns the members of a union in registers.
    pub(crate) fn union_members(&self, ty: Type) -> Option<&[Type]> {
        let types = self.types();
        let is_object = match self.unit.is_host {
            true => !boxing::is_tagged_on_host(types, ty),
            false => self.unit.in_kernel && boxing::is_boxed(types, ty),
        };
        self.members_of(ty).filter(|_| !is_object)
    }

    /// Returns the members of a union, in registers or not.
    pub(crate) fn members_of(&self, ty: Type) -> Option<&[Type]> {
        match self.types().data(ty) {
            TypeData::Union(members) => Some(members),
            TypeData::Bottom
            | TypeData::Data { .. }
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. }
            | TypeData::Vararg { .. }
            | TypeData::Value(_) => None,
        }
    }
}

/// Returns the alignment of `base + offset` for an aligned base.
pub(crate) fn align_at(align: u32, offset: u32) -> u32 {
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros()) }
}
