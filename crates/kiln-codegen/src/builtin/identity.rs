//! `===`, `isa`, `typeof`, `typeassert`.

use crate::error::{EmitError, Operation, TypeRole, Unsupported};
use crate::function::Emitter;
use crate::llvm::Val;
use crate::shape::Form;
use crate::value::Value;
use kiln_ir::Value as Operand;
use kiln_types::{ConstData, Type, Types, boxing, consts, datatype, display, intersect};
use kiln_unit::SITE_TYPE;
use llvm_sys::LLVMOpcode as Opcode;

impl Emitter<'_, '_> {
    fn known(&self, value: bool) -> Val {
        self.module().const_int(self.module().int(1), u128::from(value))
    }

    pub(super) fn identical(&self, args: &[Operand]) -> Result<Value, EmitError> {
        let (a, b) = (self.operand(args[0])?, self.operand(args[1])?);
        Ok(self.bool_value(self.egal(a, b)?))
    }

    /// Emits `a === b` as `i1`.
    pub(crate) fn egal(&self, a: Value, b: Value) -> Result<Val, EmitError> {
        if let (Some(x), Some(y)) = (a.constant, b.constant) {
            return Ok(self.known(x == y));
        }
        if self.unit.in_kernel
            && (boxing::is_boxed(self.types(), a.ty) || boxing::is_boxed(self.types(), b.ty))
        {
            return if boxing::is_boxed(self.types(), a.ty) {
                self.egal_box(a, b)
            } else {
                self.egal_box(b, a)
            };
        }
        if self.unit.is_host
            && let Some(same) = self.egal_on_host(a, b)?
        {
            return Ok(same);
        }
        if let (Some(ty), true) = (self.constant_type(b), a.ty == self.types().core().data_type) {
            return Ok(self.module().int_eq(self.materialize(a)?, self.type_value(ty)?));
        }
        if let (Some(ty), true) = (self.constant_type(a), b.ty == self.types().core().data_type) {
            return Ok(self.module().int_eq(self.materialize(b)?, self.type_value(ty)?));
        }
        match (self.union_members(a.ty), self.union_members(b.ty)) {
            (Some(members), _) => self.egal_union(a, members, b),
            (None, Some(members)) => self.egal_union(b, members, a),
            (None, None) if a.ty == b.ty => self.egal_same(a, b),
            (None, None)
                if datatype::is_concrete(self.types(), a.ty) && datatype::is_concrete(self.types(), b.ty) =>
            {
                Ok(self.known(false))
            }
            (None, None) => {
                let forms = (&self.unit.shapes.of(a.ty)?.form, &self.unit.shapes.of(b.ty)?.form);
                if matches!(forms, (Form::Object, Form::Object)) {
                    return Err(Operation::ObjectIdentity.into());
                }
                Ok(self.known(false))
            }
        }
    }

    /// Returns the type that a value is, if known.
    fn constant_type(&self, value: Value) -> Option<Type> {
        match value.constant.map(|it| self.types().const_data(it)) {
            Some(ConstData::Type(ty)) => Some(*ty),
            _ => datatype::type_type_param(self.types(), value.ty),
        }
    }

    /// Compares a box `a`: it is identical to `b` if it has the type of `b` and identical content.
    fn egal_box(&self, a: Value, b: Value) -> Result<Val, EmitError> {
        let (module, types) = (self.module(), self.types());
        if boxing::is_boxed(types, b.ty) {
            return Err(Unsupported::of_type(TypeRole::BoxIdentity, display::of_type(types, a.ty)));
        }
        if let Some(members) = self.union_members(b.ty) {
            return self.egal_union(b, members, a);
        }
        let b_ty = b.constant.map_or(b.ty, |it| boxing::tag_of(types, it));
        let here = self.has_tag(a, b_ty)?;
        if boxing::has_identity(types, b.ty) {
            return Ok(module.int_eq(self.materialize(a)?, self.materialize(b)?));
        }
        if self.unit.shapes.of(b_ty)?.llvm.is_none() {
            return Ok(here);
        }
        let same = self.egal(self.unboxed_if(here, a, b.ty)?, b)?;
        Ok(module.and(here, same))
    }

    /// Compares a union `a`: it is identical to `b` if it is as one of its members.
    fn egal_union(&self, a: Value, members: &[Type], b: Value) -> Result<Val, EmitError> {
        let module = self.module();
        let (tag, _) = self.union_parts(a)?;
        let mut result = self.known(false);
        for (index, &member) in members.iter().enumerate() {
            let here = module.int_eq(tag, module.const_int(module.int(8), index as u128));
            let same = match self.unit.shapes.of(member)?.llvm {
                Some(_) => self.egal(self.convert(a, member)?, b)?,
                None => self.has_type(b, member)?,
            };
            result = module.or(result, module.and(here, same));
        }
        Ok(result)
    }

    fn egal_same(&self, a: Value, b: Value) -> Result<Val, EmitError> {
        let (module, types) = (self.module(), self.types());
        let shape = self.unit.shapes.of(a.ty)?;
        match &shape.form {
            Form::Ghost => Ok(self.known(true)),
            Form::Bool | Form::Int(_) | Form::Float(..) | Form::Pointer => {
                Ok(module.int_eq(self.as_int(a)?, self.as_int(b)?))
            }
            Form::Object if datatype::is_mutable(types, a.ty) && a.ty != types.core().string => {
                Ok(module.int_eq(self.materialize(a)?, self.materialize(b)?))
            }
            Form::Fields(fields) => {
                let (x, y) = (self.materialize(a)?, self.materialize(b)?);
                let mut result = self.known(true);
                for field in fields {
                    let Some(index) = field.index else { continue };
                    let is_held = field.by_address && self.unit.is_host;
                    let ty = if is_held { types.core().any } else { field.ty };
                    let part = |whole| self.register(ty, module.extract(whole, index));
                    result = module.and(result, self.egal(part(x), part(y))?);
                }
                Ok(result)
            }
            Form::Array { elem, count, .. } => {
                let (x, y) = (self.materialize(a)?, self.materialize(b)?);
                let mut result = self.known(true);
                for index in 0..*count {
                    let part = |whole| self.register(*elem, module.extract(whole, index));
                    result = module.and(result, self.egal(part(x), part(y))?);
                }
                Ok(result)
            }
            Form::Object | Form::Union { .. } => {
                Err(Unsupported::of_type(TypeRole::Identity, display::of_type(types, a.ty)))
            }
        }
    }

    /// Emits `isa(value, ty)` as `i1`.
    fn has_type(&self, value: Value, ty: Type) -> Result<Val, EmitError> {
        let (module, types) = (self.module(), self.types());
        if types.subtype(value.ty, ty) {
            return Ok(self.known(true));
        }
        if let Some(constant) = value.constant {
            return Ok(self.known(consts::isa(types, constant, ty)));
        }
        if let Some(members) = self.union_members(value.ty) {
            let (tag, _) = self.union_parts(value)?;
            let mut result = self.known(false);
            for (index, &member) in members.iter().enumerate() {
                if types.subtype(member, ty) {
                    let here = module.int_eq(tag, module.const_int(module.int(8), index as u128));
                    result = module.or(result, here);
                }
            }
            return Ok(result);
        }
        if datatype::is_kind(types, value.ty) && intersect::meet(types, value.ty, ty) != types.core().bottom {
            return is_that_type(self, value, ty);
        }
        if boxing::is_static(types, value.ty) {
            return Ok(self.known(false));
        }
        if self.unit.in_kernel && boxing::is_boxed(types, value.ty) {
            return self.box_has_type(value, ty);
        }
        if self.unit.is_host {
            return self.object_has_type(value, ty);
        }
        Err(Unsupported::of_type(TypeRole::TypeOf, display::of_type(types, value.ty)))
    }

    /// Emits `isa` of a boxed value: see [`kiln_types::boxing::tags_decide`].
    fn box_has_type(&self, value: Value, ty: Type) -> Result<Val, EmitError> {
        let (module, types) = (self.module(), self.types());
        if !boxing::tags_decide(types, value.ty, ty) {
            return Err(Unsupported::IsA {
                value: display::of_type(types, value.ty),
                ty: display::of_type(types, ty),
            }
            .into());
        }
        let members = |it: Type| self.members_of(it).map_or_else(|| vec![it], <[Type]>::to_vec);
        let is_one_of = |all: Vec<Type>| {
            let mut known = self.known(false);
            for it in all {
                known = module.or(known, self.has_tag(value, it)?);
            }
            Ok(known)
        };
        if members(ty).iter().all(|it| boxing::is_static(types, *it)) {
            return is_one_of(members(ty));
        }
        let others = members(value.ty).into_iter().filter(|it| !types.subtype(*it, ty));
        Ok(module.xor(is_one_of(others.collect())?, self.known(true)))
    }

    pub(super) fn is_a(&self, args: &[Operand]) -> Result<Value, EmitError> {
        let ty = self.type_operand(args[1])?;
        Ok(self.bool_value(self.has_type(self.operand(args[0])?, ty)?))
    }

    pub(super) fn is_subtype(&self, args: &[Operand]) -> Result<Value, EmitError> {
        let (a, b) = (self.type_operand(args[0])?, self.type_operand(args[1])?);
        Ok(self.constant(consts::bool(self.types(), self.types().subtype(a, b))))
    }

    pub(super) fn type_assert(&self, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let value = self.operand(args[0])?;
        let asserted = self.type_operand(args[1])?;
        if !self.types().subtype(value.ty, asserted) {
            let ok = self.has_type(value, asserted)?;
            match self.unit.is_host {
                true => self.run_unless(ok)?,
                false => self.check(ok, SITE_TYPE, &[])?,
            }
        }
        if ty == Types::BOTTOM { Ok(self.ghost(ty)) } else { self.convert(value, ty) }
    }

    /// Emits `typeof` of a value of known type. The host alone could use that of a union.
    pub(super) fn type_of_value(&self, args: &[Operand]) -> Result<Value, EmitError> {
        let (types, value) = (self.types(), self.operand(args[0])?);
        if let Some(constant) = value.constant {
            return Ok(self.constant(consts::of_type(types, consts::type_of(types, constant))));
        }
        if datatype::is_concrete(types, value.ty) {
            return Ok(self.constant(consts::of_type(types, value.ty)));
        }
        if self.unit.in_kernel {
            return self.tag_as_type(value);
        }
        Err(Unsupported::of_type(TypeRole::TypeOf, display::of_type(types, value.ty)))
    }

    /// Emits `typeof` of a union or a box: its tag.
    fn tag_as_type(&self, value: Value) -> Result<Value, EmitError> {
        let (module, types) = (self.module(), self.types());
        let data_type = types.core().data_type;
        let Some(members) = self.union_members(value.ty) else {
            let tag = self.tag_of(value)?;
            return Ok(self.register(data_type, module.cast(Opcode::LLVMIntToPtr, tag, module.ptr())));
        };
        let (number, _) = self.union_parts(value)?;
        let mut found = self.type_value(members[0])?;
        for (index, &member) in members.iter().enumerate().skip(1) {
            let here = module.int_eq(number, module.const_int(module.int(8), index as u128));
            found = module.select(here, self.type_value(member)?, found);
        }
        Ok(self.register(data_type, found))
    }
}

/// Emits `isa(value, Type{T})` of a type, whose own type does not say which one it is.
fn is_that_type(emitter: &Emitter<'_, '_>, value: Value, ty: Type) -> Result<Val, EmitError> {
    let types = emitter.types();
    match datatype::type_type_param(types, ty)
        .filter(|it| emitter.unit.is_host && datatype::is_concrete(types, *it))
    {
        // A concrete type is one object.
        Some(of) => {
            let object = emitter.constant_object(consts::of_type(types, of))?;
            Ok(emitter.module().int_eq(emitter.object_of(value)?, object))
        }
        None => Err(Unsupported::IsA {
            value: display::of_type(types, value.ty),
            ty: display::of_type(types, ty),
        }
        .into()),
    }
}
