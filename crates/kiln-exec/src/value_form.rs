//! How compiled host code holds the values of a type in memory, found out once for each operand, argument and result.

use crate::trusted;
use kiln_runtime::heap::{bits, boxes, constants};
use kiln_runtime::{Runtime, Value};
use kiln_types::{Type, TypeData, Types, boxing, datatype, definition, layout};

/// How values of a type are held.
#[derive(Clone, Debug)]
pub(crate) enum ValueForm {
    /// In no bytes: there is one value, or none.
    Ghost(Value),
    /// By the address of an object.
    Object,
    /// As the data of this type, in so many bytes.
    Data(Type, usize),
    /// As the data of one of these types, and its position behind so many bytes.
    Tagged(Box<[(Type, usize)]>, usize),
}

impl ValueForm {
    /// Returns the form of the values of a type; `None` if compiled code does not hold such values.
    pub(crate) fn of(rt: &Runtime, ty: Type) -> Option<Self> {
        let (types, heap) = (&rt.types, &rt.heap);
        let size = |it: Type| layout::of(types, it).map(|it| it.size as usize);
        if ty == Types::BOTTOM {
            return Some(Self::Ghost(heap.nothing()));
        }
        if let Some(value) = datatype::type_type_param(types, ty) {
            return Some(Self::Ghost(heap.type_value(value)));
        }
        if let Some(value) = definition::singleton(types, ty) {
            return Some(Self::Ghost(constants::value_of(heap, value)));
        }
        match types.data(ty) {
            TypeData::Union(members) if boxing::is_tagged_on_host(types, ty) => {
                let members: Box<[_]> = members.iter().map(|it| (*it, size(*it).unwrap_or(0))).collect();
                let payload = members.iter().map(|it| it.1).max().unwrap_or(0);
                Some(Self::Tagged(members, payload))
            }
            _ if !datatype::is_concrete(types, ty) || datatype::is_mutable(types, ty) => Some(Self::Object),
            _ => size(ty).map(|it| Self::Data(ty, it)),
        }
    }

    /// The number of bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Ghost(_) => 0,
            Self::Object => 8,
            Self::Data(_, size) => *size,
            Self::Tagged(_, payload) => payload + 1,
        }
    }

    /// Writes a value to bytes of this size.
    pub(crate) fn pack(&self, rt: &Runtime, value: Value, to: &mut [u8]) {
        match self {
            Self::Ghost(_) => {}
            Self::Object => to.copy_from_slice(&boxes::box_value(&rt.heap, value).to_le_bytes()[..to.len()]),
            Self::Data(..) => bits::copy_data(&rt.heap, value, to),
            Self::Tagged(members, payload) => {
                let Some(tag) = members.iter().position(|it| it.0 == value.ty()) else { return };
                bits::copy_data(&rt.heap, value, to);
                to[*payload] = tag as u8;
            }
        }
    }

    /// The value that compiled code left in `bytes`, which may be longer.
    #[inline]
    pub(crate) fn unpack(&self, rt: &Runtime, bytes: &[u8]) -> Value {
        let data =
            |ty: Type, size: usize| bits::from_data(&rt.heap, ty, bytes.get(..size).unwrap_or_default());
        match self {
            Self::Ghost(value) => *value,
            Self::Object => {
                let word = bytes.first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
                trusted::heap_memory(&rt.heap).object(word).unwrap_or_else(|| rt.heap.nothing())
            }
            Self::Data(ty, size) => data(*ty, *size),
            Self::Tagged(members, payload) => {
                let tag = bytes.get(*payload).copied().unwrap_or(0);
                let (ty, size) = members.get(usize::from(tag)).copied().unwrap_or(members[0]);
                data(ty, size)
            }
        }
    }
}
