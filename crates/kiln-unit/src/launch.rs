//! The launch ABI of the CPU, shared by compiled kernels and the launcher. `repr(C)`, layout fixed by tests.
//!
//! A kernel **without barriers** is one function [`GroupsEntry`] that runs the groups `first..last` (linear, x
//! fastest): a loop over groups around a loop over items around the inlined body. A kernel **with barriers** is one too
//! if it could be cut at them: it loops over the items between two barriers, and keeps what lives across in `ctx.frames`.
//! Otherwise it is an [`ItemEntry`] that runs one item of the group `ctx.group_id`, on a fiber of its own; it reads the
//! context's group id before its first barrier and calls `ctx.barrier(ctx)` at each.
//!
//! An item that fails calls nothing: it claims the record by a compare-exchange of `site` from 0, fills in the rest
//! if it wins, and returns. The record keeps the first failure only; other items continue.
//!
//! An item that reports (prints, say) passes the site's operands to `ctx.report` and continues.

use crate::{CheckTable, HostTable, ScreenState};

/// Bytes of operands a site can have, of a failure or a report; codegen refuses sites that need more.
pub const RECORD_OPERAND_BYTES: usize = 448;
/// Bytes of operands that a statement can have that the host runs; codegen refuses those that need more.
pub const RUN_OPERAND_BYTES: usize = 1 << 16;

/// The place of a call of `warp_barrier` that waits for none: other items of the group run first.
pub const PLACE_ANY: u32 = u32::MAX;

/// A flag of a call of `warp_barrier`: the item gives its bit.
pub const MEET_GIVES: u32 = 1;
/// A flag of a call of `warp_barrier`: the mask is of the 32 lanes around the item, of a warp that may have more.
pub const MEET_NARROW: u32 = 2;

/// Calls on the way to a failure that a record has room for.
pub const RECORD_FRAMES: usize = 15;

/// Runs the groups `first..last` of a launch.
pub type GroupsEntry = unsafe extern "C" fn(ctx: *mut LaunchContext, args: *const u8, first: i64, last: i64);

/// Runs one item (0-based local ids) of the group in the context.
pub type ItemEntry = unsafe extern "C" fn(ctx: *mut LaunchContext, args: *const u8, x: i64, y: i64, z: i64);

/// Runs one call of a function: arguments come from a block laid out by `LinkInfo::args`, the result goes to a block
/// of `LinkInfo::result_bytes`. Returns 0, or the site of the failure, which is then in `ctx.record`, too.
pub type FunctionEntry =
    unsafe extern "C" fn(ctx: *mut LaunchContext, args: *const u8, result: *mut u8) -> u32;

/// The state that a running group sees. One a worker thread; the launcher fills it in before each call.
#[repr(C)]
#[derive(Debug)]
pub struct LaunchContext {
    /// Groups in each dimension: from 1 to 2^31 - 1.
    pub num_groups: [i64; 3],
    /// Items of a group in each dimension: from 1 to 2^31 - 1.
    pub local_size: [i64; 3],
    /// The group that runs, from 0 (`ItemEntry` only; a `GroupsEntry` computes it from its range).
    pub group_id: [i64; 3],
    /// Static shared memory of the group, `LinkInfo`'s size, 64-byte aligned.
    pub shared: *mut u8,
    /// Dynamic shared memory of the group, the launch's size, 64-byte aligned.
    pub dynamic_shared: *mut u8,
    /// The record of the launch's first failure.
    pub record: *mut LaunchRecord,
    /// Called at a barrier: returns when every item of the group that has not returned has arrived.
    pub barrier: Option<unsafe extern "C" fn(ctx: *mut LaunchContext)>,
    /// The launcher's own.
    pub scheduler: *mut core::ffi::c_void,
    /// Called at a barrier of the warp with the mask of the items to wait for, 0 for all that reach `place`: returns
    /// the lanes that met and give their bit, when all masked lanes that have not returned have arrived. `flags` are
    /// `MEET_*`. At [`PLACE_ANY`]: lets other items of the group run, and returns 0.
    pub warp_barrier:
        Option<unsafe extern "C" fn(ctx: *mut LaunchContext, mask: u64, place: u32, flags: u32) -> u64>,
    /// Called at a report: takes a copy of the site's operands, `bytes` of them.
    pub report:
        Option<unsafe extern "C" fn(ctx: *mut LaunchContext, site: u32, operands: *const u8, bytes: u64)>,
    /// Where reports go; the launcher's own.
    pub reports: *const core::ffi::c_void,
    /// The lower limit of the stack: a recursive function fails when its frame is below. The space under the limit is
    /// for its callees. Null: unlimited.
    pub stack_limit: *const u8,
    /// Memory that items allocate objects in; the same for all groups of a launch.
    pub heap: *mut LaunchHeap,
    /// Bytes of `dynamic_shared`.
    pub dynamic_shared_bytes: i64,
    /// The frames of a group's items, `LinkInfo::frame_bytes` each, 64-byte aligned and uninitialized.
    pub frames: *mut u8,
    /// The functions that checked kernels call; null for others.
    pub checks: *const CheckTable,
    /// The state of the checks; the launcher's own.
    pub checker: *mut core::ffi::c_void,
    /// The state that screened kernels read; null for others.
    pub screen: *mut ScreenState,
    /// The services of the host that compiled host code calls; null for kernels.
    pub host: *const HostTable,
}

/// Memory for the objects that a kernel makes and that outlive the function they are made in. Items take it from the start
/// on, and nothing is given back before the launch is over.
#[repr(C)]
#[derive(Debug)]
pub struct LaunchHeap {
    /// Bytes taken so far. It grows past the capacity: bytes beyond `bytes` were allocated to no item.
    pub used: core::sync::atomic::AtomicU64,
    /// Bytes there are.
    pub bytes: u64,
    /// Where they are, aligned to 16 bytes.
    pub base: *mut u8,
}

/// The first failure of a launch.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct LaunchRecord {
    /// 0: none. Otherwise the kernel's site number (from 1), claimed by a compare-exchange.
    pub site: core::sync::atomic::AtomicU32,
    /// The number of a launch whose items draw random numbers, unique in the session. 0: they draw none.
    pub launch: u32,
    /// The group, from 0.
    pub group_id: [i64; 3],
    /// The item in it, from 0.
    pub local_id: [i64; 3],
    /// The site's operands, each at its natural alignment, in order.
    pub operands: [u8; RECORD_OPERAND_BYTES],
    /// The seed of the launch's random numbers.
    pub seed: u64,
    /// Debug level 2: how many calls the failing item was in that are calls of compiled code too. More than there is room
    /// for are not counted.
    pub frame_count: u32,
    /// The sites of these calls, innermost first.
    pub frames: [u32; RECORD_FRAMES],
}

/// The numbers of an item in a record of no failure: no item has them.
pub const NO_ITEM: i64 = -1;

impl LaunchRecord {
    /// A record of no failure.
    pub fn new() -> Self {
        Self {
            site: core::sync::atomic::AtomicU32::new(0),
            launch: 0,
            group_id: [NO_ITEM; 3],
            local_id: [NO_ITEM; 3],
            operands: [0; RECORD_OPERAND_BYTES],
            seed: 0,
            frame_count: 0,
            frames: [0; RECORD_FRAMES],
        }
    }
}

impl LaunchRecord {
    /// Makes it a record of no failure again. Bytes that only a failure gives a meaning stay.
    pub fn clear(&mut self) {
        *self.site.get_mut() = 0;
        (self.launch, self.seed, self.frame_count) = (0, 0, 0);
        (self.group_id, self.local_id) = ([NO_ITEM; 3], [NO_ITEM; 3]);
    }

    /// Takes over what another record of the launch has, if its item comes first: by groups, then by items, x fastest.
    pub fn take_first(&mut self, other: Self) {
        let site = |it: &Self| it.site.load(core::sync::atomic::Ordering::Acquire);
        let place = |it: &Self| {
            let [[gx, gy, gz], [x, y, z]] = [it.group_id, it.local_id];
            [gz, gy, gx, z, y, x]
        };
        if site(&other) != 0 && (site(self) == 0 || place(&other) < place(self)) {
            *self = other;
        }
    }
}

impl Default for LaunchRecord {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;

    #[test]
    fn the_first_failure_is_kept() {
        let failed = |site: u32, group_id: [i64; 3], local_id: [i64; 3]| LaunchRecord {
            site: site.into(),
            group_id,
            local_id,
            ..LaunchRecord::new()
        };
        let mut record = LaunchRecord::new();
        for (it, first) in [
            (failed(0, [0; 3], [0; 3]), 0),
            (failed(1, [4, 1, 0], [0; 3]), 1),
            (failed(2, [0, 2, 0], [0; 3]), 1),
            (failed(3, [3, 1, 0], [9, 9, 9]), 3),
            (failed(4, [3, 1, 0], [0, 0, 10]), 3),
        ] {
            record.take_first(it);
            assert_eq!(record.site.load(core::sync::atomic::Ordering::Relaxed), first);
        }
    }

    /// Codegen addresses these fields by number: moving one is a change of ABI.
    #[test]
    fn fields_are_where_codegen_looks() {
        assert_eq!(offset_of!(LaunchContext, num_groups), 0);
        assert_eq!(offset_of!(LaunchContext, local_size), 24);
        assert_eq!(offset_of!(LaunchContext, group_id), 48);
        assert_eq!(offset_of!(LaunchContext, shared), 72);
        assert_eq!(offset_of!(LaunchContext, dynamic_shared), 80);
        assert_eq!(offset_of!(LaunchContext, record), 88);
        assert_eq!(offset_of!(LaunchContext, barrier), 96);
        assert_eq!(offset_of!(LaunchContext, scheduler), 104);
        assert_eq!(offset_of!(LaunchContext, warp_barrier), 112);
        assert_eq!(offset_of!(LaunchContext, report), 120);
        assert_eq!(offset_of!(LaunchContext, reports), 128);
        assert_eq!(offset_of!(LaunchContext, stack_limit), 136);
        assert_eq!(offset_of!(LaunchContext, heap), 144);
        assert_eq!(offset_of!(LaunchContext, dynamic_shared_bytes), 152);
        assert_eq!(offset_of!(LaunchContext, frames), 160);
        assert_eq!(offset_of!(LaunchContext, checks), 168);
        assert_eq!(offset_of!(LaunchContext, screen), 184);
        assert_eq!(offset_of!(LaunchContext, host), 192);
        assert_eq!(offset_of!(LaunchHeap, bytes), 8);
        assert_eq!(offset_of!(LaunchHeap, base), 16);
        assert_eq!(offset_of!(LaunchRecord, group_id), 8);
        assert_eq!(offset_of!(LaunchRecord, local_id), 32);
        assert_eq!(offset_of!(LaunchRecord, operands), 56);
        // `base/core/device_random.jl` looks here.
        assert_eq!(offset_of!(LaunchRecord, launch), 4);
        assert_eq!(offset_of!(LaunchRecord, seed), 504);
        assert_eq!(offset_of!(LaunchRecord, frame_count), 512);
        assert_eq!(offset_of!(LaunchRecord, frames), 516);
        assert_eq!(size_of::<LaunchRecord>(), 576);
    }
}
