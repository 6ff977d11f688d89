//! Room on the device for new arrays: what has no contents is not copied there.

use super::addresses::{ProgramMemory, has_address, range_at};
use super::chosen::default_device;
use super::launching::MIRRORED_PART_MAX;
use crate::env::ExecEnv;
use kiln_runtime::MEMORY_HEAD_BYTES;
use kiln_runtime::heap::coherence;
use kiln_types::TypeData;

/// Gives the default device a mirror of the `Memory` at this address, whose elements have no values yet. Where the device works on
/// the host's memory, has no room, or elements are more than plain bits, the first launch finds the object as any other.
pub fn reserve_on_device(env: &ExecEnv<'_>, address: u64) {
    let (rt, exec) = (env.rt, env.exec);
    let Some(open) = exec.devices.get(default_device(exec)).filter(|it| !it.residency.is_direct()) else {
        return;
    };
    let is_plain = |it| !has_address(&rt.types, it) && !matches!(rt.types.data(it), TypeData::Union(_));
    let holds_values = coherence::memory_at(&rt.heap, address).is_some_and(is_plain);
    let Some(range) = range_at(&rt.heap, address, None).filter(|_| holds_values) else { return };
    let (part, whole) = MIRRORED_PART_MAX;
    let most = open.device.limits().memory_bytes / whole * part;
    let has_room = (open.residency.mirrored_bytes() as u64).saturating_add(range.bytes as u64) <= most;
    let reserved = || open.residency.reserve(&ProgramMemory(&rt.heap), &range, MEMORY_HEAD_BYTES);
    if has_room && reserved().is_ok_and(|it| it) {
        rt.heap.coherence.attach(exec.launches.copies.clone());
        exec.launches.copies.acquire_for_device(&rt.heap, &[range], &open.residency);
    }
}
