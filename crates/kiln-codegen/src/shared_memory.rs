//! The blocks of shared memory of a unit.

use crate::llvm::Val;
use crate::unit::{SharedBlock, SharedUse, Unit};
use kiln_ir::Stmt;
use kiln_unit::{EntryKind, SHARED_BASE};

/// Returns an offset in shared memory in compiled code.
pub(crate) fn value(unit: &Unit<'_>, offset: u64) -> Val {
    let offset = unit.module.const_i64(offset as i64);
    match unit.entry {
        EntryKind::Body => unit.module.add(unit.module.absolute(SHARED_BASE, 64), offset),
        EntryKind::Function | EntryKind::Kernel => offset,
    }
}

/// Returns the bytes of shared memory through which lanes exchange values.
pub(crate) fn lane_bytes(unit: &Unit<'_>) -> u32 {
    let blocks = unit.shared.borrow();
    let of_lanes = blocks.iter().filter(|it| it.of == SharedUse::Lanes);
    of_lanes.map(|it| it.bytes as u32).sum()
}

/// Notes that a statement's block of shared memory passes for written.
pub(crate) fn note_written(unit: &Unit<'_>, of: (u32, Stmt)) {
    let mut blocks = unit.shared.borrow_mut();
    blocks
        .iter_mut()
        .filter(|it| it.of == SharedUse::Statement(of.0, of.1))
        .for_each(|it| it.is_written = true);
}

/// Returns the offset and the number of a statement's block of shared memory.
pub(crate) fn block(unit: &Unit<'_>, of: SharedUse, bytes: u64, align: u64) -> (u64, usize) {
    let mut blocks = unit.shared.borrow_mut();
    let fits = |it: &SharedBlock| {
        it.of == of && (of != SharedUse::Lanes || it.bytes == bytes && it.offset.is_multiple_of(align))
    };
    if let Some(known) = blocks.iter().position(fits) {
        return (blocks[known].offset, known);
    }
    let zone = if unit.checks.memory || unit.screens { crate::check_sites::RED_ZONE } else { 0 };
    let end = blocks.last().map_or(0, |it| it.offset + it.bytes + zone);
    let offset = end.next_multiple_of(align.clamp(1, 64));
    blocks.push(SharedBlock { of, offset, bytes, is_written: false });
    (offset, blocks.len() - 1)
}

/// Returns the slot of another access that is screened, to cells of so many bytes.
pub(crate) fn next_slot(unit: &Unit<'_>, cell_bytes: u32, writes: bool) -> u32 {
    let mut screened = unit.screened.borrow_mut();
    let count = screened.entry((cell_bytes, writes)).or_default();
    *count += 1;
    kiln_unit::screen_slot(cell_bytes, writes, *count - 1)
}
