//! Kernels written in Rust for the launch ABI: grids, barriers, failures.

use super::Entry;
use crate::cpu::{CpuDevice, CpuKernel, Failure, Grid, Report};
use crate::grid::Together;
use kiln_unit::{LaunchContext, MEET_GIVES};
use std::sync::atomic::{AtomicI64, Ordering};

/// The mask of all lanes.
const ALL: u64 = 0xffff_ffff;

fn kernel(entry: Entry, shared_bytes: usize) -> CpuKernel {
    CpuKernel {
        entry,
        shared_bytes,
        frame_bytes: 0,
        group_size: None,
        reports: false,
        heap_bytes: 0,
        args_bytes: 0,
        is_checked: false,
        is_screened: false,
        waits: false,
        lanes: 32,
        _code: None,
    }
}

fn grid(groups: i64, items: i64) -> Grid {
    Grid { groups: [groups, 1, 1], items: [items, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE }
}

/// Launches a kernel of these tests.
fn run(
    device: &CpuDevice,
    kernel: &CpuKernel,
    grid: &Grid,
    args: &[u8],
    take: &mut dyn FnMut(Report),
) -> Result<(), Failure> {
    // SAFETY: each test passes what its kernel reads.
    unsafe { device.launch(kernel, grid, args, take) }
}

/// For kernels that report nothing.
fn silent(report: Report) {
    panic!("{report:?}");
}

fn args(pointer: *mut i64) -> [u8; 8] {
    (pointer as usize).to_ne_bytes()
}

unsafe extern "C" fn count_groups(_: *mut LaunchContext, args: *const u8, first: i64, last: i64) {
    // SAFETY: the tests pass the address of a live counter.
    let counter = unsafe { &*args.cast::<*const AtomicI64>().read_unaligned() };
    counter.fetch_add(last - first, Ordering::Relaxed);
}

#[test]
fn every_group_runs_once_however_many_threads_there_are() {
    for threads in [1, 2, 7] {
        let device = CpuDevice::new(threads).unwrap();
        let mut counter = 0i64;
        let kernel = kernel(Entry::Groups(count_groups), 0);
        run(&device, &kernel, &grid(1001, 64), &args(&raw mut counter), &mut silent).unwrap();
        assert_eq!(counter, 1001);
    }
}

/// Reverses the ids of a group through shared memory, three times, a barrier between all steps.
unsafe extern "C" fn reverse(ctx: *mut LaunchContext, args: *const u8, x: i64, _: i64, _: i64) {
    // SAFETY: one group of `local_size[0]` items, with as many words of shared memory and of output a group.
    unsafe {
        let n = (*ctx).local_size[0];
        let group = (*ctx).group_id[0];
        let out = args.cast::<*mut i64>().read_unaligned();
        let shared = (*ctx).shared.cast::<i64>();
        let mut mine = x;
        for _ in 0..3 {
            *shared.offset(x as isize) = mine;
            (*ctx).barrier.unwrap()(ctx);
            mine = *shared.offset((n - 1 - x) as isize);
            (*ctx).barrier.unwrap()(ctx);
        }
        *out.offset((group * n + x) as isize) = mine;
    }
}

#[test]
fn a_barrier_in_a_loop_separates_writes_from_reads() {
    let device = CpuDevice::new(2).unwrap();
    let mut out = vec![0i64; 40 * 64];
    run(&device, &kernel(Entry::Item(reverse), 64 * 8), &grid(40, 64), &args(out.as_mut_ptr()), &mut silent)
        .unwrap();
    let want: Vec<i64> = (0..40).flat_map(|_| (0..64).rev()).collect();
    assert_eq!(out, want);
}

/// Odd items return at once; the others meet at a barrier.
unsafe extern "C" fn some_return(ctx: *mut LaunchContext, args: *const u8, x: i64, _: i64, _: i64) {
    if x % 2 == 1 {
        return;
    }
    // SAFETY: as in `reverse`.
    unsafe {
        let out = args.cast::<*mut i64>().read_unaligned();
        *(*ctx).shared.cast::<i64>().offset(x as isize) = 1;
        (*ctx).barrier.unwrap()(ctx);
        let shared = std::slice::from_raw_parts((*ctx).shared.cast::<i64>(), 8);
        *out.offset(x as isize) = shared.iter().sum();
    }
}

#[test]
fn an_item_that_returned_counts_as_arrived() {
    let device = CpuDevice::new(1).unwrap();
    let mut out = vec![-1i64; 8];
    run(&device, &kernel(Entry::Item(some_return), 64), &grid(1, 8), &args(out.as_mut_ptr()), &mut silent)
        .unwrap();
    assert_eq!(out, [4, -1, 4, -1, 4, -1, 4, -1]);
}

unsafe extern "C" fn fail_at_five(ctx: *mut LaunchContext, _: *const u8, first: i64, last: i64) {
    for group in first..last {
        if group == 5 {
            // SAFETY: the record of the launch; the claim makes the rest ours.
            unsafe {
                let record = (*ctx).record;
                let won = (*record).site.compare_exchange(0, 9, Ordering::AcqRel, Ordering::Relaxed).is_ok();
                if won {
                    (*record).group_id = [group, 0, 0];
                    (*record).operands[0] = 42;
                }
            }
        }
    }
}

#[test]
fn the_first_failure_comes_back_with_its_place_and_operands() {
    let device = CpuDevice::new(2).unwrap();
    let failure =
        run(&device, &kernel(Entry::Groups(fail_at_five), 0), &grid(100, 1), &[], &mut silent).unwrap_err();
    assert_eq!((failure.site, failure.group_id, failure.operands[0]), (9, [5, 0, 0], 42));
}

#[test]
fn an_empty_grid_runs_nothing() {
    let device = CpuDevice::new(1).unwrap();
    run(&device, &kernel(Entry::Groups(fail_at_five), 0), &grid(0, 64), &[], &mut silent).unwrap();
}

/// Every item reports its group three times.
unsafe extern "C" fn report_groups(ctx: *mut LaunchContext, _: *const u8, first: i64, last: i64) {
    for group in first..last {
        for round in 0..3u8 {
            let operands = [group as u8, round];
            // SAFETY: a launch of a kernel that reports has given the function.
            unsafe { (*ctx).report.unwrap()(ctx, 7, operands.as_ptr(), 2) };
        }
    }
}

/// More reports than may wait, from several threads: each comes once, and those of an item in their order.
#[test]
fn no_report_is_lost_and_each_items_come_in_order() {
    for threads in [1, 3] {
        let device = CpuDevice::new(threads).unwrap();
        let kernel = CpuKernel { reports: true, ..kernel(Entry::Groups(report_groups), 0) };
        let mut rounds = [0u8; 256];
        let mut count = 0;
        let take = &mut |report: Report| {
            assert_eq!(report.site, 7);
            let [group, round] = *report.operands else { panic!("two bytes were reported") };
            assert_eq!(round, rounds[group as usize] % 3);
            rounds[group as usize] += 1;
            count += 1;
        };
        for _ in 0..8 {
            run(&device, &kernel, &grid(256, 64), &[], take).unwrap();
        }
        assert_eq!((count, rounds), (8 * 3 * 256, [24; 256]));
    }
}

/// The even items of each warp meet alone, then all; item 40 has returned.
unsafe extern "C" fn meet_by_mask(ctx: *mut LaunchContext, args: *const u8, x: i64, _: i64, _: i64) {
    if x == 40 {
        return;
    }
    // SAFETY: as in `reverse`.
    unsafe {
        let out = args.cast::<*mut i64>().read_unaligned();
        let warp_barrier = (*ctx).warp_barrier.unwrap();
        let even = if x % 2 == 0 { warp_barrier(ctx, 0x5555_5555, 1, MEET_GIVES) } else { 0 };
        let all = warp_barrier(ctx, ALL, 2, MEET_GIVES);
        let here = warp_barrier(ctx, 0, 3 + (x % 32 / 16) as u32, MEET_GIVES);
        (*ctx).barrier.unwrap()(ctx);
        *out.offset(x as isize) =
            i64::from(even.count_ones() + 100 * all.count_ones() + 10000 * here.count_ones());
    }
}

#[test]
fn a_warp_meets_by_mask_or_by_place() {
    let device = CpuDevice::new(1).unwrap();
    let mut out = vec![0i64; 48];
    run(&device, &kernel(Entry::Item(meet_by_mask), 0), &grid(1, 48), &args(out.as_mut_ptr()), &mut silent)
        .unwrap();
    let want = |x: i64| match (x, x % 2) {
        (40, _) => 0,
        (0..32, odd) => 163_200 + 16 * (1 - odd),
        (_, odd) => 151_500 + 7 * (1 - odd),
    };
    assert_eq!(out, (0..48).map(want).collect::<Vec<_>>());
}

/// The lower half waits for all, the upper half for the group: none will arrive, so the lower half continues.
unsafe extern "C" fn meet_alone(ctx: *mut LaunchContext, args: *const u8, x: i64, _: i64, _: i64) {
    // SAFETY: as in `reverse`.
    unsafe {
        let out = args.cast::<*mut i64>().read_unaligned();
        let met = if x < 16 { (*ctx).warp_barrier.unwrap()(ctx, ALL, 1, MEET_GIVES) } else { 0 };
        (*ctx).barrier.unwrap()(ctx);
        *out.offset(x as isize) = met as i64;
    }
}

#[test]
fn a_mask_that_names_who_will_not_come_does_not_hang() {
    let device = CpuDevice::new(1).unwrap();
    let mut out = vec![-1i64; 32];
    run(&device, &kernel(Entry::Item(meet_alone), 0), &grid(1, 32), &args(out.as_mut_ptr()), &mut silent)
        .unwrap();
    assert!(out[..16].iter().all(|it| *it == 0xffff) && out[16..].iter().all(|it| *it == 0), "{out:?}");
}
