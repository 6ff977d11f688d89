//! The arrays that a launch reaches, and their names.

use crate::device::addresses::{self, Meaning};
use crate::kernel::Kernel;
use kiln_launch::{Finding, HostArray, MemorySpace};
use kiln_runtime::Runtime;
use kiln_runtime::heap::{allocation, coherence};
use kiln_types::{Type, TypeData, layout};

/// An array that an argument of a launch points to.
#[derive(Clone, Debug)]
pub(super) struct NamedArray {
    pub(super) memory: HostArray,
    /// The argument.
    name: String,
    /// The bytes from one element to the next.
    stride: u64,
}

/// The memory of a finding, in words.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) name: String,
    /// Where in it, in words.
    pub(super) place: String,
}

/// The bytes before the elements of a `Memory`.
const HEADER: u64 = 16;

/// Returns the arrays that the arguments of a launch point to.
pub(super) fn of_launch(rt: &Runtime, kernel: &Kernel, block: &[u8], freed: &[u64]) -> Vec<NamedArray> {
    let function = kernel.program.entry_function();
    let code = function.code(rt);
    let method = rt.tables.method(rt.tables.instance_data(function.instance).method);
    let mut all: Vec<NamedArray> = Vec::new();
    for (number, (ty, place)) in code.args.iter().zip(&kernel.program.entry().args).enumerate() {
        let (from, to) = (place.offset as usize, (place.offset + place.size) as usize);
        let Some(bytes) = block.get(from..to) else { continue };
        let name = match method.code.slots.get(number) {
            Some(slot) if number > 0 => rt.types.name(slot.name).to_owned(),
            _ => "a captured array".to_owned(),
        };
        addresses::visit(&rt.types, *ty, (0, bytes), &mut |at, meaning| {
            let Meaning::Address(extent) = meaning else { return };
            let word = bytes.get(at..).and_then(|it| it.first_chunk());
            let address = word.map_or(0, |it| u64::from_le_bytes(*it));
            let found = array_at(rt, address, extent, freed);
            if let Some((memory, stride)) = found
                && all.iter().all(|it| it.memory.around != memory.around)
            {
                all.push(NamedArray { memory, name: name.clone(), stride });
            }
        });
    }
    all
}

/// Returns the array that an address points into, and the bytes from one of its elements to the next.
fn array_at(rt: &Runtime, address: u64, extent: Option<u64>, freed: &[u64]) -> Option<(HostArray, u64)> {
    let Some((base, bytes)) = allocation::extent_of(&rt.heap, address) else {
        let bytes = extent.filter(|it| address != 0 && *it > 0)?;
        let around = (address, address + bytes);
        return Some((HostArray { start: address, bytes, around, is_freed: false }, 1));
    };
    let elem = coherence::memory_at(&rt.heap, base)?;
    let layout =
        |it: Type| layout::of(&rt.types, it).map(|it| (u64::from(it.size), u64::from(it.align.max(1))));
    let (size, align, selector) = match rt.types.data(elem) {
        TypeData::Union(members) => {
            let of_members = members.iter().filter_map(|it| layout(*it));
            let (size, align) = of_members.fold((0, 1), |all, it| (all.0.max(it.0), all.1.max(it.1)));
            (size, align, 1)
        }
        _ => layout(elem).map(|it| (it.0, it.1, 0))?,
    };
    let stride = size.next_multiple_of(align);
    let length = crate::trusted::heap_memory(&rt.heap).bytes(base, 8);
    let length = length.first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
    let is_freed = freed.contains(&base);
    let start = base + HEADER;
    let memory =
        HostArray { start, bytes: length * (stride + selector), around: (base, base + bytes), is_freed };
    Some((memory, stride.max(1)))
}

/// Returns the array of a finding, and the element in it.
pub(super) fn name(arrays: &[NamedArray], finding: &Finding) -> Option<Memory> {
    if finding.space != MemorySpace::Global || finding.address == 0 {
        return None;
    }
    let is_it = |it: &&NamedArray| (it.memory.around.0..it.memory.around.1).contains(&finding.address);
    let array = arrays.iter().find(is_it)?;
    let offset = finding.address.wrapping_sub(array.memory.start) as i64;
    let stride = array.stride as i64;
    let place = if stride == 1 && array.memory.around.0 == array.memory.start {
        format!("byte {}", offset + 1)
    } else {
        format!("element {} of {}", offset.div_euclid(stride) + 1, array.memory.bytes / array.stride)
    };
    Some(Memory { name: format!("`{}`", array.name), place })
}
