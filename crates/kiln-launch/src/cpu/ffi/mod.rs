//! Where Rust meets compiled code: calling entries, taking reports, and the fibers that make barriers work
//! (see [`group`]).
#![expect(unsafe_code, reason = "calls compiled code by address and switches stacks; see ARCHITECTURE.md")]

pub(super) mod group;

use super::Report;
use corosensei::stack::DefaultStack;
use kiln_unit::{FunctionEntry, GroupsEntry, ItemEntry, LaunchContext, LaunchRecord};
use parking_lot::Mutex;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::sync::mpsc::SyncSender;

/// Stack of one item. Address space only until touched.
const STACK_BYTES: usize = 256 << 10;
/// Stack that a function may need that does not call itself, with all it calls.
const LEAF_BYTES: usize = 64 << 10;
/// Stack that host functions may use that call themselves, where the thread has as much.
const RECURSION_BYTES: usize = 64 << 20;
/// Shared memory is aligned for the widest vectors.
const SHARED_ALIGN: usize = 64;

/// Where a kernel starts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    Groups(GroupsEntry),
    Item(ItemEntry),
}

impl Entry {
    pub(super) fn new(address: u64, has_barrier: bool) -> Self {
        let address = address as usize;
        if has_barrier {
            // SAFETY: `CpuKernel::new` requires an address of this ABI.
            Entry::Item(unsafe { std::mem::transmute::<usize, ItemEntry>(address) })
        } else {
            // SAFETY: as above.
            Entry::Groups(unsafe { std::mem::transmute::<usize, GroupsEntry>(address) })
        }
    }

    /// Runs the groups `first..last`.
    pub(super) fn run(
        self,
        ctx: &mut LaunchContext,
        args: &[u8],
        (first, last): (i64, i64),
        (stacks, lanes): (&FiberStacks, usize),
    ) {
        match self {
            // SAFETY: the ABI is as `CpuKernel::new` requires, and `args` has the layout that codegen gave.
            Entry::Groups(entry) => unsafe { entry(ctx, args.as_ptr(), first, last) },
            Entry::Item(entry) => {
                let mut fibers = stacks.acquire(ctx.local_size.iter().product::<i64>() as usize);
                for group in first..last {
                    let [nx, ny, _] = ctx.num_groups;
                    ctx.group_id = [group % nx, group / nx % ny, group / nx / ny];
                    group::run((entry, lanes), ctx, args, &mut fibers, &mut ());
                }
                stacks.release(fibers);
            }
        }
    }
}

/// Where a host function starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function(FunctionEntry);

impl Function {
    pub(super) fn new(address: u64) -> Self {
        // SAFETY: `CpuFunction::new` requires an address of this ABI.
        Function(unsafe { std::mem::transmute::<usize, FunctionEntry>(address as usize) })
    }

    /// Calls it; the site where it gave up, or 0.
    pub(super) fn call(self, ctx: &mut LaunchContext, args: &[u8], result: &mut [u8]) -> u32 {
        let aligned = [args.as_ptr(), result.as_ptr()].iter().all(|it| it.addr().is_multiple_of(8));
        assert!(aligned, "blocks are aligned");
        // SAFETY: the ABI is as `CpuFunction::new` requires; the blocks are as large as `LinkInfo` says and aligned to 8,
        // which is all that codegen assumes of them.
        unsafe { (self.0)(ctx, args.as_ptr().cast(), result.as_mut_ptr().cast()) }
    }
}

/// `LaunchContext::stack_limit` for code that runs on the caller's stack.
#[inline(never)]
pub(super) fn stack_limit() -> *const u8 {
    let local = std::hint::black_box(0u8);
    let here = std::ptr::from_ref(&local).addr();
    let left = stacker::remaining_stack().unwrap_or(0).saturating_sub(LEAF_BYTES);
    std::ptr::without_provenance(here - left.min(RECURSION_BYTES))
}

/// Bytes of the running stack above a limit of it.
#[inline]
pub(super) fn stack_above(limit: *const u8) -> usize {
    let local = std::hint::black_box(0u8);
    std::ptr::from_ref(&local).addr().saturating_sub(limit.addr())
}

/// Calls `work` with enough stack for a function that does not call itself, and the limit for those that do.
pub(super) fn with_stack<T>(work: impl FnOnce(*const u8) -> T) -> T {
    stacker::maybe_grow(4 * LEAF_BYTES, RECURSION_BYTES, || work(stack_limit()))
}

/// `LaunchContext::report`.
///
/// # Safety
/// Called by compiled code with the context that a launch with reports gave it, and a block of that many bytes.
pub(super) unsafe extern "C" fn report(ctx: *mut LaunchContext, site: u32, operands: *const u8, bytes: u64) {
    // SAFETY: the launch set `reports` to its sender, which outlives the workers; the block is the caller's.
    let (reports, operands) = unsafe {
        let reports = &*(*ctx).reports.cast::<SyncSender<Report>>();
        (reports, std::slice::from_raw_parts(operands, bytes as usize))
    };
    // The receiver is gone only if taking a report has panicked: then the launch is over as soon as its items are.
    let _ = reports.send(Report { site, operands: operands.into() });
}

/// Stacks at rest, shared by the workers of a device.
#[derive(Default)]
pub(super) struct FiberStacks {
    free: Mutex<Vec<DefaultStack>>,
}

impl std::fmt::Debug for FiberStacks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FiberStacks").field("free", &self.free.lock().len()).finish()
    }
}

impl FiberStacks {
    /// `count` stacks, new ones where there are not enough.
    pub(super) fn acquire(&self, count: usize) -> Vec<DefaultStack> {
        let mut stacks = {
            let mut free = self.free.lock();
            let keep = free.len().saturating_sub(count);
            free.split_off(keep)
        };
        while stacks.len() < count {
            let stack = DefaultStack::new(STACK_BYTES).expect("address space for the stacks of a work-group");
            stacks.push(stack);
        }
        stacks
    }

    pub(super) fn release(&self, stacks: Vec<DefaultStack>) {
        self.free.lock().extend(stacks);
    }
}

/// Memory for the frames of groups, kept from launch to launch and shared by the workers of a device.
#[derive(Default)]
pub(super) struct Frames {
    free: Mutex<Vec<Scratch>>,
}

impl std::fmt::Debug for Frames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frames").field("free", &self.free.lock().len()).finish()
    }
}

impl Frames {
    /// At least `bytes`, from an earlier launch if there is as much.
    pub(super) fn take(&self, bytes: usize) -> Scratch {
        if bytes == 0 {
            return Scratch::new(0);
        }
        let kept = self.free.lock().pop();
        kept.filter(|it| it.layout.size() >= bytes).unwrap_or_else(|| Scratch::new(bytes))
    }

    pub(super) fn give_back(&self, memory: Scratch) {
        if !memory.at.is_null() {
            self.free.lock().push(memory);
        }
    }
}

/// Zeroed memory aligned for shared arrays; none at all for size 0.
pub(super) struct Scratch {
    at: *mut u8,
    layout: Layout,
}

impl Scratch {
    pub(super) fn new(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes.next_multiple_of(SHARED_ALIGN), SHARED_ALIGN)
            .expect("shared memory fits the address space");
        if bytes == 0 {
            return Self { at: std::ptr::null_mut(), layout: Layout::new::<()>() };
        }
        // SAFETY: the layout's size is not zero.
        let at = unsafe { alloc_zeroed(layout) };
        if at.is_null() {
            handle_alloc_error(layout);
        }
        Self { at, layout }
    }

    /// As [`Self::new`], for a size given at run time: empty if memory is exhausted.
    pub(super) fn try_new(bytes: usize) -> Self {
        let none = || Self { at: std::ptr::null_mut(), layout: Layout::new::<()>() };
        let size = bytes.checked_next_multiple_of(SHARED_ALIGN).filter(|it| *it > 0);
        let layout = size.and_then(|it| Layout::from_size_align(it, SHARED_ALIGN).ok());
        let Some(layout) = layout else { return none() };
        // SAFETY: the layout's size is not zero.
        let at = unsafe { alloc_zeroed(layout) };
        if at.is_null() { none() } else { Self { at, layout } }
    }

    pub(super) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.at
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.at.is_null() {
            // SAFETY: allocated in `new` with this layout.
            unsafe { dealloc(self.at, self.layout) };
        }
    }
}

/// The record pointer travels to other threads inside a launch; its fields are claimed by a compare-exchange.
// SAFETY: every access from compiled code follows the claim protocol of `kiln_unit::LaunchRecord`, and the owner reads
// it only after all workers are done.
unsafe impl Sync for super::Launch<'_> {}

// SAFETY: the memory is its own, and nothing of it belongs to a thread.
unsafe impl Send for Scratch {}

#[cfg(test)]
mod tests;

const _: () = assert!(std::mem::align_of::<LaunchRecord>() == 64);
