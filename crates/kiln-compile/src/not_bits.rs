//! Types that kernels take as arguments.

use kiln_types::{Type, TypeData, Types, datatype, definition, layout};

/// Why a type cannot be passed to a kernel: the path to the field that is no plain bits, and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotBits {
    /// `.a.b` from the argument; empty for the argument itself.
    pub path: String,
    /// The type of that field.
    pub ty: Type,
    /// The type that has it as a field; `None` for the argument itself.
    pub owner: Option<Type>,
}

/// `None` if values of `ty` can be passed: plain bits, `Symbol`s, which are used by identity alone, or a type or other
/// value known from its type alone.
pub fn not_bits(types: &Types, ty: Type) -> Option<NotBits> {
    find(types, ty, (String::new(), None), 0)
}

/// Types nest finitely, but a bound makes it plain.
const DEPTH_MAX: u32 = 64;

fn find(types: &Types, ty: Type, (path, owner): (String, Option<Type>), depth: u32) -> Option<NotBits> {
    let known = datatype::type_type_param(types, ty).is_some() || definition::singleton(types, ty).is_some();
    if known || layout::is_flat(types, ty) {
        return None;
    }
    let is_struct = matches!(types.data(ty), TypeData::Data { .. })
        && datatype::is_concrete(types, ty)
        && !datatype::is_mutable(types, ty);
    if is_struct && depth < DEPTH_MAX {
        let names = datatype::field_names(types, ty);
        for (n, field) in datatype::field_types(types, ty).iter().enumerate() {
            let name = names.get(n).map_or_else(|| (n + 1).to_string(), |it| types.name(*it).to_owned());
            let found = find(types, *field, (format!("{path}.{name}"), Some(ty)), depth + 1);
            if found.is_some() {
                return found;
            }
        }
    }
    Some(NotBits { path, ty, owner })
}
