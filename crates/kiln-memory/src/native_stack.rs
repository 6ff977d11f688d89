//! The native stacks of a thread, as a collection scans them: from a frame up to the one that began to run Julia code,
//! over all the segments between them.
//!
//! `stacker` allocates segments and knows how much of the current one is left. This file knows where the others are, provided
//! that Julia code is called in those alone that [`with_room`] changed to.

use crate::space;
use std::cell::{Cell, RefCell};
use std::hint::black_box;

thread_local! {
    static CURRENT: Cell<Segment> = const { Cell::new(Segment { high: 0, limit: 0 }) };
    /// The parts of the segments that the running one was changed to from.
    static OLDER: RefCell<Vec<(u64, u64)>> = const { RefCell::new(Vec::new()) };
}

/// The segment that a thread runs on.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Frames are below.
    high: u64,
    /// Where the segment ends, which identifies it.
    limit: u64,
}

/// Parts of native stacks.
#[derive(Clone, Debug, Default)]
pub struct StackRanges(Vec<(u64, u64)>);

impl StackRanges {
    /// Adds their words that can be addresses.
    pub fn words(&self, to: &mut Vec<u64>) {
        for (low, high) in &self.0 {
            let words = (low.next_multiple_of(8)..*high).step_by(8);
            // SAFETY: memory of a stack whose frames are there: this thread's, or that of a thread that waits.
            to.extend(words.map(|it| unsafe { space::load_unchecked(it) }).filter(|it| *it > 4096));
        }
    }
}

/// Restores the previous segment.
struct Previous {
    segment: Segment,
    older: Option<usize>,
    saved: Vec<(u64, u64)>,
}

impl Drop for Previous {
    fn drop(&mut self) {
        CURRENT.set(self.segment);
        OLDER.with_borrow_mut(|it| match self.older {
            Some(count) => it.truncate(count),
            None => *it = std::mem::take(&mut self.saved),
        });
    }
}

/// Where the segment ends that this frame is in, as far as that is known.
fn limit(frame: u64) -> u64 {
    // Frames of one segment differ in what is left by as much as in their addresses, but for the frame of this call.
    let left = stacker::remaining_stack().unwrap_or(0) as u64;
    frame.saturating_sub(left) / 4096
}

/// Runs `work`, which runs Julia code: the frames of this thread before it hold no values.
#[inline(never)]
pub fn within_base<T>(work: impl FnOnce() -> T) -> T {
    let frame = 0u64;
    let high = (&raw const frame).expose_provenance() as u64 + 8;
    let saved = OLDER.with_borrow_mut(std::mem::take);
    let segment = CURRENT.replace(Segment { high, limit: limit(high) });
    let _previous = Previous { segment, older: None, saved };
    let result = work();
    black_box(&frame);
    result
}

/// Runs `work` with at least `red_zone` bytes of native stack: on a new segment of `bytes` if there are fewer left.
#[inline]
pub fn with_room<T>(red_zone: usize, bytes: usize, work: impl FnOnce() -> T) -> T {
    match stacker::remaining_stack() {
        Some(left) if left < red_zone => on_new_segment(bytes, work),
        _ => work(),
    }
}

/// As [`with_room`]; `None` when the system has no memory for a new segment.
#[inline]
pub fn try_with_room<T>(red_zone: usize, bytes: usize, work: impl FnOnce() -> T) -> Option<T> {
    match stacker::remaining_stack() {
        Some(left) if left < red_zone => can_map(bytes).then(|| on_new_segment(bytes, work)),
        _ => Some(work()),
    }
}

/// Whether the system has so much memory for a segment: `stacker` ends the process otherwise.
#[cold]
fn can_map(bytes: usize) -> bool {
    // With the pages at both ends that `stacker` protects.
    let len = bytes + (1 << 16);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a fresh mapping at an address that the system chooses, and its end.
    unsafe {
        let given = libc::mmap(std::ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        given != libc::MAP_FAILED && libc::munmap(given, len) == 0
    }
}

#[cold]
#[inline(never)]
fn on_new_segment<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    with_registers_on_stack(|low| {
        let segment = CURRENT.get();
        let older = OLDER.with_borrow_mut(|it| {
            it.push((low, segment.high.max(low)));
            it.len() - 1
        });
        let _previous = Previous { segment, older: Some(older), saved: Vec::new() };
        stacker::grow(bytes, || on_segment(work))
    })
}

#[inline(never)]
fn on_segment<T>(work: impl FnOnce() -> T) -> T {
    let frame = 0u64;
    let high = (&raw const frame).expose_provenance() as u64 + 8;
    CURRENT.set(Segment { high, limit: limit(high) });
    let result = work();
    black_box(&frame);
    result
}

/// Whether all segments between this frame and the one that began to run Julia code are known.
#[inline(never)]
pub fn is_known() -> bool {
    let frame = 0u64;
    let here = (&raw const frame).expose_provenance() as u64;
    let known = CURRENT.get();
    black_box(&frame);
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
        && here < known.high
        && limit(here).abs_diff(known.limit) <= 1
}

/// Calls `work` with the parts of this thread's stacks that hold the frames which called it, and the values that they have in
/// machine registers.
#[inline(never)]
pub fn with_visible_stacks<T>(work: impl FnOnce(&StackRanges) -> T) -> T {
    with_registers_on_stack(|low| {
        let mut ranges = OLDER.with_borrow(Clone::clone);
        ranges.push((low, CURRENT.get().high.max(low)));
        work(&StackRanges(ranges))
    })
}

/// Calls `work` with the address of a place on the stack below all frames that called this. The registers that a callee
/// keeps for them are stored from there on.
#[inline(never)]
fn with_registers_on_stack<T>(work: impl FnOnce(u64) -> T) -> T {
    let mut registers = [0u64; 12];
    let place = registers.as_mut_ptr();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: stores six registers to the array, and changes none.
    unsafe {
        core::arch::asm!(
            "mov [{to}], rbx", "mov [{to} + 8], rbp", "mov [{to} + 16], r12", "mov [{to} + 24], r13",
            "mov [{to} + 32], r14", "mov [{to} + 40], r15",
            to = in(reg) place, options(nostack, preserves_flags)
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: stores twelve registers to the array, and changes none.
    unsafe {
        core::arch::asm!(
            "stp x19, x20, [{to}]", "stp x21, x22, [{to}, #16]", "stp x23, x24, [{to}, #32]",
            "stp x25, x26, [{to}, #48]", "stp x27, x28, [{to}, #64]", "str x29, [{to}, #80]",
            to = in(reg) place, options(nostack, preserves_flags)
        );
    }
    let result = work(place.expose_provenance() as u64);
    black_box(&registers);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(word: u64) -> bool {
        with_visible_stacks(|it| {
            let mut words = Vec::new();
            it.words(&mut words);
            words.contains(&word)
        })
    }

    /// A word of a frame is found, also if the frame is on an older segment, and not when the frame has ended.
    #[test]
    fn words_of_all_segments_are_found() {
        within_base(|| {
            let word = black_box(0x1234_5678_9abc_u64.rotate_left(7));
            let kept = black_box([word, 1]);
            assert!(holds(word) && is_known());
            with_room(usize::MAX, 1 << 20, || {
                assert!(holds(black_box(word)) && is_known());
                with_room(usize::MAX, 1 << 20, || assert!(is_known() && OLDER.with_borrow(Vec::len) == 2));
                stacker::grow(1 << 20, || {
                    assert!(!is_known(), "a segment that this module did not change to")
                });
            });
            black_box(&kept);
            assert!(is_known() && OLDER.with_borrow(Vec::is_empty));
        });
    }
}
