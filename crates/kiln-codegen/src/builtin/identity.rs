//! `===`, `isa`, `typeof`, `typeassert`.

use crate::function::Emitter;
use crate::llvm::Val;
use crate::shape::Form;
use crate::value::Value;
use kiln_ir::Value as Operand;
use kiln_types::{Type, Types};
use kiln_unit::SITE_TYPE;

impl Emitter<'_, '_> {
    fn known(&self, value: bool) -> Val {
        self.module().const_int(self.module().int(1), u128::from(value))
    }

    pub(super) fn identical(&self, args: &[Operand]) -> Result<Value, String> {
        let (a, b) = (self.operand(args[0])?, self.operand(args[1])?);
        Ok(self.bool_value(self.egal(a, b)?))
    }

    /// `a === b` as `i1`.
    fn egal(&self, a: Value, b: Value) -> Result<Val, String> {
        if let (Some(x), Some(y)) = (a.constant, b.constant) {
            return Ok(self.known(x == y));
        }
        match (self.union_members(a.ty), self.union_members(b.ty)) {
            (Some(members), _) => self.egal_union(a, members, b),
            (None, Some(members)) => self.egal_union(b, members, a),
            (None, None) if a.ty == b.ty => self.egal_same(a, b),
            (None, None) if self.types().is_concrete(a.ty) && self.types().is_concrete(b.ty) => {
                Ok(self.known(false))
            }
            (None, None) => {
                let forms = (&self.unit.shapes.of(a.ty)?.form, &self.unit.shapes.of(b.ty)?.form);
                if matches!(forms, (Form::Object, Form::Object)) {
                    return Err("identity of objects of types only known at run time".into());
                }
                Ok(self.known(false))
            }
        }
    }

    /// Equal if, for some member, `a` has it and is identical to `b` as that.
    fn egal_union(&self, a: Value, members: &[Type], b: Value) -> Result<Val, String> {
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

    fn egal_same(&self, a: Value, b: Value) -> Result<Val, String> {
        let (module, types) = (self.module(), self.types());
        let shape = self.unit.shapes.of(a.ty)?;
        match &shape.form {
            Form::Ghost => Ok(self.known(true)),
            Form::Bool | Form::Int(_) | Form::Float(..) | Form::Pointer => {
                Ok(module.int_eq(self.as_int(a)?, self.as_int(b)?))
            }
            Form::Object if types.is_mutable(a.ty) && a.ty != types.core().string => {
                Ok(module.int_eq(self.materialize(a)?, self.materialize(b)?))
            }
            Form::Fields(fields) => {
                let (x, y) = (self.materialize(a)?, self.materialize(b)?);
                let mut result = self.known(true);
                for field in fields {
                    let Some(index) = field.index else { continue };
                    let part = |whole| self.register(field.ty, module.extract(whole, index));
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
                Err(format!("identity of two values of {}", types.display(a.ty)))
            }
        }
    }

    /// `isa(value, ty)` as `i1`.
    fn has_type(&self, value: Value, ty: Type) -> Result<Val, String> {
        let (module, types) = (self.module(), self.types());
        if types.subtype(value.ty, ty) {
            return Ok(self.known(true));
        }
        if let Some(constant) = value.constant {
            return Ok(self.known(types.isa(constant, ty)));
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
        if types.is_concrete(value.ty) {
            return Ok(self.known(false));
        }
        Err(format!("the type of a {}, which is only known at run time", types.display(value.ty)))
    }

    pub(super) fn is_a(&self, args: &[Operand]) -> Result<Value, String> {
        let ty = self.type_operand(args[1])?;
        Ok(self.bool_value(self.has_type(self.operand(args[0])?, ty)?))
    }

    pub(super) fn is_subtype(&self, args: &[Operand]) -> Result<Value, String> {
        let (a, b) = (self.type_operand(args[0])?, self.type_operand(args[1])?);
        Ok(self.constant(self.types().const_bool(self.types().subtype(a, b))))
    }

    pub(super) fn type_assert(&self, args: &[Operand], ty: Type) -> Result<Value, String> {
        let value = self.operand(args[0])?;
        let asserted = self.type_operand(args[1])?;
        if !self.types().subtype(value.ty, asserted) {
            let ok = self.has_type(value, asserted)?;
            self.check(ok, SITE_TYPE, &[])?;
        }
        if ty == Types::BOTTOM { Ok(self.ghost(ty)) } else { self.convert(value, ty) }
    }

    /// The type of a value whose type is known; of a union it could only be used by the host.
    pub(super) fn type_of_value(&self, args: &[Operand]) -> Result<Value, String> {
        let (types, value) = (self.types(), self.operand(args[0])?);
        if let Some(constant) = value.constant {
            return Ok(self.constant(types.const_type(types.typeof_const(constant))));
        }
        if types.is_concrete(value.ty) {
            return Ok(self.constant(types.const_type(value.ty)));
        }
        Err(format!("the type of a {}, which is only known at run time", types.display(value.ty)))
    }
}
