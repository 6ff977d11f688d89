//! Arguments of launches: how values become bytes.

use kiln_runtime::heap::{bits, boxes, tuples};
use kiln_runtime::{Runtime, Value};
use kiln_types::{Type, Types, datatype, layout};
use kiln_unit::LinkInfo;

/// Writes the argument block of a launch, zero so far: `function` and then `args`, as `LinkInfo` lays them out. Where a
/// method takes any number of arguments, the last place is a tuple of those that have none of their own.
pub(crate) fn pack(rt: &Runtime, link: &LinkInfo, function: Value, args: &[Value], block: &mut [u8]) {
    let packed;
    let places = link.args.len().saturating_sub(1);
    let args = if args.len() > places && places > 0 {
        let (fixed, rest) = args.split_at(places - 1);
        packed = [fixed, &[tuples::new(&rt.heap, rest)]].concat();
        packed.as_slice()
    } else {
        args
    };
    for (place, value) in link.args.iter().zip(std::iter::once(&function).chain(args)) {
        if place.size > 0 {
            let to = at(block, place.offset, place.size);
            if !bits::copy_if_bits(&rt.heap, *value, to) {
                to.copy_from_slice(&argument(rt, *value));
            }
        }
    }
}

/// Returns the bytes of an argument for a kernel: addresses where it holds `Symbol`s.
fn argument(rt: &Runtime, value: Value) -> Box<[u8]> {
    if layout::is_bits(&rt.types, value.ty()) {
        bits::of(&rt.heap, value)
    } else if is_by_address(&rt.types, value.ty()) {
        boxes::box_value(&rt.heap, value).to_le_bytes().into()
    } else {
        bits::data_of(&rt.heap, value)
    }
}

fn at(block: &mut [u8], offset: u32, size: u32) -> &mut [u8] {
    &mut block[offset as usize..(offset + size) as usize]
}

/// Whether compiled code has values of this type by the address of an object.
fn is_by_address(types: &Types, ty: Type) -> bool {
    !datatype::is_concrete(types, ty) || datatype::is_mutable(types, ty)
}
