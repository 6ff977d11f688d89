//! Arguments of launches and calls: how values become bytes, and bytes values.

use kiln_runtime::{Runtime, Value};
use kiln_types::{Type, TypeData, Types};
use kiln_unit::LinkInfo;

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
            if !rt.heap.copy_if_bits(*value, to) {
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
        pack_value(rt, *ty, *value, at(block, place.offset, place.size));
    }
}

/// Writes a value of a type as host code holds it in memory, to bytes that have the size of that.
pub(crate) fn pack_value(rt: &Runtime, ty: Type, value: Value, to: &mut [u8]) {
    if let TypeData::Union(members) = rt.types.data(ty)
        && rt.types.is_tagged_on_host(ty)
        && let Some(tag) = members.iter().position(|it| *it == value.ty())
    {
        rt.heap.copy_data(value, to);
        to[union_payload(&rt.types, members) as usize] = tag as u8;
    } else if is_by_address(&rt.types, ty) {
        to.copy_from_slice(&rt.heap.box_value(value).to_le_bytes()[..to.len()]);
    } else {
        rt.heap.copy_data(value, to);
    }
}

/// The bytes of values of a type as host code holds them in memory.
pub(crate) fn bytes_of(types: &Types, ty: Type) -> usize {
    let is_ghost =
        ty == Types::BOTTOM || types.type_type_param(ty).is_some() || types.singleton(ty).is_some();
    match types.data(ty) {
        _ if is_ghost => 0,
        TypeData::Union(members) if types.is_tagged_on_host(ty) => union_payload(types, members) as usize + 1,
        _ if is_by_address(types, ty) => 8,
        _ => types.layout(ty).map_or(0, |it| it.size as usize),
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

/// Whether [`unpack`] knows values of this type.
pub(crate) fn can_unpack(types: &Types, ty: Type) -> bool {
    match types.data(ty) {
        TypeData::Bottom => true,
        _ => types.type_type_param(ty).is_some() || is_by_address(types, ty) || types.layout(ty).is_some(),
    }
}

/// The value of this type that compiled code left in `bytes`, which may be longer.
pub(crate) fn unpack(rt: &Runtime, ty: Type, bytes: &[u8]) -> Value {
    let (types, heap) = (&rt.types, &rt.heap);
    let sized = |ty: Type| bytes.get(..types.layout(ty).map_or(0, |it| it.size as usize)).unwrap_or_default();
    match types.data(ty) {
        TypeData::Bottom => heap.nothing(),
        TypeData::Union(members) if types.is_tagged_on_host(ty) => {
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
                return crate::trusted::heap_memory(heap).object(word).unwrap_or_else(|| heap.nothing());
            }
            heap.from_data(ty, sized(ty))
        }
    }
}
