//! The bits of constants that are given as their fields.

use crate::{Const, ConstData, FieldStorage, Type, Types, layout};

pub(crate) fn normalized(types: &Types, data: ConstData) -> ConstData {
    if let ConstData::Aggregate { ty, fields } = &data
        && layout::is_bits(types, *ty)
        && let Some(bytes) = bytes(types, *ty, fields)
    {
        return ConstData::Bits { ty: *ty, bytes };
    }
    data
}

fn bytes(types: &Types, ty: Type, fields: &[Const]) -> Option<Box<[u8]>> {
    let layout = layout::of(types, ty)?;
    let mut out = vec![0; layout.size as usize];
    for (field, &value) in layout.fields.iter().zip(fields) {
        let ConstData::Bits { ty, bytes } = types.const_data(value) else { return None };
        let at = field.offset as usize;
        out.get_mut(at..at + bytes.len())?.copy_from_slice(bytes);
        if let FieldStorage::Union { members } = &field.storage {
            let selector = members.iter().position(|it| it == ty)?;
            out[at + field.size as usize - 1] = selector as u8;
        }
    }
    Some(out.into())
}
