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
    /// The type that has it as a field.
    pub(crate) owner: Option<Type>,
}

/// `None` if values of `ty` can be passed: plain bits, `Symbol`s, which are used by identity alone, or a type or other
/// value known from its type alone.
pub(crate) fn not_bits(types: &Types, ty: Type) -> Option<NotBits> {
    find(types, ty, (String::new(), None), 0)
}

/// Types nest finitely, but a bound makes it plain.
const DEPTH_MAX: u32 = 64;

fn find(types: &Types, ty: Type, (path, owner): (String, Option<Type>), depth: u32) -> Option<NotBits> {
    let known = types.type_type_param(ty).is_some() || types.singleton(ty).is_some();
    if known || types.is_flat(ty) {
        return None;
    }
    let is_struct =
        matches!(types.data(ty), TypeData::Data { .. }) && types.is_concrete(ty) && !types.is_mutable(ty);
    if is_struct && depth < DEPTH_MAX {
        let names = types.field_names(ty);
        for (n, field) in types.field_types(ty).iter().enumerate() {
            let name = names.get(n).map_or_else(|| (n + 1).to_string(), |it| types.name(*it).to_owned());
            let found = find(types, *field, (format!("{path}.{name}"), Some(ty)), depth + 1);
            if found.is_some() {
                return found;
            }
        }
    }
    Some(NotBits { path, ty, owner })
}

/// Writes the argument block of a launch, zero so far: `function` and then `args`, as `LinkInfo` lays them out. Where a
/// method takes any number of arguments, the last place is a tuple of those that have none of their own.
pub(crate) fn pack(rt: &Runtime, link: &LinkInfo, function: Value, args: &[Value], block: &mut [u8]) {
    let packed;
    let places = link.args.len().saturating_sub(1);
    let args = if args.len() > places && places > 0 {
        let (fixed, rest) = args.split_at(places - 1);
        packed = [fixed, &[rt.heap.tuple(rest)]].concat();
        packed.as_slice()
    } else {
        args
    };
    for (place, value) in link.args.iter().zip(std::iter::once(&function).chain(args)) {
        if place.size > 0 {
            let to = at(block, place.offset, place.size);
            if rt.types.is_bits(value.ty()) {
                rt.heap.copy_bits(*value, to);
            } else {
                to.copy_from_slice(&argument(rt, *value));
            }
        }
    }
}

/// Returns the bytes of an argument for a kernel: addresses where it holds `Symbol`s.
fn argument(rt: &Runtime, value: Value) -> Box<[u8]> {
    if rt.types.is_bits(value.ty()) {
        rt.heap.bits_of(value)
    } else if is_by_address(&rt.types, value.ty()) {
        rt.heap.box_value(value).to_le_bytes().into()
    } else {
        rt.heap.data_of(value)
    }
}

/// The argument block of a call of host code, whose arguments are of these types: immutable values as their data,
/// which may hold addresses, everything else by its address.
pub(crate) fn pack_host(rt: &Runtime, link: &LinkInfo, types: &[Type], args: &[Value], block: &mut [u8]) {
    for ((place, ty), value) in link.args.iter().zip(types).zip(args) {
        if place.size == 0 {
            continue;
        }
        let to = at(block, place.offset, place.size);
        if let TypeData::Union(members) = rt.types.data(*ty)
            && is_tagged(&rt.types, members)
            && let Some(tag) = members.iter().position(|it| *it == value.ty())
        {
            rt.heap.copy_data(*value, to);
            to[union_payload(&rt.types, members) as usize] = tag as u8;
        } else if is_by_address(&rt.types, *ty) {
            to.copy_from_slice(&rt.heap.box_value(*value).to_le_bytes()[..to.len()]);
        } else {
            rt.heap.copy_data(*value, to);
        }
    }
}

fn at(block: &mut [u8], offset: u32, size: u32) -> &mut [u8] {
    &mut block[offset as usize..(offset + size) as usize]
}

/// Whether compiled code has values of this type by the address of an object.
fn is_by_address(types: &Types, ty: Type) -> bool {
    !types.is_concrete(ty) || types.is_mutable(ty)
}

fn union_payload(types: &Types, members: &[Type]) -> u32 {
    members.iter().filter_map(|it| types.layout(*it)).map(|it| it.size).max().unwrap_or(0)
}

/// Whether a union is a payload and the number of a member in compiled code.
fn is_tagged(types: &Types, members: &[Type]) -> bool {
    members.iter().all(|it| types.is_bits(*it))
}

/// Whether [`unpack`] knows values of this type.
pub(crate) fn can_unpack(types: &Types, ty: Type) -> bool {
    match types.data(ty) {
        TypeData::Bottom => true,
        TypeData::Union(members) => is_tagged(types, members),
        _ => types.type_type_param(ty).is_some() || is_by_address(types, ty) || types.layout(ty).is_some(),
    }
}

/// The value of this type that compiled code left in `bytes`, which may be longer.
pub(crate) fn unpack(rt: &Runtime, ty: Type, bytes: &[u8]) -> Value {
    let (types, heap) = (&rt.types, &rt.heap);
    let sized = |ty: Type| bytes.get(..types.layout(ty).map_or(0, |it| it.size as usize)).unwrap_or_default();
    match types.data(ty) {
        TypeData::Bottom => heap.nothing(),
        TypeData::Union(members) if is_tagged(types, members) => {
            let tag = bytes.get(union_payload(types, members) as usize).copied().unwrap_or(0);
            let member = members.get(tag as usize).copied().unwrap_or(members[0]);
            heap.from_data(member, sized(member))
        }
        _ => {
            if let Some(value) = types.type_type_param(ty) {
                return heap.type_value(value);
            }
            if is_by_address(types, ty) {
                let word = bytes.first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
                return heap.object_at_word(word).unwrap_or_else(|| heap.nothing());
            }
            heap.from_data(ty, sized(ty))
        }
    }
}
