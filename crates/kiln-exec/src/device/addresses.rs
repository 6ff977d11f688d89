//! The bytes of an argument that mean something else on a device: addresses of the host's memory, and symbols.

use kiln_compile::device::device_link::symbol_number;
use kiln_launch::{Access, HostMemory, HostRange};
use kiln_runtime::heap::allocation;
use kiln_runtime::{Heap, Runtime};
use kiln_types::{FieldStorage, Type, TypeData, Types, datatype, definition, layout};

/// Something at an offset of a value's bytes that is translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A `Symbol`: the address of its object on the host, [`symbol_number`] on a device.
    Symbol,
    /// An address, of so many bytes if that is known.
    Address(Option<u64>),
}

/// Types nest finitely, but a bound makes it plain.
const DEPTH_MAX: u32 = 64;

/// Calls `found` for everything in a value of type `ty` whose data is at `offset` of `bytes`.
pub(crate) fn visit(
    types: &Types,
    ty: Type,
    (offset, bytes): (usize, &[u8]),
    found: &mut dyn FnMut(usize, Meaning),
) {
    walk(types, ty, (offset, bytes), 0, found);
}

fn walk(
    types: &Types,
    ty: Type,
    (offset, bytes): (usize, &[u8]),
    depth: u32,
    found: &mut dyn FnMut(usize, Meaning),
) {
    if ty == types.core().symbol {
        return found(offset, Meaning::Symbol);
    }
    if is_pointer(types, ty) {
        return found(offset, Meaning::Address(None));
    }
    let is_known =
        datatype::type_type_param(types, ty).is_some() || definition::singleton(types, ty).is_some();
    let is_struct = datatype::is_concrete(types, ty)
        && !datatype::is_mutable(types, ty)
        && !datatype::is_primitive(types, ty);
    let Some(layout) = layout::of(types, ty).filter(|_| is_struct && !is_known && depth < DEPTH_MAX) else {
        return;
    };
    let field_types = datatype::field_types(types, ty);
    let extent = array_bytes(types, ty, (offset, bytes));
    for (field, (place, field_ty)) in layout.fields.iter().zip(field_types).enumerate() {
        let at = offset + place.offset as usize;
        match &place.storage {
            FieldStorage::Inline if field == 0 && extent.is_some() => found(at, Meaning::Address(extent)),
            FieldStorage::Inline => walk(types, *field_ty, (at, bytes), depth + 1, found),
            FieldStorage::Pointer if *field_ty == types.core().symbol => found(at, Meaning::Symbol),
            FieldStorage::Pointer => {}
            FieldStorage::Union { members } => {
                let tag = bytes.get((at + place.size as usize).wrapping_sub(1));
                if let Some(member) = tag.and_then(|it| members.get(usize::from(*it))) {
                    walk(types, *member, (at, bytes), depth + 1, found);
                }
            }
        }
    }
}

fn is_pointer(types: &Types, ty: Type) -> bool {
    let name = datatype::name_of(types, ty);
    name.is_some()
        && (name == datatype::name_of(types, types.core().ptr)
            || name == datatype::name_of(types, types.core().llvm_ptr))
}

/// How many bytes the elements of a device array have: a struct that begins with their address and says in `len` how many
/// they are.
fn array_bytes(types: &Types, ty: Type, (offset, bytes): (usize, &[u8])) -> Option<u64> {
    let field_types = datatype::field_types(types, ty);
    let first = *field_types.first().filter(|it| is_pointer(types, **it))?;
    let len = datatype::field_names(types, ty).iter().position(|it| types.name(*it) == "len")?;
    let element = layout::of(types, *datatype::params(types, first).first()?)?;
    let at = offset + layout::of(types, ty)?.fields.get(len)?.offset as usize;
    if field_types[len] != types.core().int64 {
        return None;
    }
    let stride = u64::from(element.size.next_multiple_of(element.align.max(1)));
    stride.checked_mul(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Whether values of this type may have addresses among their bits.
pub(crate) fn has_address(types: &Types, ty: Type) -> bool {
    fn has(types: &Types, ty: Type, depth: u32) -> bool {
        if datatype::is_primitive(types, ty) || depth == DEPTH_MAX {
            return is_pointer(types, ty) || depth == DEPTH_MAX;
        }
        let members = match types.data(ty) {
            TypeData::Union(members) => members,
            _ => datatype::field_types(types, ty),
        };
        members.iter().any(|it| has(types, *it, depth + 1))
    }
    has(types, ty, 0)
}

/// The range of the host that an address is in: the object of the heap, so that all that points into one shares a mirror;
/// outside of the heap what is known of it. `None` for what nothing is known of.
pub(crate) fn range_at(heap: &Heap, address: u64, bytes: Option<u64>) -> Option<HostRange> {
    let access = Access::Write;
    match (allocation::extent_of(heap, address), bytes) {
        (Some((base, bytes)), _) => Some(HostRange { base, bytes: bytes as usize, access }),
        (None, Some(bytes)) => Some(HostRange { base: address, bytes: usize::try_from(bytes).ok()?, access }),
        (None, None) => None,
    }
}

/// The number of a symbol whose object has this address.
pub(crate) fn number_of_symbol(rt: &Runtime, address: u64) -> Option<(u64, kiln_types::Symbol)> {
    let symbol = crate::trusted::heap_memory(&rt.heap).object(address)?.as_symbol(rt.types.core())?;
    Some((symbol_number(rt.types.name(symbol)), symbol))
}

/// The memory of Julia programs. What they point to they vouch for.
pub(crate) struct ProgramMemory<'a>(pub(crate) &'a Heap);

impl HostMemory for ProgramMemory<'_> {
    fn read(&self, from: u64, bytes: &mut [u8]) {
        crate::trusted::heap_memory(self.0).read_through(from, bytes);
    }

    fn write(&mut self, to: u64, bytes: &[u8]) {
        crate::trusted::heap_memory(self.0).write_through(to, bytes);
    }
}
