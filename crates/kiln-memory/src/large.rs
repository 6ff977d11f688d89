//! Large objects: each an allocation of its own, zeroed.
//!
//! The system maps zeroed pages, so nothing is cleared here: an array costs its pages on first use and nothing
//! before. The largest objects request huge pages: two instead of a thousand for a million numbers.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr;

/// The alignment that every system gives without clearing by hand.
const SYSTEM_ALIGN: usize = 16;
/// A page that the processor translates at once.
const HUGE_PAGE: usize = 2 << 20;

/// Bytes of large objects after which it is asked again whether the system has room for everything else.
const ROOM_ASKED_EVERY: u64 = 1 << 20;
/// Address space that large objects leave to everything else: a program that has used up its memory goes on with this.
const ROOM_BYTES: usize = 16 << 20;

/// The bytes of large objects since the system was asked whether there is room for everything else.
#[derive(Debug, Default)]
pub(super) struct Room(u64);

impl Room {
    /// A large allocation; `None` if too little would be left.
    pub(super) fn allocate(&mut self, bytes: u64) -> Option<Large> {
        if self.is_left(bytes) { Large::new(bytes) } else { None }
    }

    /// Whether so many more bytes leave enough. The system is asked from time to time, and each time while there is too little.
    fn is_left(&mut self, bytes: u64) -> bool {
        self.0 = self.0.saturating_add(bytes);
        if self.0 >= ROOM_ASKED_EVERY && (has_room() || kept_bytes() >= ROOM_BYTES) {
            self.0 = 0;
        }
        self.0 < ROOM_ASKED_EVERY
    }
}

/// Bytes that the system's allocator has of freed objects, and does not give back.
fn kept_bytes() -> usize {
    #[cfg(target_env = "gnu")]
    // SAFETY: it asks for numbers.
    return unsafe { libc::mallinfo2() }.fordblks;
    #[cfg(not(target_env = "gnu"))]
    0
}

fn has_room() -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh mapping at an address that the system chooses, and its end.
    unsafe {
        let given = libc::mmap(ptr::null_mut(), ROOM_BYTES, libc::PROT_NONE, flags, -1, 0);
        given != libc::MAP_FAILED && libc::munmap(given, ROOM_BYTES) == 0
    }
}

/// Where one was placed.
#[derive(Debug)]
pub(super) struct Large {
    /// The first byte, aligned to `Large::ALIGN`.
    pub(super) start: u64,
    /// The requested size in bytes.
    pub(super) bytes: u64,
    /// The system's block, to be given back.
    given: *mut u8,
    len: usize,
    mapped: bool,
}

// SAFETY: the pointer is only kept to be given back, by the object's owner.
unsafe impl Send for Large {}

impl Large {
    /// The alignment of the first byte.
    pub(super) const ALIGN: usize = 256;

    /// Allocates `bytes` zeroed bytes. `None` when memory is exhausted.
    pub(super) fn new(bytes: u64) -> Option<Self> {
        let wanted = usize::try_from(bytes).ok()?;
        if wanted >= HUGE_PAGE { Self::map(wanted) } else { Self::allocate(wanted) }
    }

    fn allocate(wanted: usize) -> Option<Self> {
        let len = wanted + (Self::ALIGN - SYSTEM_ALIGN);
        // SAFETY: the layout has a size above zero.
        let given = unsafe { alloc_zeroed(layout(len)) };
        (!given.is_null()).then(|| Self::at(given, Self::ALIGN, wanted, len, false))
    }

    fn map(wanted: usize) -> Option<Self> {
        let len = wanted.checked_add(HUGE_PAGE)?;
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a fresh mapping at an address the system chooses.
        let given = unsafe { libc::mmap(ptr::null_mut(), len, protection, flags, -1, 0) };
        if given == libc::MAP_FAILED {
            return None;
        }
        let large = Self::at(given.cast(), HUGE_PAGE, wanted, len, true);
        // A last page of which the object needs less than half stays one of small ones.
        let whole = (wanted + HUGE_PAGE / 2) / HUGE_PAGE * HUGE_PAGE;
        let start = ptr::with_exposed_provenance_mut(large.start as usize);
        // SAFETY: inside the mapping, which is a huge page longer than the object; advice changes no contents, and
        // that it is not followed changes nothing.
        unsafe {
            libc::madvise(
                start,
                whole.min(len - (large.start as usize - given as usize)),
                libc::MADV_HUGEPAGE,
            )
        };
        Some(large)
    }

    fn at(given: *mut u8, align: usize, wanted: usize, len: usize, mapped: bool) -> Self {
        let start = given.expose_provenance().next_multiple_of(align) as u64;
        Self { start, bytes: wanted as u64, given, len, mapped }
    }
}

impl Drop for Large {
    fn drop(&mut self) {
        if self.mapped {
            // SAFETY: a mapping of exactly this length; nothing reaches the object any more.
            unsafe { libc::munmap(self.given.cast(), self.len) };
        } else {
            // SAFETY: given for the same layout; nothing reaches the object any more.
            unsafe { dealloc(self.given, layout(self.len)) };
        }
    }
}

fn layout(len: usize) -> Layout {
    match Layout::from_size_align(len, SYSTEM_ALIGN) {
        Ok(layout) => layout,
        Err(_) => panic!("an object of {len} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the size, the room is aligned, zero, and all of it can be written: also when it was used before.
    #[test]
    fn room_is_aligned_zero_and_writable() {
        for bytes in
            [2049, 100_000, 1 << 20, HUGE_PAGE - 1, HUGE_PAGE, HUGE_PAGE * 3 / 2 + 1, 3 * HUGE_PAGE + 5]
        {
            for _ in 0..2 {
                let large = Large::new(bytes as u64).unwrap();
                assert_eq!(large.start as usize % Large::ALIGN, 0);
                let start = ptr::with_exposed_provenance_mut::<u8>(large.start as usize);
                // SAFETY: room for `bytes` bytes without another owner.
                let room = unsafe { std::slice::from_raw_parts_mut(start, bytes) };
                assert!(room.iter().all(|it| *it == 0), "{bytes} bytes are not all zero");
                room.fill(0xff);
            }
        }
    }

    /// More than there can be is refused, not fatal.
    #[test]
    fn too_much_is_refused() {
        assert!(Large::new(1 << 62).is_none());
        assert!(Large::new(u64::MAX).is_none());
    }
}
