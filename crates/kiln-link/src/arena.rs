//! The memory code runs from: one reservation of address space, mapped twice.
//!
//! A memory file is mapped readable and writable for the linker and readable and executable to run, so no page
//! is ever both and none changes its protection while another thread runs from it. Where a system refuses
//! memory files, the fallback is one writable mapping that [`Arena::publish`] turns executable page by page.

use crate::ObjectLinkError;
use std::ptr;

/// Address space to reserve, less where a process may not have so much: displacements inside it fit 32 bits with room to
/// spare.
const ARENA_BYTES: [usize; 3] = [1 << 30, 64 << 20, 16 << 20];
/// Each allocation of code starts a fresh page only when the fallback is in use.
const PAGE: usize = 4096;

/// A bump allocator over the double mapping.
#[derive(Debug)]
pub(crate) struct Arena {
    /// Where the linker writes.
    write: *mut u8,
    /// Where code runs; equal to `write` in the fallback.
    run: *mut u8,
    bytes: usize,
    used: usize,
    dual: bool,
}

// SAFETY: the pointers are to mappings that live as long as the arena; all writing goes through `&mut self`.
unsafe impl Send for Arena {}
// SAFETY: `&self` methods only compute addresses.
unsafe impl Sync for Arena {}

/// A placed range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    offset: usize,
    len: usize,
}

impl Arena {
    pub(crate) fn new() -> Result<Self, ObjectLinkError> {
        let [most, some, least] = ARENA_BYTES;
        let make = |bytes| Self::dual(bytes).or_else(|_| Self::single(bytes));
        make(most).or_else(|_| make(some)).or_else(|_| make(least))
    }

    /// An arena without a memory file: the fallback, which profilers take for generated code.
    pub(crate) fn anonymous() -> Result<Self, ObjectLinkError> {
        let [most, some, least] = ARENA_BYTES;
        Self::single(most).or_else(|_| Self::single(some)).or_else(|_| Self::single(least))
    }

    fn dual(bytes: usize) -> Result<Self, ObjectLinkError> {
        // SAFETY: the name is a NUL-terminated literal; the descriptor is closed below on every path.
        let fd = unsafe { libc::memfd_create(c"kiln-code".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(system_error("memfd_create"));
        }
        let maps = Self::map_twice(fd, bytes);
        // SAFETY: `fd` is ours and open; mappings outlive it.
        unsafe { libc::close(fd) };
        let (write, run) = maps?;
        Ok(Self { write, run, bytes, used: 0, dual: true })
    }

    fn map_twice(fd: libc::c_int, bytes: usize) -> Result<(*mut u8, *mut u8), ObjectLinkError> {
        // SAFETY: `fd` is an open memory file.
        if unsafe { libc::ftruncate(fd, bytes as libc::off_t) } != 0 {
            return Err(system_error("ftruncate"));
        }
        let write = map((fd, bytes), libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED)?;
        match map((fd, bytes), libc::PROT_READ | libc::PROT_EXEC, libc::MAP_SHARED) {
            Ok(run) => Ok((write, run)),
            Err(error) => {
                // SAFETY: `write` is a mapping of exactly this size that nothing refers to.
                unsafe { libc::munmap(write.cast(), bytes) };
                Err(error)
            }
        }
    }

    fn single(bytes: usize) -> Result<Self, ObjectLinkError> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let write = map((-1, bytes), libc::PROT_READ | libc::PROT_WRITE, flags)?;
        Ok(Self { write, run: write, bytes, used: 0, dual: false })
    }

    /// Takes `len` zeroed bytes aligned to `align` (a power of two).
    pub(crate) fn allocate(&mut self, len: usize, align: usize) -> Result<Placed, ObjectLinkError> {
        let align = if self.dual { align } else { align.max(PAGE) };
        let start = self.used.checked_next_multiple_of(align.max(1)).filter(|it| *it <= self.bytes);
        let end = start.and_then(|it| it.checked_add(len)).filter(|it| *it <= self.bytes);
        let (Some(offset), Some(end)) = (start, end) else {
            return Err(ObjectLinkError::Memory(format!("the arena of {} bytes is full", self.bytes)));
        };
        self.used = end;
        Ok(Placed { offset, len })
    }

    /// The writable bytes of a placed range.
    pub(crate) fn bytes(&mut self, at: Placed) -> &mut [u8] {
        // SAFETY: `allocate` handed the range out inside the mapping, and `&mut self` makes the slice unique
        // among writers; code running concurrently reads other ranges.
        unsafe { std::slice::from_raw_parts_mut(self.write.add(at.offset), at.len) }
    }

    /// Where the range runs.
    pub(crate) fn address(&self, at: Placed) -> u64 {
        self.run as u64 + at.offset as u64
    }

    /// Where the byte that runs at `address` is written, for slots.
    pub(crate) fn writable(&self, at: Placed) -> *mut u8 {
        // SAFETY: inside the mapping by construction of `Placed`.
        unsafe { self.write.add(at.offset) }
    }

    /// Makes the range executable, without a double mapping. Writable data placed there stays writable.
    pub(crate) fn publish(&mut self, at: Placed, executable: bool) -> Result<(), ObjectLinkError> {
        if self.dual || !executable {
            return Ok(());
        }
        let len = at.len.next_multiple_of(PAGE);
        self.used = self.used.max((at.offset + len).min(self.bytes));
        // SAFETY: the range is page-aligned (see `allocate`) and inside the mapping.
        let status = unsafe {
            libc::mprotect(self.write.add(at.offset).cast(), len, libc::PROT_READ | libc::PROT_EXEC)
        };
        if status == 0 { Ok(()) } else { Err(system_error("mprotect")) }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: both are mappings of exactly this size; the owner guarantees that no code runs from them.
        unsafe {
            libc::munmap(self.write.cast(), self.bytes);
            if self.dual {
                libc::munmap(self.run.cast(), self.bytes);
            }
        }
    }
}

fn map(
    (fd, bytes): (libc::c_int, usize),
    protection: libc::c_int,
    flags: libc::c_int,
) -> Result<*mut u8, ObjectLinkError> {
    // SAFETY: a fresh mapping at an address the system chooses.
    let at = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags, fd, 0) };
    if at == libc::MAP_FAILED { Err(system_error("mmap")) } else { Ok(at.cast()) }
}

fn system_error(what: &str) -> ObjectLinkError {
    ObjectLinkError::Memory(format!("{what}: {}", std::io::Error::last_os_error()))
}
