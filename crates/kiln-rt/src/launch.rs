//! Launches and calls.

use crate::failure::FailureReport;
use kiln_launch::{CpuDevice, CpuFunction, CpuKernel, Grid, SHARED_BYTES_MAX, Seed, Together};
use kiln_unit::{
    DESCRIPTOR_VERSION, EntryDescription, KIND_FUNCTION, KIND_GROUPS, KIND_ITEM, KernelDescriptor, LinkInfo,
};
use std::ffi::c_void;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// All items have run.
pub const STATUS_OK: i32 = 0;
/// An item failed; the others have run.
pub const STATUS_FAILED: i32 = 1;
/// The arguments are invalid, and nothing ran.
pub const STATUS_ARGUMENTS: i32 = 2;
/// The library is of a version that this runtime does not know.
pub const STATUS_VERSION: i32 = 3;
/// The system gives no threads, and nothing ran.
pub const STATUS_SYSTEM: i32 = 6;

/// Items of a group that have memory each, a frame or a fiber.
const FRAMES_MAX: i64 = 4096;
/// Words of arguments, of 16 bytes, that are copied without an allocation, if they are not aligned.
const BLOCK_WORDS: usize = 32;

/// `struct kiln_rt_size`: the size of a launch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CLaunchSize {
    /// Groups in each dimension.
    pub groups: [i64; 3],
    /// Items of a group in each dimension.
    pub items: [i64; 3],
    /// Items that have work in each dimension, for kernels over a space of indices: the typed functions read it.
    pub range: [i64; 3],
    /// Dynamic shared memory of a group.
    pub dynamic_shared_bytes: u64,
}

/// The processor, which all libraries of the process share, and the number of threads it was asked for (0: one a core).
static DEVICE: OnceLock<Option<CpuDevice>> = OnceLock::new();
static THREADS: AtomicU32 = AtomicU32::new(0);

/// The seed of the process, which differs from process to process unless the program sets it, and how many launches and calls have drawn
/// one of it.
static SEED: OnceLock<AtomicU64> = OnceLock::new();
static DRAWN: AtomicU64 = AtomicU64::new(0);
/// How many launches and calls have been numbered: items tell by the number that what a group's memory holds is of another launch.
static NUMBERED: AtomicU32 = AtomicU32::new(0);

fn seed_of_process() -> &'static AtomicU64 {
    SEED.get_or_init(|| AtomicU64::new(RandomState::new().hash_one(0)))
}

/// The seed of the next launch or call: a step of SplitMix64.
fn next_seed() -> Seed {
    let drawn = DRAWN.fetch_add(1, Ordering::Relaxed) + 1;
    let mut z =
        seed_of_process().load(Ordering::Relaxed).wrapping_add(drawn.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let launch = NUMBERED.fetch_add(1, Ordering::Relaxed).wrapping_mul(2) | 1;
    Seed { value: z ^ (z >> 31), launch }
}

/// Sets the seed of the random numbers that items and functions draw from now on: the same launches and calls, in the same order, draw
/// the same numbers then. Returns `STATUS_OK`.
#[unsafe(no_mangle)]
pub extern "C" fn kiln_rt_set_seed(seed: u64) -> i32 {
    seed_of_process().store(seed, Ordering::Relaxed);
    DRAWN.store(0, Ordering::Relaxed);
    STATUS_OK
}

fn device() -> Option<&'static CpuDevice> {
    let make = || {
        let made = CpuDevice::new(THREADS.load(Ordering::Relaxed) as usize);
        made.or_else(|_| CpuDevice::new(1)).ok()
    };
    DEVICE.get_or_init(make).as_ref()
}

/// Sets the number of threads that run groups; 0 is one for each core. Returns `STATUS_ARGUMENTS` after the first launch.
#[unsafe(no_mangle)]
pub extern "C" fn kiln_rt_set_threads(threads: u32) -> i32 {
    THREADS.store(threads, Ordering::Relaxed);
    if DEVICE.get().is_some() { STATUS_ARGUMENTS } else { STATUS_OK }
}

/// Runs a kernel over all items of a launch, and waits for them. `report` may be null; it is written if the status is not
/// `STATUS_OK`.
///
/// # Safety
/// `kernel` is the descriptor of a kernel that `kiln build` made, `size` of a struct, and `args` of a block of arguments as
/// the kernel's header lays it out. Addresses in it are of memory that the kernel may use as it does until this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_rt_launch(
    kernel: *const KernelDescriptor,
    size: *const CLaunchSize,
    args: *const c_void,
    report: *mut FailureReport,
) -> i32 {
    // SAFETY: the caller's promise.
    let done = unsafe { launch(&*kernel, &*size, args.cast()) };
    // SAFETY: the caller's promise.
    unsafe { write_report(done, report) }
}

/// Calls a function. Its result is written to `result`, a block of 8-byte words. `report` is as for [`kiln_rt_launch`].
///
/// # Safety
/// As for [`kiln_rt_launch`]; `result` has room for the result, in whole words, and is aligned to them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_rt_call(
    function: *const KernelDescriptor,
    args: *const c_void,
    result: *mut c_void,
    report: *mut FailureReport,
) -> i32 {
    // SAFETY: the caller's promise.
    let done = unsafe { call(&*function, args.cast(), result.cast()) };
    // SAFETY: the caller's promise.
    unsafe { write_report(done, report) }
}

/// The status of a call; a failure is written to `report`, if that is not null.
///
/// # Safety
/// `report` is null or has room for a report.
pub(crate) unsafe fn write_report(done: Result<(), Box<FailureReport>>, report: *mut FailureReport) -> i32 {
    let Err(failed) = done else { return STATUS_OK };
    let status = failed.status;
    if !report.is_null() {
        // SAFETY: the caller's promise; what was there needs no drop.
        unsafe { report.write(*failed) };
    }
    status
}

/// Checks that a descriptor is one that this runtime can use.
fn check_kind(kernel: &KernelDescriptor, kinds: &[u32]) -> Result<(), Box<FailureReport>> {
    if kernel.version != DESCRIPTOR_VERSION {
        let text = format!(
            "the library was built for version {} of libkiln_rt's interface, and this is version {DESCRIPTOR_VERSION}",
            kernel.version
        );
        return Err(FailureReport::refusal(STATUS_VERSION, &text));
    }
    match kinds.contains(&kernel.kind) {
        true => Ok(()),
        false if kernel.kind == KIND_FUNCTION => {
            Err(FailureReport::refusal(STATUS_ARGUMENTS, "a function is called with kiln_rt_call"))
        }
        false => Err(FailureReport::refusal(STATUS_ARGUMENTS, "a kernel is launched with kiln_rt_launch")),
    }
}

fn check_size(kernel: &KernelDescriptor, size: &CLaunchSize) -> Result<(), Box<FailureReport>> {
    let product = |it: &[i64; 3]| it.iter().try_fold(1i64, |a, b| a.checked_mul(*b));
    let sizes = [size.groups, size.items];
    let is_outside = |it: &i64| *it < 0 || *it > i64::from(i32::MAX);
    if sizes.as_flattened().iter().any(is_outside) || sizes.iter().any(|it| product(it).is_none()) {
        return Err(FailureReport::refusal(
            STATUS_ARGUMENTS,
            "the launch has a negative size, or more than 2147483647 groups or items",
        ));
    }
    let has_memory = kernel.frame_bytes > 0 || kernel.kind == KIND_ITEM;
    if has_memory && product(&size.items).is_none_or(|it| it > FRAMES_MAX) {
        let text = format!("groups of a kernel with barriers have at most {FRAMES_MAX} items");
        return Err(FailureReport::refusal(STATUS_ARGUMENTS, &text));
    }
    if size.dynamic_shared_bytes.saturating_add(kernel.shared_bytes.into()) > SHARED_BYTES_MAX as u64 {
        let text = format!("a launch with more than {SHARED_BYTES_MAX} bytes of shared memory of a group");
        return Err(FailureReport::refusal(STATUS_ARGUMENTS, &text));
    }
    Ok(())
}

/// Calls `work` with a block of arguments that is aligned.
///
/// # Safety
/// `args` is a block of so many bytes; null if there are none.
unsafe fn with_block<T>(args: *const u8, bytes: usize, work: impl FnOnce(&[u8]) -> T) -> T {
    if bytes == 0 {
        let none = Block([0; BLOCK_WORDS]);
        // SAFETY: no bytes, at an address that is aligned.
        return work(unsafe { std::slice::from_raw_parts(none.0.as_ptr().cast(), 0) });
    }
    // SAFETY: the caller's promise.
    let given = unsafe { std::slice::from_raw_parts(args, bytes) };
    if args.addr().is_multiple_of(align_of::<Block>()) {
        return work(given);
    }
    let mut small = Block([0; BLOCK_WORDS]);
    let mut large = Vec::new();
    let words = bytes.div_ceil(16);
    let block: &mut [u128] = if words <= small.0.len() {
        &mut small.0[..words]
    } else {
        large.resize(words, 0);
        &mut large
    };
    // SAFETY: the words are as long as the bytes, or longer, and bytes have no form that is invalid.
    let block = unsafe { std::slice::from_raw_parts_mut(block.as_mut_ptr().cast::<u8>(), bytes) };
    block.copy_from_slice(given);
    work(block)
}

/// A block of arguments on the stack, of 512 bytes.
#[repr(align(16))]
struct Block([u128; BLOCK_WORDS]);

/// The facts that a launch needs, without an allocation.
fn info(kernel: &KernelDescriptor) -> LinkInfo {
    LinkInfo {
        has_barrier: kernel.kind == KIND_ITEM,
        frame_bytes: kernel.frame_bytes,
        lanes: kernel.lanes,
        allocates: kernel.heap_bytes > 0,
        args_bytes: kernel.args_bytes,
        ..LinkInfo::default()
    }
}

/// # Safety
/// As for [`kiln_rt_launch`].
unsafe fn launch(
    kernel: &KernelDescriptor,
    size: &CLaunchSize,
    args: *const u8,
) -> Result<(), Box<FailureReport>> {
    check_kind(kernel, &[KIND_GROUPS, KIND_ITEM])?;
    check_size(kernel, size)?;
    let Some(device) = device() else { return Err(FailureReport::refusal(STATUS_SYSTEM, NO_DEVICE)) };
    let (shared, heap) = (kernel.shared_bytes as usize, kernel.heap_bytes as usize);
    // SAFETY: the caller's promise: the library's entry is what its descriptor says.
    let code = unsafe { CpuKernel::loaded(kernel.entry.addr() as u64, &info(kernel), shared, heap) };
    let grid = Grid {
        groups: size.groups,
        items: size.items,
        dynamic_shared_bytes: size.dynamic_shared_bytes as usize,
        together: Together::NONE,
    };
    // SAFETY: the caller's promise.
    let done = unsafe {
        with_block(args, kernel.args_bytes as usize, |args| {
            device.launch_seeded(&code, &grid, Some(next_seed()), args, &mut |_| ())
        })
    };
    // SAFETY: the caller's promise.
    done.map_err(|it| unsafe { of_item(kernel, &it, true) })
}

const NO_DEVICE: &str = "the system gives no threads";

/// # Safety
/// As for [`kiln_rt_call`].
unsafe fn call(
    function: &KernelDescriptor,
    args: *const u8,
    result: *mut u8,
) -> Result<(), Box<FailureReport>> {
    check_kind(function, &[KIND_FUNCTION])?;
    // SAFETY: the caller's promise: the library's entry is what its descriptor says.
    let code = unsafe { CpuFunction::loaded(function.entry.addr() as u64, function.shared_bytes as usize) };
    let bytes = function.result_bytes as usize;
    let mut none = [0u64; 1];
    // SAFETY: the caller's promise; a function without a result is given a word that it does not write to.
    let result = unsafe {
        match bytes {
            0 => std::slice::from_raw_parts_mut(none.as_mut_ptr().cast::<u8>(), 0),
            _ => std::slice::from_raw_parts_mut(result, bytes),
        }
    };
    // SAFETY: the caller's promise; the function calls no host.
    let done = unsafe {
        with_block(args, function.args_bytes as usize, |args| {
            code.call_seeded(args, result, std::ptr::null(), Some(next_seed()))
        })
    };
    // SAFETY: the caller's promise.
    done.map_err(|it| unsafe { of_item(function, &it, false) })
}

/// # Safety
/// The descriptor's description is there.
unsafe fn of_item(
    kernel: &KernelDescriptor,
    failure: &kiln_launch::Failure,
    is_kernel: bool,
) -> Box<FailureReport> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(kernel.description, kernel.description_bytes as usize) };
    let description = EntryDescription::from_bytes(bytes).ok();
    Box::new(FailureReport::of_item(STATUS_FAILED, failure, description.as_ref(), is_kernel))
}
