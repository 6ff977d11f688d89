//! `===` and `isa` of objects of the host.

use crate::error::{EmitError, Operation, Unsupported};
use crate::function::Emitter;
use crate::llvm::Val;
use crate::shape::Form;
use crate::value::Value;
use kiln_types::Type;

impl Emitter<'_, '_> {
    /// Emits `a === b` if one of them is an object; `None` if neither is one, or both have the same type.
    ///
    /// # Errors
    /// Fails where the host has to compare.
    pub(crate) fn egal_on_host(&self, a: Value, b: Value) -> Result<Option<Val>, EmitError> {
        let is_object = |it: Value| -> Result<bool, EmitError> {
            Ok(matches!(self.unit.shapes.of(it.ty)?.form, Form::Object))
        };
        let pair = match (is_object(a)?, is_object(b)?) {
            (true, true) if self.has_own_identity(a.ty) || self.has_own_identity(b.ty) => {
                return Ok(Some(self.module().int_eq(self.object_of(a)?, self.object_of(b)?)));
            }
            (true, true) => return Err(Operation::ObjectIdentity.into()),
            (true, false) => (a, b),
            (false, true) => (b, a),
            (false, false) => return Ok(None),
        };
        match self.egal_object(pair.0, pair.1)? {
            Some(same) => Ok(Some(same)),
            None => Err(Operation::ObjectIdentity.into()),
        }
    }

    /// Whether a value of a type is identical to an object only if it is that object. Symbols and types are one object each.
    fn has_own_identity(&self, ty: Type) -> bool {
        let types = self.types();
        types.is_concrete(ty) && types.is_mutable(ty) && ty != types.core().string
    }

    /// Emits `isa(value, ty)` of an object as `i1`.
    ///
    /// # Errors
    /// Fails where the number of its type does not decide.
    pub(crate) fn object_has_type(&self, value: Value, ty: Type) -> Result<Val, EmitError> {
        let types = self.types();
        let members = self.members_of(ty).map_or_else(|| vec![ty], <[Type]>::to_vec);
        if !members.iter().all(|it| types.is_concrete(*it) && types.type_type_param(*it).is_none()) {
            return Err(Unsupported::IsA { value: types.display(value.ty), ty: types.display(ty) }.into());
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
