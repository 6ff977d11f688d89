//! Call targets that can be pointed elsewhere while code runs.

use crate::late::{FindTarget, Late};
use crate::{Linker, ObjectLinkError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A call target with one level of indirection: `stub` jumps to whatever the slot holds now.
#[derive(Debug)]
pub struct CallSlot {
    stub: u64,
    cell: *const AtomicU64,
    /// The state of the entry of a late slot; `None` for a slot with a known target.
    _late: Option<Arc<Late>>,
    /// Keeps the cell and the stub mapped.
    _linker: Arc<Linker>,
}

// SAFETY: the cell is an aligned word of the arena that only atomic operations touch.
unsafe impl Send for CallSlot {}
// SAFETY: as above.
unsafe impl Sync for CallSlot {}

impl CallSlot {
    /// Returns the address that callers call.
    pub fn stub(&self) -> u64 {
        self.stub
    }

    /// Redirects the slot to `target`, for calls that start afterwards.
    ///
    /// # Safety
    /// `target` is the address of code for the calls that go through the stub, and stays there as long as code that
    /// calls the stub may run.
    pub unsafe fn point_at(&self, target: u64) {
        // SAFETY: the cell lives as long as the arena, which the slot keeps.
        unsafe { &*self.cell }.store(target, Ordering::Release);
    }

    /// Where the slot points.
    pub fn target(&self) -> u64 {
        // SAFETY: as in `point_at`.
        unsafe { &*self.cell }.load(Ordering::Acquire)
    }
}

/// Makes a slot that asks for its target when it is first called.
pub(crate) fn make_late(linker: &Arc<Linker>, find: FindTarget) -> Result<CallSlot, ObjectLinkError> {
    let late = Late::new(find);
    let entry = late.place(&mut linker.arena())?;
    let slot = make(linker, entry)?;
    Ok(CallSlot { _late: Some(late), ..slot })
}

pub(crate) fn make(linker: &Arc<Linker>, target: u64) -> Result<CallSlot, ObjectLinkError> {
    let mut arena = linker.arena();
    let cell = arena.allocate(8, 8)?;
    arena.bytes(cell).copy_from_slice(&target.to_le_bytes());
    let stub = arena.allocate(8, 16)?;
    let (cell_address, stub_address) = (arena.address(cell), arena.address(stub));
    let distance = cell_address.wrapping_sub(stub_address + 6) as i64;
    let distance = i32::try_from(distance).map_err(|_| ObjectLinkError::OutOfRange("slot".into()))?;
    let bytes = arena.bytes(stub);
    bytes[..2].copy_from_slice(&[0xff, 0x25]);
    bytes[2..6].copy_from_slice(&distance.to_le_bytes());
    arena.publish(stub, true)?;
    let cell = arena.writable(cell).cast_const().cast();
    Ok(CallSlot { stub: stub_address, cell, _late: None, _linker: linker.clone() })
}
