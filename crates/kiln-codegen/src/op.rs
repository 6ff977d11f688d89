//! Emission of one statement, by the kind of its operation.

use super::sites;
use crate::error::{EmitError, InvalidBody, NameRole, Operation, TypeRole, Unsupported};
use crate::function::Emitter;
use crate::screen::ScreenCalls;
use crate::shape::Form;
use crate::value::Value;
use kiln_ir::{Builtin, HostFunction, Op, Stmt, StmtData, Value as Operand};
use kiln_types::{Type, Types, boxing, consts, datatype, display};

impl Emitter<'_, '_> {
    /// Emits a statement that is neither a phi nor a terminator. `None` is the value of an operation that never
    /// returns.
    pub(crate) fn op(&mut self, stmt: Stmt, data: &StmtData) -> Result<Option<Value>, EmitError> {
        if self.unit.host.contains(self.ordinal, stmt) {
            return self.run_by_host(data);
        }
        if sites::looks_for_copies(self.unit, self.ordinal, data) {
            return crate::host::beside_copies(self, data, |it| it.compiled_op(stmt, data));
        }
        self.compiled_op(stmt, data)
    }

    fn compiled_op(&mut self, stmt: Stmt, data: &StmtData) -> Result<Option<Value>, EmitError> {
        let ty = data.ty;
        match &data.op {
            Op::Pi(value) => self.convert(self.operand(*value)?, ty).map(Some),
            Op::Intrinsic(intrinsic, args) => self.intrinsic(*intrinsic, args, ty),
            Op::Invoke(instance, args) => {
                let callees = &self.unit.sources[self.ordinal as usize].callees;
                let callee = callees.get(instance.as_u32() as usize).ok_or(InvalidBody::UnknownCallee)?;
                self.invoke(*callee, args, ty)
            }
            Op::Lookup(instance, args) => {
                let callees = &self.unit.sources[self.ordinal as usize].callees;
                let callee = callees.get(instance.as_u32() as usize).ok_or(InvalidBody::UnknownCallee)?;
                self.lookup(*callee, args, ty).map(Some)
            }
            Op::Builtin(Builtin::DeferredCall, args) => {
                if self.unit.screens {
                    ScreenCalls(self).suspect(); // items of another launch have the same numbers
                }
                self.call_through(args, ty)
            }
            Op::Builtin(builtin, args) => self.builtin(*builtin, args, ty),
            Op::New(args) => self.new_struct(args, ty).map(Some),
            Op::Report(site, operands) => self.report(*site, operands).map(|()| Some(self.ghost(ty))),
            Op::BoundsCheck => Ok(Some(self.constant(consts::bool(self.types(), true)))),
            Op::LoopInfo(_) | Op::Nop => Ok(Some(self.ghost(Types::BOTTOM))),
            Op::ThrowUndefIfNot(_, flag) => {
                let defined = self.condition(*flag)?;
                self.check(defined, kiln_unit::SITE_TYPE, &[])?;
                Ok(Some(self.ghost(ty)))
            }
            Op::Call(_) => Err(Operation::DynamicCall.into()),
            Op::Host(HostFunction::GenericmemoryCopyto, args) => self.memory_copy(args).map(Some),
            Op::Host(HostFunction::StringPointer, args) if !self.unit.in_kernel => {
                self.string_pointer(args, ty).map(Some)
            }
            Op::Host(HostFunction::IsNewestWorld, _) if self.unit.is_host => self.is_newest_world().map(Some),
            Op::Host(function, _) => Err(Unsupported::of_name(NameRole::HostFunction, function.name())),
            Op::NewDynamic(_) | Op::SplatNew(..) => Err(Operation::DynamicObject.into()),
            Op::Global(..) if self.unit.is_host => self.read_global(&self.code().stmts[stmt]).map(Some),
            Op::Global(_, name) => Err(Unsupported::of_name(NameRole::Global, self.types().name(*name))),
            Op::IsDefinedGlobal(..) => Err(Operation::IsDefinedGlobal.into()),
            Op::Leave(_) | Op::TheException | Op::PopException(_) | Op::Upsilon(_) | Op::PhiC(_) => {
                if self.unit.is_host { self.of_try(stmt, data) } else { Err(Operation::Try.into()) }
            }
            Op::CopyAst(_) => Err(Operation::QuotedExpression.into()),
            Op::Phi(_)
            | Op::Enter { .. }
            | Op::Goto(_)
            | Op::Branch { .. }
            | Op::Return(_)
            | Op::Fail(..)
            | Op::Unreachable => unreachable!("{stmt} is emitted with its block"),
        }
    }

    /// Emits a statement of a `try` or its handler.
    fn of_try(&mut self, stmt: Stmt, data: &StmtData) -> Result<Option<Value>, EmitError> {
        if let Op::PopException(token) = &data.op {
            self.pop_exceptions(*token)?;
        } else if let Op::Upsilon(value) = &data.op {
            self.keep_for_handler(stmt, *value)?;
        } else if matches!(data.op, Op::PhiC(_)) {
            return self.kept_value(stmt).map(Some);
        } else if matches!(data.op, Op::TheException) {
            return self.the_exception(data.ty).map(Some);
        } else {
            self.leave_regions(&data.op);
        }
        Ok(Some(self.ghost(data.ty)))
    }

    /// Emits `new(ty, args...)`.
    pub(crate) fn new_struct(&self, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        if let ([value], true) = (args, self.unit.in_kernel && boxing::is_boxed(self.types(), ty)) {
            return self.new_box(self.operand(*value)?, ty);
        }
        if !datatype::is_concrete(self.types(), ty) {
            return Err(Unsupported::of_type(TypeRole::Allocation, display::of_type(self.types(), ty)));
        }
        let values: Result<Vec<_>, _> = args.iter().map(|it| self.operand(*it)).collect();
        match datatype::is_mutable(self.types(), ty) {
            true if self.unit.is_host => self.new_host_object(&values?, ty),
            true => self.new_object(&values?, ty),
            false => self.build(&values?, ty),
        }
    }

    /// Builds a struct of these fields. Missing fields are undefined.
    pub(crate) fn build(&self, values: &[Value], ty: Type) -> Result<Value, EmitError> {
        let (module, shape) = (self.module(), self.unit.shapes.of(ty)?);
        let Some(llvm) = shape.llvm else { return Ok(self.ghost(ty)) };
        // An undefined field of host code is null.
        let mut whole = if self.unit.is_host { module.zero(llvm) } else { module.poison(llvm) };
        match &shape.form {
            Form::Fields(fields) => {
                for (field, value) in fields.iter().zip(values) {
                    let Some(index) = field.index else { continue };
                    let value = if field.by_address && self.unit.is_host {
                        self.object_of(*value)?
                    } else if field.by_address {
                        self.held(*value, field.ty)?
                    } else {
                        self.materialize(self.convert(*value, field.ty)?)?
                    };
                    whole = module.insert(whole, value, index);
                }
            }
            Form::Array { elem, .. } => {
                for (index, value) in values.iter().enumerate() {
                    let value = self.convert(*value, *elem)?;
                    whole = module.insert(whole, self.materialize(value)?, index as u32);
                }
            }
            Form::Ghost
            | Form::Bool
            | Form::Int(_)
            | Form::Float(..)
            | Form::Pointer
            | Form::Object
            | Form::Union { .. } => {
                return Err(Unsupported::of_type(TypeRole::Struct, display::of_type(self.types(), ty)));
            }
        }
        Ok(self.register(ty, whole))
    }

    /// Returns the type that a constant operand is.
    pub(crate) fn type_operand(&self, operand: Operand) -> Result<Type, EmitError> {
        let value = self.operand(operand)?;
        let types = self.types();
        if let Some(kiln_types::ConstData::Type(ty)) = value.constant.map(|it| types.const_data(it)) {
            return Ok(*ty);
        }
        datatype::type_type_param(types, value.ty).ok_or_else(|| Operation::DynamicType.into())
    }

    /// Returns the integer that a constant operand is.
    pub(crate) fn int_operand(&self, operand: Operand) -> Option<i64> {
        match operand {
            Operand::Const(constant) => consts::as_int(self.types(), constant),
            Operand::Stmt(_) | Operand::Arg(_) => None,
        }
    }

    /// Whether an operand is a constant all of whose bits are zero.
    pub(crate) fn is_zero_operand(&self, operand: Operand) -> bool {
        let Operand::Const(constant) = operand else { return false };
        let data = self.types().const_data(constant);
        matches!(data, kiln_types::ConstData::Bits { bytes, .. } if bytes.iter().all(|it| *it == 0))
    }

    /// Returns the name that a constant symbol operand is.
    pub(crate) fn symbol_operand(&self, operand: Operand) -> Option<kiln_types::Symbol> {
        let Operand::Const(constant) = operand else { return None };
        let kiln_types::ConstData::Symbol(symbol) = self.types().const_data(constant) else { return None };
        Some(*symbol)
    }
}
