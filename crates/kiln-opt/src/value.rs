//! Facts about an operand.

use kiln_ir::{IrCode, Op, Value};
use kiln_types::{Const, ConstData, Type, TypeData, Types, consts, datatype, definition, layout};

/// The type of an operand.
pub(crate) fn type_of(code: &IrCode, types: &Types, value: Value) -> Type {
    match value {
        Value::Stmt(stmt) => code.stmts[stmt].ty,
        Value::Arg(n) => code.args.get(n as usize).copied().unwrap_or(types.core().any),
        Value::Const(constant) => consts::type_of(types, constant),
    }
}

/// The operation that made an operand, looking through `Pi`.
pub(crate) fn definition(code: &IrCode, mut value: Value) -> Option<&Op> {
    // A chain of Pi statements is as long as the branches around it are deep.
    while let Value::Stmt(stmt) = value {
        match &code.stmts[stmt].op {
            Op::Pi(inner) => value = *inner,
            other => return Some(other),
        }
    }
    None
}

/// The constant a type has as its only value.
pub(crate) fn only_value(types: &Types, ty: Type) -> Option<Const> {
    if let Some(parameter) = datatype::type_type_param(types, ty) {
        return Some(consts::of_type(types, parameter));
    }
    definition::singleton(types, ty)
}

/// Whether it is the type of tuples of one length, whatever their element types: `iterate` returns `Tuple{Union{A,
/// B}, Int64}` for a tuple of several types.
pub(crate) fn is_fixed_tuple(types: &Types, ty: Type) -> bool {
    let is_open = |it: &Type| matches!(types.data(*it), TypeData::Vararg { .. });
    datatype::is_tuple(types, ty) && !datatype::params(types, ty).iter().any(is_open)
}

/// The field number (from 0) that a constant names in a value of type `ty`.
pub(crate) fn field_number(types: &Types, ty: Type, field: Const) -> Option<usize> {
    match types.const_data(field) {
        ConstData::Symbol(name) => datatype::field_index(types, ty, *name),
        ConstData::Bits { ty, bytes } if *ty == types.core().int64 => {
            let n = i64::from_le_bytes(bytes.as_ref().try_into().ok()?);
            usize::try_from(n.checked_sub(1)?).ok()
        }
        ConstData::Bits { .. }
        | ConstData::Type(_)
        | ConstData::String(_)
        | ConstData::Module(_)
        | ConstData::Aggregate { .. }
        | ConstData::Object { .. } => None,
    }
}

/// Returns field `n` of a constant, if that needs no code to run.
pub(crate) fn const_field(types: &Types, constant: Const, n: usize) -> Option<Const> {
    match types.const_data(constant) {
        ConstData::Aggregate { fields, .. } => fields.get(n).copied(),
        ConstData::Bits { ty, bytes } => {
            let layout = layout::of(types, *ty)?;
            let field = layout.fields.get(n)?;
            let field_ty = *datatype::field_types(types, *ty).get(n)?;
            if let Some(only) = definition::singleton(types, field_ty) {
                return Some(only);
            }
            if field.storage != kiln_types::FieldStorage::Inline {
                return None;
            }
            let range = field.offset as usize..(field.offset + field.size) as usize;
            let bytes = bytes.get(range)?.into();
            Some(types.constant(ConstData::Bits { ty: field_ty, bytes }))
        }
        ConstData::Symbol(_)
        | ConstData::Type(_)
        | ConstData::String(_)
        | ConstData::Module(_)
        | ConstData::Object { .. } => None,
    }
}

/// `true` or `false`, if the operand is one of them.
pub(crate) fn as_bool(types: &Types, value: Value) -> Option<bool> {
    let Value::Const(constant) = value else { return None };
    if constant == consts::bool(types, true) {
        Some(true)
    } else if constant == consts::bool(types, false) {
        Some(false)
    } else {
        None
    }
}
