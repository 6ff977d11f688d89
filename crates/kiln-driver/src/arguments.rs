//! Kernel arguments: which types may be passed, and how values become bytes.

use kiln_runtime::{Runtime, Value};
use kiln_types::{Type, TypeData, Types};
use kiln_unit::LinkInfo;

/// Why a type cannot be passed to a kernel: the path to the field that is no plain bits, and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotBits {
    /// `.a.b` from the argument; empty for the argument itself.
    pub(crate) path: String,
    pub(crate) ty: Type,
}

/// `None` if values of `ty` can be passed: plain bits, or a type or other value known from its type alone.
pub(crate) fn not_bits(types: &Types, ty: Type) -> Option<NotBits> {
    find(types, ty, String::new(), 0)
}

/// Types nest finitely, but a bound makes it plain.
const DEPTH_MAX: u32 = 64;

fn find(types: &Types, ty: Type, path: String, depth: u32) -> Option<NotBits> {
    if types.is_bits(ty) || types.type_type_param(ty).is_some() || types.singleton(ty).is_some() {
        return None;
    }
    let is_struct = matches!(types.data(ty), TypeData::Data { .. }) && types.is_concrete(ty) && !types.is_mutable(ty);
    if is_struct && depth < DEPTH_MAX {
        let names = types.field_names(ty);
        for (n, field) in types.field_types(ty).iter().enumerate() {
            let name = names.get(n).map_or_else(|| (n + 1).to_string(), |it| types.name(*it).to_owned());
            let found = find(types, *field, format!("{path}.{name}"), depth + 1);
            if found.is_some() {
                return found;
            }
        }
    }
    Some(NotBits { path, ty })
}

/// The argument block of a launch, aligned for any vector: `function` and then `args`, as `LinkInfo` lays them out.
pub(crate) fn pack(rt: &Runtime, link: &LinkInfo, function: Value, args: &[Value], block: &mut Vec<u64>) {
    block.clear();
    block.resize((link.args_bytes as usize).div_ceil(8), 0);
    for (place, value) in link.args.iter().zip(std::iter::once(&function).chain(args)) {
        if place.size == 0 {
            continue;
        }
        // An object of the heap is passed by its address; only host code is given any.
        let is_bits = rt.types.is_bits(value.ty());
        let bits = if is_bits { rt.heap.bits_of(*value) } else { Box::from(value.bits().to_le_bytes()) };
        let count = bits.len().min(place.size as usize);
        for (at, byte) in bits[..count].iter().enumerate() {
            let offset = place.offset as usize + at;
            let shift = 8 * (offset % 8);
            block[offset / 8] |= u64::from(*byte) << shift;
        }
    }
}

/// The block as bytes.
pub(crate) fn bytes(block: &[u64]) -> Vec<u8> {
    block.iter().flat_map(|it| it.to_le_bytes()).collect()
}
