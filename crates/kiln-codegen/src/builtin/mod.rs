//! `Core` builtins on values whose types are known.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the match here names every builtin; other matches ask for one form of value"
)]

mod field;
mod identity;
mod memory;

use crate::error::{EmitError, InvalidBody, NameRole, Operation, TypeRole, Unsupported};
use crate::function::Emitter;
use crate::value::Value;
use kiln_ir::{Builtin, Value as Operand};
use kiln_types::{Type, consts, datatype, display, layout};

impl Emitter<'_, '_> {
    /// Emits a builtin whose statement has type `ty`.
    pub(crate) fn builtin(
        &self,
        op: Builtin,
        args: &[Operand],
        ty: Type,
    ) -> Result<Option<Value>, EmitError> {
        use Builtin as B;
        let enough = match op {
            B::Is | B::Isa | B::Typeassert | B::Getfield | B::Compilerbarrier | B::Isdefined => 2,
            B::Ifelse | B::Setfield => 3,
            B::Memoryrefget => 1,
            B::Memoryrefset => 2,
            B::Typeof
            | B::Sizeof
            | B::Nfields
            | B::Memoryrefnew
            | B::Memoryrefoffset
            | B::MemoryrefIsassigned => 1,
            _ => 0,
        };
        if args.len() < enough {
            return Err(InvalidBody::TooFewOperands { op: op.name() }.into());
        }
        let value = match op {
            B::Is => self.identical(args),
            B::Typeof => self.type_of_value(args),
            B::Isa => self.is_a(args),
            B::Typeassert => self.type_assert(args, ty),
            B::Tuple => self.new_struct(args, ty),
            B::Getfield => self.get_field(args, ty),
            B::Setfield => self.set_field(args),
            B::Isdefined => self.is_defined(args),
            B::Nfields => self.field_count(args),
            B::Sizeof => self.size_of(args),
            B::Ifelse => self.if_else(args, ty),
            B::Memoryrefnew => self.memory_ref(args, ty),
            B::Memoryrefoffset => self.memory_offset(args),
            B::Memoryrefget => self.memory_get(args, ty),
            B::Memoryrefset => self.memory_set(args),
            B::MemoryrefIsassigned => self.memory_is_assigned(args),
            B::Compilerbarrier => self.convert(self.operand(args[1])?, ty),
            B::Donotdelete | B::Finalizer => Ok(self.ghost(self.types().core().nothing)),
            B::Issubtype => self.is_subtype(args),
            B::Throw => Err(InvalidBody::Throw.into()),
            B::Memorynew if self.unit.is_host && args.len() == 2 => self.host_memory(args[1], ty),
            // The host runs other assignments of host code.
            B::Setglobal if self.unit.is_host => self.write_global(args),
            B::Memorynew => Err(Operation::Allocation.into()),
            B::Swapfield
            | B::Modifyfield
            | B::Replacefield
            | B::Fieldtype
            | B::Svec
            | B::SvecLen
            | B::SvecRef
            | B::ApplyType
            | B::ApplyIterate
            | B::Invoke
            | B::Invokelatest
            | B::Applicable
            | B::Getglobal
            | B::Setglobal
            | B::Isdefinedglobal
            | B::Typevar
            | B::UnionAllNew
            | B::Expr
            | B::Abstracttype
            | B::Primitivetype
            | B::Structtype
            | B::Setsuper
            | B::Typebody
            | B::EquivTypedef
            | B::Deferred
            | B::DeferredCall => Err(Unsupported::of_name(NameRole::HostBuiltin, op.name())),
        };
        value.map(Some)
    }

    fn host_memory(&self, length: Operand, ty: Type) -> Result<Value, EmitError> {
        self.new_memory(self.operand(length)?, ty)
    }

    fn if_else(&self, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let cond = self.condition(args[0])?;
        let then = self.convert(self.operand(args[1])?, ty)?;
        let other = self.convert(self.operand(args[2])?, ty)?;
        if self.unit.shapes.of(ty)?.llvm.is_none() {
            return Ok(self.ghost(ty));
        }
        Ok(self.register(ty, self.select(cond, self.materialize(then)?, self.materialize(other)?)))
    }

    fn size_of(&self, args: &[Operand]) -> Result<Value, EmitError> {
        let types = self.types();
        let value = self.operand(args[0])?;
        let ty = match self.type_operand(args[0]) {
            Ok(ty) => ty,
            Err(_) => value.ty,
        };
        if ty == types.core().string && !self.unit.in_kernel {
            // The object begins with its length; the bytes follow.
            let length = self.module().load(self.module().int(64), self.materialize(value)?, 8);
            return Ok(self.register(types.core().int64, length));
        }
        match layout::of(types, ty) {
            Some(layout) if !datatype::is_mutable(types, ty) => {
                Ok(self.constant(consts::int(types, layout.size.into())))
            }
            _ => Err(Unsupported::of_type(TypeRole::SizeOf, display::of_type(types, ty))),
        }
    }

    fn field_count(&self, args: &[Operand]) -> Result<Value, EmitError> {
        let (types, value) = (self.types(), self.operand(args[0])?);
        if !datatype::is_concrete(types, value.ty) {
            return Err(Operation::FieldCount.into());
        }
        Ok(self.constant(consts::int(types, datatype::field_types(types, value.ty).len() as i64)))
    }
}
