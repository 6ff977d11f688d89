//! `===` and `isa` of objects of the host.

use crate::error::{EmitError, Unsupported};
use crate::function::Emitter;
use crate::llvm::Val;
use crate::shape::Form;
use crate::value::Value;
use kiln_types::{Type, datatype, display};
use kiln_unit::HostTable;
use llvm_sys::LLVMOpcode;
use std::mem::offset_of;

impl Emitter<'_, '_> {
    /// Emits `a === b` if one of them is an object; `None` if neither is one.
    pub(crate) fn egal_on_host(&self, a: Value, b: Value) -> Result<Option<Val>, EmitError> {
        let is_object = |it: Value| -> Result<bool, EmitError> {
            Ok(matches!(self.unit.shapes.of(it.ty)?.form, Form::Object))
        };
        let pair = match (is_object(a)?, is_object(b)?) {
            (true, true) if self.has_own_identity(a.ty) || self.has_own_identity(b.ty) => {
                return Ok(Some(self.module().int_eq(self.object_of(a)?, self.object_of(b)?)));
            }
            (true, true) => return self.egal_objects(self.object_of(a)?, self.object_of(b)?).map(Some),
            (true, false) => (a, b),
            (false, true) => (b, a),
            (false, false) => return Ok(None),
        };
        match self.egal_object(pair.0, pair.1)? {
            Some(same) => Ok(Some(same)),
            None => self.egal_objects(self.object_of(pair.0)?, self.object_of(pair.1)?).map(Some),
        }
    }

    /// Emits `===` of two objects: they are one, or have one type and the host finds them identical.
    fn egal_objects(&self, a: Val, b: Val) -> Result<Val, EmitError> {
        let module = self.module();
        let bit = module.int(1);
        let block = || module.block(self.function);
        let (differ, both, alike, done) = (block(), block(), block(), block());
        let same = self.host_scratch(1);
        module.store(module.const_int(module.int(8), 1), same, 1);
        module.cond_br(module.int_eq(a, b), done, differ);
        module.at_end(differ);
        module.store(module.const_int(module.int(8), 0), same, 1);
        // A field without a value is null.
        let null = module.zero(module.ptr());
        let missing = module.or(module.int_eq(a, null), module.int_eq(b, null));
        module.cond_br(missing, done, both);
        module.at_end(both);
        let one_type = module.int_eq(self.object_type_number(a), self.object_type_number(b));
        module.cond_br(one_type, alike, done);
        module.at_end(alike);
        let answer = self.call_host(offset_of!(HostTable, egal), module.int(32), &[a, b]);
        module.store(module.resize(answer, module.int(8)), same, 1);
        module.br(done);
        module.at_end(done);
        Ok(module.cast(LLVMOpcode::LLVMTrunc, module.load(module.int(8), same, 1), bit))
    }

    /// Whether a value of a type is identical to an object only if it is that object. Symbols and types are one object each.
    fn has_own_identity(&self, ty: Type) -> bool {
        let types = self.types();
        datatype::is_concrete(types, ty) && datatype::is_mutable(types, ty) && ty != types.core().string
    }

    /// Emits `isa(value, ty)` of an object as `i1`.
    ///
    /// # Errors
    /// Fails where the number of its type does not decide.
    pub(crate) fn object_has_type(&self, value: Value, ty: Type) -> Result<Val, EmitError> {
        let types = self.types();
        let members = self.members_of(ty).map_or_else(|| vec![ty], <[Type]>::to_vec);
        if !members
            .iter()
            .all(|it| datatype::is_concrete(types, *it) && datatype::type_type_param(types, *it).is_none())
        {
            return Err(Unsupported::IsA {
                value: display::of_type(types, value.ty),
                ty: display::of_type(types, ty),
            }
            .into());
        }
        let mut result = self.module().const_int(self.module().int(1), 0);
        for member in members {
            result = self.module().or(result, self.is_object_of(value, member)?);
        }
        Ok(result)
    }

    /// Continues only if `ok`; otherwise the host runs the statement being emitted, which throws.
    pub(crate) fn run_unless(&self, ok: Val) -> Result<(), EmitError> {
        let module = self.module();
        let (go_on, failing) = (module.block(self.function), module.block(self.function));
        module.cond_br(ok, go_on, failing);
        module.at_end(failing);
        self.run_and_fail()?;
        module.at_end(go_on);
        Ok(())
    }
}
