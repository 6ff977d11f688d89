//! Access to the tables for the writer and the reader.

use super::{ImageError, TableSizes};
use crate::{Const, ConstData, Type, TypeData, Types, layout};
use std::sync::atomic::Ordering;

/// Returns the number of entries of each table.
pub fn counts(types: &Types) -> TableSizes {
    TableSizes {
        symbols: types.symbols.len(),
        modules: types.modules.count(),
        names: types.frozen.names.len() + types.names.count(),
        consts: types.consts.len(),
        types: types.types.len(),
    }
}

/// Whether the constants of thawed tables are values of their types, and name objects among the first
/// `objects`.
///
/// # Errors
/// When one is not.
pub fn check_constants(types: &Types, objects: usize) -> Result<(), ImageError> {
    for at in 0..types.consts.len() {
        let valid = match types.const_data(Const::from_index(at)) {
            ConstData::Object { handle, .. } => handle.index() < objects,
            ConstData::Bits { ty, bytes } => {
                // Values that are numbers: those of intrinsics, and of method tables.
                let is_number = [types.core.intrinsic_function, types.core.method_table].contains(ty);
                let size = layout::of(types, *ty).map(|it| it.size as usize);
                size == Some(bytes.len()) || (is_number && bytes.len() == 8)
            }
            ConstData::Aggregate { ty, fields } => {
                layout::of(types, *ty).is_some_and(|it| it.fields.len() >= fields.len())
            }
            ConstData::Symbol(_) | ConstData::Type(_) | ConstData::String(_) | ConstData::Module(_) => true,
        };
        if !valid {
            return Err(ImageError("a constant that is no value of its type"));
        }
    }
    Ok(())
}

/// The next ordinal of a variable, the next number for a name, and how many definitions are unfinished.
pub(super) fn counters(types: &Types) -> (u32, u32, u32) {
    let counters = [&types.next_ordinal, &types.next_number, &types.unfinished];
    let [ordinal, number, unfinished] = counters.map(|it| it.load(Ordering::Acquire));
    (ordinal, number, unfinished)
}

pub(super) fn set_counters(types: &mut Types, ordinal: u32, number: u32, unfinished: u32) {
    *types.next_ordinal.get_mut() = ordinal;
    *types.next_number.get_mut() = number;
    *types.unfinished.get_mut() = unfinished;
}

/// Interns a type with this data, as read from another interner, for readers of serialized types: before the
/// definitions are complete, unions must not be sorted or bounds checked. Not for `Var` and `UnionAll`, whose
/// identity an interner chooses itself.
pub fn intern_as_read(types: &Types, data: TypeData) -> Type {
    debug_assert!(!matches!(data, TypeData::Var { .. } | TypeData::UnionAll { .. }));
    types.intern(data)
}
